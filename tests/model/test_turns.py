"""The turns of a pane: what is one, how it stood before and after, and how many are kept."""

from collections.abc import Callable

import pytest

from session_core.model.changes import Cause
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Observed
from session_core.model.turns import TURNS, Turn, Turns

from .panes import ALTERNATE_ON, COMMAND, PROMPT, QUERY, RESET, declare, feed, new_pane

WORKING, IDLE, UNKNOWN, DONE, BLOCKED = (
    Observed.WORKING,
    Observed.IDLE,
    Observed.UNKNOWN,
    Observed.DONE,
    Observed.BLOCKED,
)


def _turn(revision: int, state: Observed, before: Observed = UNKNOWN, *, unfinished: bool = False) -> Turn:
    return Turn(
        revision=revision,
        at=float(revision),
        before=before,
        state=state,
        cause=Cause.REPORT,
        led_at=revision,
        unfinished=unfinished,
    )


def _turns(*turns: Turn) -> Turns:
    found = Turns()
    for turn in turns:
        found.add(turn)
    return found


def _told(pane: PaneModel, since: int = 0) -> list[tuple[Observed, Observed, Cause, bool]]:
    return [(turn.before, turn.state, turn.cause, turn.unfinished) for turn in pane.turns.after(since)]


# ---- what is kept


def test_turns_are_told_oldest_first_from_a_revision_on() -> None:
    turns = _turns(_turn(3, WORKING), _turn(5, DONE, WORKING), _turn(8, IDLE, DONE))
    assert [turn.revision for turn in turns.after(3)] == [5, 8]
    assert [turn.revision for turn in turns.after(2)] == [3, 5, 8]
    assert list(turns.after(8)) == []
    assert turns.newest is not None
    assert turns.newest.revision == 8


def test_a_run_of_turns_that_go_on_working_is_one_that_keeps_how_it_began_and_its_newest_revision() -> None:
    turns = _turns(_turn(1, IDLE), _turn(2, WORKING, IDLE), _turn(4, WORKING, WORKING), _turn(9, WORKING, WORKING))
    (run,) = turns.after(1)
    assert (run.before, run.state, run.revision, run.at, run.led_at) == (IDLE, WORKING, 9, 9.0, 9)
    assert list(turns.after(8)) == [run]
    assert turns.added == 2


@pytest.mark.parametrize("state", [state for state in Observed if state is not WORKING])
def test_only_turns_that_go_on_working_are_one(state: Observed) -> None:
    assert len(list(_turns(_turn(1, state), _turn(2, state, state)).after(0))) == 2


def test_that_a_program_ended_unfinished_stays_with_the_run_and_with_the_prompt_that_follows_it() -> None:
    prompt = Turn(revision=3, at=3.0, before=WORKING, state=IDLE, cause=Cause.PROMPT, led_at=3)
    turns = _turns(_turn(1, WORKING, unfinished=True), _turn(2, WORKING), prompt)
    assert [turn.unfinished for turn in turns.after(0)] == [True, True]


def test_the_oldest_turns_are_forgotten_and_up_to_which_is_known() -> None:
    turns = _turns(*(_turn(10 * number, IDLE) for number in range(1, TURNS + 1)))
    assert turns.forgotten == 0
    turns.add(_turn(7000, IDLE))
    assert turns.forgotten == 10
    assert len(list(turns.after(0))) == TURNS
    assert turns.added == TURNS + 1


def test_working_on_for_long_forgets_nothing() -> None:
    turns = _turns(_turn(1, IDLE), *(_turn(number, WORKING) for number in range(2, 10 * TURNS)))
    assert turns.forgotten == 0
    assert [turn.state for turn in turns.after(0)] == [IDLE, WORKING]


def test_a_pane_that_only_began_has_had_no_turn() -> None:
    pane = new_pane()
    assert pane.turns.newest is None
    assert _told(pane) == []


# ---- what is a turn of a pane

