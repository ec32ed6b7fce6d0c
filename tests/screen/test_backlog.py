"""The portable engine parses what is read or asks something; of a flood that nobody reads it keeps the newest part."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.screen import ScreenEngine, open_screen
from session_core.screen.pyte_backlog import BACKLOG_BYTES

from .conftest import OpenPane
from .soup import soup
from .test_replies import QUERIES

LINES = 2000
FLOOD = b"".join(b"%06d " % number + b"-" * 60 + b"\r\n" for number in range(3 * BACKLOG_BYTES // 69))
CHUNK = 4096
KEPT: dict[str, tuple[bytes, Callable[[ScreenEngine], bool]]] = {
    "mode": (b"\x1b[?2004h", lambda screen: screen.mode(2004)),
    "mode by escape": (b"\x1b=", lambda screen: screen.mode(66)),
    "mode that is reset": (b"\x1b[?2004h\x1b[?2004l", lambda screen: not screen.mode(2004)),
    "hidden cursor": (b"\x1b[?25l", lambda screen: not screen.cursor.visible),
    "keyboard flags": (b"\x1b[>5u", lambda screen: screen.kitty_flags == 5),
    "keyboard flags, popped": (b"\x1b[>5u\x1b[>7u\x1b[<u", lambda screen: screen.kitty_flags == 5),
    "alternate screen": (b"\x1b[?1049h", lambda screen: screen.alternate),
    "alternate screen, left": (b"\x1b[?1049h" + b"x" * 99 + b"\x1b[?1049l", lambda screen: not screen.alternate),
    "title": (b"\x1b]0;kept\x07", lambda screen: screen.title == "kept"),
    "pen": (b"\x1b[1m\x1b[0;31mred", lambda screen: screen.ansi().startswith("\x1b[0;31m")),
    "line drawing": (b"\x1b(0", lambda screen: (screen.feed(b"q"), "─" in screen.text())[1]),
    "full reset": (b"\x1b[?2004h\x1bc", lambda screen: not screen.mode(2004)),
    "erased scrollback": (b"\x1b[3J", lambda screen: screen.lines(0).count("old") < 24),
}


@pytest.fixture
def screen() -> Iterator[ScreenEngine]:
    opened = open_screen(80, 24, engine="pyte", scrollback_rows=LINES)
    yield opened
    opened.close()


def feed_in_chunks(screen: ScreenEngine, data: bytes, size: int = CHUNK) -> bytes:
    return b"".join(screen.feed(data[at : at + size]) for at in range(0, len(data), size))


def test_output_waits_until_somebody_reads(screen: ScreenEngine) -> None:
    screen.feed(b"one ")
    screen.feed(b"two")
    assert screen.backlog == 7
    assert screen.text() == "one two"
    assert screen.backlog == 0


@pytest.mark.parametrize(
    "read", ["alternate", "ansi", "cursor", "html", "kitty_flags", "row_count", "snapshot", "text", "title"]
)
def test_whatever_is_read_is_up_to_date(screen: ScreenEngine, read: str) -> None:
    screen.feed(b"text")
    found = getattr(screen, read)
    if callable(found):
        found()
    assert screen.backlog == 0


def test_rows_lines_modes_and_resizes_see_all_output(screen: ScreenEngine) -> None:
    screen.feed(b"one")
    assert screen.rows(0, 1) == screen.lines(0) == screen.tail(1) == ["one"]
    screen.feed(b"\x1b[?1h")
    assert screen.mode(1)
    screen.feed(b"\r\n" + b"x" * 80)
    screen.resize(40, 24)
    assert screen.text() == "one\n" + "x" * 40 + "\n" + "x" * 40


def test_a_slice_of_the_backlog_can_be_parsed(screen: ScreenEngine) -> None:
    screen.feed("ab\x1b[31m日本".encode())
    for _ in range(4):
        screen.catch_up(3)
    assert screen.backlog == 1
    assert screen.text() == "ab日本"


def test_a_flood_leaves_a_bounded_backlog_and_says_what_was_skipped(screen: ScreenEngine) -> None:
    for at in range(0, len(FLOOD), CHUNK):
        screen.feed(FLOOD[at : at + CHUNK])
        assert screen.backlog <= BACKLOG_BYTES
    assert screen.tail(1) == [FLOOD.split(b"\r\n")[-2].decode()]
    assert screen.skipped == len(FLOOD) - BACKLOG_BYTES


def test_what_is_shown_after_a_flood_is_its_end_without_a_broken_line(screen: ScreenEngine) -> None:
    feed_in_chunks(screen, FLOOD)
    lines = screen.lines(0)
    expected = FLOOD.decode().split("\r\n")[-len(lines) :]
    assert lines[1:] == expected[:-1] or lines[1:] == expected[1:]


def test_skipped_output_is_forgotten_once_everything_kept_is_newer(screen: ScreenEngine) -> None:
    feed_in_chunks(screen, FLOOD)
    assert screen.skipped
    for at in range(0, len(FLOOD), CHUNK):
        screen.feed(FLOOD[at : at + CHUNK])
        screen.catch_up()
    assert screen.skipped == 0


@pytest.mark.parametrize("chunk", [CHUNK, 10 * BACKLOG_BYTES])
@pytest.mark.parametrize(("sequence", "holds"), KEPT.values(), ids=KEPT.keys())
def test_what_lasts_counts_also_where_it_was_skipped(
    screen: ScreenEngine, sequence: bytes, holds: Callable[[ScreenEngine], bool], chunk: int
) -> None:
    screen.feed(b"old\r\n" * 100)
    screen.catch_up()
    feed_in_chunks(screen, sequence + FLOOD, chunk)
    assert holds(screen)
    assert screen.skipped


def test_what_is_skipped_on_the_alternate_screen_leaves_the_main_screen_whole(screen: ScreenEngine) -> None:
    screen.feed(b"main\r\n$ ")
    feed_in_chunks(screen, b"\x1b[?1049h" + FLOOD + b"\x1b[?1049l" + b"back")
    assert screen.text() == "main\n$ back"


def test_a_cut_inside_a_character_or_a_sequence_shows_no_part_of_it(screen: ScreenEngine) -> None:
    for unit in ("日".encode(), b"\x1b[38;5;196mx", b"\x1b]0;title\x07x", b"\x1b[5;5Hx"):
        feed_in_chunks(screen, unit * (2 * BACKLOG_BYTES // len(unit)), 4099)
        assert screen.backlog <= BACKLOG_BYTES
        assert set("".join(screen.lines(0))) <= set("日x ")


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_question_behind_a_flood_is_answered_at_once(screen: ScreenEngine, cut: int) -> None:
    assert feed_in_chunks(screen, FLOOD) == b""
    query = b"\x1b[5;6H\x1b[6n"
    assert screen.feed(query[:-cut]) + screen.feed(query[-cut:]) == b"\x1b[5;6R"


def test_a_question_amid_what_is_too_much_is_answered_as_well(screen: ScreenEngine) -> None:
    assert screen.feed(b"\x1b[c" + FLOOD + b"\x1b[5n") == b"\x1b[?62;22c\x1b[0n"


def test_ordinary_output_is_no_question(screen: ScreenEngine) -> None:
    ordinary = (
        b"text \x1b[1;31mred\x1b[m \x1b[?25l\x1b[2K\x1b[3;4H\x1b]0;title\x07\x1b[4:3m\x1b]8;;http://x\x1b\\link\r\n"
    )
    feed_in_chunks(screen, ordinary * 20, len(ordinary))
    assert screen.backlog == 20 * len(ordinary)


@settings(max_examples=200, deadline=None)
@given(
    data=st.lists(soup | st.sampled_from([query for query, _ in QUERIES.values()]), max_size=6), size=st.integers(1, 40)
)
def test_lazy_parsing_answers_the_same_at_the_same_time(data: list[bytes], size: int) -> None:
    stream = b"".join(data)
    lazy, eager = (open_screen(20, 6, engine="pyte", scrollback_rows=50) for _ in range(2))
    for left, right in pairwise([*range(0, len(stream), size), len(stream)]):
        replies = lazy.feed(stream[left:right])
        now = eager.feed(stream[left:right])
        eager.catch_up()
        assert replies == now + eager.feed(b"")
    assert lazy.rows(0, 99) == eager.rows(0, 99)
    assert lazy.snapshot() == eager.snapshot()
    lazy.close()
    eager.close()


def test_what_is_closed_has_no_backlog(open_pane: OpenPane) -> None:
    pane = open_pane()
    pane.feed(b"text")
    pane.close()
    assert pane.backlog == 0
