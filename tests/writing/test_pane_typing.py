"""A person types in a pane: what had finished has been seen, and the draft is shown at its begin and its end."""

import pytest

from session_core.model.changes import Cause, Change, Subject
from session_core.model.draft import DraftView
from session_core.model.outcomes import Outcome, Until, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Acknowledgement, Life

from ..model.panes import PROMPT, declare, feed, new_pane, states
from ..model.waiting import Desk

KEYS = [b"x", b"\r", b"\x03", b"\x1b[A", b"\x7f", b"\x1b", b"\t", b"\x1b[97;1:1u"]


def _drafts(changes: list[Change]) -> list[str | None]:
    return [change.after for change in changes if change.subject is Subject.DRAFT]


def _typed(pane: PaneModel, data: bytes, now: float = 5.0, *, paste: bool = False) -> list[Change]:
    return pane.typed(data, "ann", now, paste=paste)


@pytest.mark.parametrize("word", ["done", "error"])
@pytest.mark.parametrize("key", KEYS)
def test_any_key_of_a_person_acknowledges_what_had_finished(key: bytes, word: str) -> None:
    pane = new_pane()
    declare(pane, f"state={word}:msg=YQ==", now=1.0)
    changes = _typed(pane, key)
    assert states(pane) == {"": "idle"}
    assert [change.cause for change in changes if change.subject is Subject.RECORD] == [Cause.ACKNOWLEDGE]
    assert pane.status().acknowledged == (Acknowledgement("ann", 5.0, ("",)),)


def test_a_paste_acknowledges_as_a_key_does() -> None:
    pane = new_pane()
    declare(pane, "state=done", "state=error:id=a")
    _typed(pane, b"\x1b[200~x\x1b[201~", paste=True)
    assert states(pane) == {"": "idle", "a": "idle"}
    assert set(pane.ledger[-1].records) == {"", "a"}


@pytest.mark.parametrize("word", ["working", "blocked", "idle"])
def test_no_key_ends_what_has_not_finished(word: str) -> None:
    pane = new_pane()
    declare(pane, f"state={word}:msg=YQ==")
    _typed(pane, b"hello\r")
    assert states(pane) == {"": word}
    assert not pane.ledger


def test_the_ledger_names_each_person_once_for_what_they_ended() -> None:
    pane = new_pane()
    declare(pane, "state=done", now=1.0)
    pane.typed(b"a", "ann", 2.0, paste=False)
    pane.typed(b"b", "bob", 3.0, paste=False)
    declare(pane, "state=error", now=4.0)
    pane.typed(b"c", "bob", 5.0, paste=False)
    assert list(pane.ledger) == [Acknowledgement("ann", 2.0, ("",)), Acknowledgement("bob", 5.0, ("",))]


def test_a_draft_is_a_change_when_it_begins_and_when_it_ends_and_not_between() -> None:
    pane = new_pane()
    seen = [_drafts(_typed(pane, data)) for data in (b"a", b"b", b"\x1b[D", b"\x7f", b"cd", b"\r", b"\r", b"\x1b[A")]
    assert seen == [["typed"], [], [], [], [], [None], [], []]


def test_a_draft_that_is_erased_to_nothing_has_ended() -> None:
    pane = new_pane()
    assert _drafts(_typed(pane, b"ab")) == ["typed"]
    assert _drafts(_typed(pane, b"\x7f")) == []
    assert _drafts(_typed(pane, b"\x7f")) == [None]


def test_a_draft_change_names_its_cause_and_time_and_never_the_text() -> None:
    pane = new_pane()
    change = _typed(pane, b"hunter2", 7.0)[-1]
    assert (change.subject, change.cause, change.at, change.before, change.after) == (
        Subject.DRAFT,
        Cause.KEYSTROKE,
        7.0,
        None,
        "typed",
    )
    assert "hunter" not in repr(list(pane.log))
    assert "hunter" not in repr(pane.status())


def test_a_paste_begins_a_draft_and_enter_ends_it() -> None:
    pane = new_pane()
    assert _drafts(_typed(pane, b"\x1b[200~a\rb\x1b[201~", paste=True)) == ["typed"]
    assert _drafts(_typed(pane, b"\r")) == [None]


def test_the_draft_of_several_persons_ends_once() -> None:
    pane = new_pane()
    assert _drafts(pane.typed(b"from ann", "ann", 1.0, paste=False)) == ["typed"]
    assert _drafts(pane.typed(b" and bob", "bob", 2.0, paste=False)) == []
    assert pane.status().draft == DraftView(16, 2.0)
    assert _drafts(pane.typed(b"\r", "ann", 3.0, paste=False)) == [None]
    assert pane.status().draft is None
    assert pane.status().keystroke_at == 3.0


def test_a_submit_and_the_next_text_in_one_piece_leave_one_draft() -> None:
    pane = new_pane()
    _typed(pane, b"old")
    assert _drafts(_typed(pane, b"\rnew")) == []
    assert pane.status().draft == DraftView(3, 5.0)


def test_typing_is_no_turn_and_no_change_of_state() -> None:
    pane = new_pane()
    declare(pane, "state=working", now=1.0)
    standing, active, state_at = pane.standing, pane.active_revision, pane.status().state_at
    for data in (b"a", b"\r", b"\x1b[A"):
        _typed(pane, data)
    assert pane.standing == standing
    assert (pane.active_revision, pane.status().state_at) == (active, state_at)


def test_an_acknowledgement_by_typing_is_no_turn() -> None:
    pane = new_pane()
    declare(pane, "state=done", now=1.0)
    turn = pane.standing.turn_revision
    _typed(pane, b"a")
    assert pane.standing.turn_revision == turn


@pytest.mark.parametrize("until", Until)
def test_no_wait_since_now_ends_by_what_a_person_types(until: Until) -> None:
    desk = Desk("p1")
    pane = desk.panes.models["p1"]
    declare(pane, "state=done")
    spec = WaitSpec(panes=("p1",), until=until, since=desk.current)
    number = desk.waits.begin(spec, 0.0, 100.0, desk.current)
    assert isinstance(number, int)
    for data in (b"a", b"b\r", b"\x1b[A"):
        assert desk.after(_typed(pane, data), "p1") == []
    ended = desk.after(declare(pane, "state=blocked"), "p1")
    assert [result.outcome for _, result in ended] == {
        Until.SETTLED: [Outcome.BLOCKED],
        Until.BLOCKED: [Outcome.BLOCKED],
        Until.CHANGE: [Outcome.CHANGED],
        Until.EXITED: [],
        Until.TEXT: [],
        Until.QUIET: [],
    }[until]


def test_nothing_but_keys_touches_the_draft() -> None:
    pane = new_pane()
    _typed(pane, b"ab", 3.0)
    declare(pane, "state=working", "state=done", "state=clear", now=4.0)
    feed(pane, b"\x1b[?1049h\x1b]2;t\x07" + PROMPT, now=5.0)
    pane.resized(100, 30, 6.0)
    pane.acknowledge("bob", 7.0)
    pane.program_ended(1, 8.0)
    assert pane.draft.view == DraftView(2, 3.0)
    assert pane.draft.keystroke_at == 3.0


def test_a_key_after_the_end_removes_what_had_finished() -> None:
    pane = new_pane()
    declare(pane, "state=done")
    pane.live(Life.EXITED, 2.0)
    _typed(pane, b"x")
    assert states(pane) == {}