TURN_OF: dict[str, tuple[Callable[[PaneModel], object], list[tuple[Observed, Observed, Cause, bool]]]] = {
    "a report": (lambda pane: declare(pane, "state=done"), [(WORKING, DONE, Cause.REPORT, False)]),
    "a question": (lambda pane: declare(pane, "state=blocked"), [(WORKING, BLOCKED, Cause.REPORT, False)]),
    "a child's report": (lambda pane: declare(pane, "state=done:id=a"), [(WORKING, WORKING, Cause.REPORT, False)]),
    "a clear": (lambda pane: declare(pane, "state=clear"), [(WORKING, UNKNOWN, Cause.CLEAR, False)]),
    "a reset": (lambda pane: feed(pane, RESET), [(WORKING, UNKNOWN, Cause.RESET, False)]),
    "a prompt": (lambda pane: feed(pane, PROMPT), [(WORKING, IDLE, Cause.PROMPT, True)]),
    "a command": (lambda pane: feed(pane, COMMAND), [(WORKING, WORKING, Cause.COMMAND, False)]),
    "its program's end": (lambda pane: pane.program_ended(1, 1.0), [(WORKING, UNKNOWN, Cause.PROGRAM_END, True)]),
    "the exit": (lambda pane: pane.live(Life.EXITED, 1.0), [(WORKING, UNKNOWN, Cause.EXIT, True)]),
    "a query": (lambda pane: feed(pane, QUERY), []),
    "the same report": (lambda pane: declare(pane, "state=working"), []),
    "a clear of nothing": (lambda pane: declare(pane, "state=clear:id=x"), []),
    "a title": (lambda pane: feed(pane, b"\x1b]2;t\x07"), []),
    "a key": (lambda pane: pane.typed(b"a\r", "ann", 1.0, paste=False), []),
    "another program's end": (lambda pane: pane.program_ended(5, 1.0), []),
    "a prompt on the alternate screen": (lambda pane: feed(pane, ALTERNATE_ON + PROMPT), []),
}


@pytest.mark.parametrize("what", TURN_OF)
def test_what_a_program_does_is_a_turn_and_nothing_else_is(what: str) -> None:
    do, turns = TURN_OF[what]
    pane = new_pane()
    declare(pane, "state=working")
    since = pane.log.revision
    do(pane)
    # A program that goes on working stays in the turn that it is in.
    assert _told(pane, since) == [
        (UNKNOWN if after is WORKING else before, after, *rest) for before, after, *rest in turns
    ]


def test_the_end_of_a_program_that_only_asked_is_a_turn() -> None:
    pane = new_pane()
    feed(pane, QUERY, group=7)
    pane.program_ended(7, 1.0)
    assert _told(pane) == [(UNKNOWN, UNKNOWN, Cause.PROGRAM_END, False)]


def test_an_acknowledgement_is_no_turn_and_the_next_turn_begins_where_it_led() -> None:
    pane = new_pane()
    declare(pane, "state=done")
    since = pane.log.revision
    pane.acknowledge("ann", 1.0)
    assert _told(pane, since) == []
    declare(pane, "state=working")
    assert _told(pane, since) == [(IDLE, WORKING, Cause.REPORT, False)]


def test_a_finished_record_that_goes_with_the_pane_s_process_was_not_left_unfinished() -> None:
    pane = new_pane()
    declare(pane, "state=done", "state=idle:id=a")
    since = pane.log.revision
    pane.live(Life.EXITED, 1.0)
    assert _told(pane, since) == [(DONE, DONE, Cause.EXIT, False)]


# ---- questions


@pytest.mark.parametrize(
    ("bodies", "asks"),
    [
        (("state=blocked",), True),
        (("state=blocked:msg=YQ==",), True),
        (("state=working:id=child",), False),
        (("state=done:id=child",), False),
        (("state=blocked:id=child",), True),
        (("state=working", "state=blocked"), True),
    ],
)
def test_a_question_is_another_one_when_another_record_asks_or_the_same_one_anew(
    bodies: tuple[str, ...], asks: bool
) -> None:
    pane = new_pane()
    declare(pane, "state=blocked:kind=permission")
    since = pane.log.revision
    declare(pane, *bodies)
    assert pane.turns.newest is not None
    assert pane.turns.newest.asks(since) is asks
