"""How much a wait can know (the signal), and where a pane stands for it: what belongs to a turn."""

from collections.abc import Callable

import pytest

from session_core.model.changes import Cause, Change, Subject
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Observed, Occupant, Signal

from .panes import COMMAND, PROMPT, QUERY, RESET, declare, feed, new_pane, report


def test_a_pane_of_a_silent_program_has_no_signal() -> None:
    pane = new_pane()
    feed(pane, b"text\x1b]2;t\x07\x1b]9;4;1;5\x07\x1b[?1049h")
    assert pane.signal.value == "none"


@pytest.mark.parametrize("data", [report("state=idle"), report("state=clear"), report("state=clear:id=a"), QUERY])
def test_a_report_a_clear_and_a_query_declare(data: bytes) -> None:
    pane = new_pane()
    (change,) = [change for change in feed(pane, data) if change.subject is Subject.SIGNAL]
    assert (change.before, change.after) == ("none", "declared")
    assert pane.signal.value == "declared"
    assert feed(pane, QUERY) == []


def test_a_rejected_report_declares_nothing() -> None:
    pane = new_pane()
    declare(pane, "state=paused", "state=idle:id=a//b")
    assert pane.signal.value == "none"


def test_prompt_marks_are_a_lesser_signal_and_a_new_prompt_ends_what_was_declared() -> None:
    pane = new_pane()
    feed(pane, PROMPT)
    assert pane.signal.value == "prompt"
    declare(pane, "state=done")
    assert pane.signal.value == "declared"
    change = feed(pane, PROMPT)[-1]
    assert (change.subject, change.before, change.after) == (Subject.SIGNAL, "declared", "prompt")


@pytest.mark.parametrize(("ended", "signal"), [(7, Signal.NONE), (8, Signal.DECLARED)])
def test_the_end_of_the_declaring_program_ends_its_signal(ended: int, signal: Signal) -> None:
    pane = new_pane()
    feed(pane, QUERY, group=7)
    pane.program_ended(ended, 1.0)
    assert pane.signal is signal


def test_a_report_of_another_program_takes_the_signal_over() -> None:
    pane = new_pane()
    feed(pane, QUERY, group=7)
    declare(pane, "state=idle", group=8)
    assert pane.program_ended(7, 1.0) == []
    assert pane.signal.value == "declared"


def test_at_a_shells_prompt_the_shell_stands_and_not_an_older_done() -> None:
    pane = new_pane()
    feed(pane, PROMPT + COMMAND + report("state=done"))
    assert pane.standing.state is Observed.DONE
    feed(pane, PROMPT)
    assert (pane.standing.state, pane.state) == (Observed.IDLE, Observed.DONE)
    feed(pane, COMMAND)
    assert (pane.standing.state, pane.state) == (Observed.WORKING, Observed.DONE)


def test_without_prompt_marks_a_done_of_an_ended_program_stands() -> None:
    pane = new_pane()
    declare(pane, "state=done", group=7)
    pane.program_ended(7, 1.0)
    assert (pane.signal, pane.standing.state) == (Signal.NONE, Observed.DONE)


def test_a_killed_program_stands_as_the_prompt_that_follows_it() -> None:
    pane = new_pane()
    feed(pane, PROMPT + COMMAND + report("state=working:app=w") + report("state=done:id=x"))
    changes = feed(pane, PROMPT)
    assert [(change.record, change.after) for change in changes[:1]] == [("", None)]
    standing = pane.standing
    assert (standing.state, standing.cause) == (Observed.IDLE, Cause.PROMPT)
    assert standing.turn_revision == changes[1].revision


def _exit(pane: PaneModel) -> list[Change]:
    return pane.live(Life.EXITED, 1.0)


