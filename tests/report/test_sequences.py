"""What one built sequence is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.protocol import limits
from session_core.protocol.events import EventStream
from session_core.protocol.program_status import Clear, Kind, Report, State
from session_core.report import build, clean_text, clear

from .pty_end import statuses

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=400)
NAMES = st.from_regex(r"[A-Za-z0-9_.+-]{1,32}", fullmatch=True)
IDS = st.lists(NAMES, min_size=1, max_size=8).map("/".join).filter(lambda id: len(id) <= 128)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 300))
def test_clean_text_fits_its_limit_and_has_no_control(text: str, limit: int) -> None:
    clean = clean_text(text, limit)
    assert len(clean.encode()) <= limit
    assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in clean)
    assert clean_text(clean, limit) == clean


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=100))
def test_clean_text_leaves_plain_text_as_it_is(text: str) -> None:
    assert clean_text(text, 400) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("two\r\nlines", "two lines"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "a ]0;title b"),
        ("  ends \t", "ends"),
        ("nel\x85sep\u2028end", "nel sep end"),
        ("\udcff", "?"),
    ],
)
def test_clean_text_makes_one_line(text: str, clean: str) -> None:
    assert clean_text(text, 100) == clean


def test_clean_text_cuts_before_a_character_that_does_not_fit() -> None:
    assert [clean_text("aé€😀", limit) for limit in (0, 1, 2, 3, 5, 6, 9, 10)] == [
        "", "a", "a", "aé", "aé", "aé€", "aé€", "aé€😀",
    ]  # fmt: skip


def test_clean_text_leaves_no_space_where_it_cuts() -> None:
    assert clean_text("two words", 4) == "two"


def test_clean_text_refuses_a_negative_limit() -> None:
    with pytest.raises(ValueError, match="give 0 or more"):
        clean_text("a", -1)


@settings(deadline=None)
@given(
    state=st.sampled_from(State),
    id=st.just("") | IDS,
    kind=st.none() | st.sampled_from(Kind),
    progress=st.none() | st.integers(0, 100),
    app=st.none() | NAMES,
    title=st.none() | TEXTS,
    msg=st.none() | TEXTS.map(lambda text: text * 8),
)
def test_a_strict_terminal_reads_back_what_was_built(
    state: State,
    id: str,
    kind: Kind | None,
    progress: int | None,
    app: str | None,
    title: str | None,
    msg: str | None,
) -> None:
    kind = kind if state is State.BLOCKED else None
    progress = progress if state in (State.BLOCKED, State.WORKING) else None
    built = build(state, id=id, kind=kind, progress=progress, app=app, title=title, msg=msg)
    expected = Report(
        state=state,
        id=id,
        kind=kind,
        progress=progress,
        app=app,
        title=clean_text(title or "", limits.STATUS_TITLE) or None,
        msg=clean_text(msg or "", limits.STATUS_MSG) or None,
    )
    [event] = EventStream().feed(built)
    assert (event.meaning, event.end) == (expected, len(built))


def test_the_fullest_report_is_still_taken() -> None:
    names = {"id": "/".join(["n" * 31] * 4), "app": "a" * 32}
    full = build("blocked", kind="permission", progress=100, title="€" * 99, msg="€" * 999, **names)
    [report] = statuses(full)
    assert isinstance(report, Report)
    assert (len((report.title or "").encode()), len((report.msg or "").encode())) == (192, 2046)


def test_clear_addresses_one_record_or_all() -> None:
    assert statuses(clear("build/test") + clear()) == [Clear("build/test"), Clear()]


@pytest.mark.parametrize("id", ["a//b", "/a", "a/", "a b", "é", "x" * 33, "/".join("abcdefghi"), "\udcff", "a\n"])
def test_an_id_that_a_terminal_would_drop_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match="give names joined by single '/'"):
        build("idle", id=id)
    with pytest.raises(ValueError, match="give names joined by single '/'"):
        clear(id)


@pytest.mark.parametrize("app", ["", "a/b", "my app", "x" * 33, "é"])
def test_an_app_that_a_terminal_would_ignore_is_refused(app: str) -> None:
    with pytest.raises(ValueError, match="give one name"):
        build("idle", app=app)


@pytest.mark.parametrize("progress", [-1, 101, True, 50.0, "5"])
def test_a_progress_that_a_terminal_would_ignore_is_refused(progress: int) -> None:
    with pytest.raises(ValueError, match="give a whole number from 0 to 100"):
        build("working", progress=progress)


def test_progress_and_kind_are_refused_where_they_do_not_belong() -> None:
    with pytest.raises(ValueError, match="progress belongs to state working or blocked"):
        build("done", progress=100)
    with pytest.raises(ValueError, match="kind question belongs to state blocked"):
        build("working", kind="question")


def test_unknown_words_are_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="give one of idle, working, done, blocked, error"):
        build("busy")
    with pytest.raises(ValueError, match="call clear"):
        build("clear")
    with pytest.raises(ValueError, match="give one of permission, question, auth"):
        build("blocked", kind="password")