TURNS: dict[str, tuple[Callable[[PaneModel], list[Change]], Cause]] = {
    "a report": (lambda pane: declare(pane, "state=working:id=b"), Cause.REPORT),
    "a clear": (lambda pane: declare(pane, "state=clear:id=a"), Cause.CLEAR),
    "a prompt": (lambda pane: feed(pane, PROMPT), Cause.PROMPT),
    "a command": (lambda pane: feed(pane, COMMAND), Cause.COMMAND),
    "a reset": (lambda pane: feed(pane, RESET), Cause.RESET),
    "the end of its program": (lambda pane: pane.program_ended(1, 1.0), Cause.PROGRAM_END),
    "the exit": (_exit, Cause.EXIT),
}
OF_A_TURN = (Subject.RECORD, Subject.SHELL, Subject.LIFE)
SIGNAL_GONE = (Subject.SIGNAL, Cause.PROGRAM_END)
NO_TURNS: dict[str, Callable[[PaneModel], list[Change]]] = {
    "an acknowledgement": lambda pane: pane.acknowledge("ann", 1.0),
    "a title": lambda pane: feed(pane, b"\x1b]2;t\x07"),
    "a notice": lambda pane: feed(pane, b"\x1b]9;t\x07"),
    "progress": lambda pane: feed(pane, b"\x1b]9;4;1;5\x07"),
    "a folder": lambda pane: feed(pane, b"\x1b]7;file:///a\x07"),
    "a size": lambda pane: pane.resized(9, 9, 1.0),
    "an occupant": lambda pane: pane.occupied(Occupant(1, 1.0, "vim"), 1.0),
    "an identical report": lambda pane: declare(pane, "state=working:id=a"),
    "the end of another program": lambda pane: pane.program_ended(99, 1.0),
}


def _pane() -> PaneModel:
    pane = new_pane()
    declare(pane, "state=done", "state=working:id=a")
    return pane


@pytest.mark.parametrize("what", TURNS)
def test_a_turn_moves_the_turn_revision_to_its_newest_change(what: str) -> None:
    do, cause = TURNS[what]
    pane = _pane()
    turns = [
        change.revision
        for change in do(pane)
        if change.subject in OF_A_TURN or (change.subject, change.cause) == SIGNAL_GONE
    ]
    assert (pane.standing.turn_revision, pane.standing.cause) == (turns[-1], cause)


@pytest.mark.parametrize("what", NO_TURNS)
def test_what_is_no_turn_leaves_the_turn_revision(what: str) -> None:
    pane = _pane()
    before = pane.standing
    NO_TURNS[what](pane)
    after = pane.standing
    assert (after.turn_revision, after.cause) == (before.turn_revision, before.cause)


def test_an_eviction_leaves_the_turn_at_the_report_that_caused_it() -> None:
    pane = new_pane(capacity=1)
    declare(pane, "state=working:id=a")
    report_change, eviction = declare(pane, "state=idle:id=b")
    assert eviction.cause is Cause.EVICT
    assert pane.standing.turn_revision == report_change.revision


def test_a_pane_that_only_began_has_had_no_turn() -> None:
    standing = new_pane().standing
    assert (standing.turn_revision, standing.cause, standing.life) == (0, None, Life.RUNNING)


def test_while_one_of_two_programs_lives_the_pane_is_declared_by_it() -> None:
    pane = new_pane()
    feed(pane, PROMPT + COMMAND)
    declare(pane, "state=blocked:id=one", group=7)
    declare(pane, "state=done:id=two", group=8)
    pane.program_ended(8, 1.0)
    assert (pane.signal, pane.standing.state) == (Signal.DECLARED, Observed.BLOCKED)


@pytest.mark.parametrize("begins", [QUERY, b"\x1b]7501;state=clear:id=none\x07"])
def test_what_an_earlier_program_has_finished_says_nothing_of_a_new_one_that_declares_itself(begins: bytes) -> None:
    pane = new_pane()
    declare(pane, "state=done", group=7)
    feed(pane, PROMPT + COMMAND)
    feed(pane, begins, group=8)
    assert (pane.signal, pane.state, pane.standing.state) == (Signal.DECLARED, Observed.DONE, Observed.WORKING)


def test_a_program_that_says_the_same_as_one_before_it_makes_a_turn() -> None:
    pane = new_pane()
    declare(pane, "state=done:msg=YQ==", group=7)
    pane.program_ended(7, 1.0)
    before = pane.standing.turn_revision
    declare(pane, "state=done:msg=YQ==", group=8)
    assert pane.standing.turn_revision > before
    assert declare(pane, "state=done:msg=YQ==", group=8) == []
