"""Waits that the clock ends before their deadline: a pane that is silent, and a write that led to nothing."""

from typing import Any

import pytest

from session_core.model.outcomes import Mode, Outcome, Until
from session_core.model.status import Life

from .panes import COMMAND, PROMPT, QUERY
from .waiting import LATER, Desk, by_pane, ends

TITLE = b"\x1b]2;t\x07"


def _silent(*names: str) -> Desk:
    """Return panes that printed something at 100, and declare nothing."""
    desk = Desk(*names)
    desk.now = 100.0
    for name in desk.panes:
        desk.output(name)
    return desk


def _ended_at(desk: Desk, number: int) -> tuple[float, Outcome]:
    """Let the clock go from one time that it is asked for to the next until this wait ends."""
    while (soon := desk.waits.next_time()) is not None:
        desk.waits.silent(soon)
        for ended, result in desk.expire(soon):
            if ended == number:
                return soon, result.outcome
    raise AssertionError("it never ends")


# ---- silence


@pytest.mark.parametrize("until", [Until.SETTLED, Until.QUIET])
def test_a_pane_that_declares_nothing_is_quiet_after_its_silence(until: Until) -> None:
    desk = _silent()
    number = desk.opened(until=until, quiet_s=2.0)
    assert desk.waits.next_time() == 102.0
    assert desk.waits.expire(101.9, desk.current) == []
    ((ended, result),) = desk.expire(102.0)
    assert (ended, result.outcome, result.waited_s, result.panes[0].quiet_s) == (number, Outcome.QUIET, 2.0, 2.0)


def test_output_moves_the_moment_and_the_clock_looks_only_then() -> None:
    desk = _silent()
    number = desk.opened(quiet_s=2.0)
    desk.now = 101.5
    assert desk.output() == []
    assert desk.waits.next_time() == 102.0
    assert desk.expire(102.0) == []
    assert desk.waits.next_time() == 103.5
    assert ends(desk.expire(103.5)) == [(number, Outcome.QUIET)]


def test_without_since_the_silence_before_the_wait_counts() -> None:
    desk = _silent()
    desk.now = 101.0
    desk.opened(quiet_s=2.0)
    assert desk.waits.next_time() == 102.0
    desk.now = 110.0
    assert desk.answered(quiet_s=2.0).outcome is Outcome.QUIET


def test_since_a_revision_silence_counts_from_the_begin_of_the_wait() -> None:
    desk = _silent()
    desk.now = 110.0
    number = desk.opened(quiet_s=2.0, since=desk.current)
    assert _ended_at(desk, number) == (112.0, Outcome.QUIET)


def test_since_a_write_silence_counts_from_the_write() -> None:
    desk = _silent()
    desk.now = 110.0
    written = desk.written()
    desk.now = 111.0
    number = desk.opened(quiet_s=2.0, **written)
    assert _ended_at(desk, number) == (112.0, Outcome.QUIET)


@pytest.mark.parametrize("data", [QUERY, PROMPT + COMMAND])
def test_a_pane_that_declares_anything_is_quiet_only_where_that_is_asked(data: bytes) -> None:
    desk = _silent()
    desk.print(data)
    asked, settled = desk.opened(until=Until.QUIET), desk.opened()
    assert ends(desk.expire(LATER - 1)) == [(asked, Outcome.QUIET)]
    assert ends(desk.expire(LATER)) == [(settled, Outcome.CHECKIN)]


def test_a_pane_that_printed_nothing_yet_is_quiet_only_where_that_is_asked() -> None:
    desk = Desk()
    asked, settled = desk.opened(until=Until.QUIET), desk.opened()
    assert ends(desk.expire(500.0)) == [(asked, Outcome.QUIET)]
    desk.print(TITLE)
    assert desk.waits.next_time() == LATER
    desk.output()
    assert desk.waits.next_time() == 502.0
    assert _ended_at(desk, settled) == (502.0, Outcome.QUIET)


def test_while_a_command_runs_in_a_shell_that_declares_nothing_silence_is_no_answer() -> None:
    desk = _silent()
    number = desk.opened(quiet_s=2.0)
    assert desk.waits.silent(102.0) == ["p1"]
    desk.panes.models["p1"].job_runs(9, "make")
    assert desk.expire(102.0) == []
    assert desk.waits.next_time() == LATER
    desk.now = 300.0
    assert desk.ended(9) == []
    assert _ended_at(desk, number) == (302.0, Outcome.QUIET)


def test_a_command_that_is_stopped_is_waited_for_no_longer() -> None:
    desk = _silent()
    number = desk.opened(quiet_s=2.0)
    model = desk.panes.models["p1"]
    model.job_runs(9, "make")
    desk.print(TITLE)
    assert desk.expire(150.0) == []
    assert ends(desk.after(model.job_stopped(150.0))) == [(number, Outcome.QUIET)]


def test_silence_where_a_command_runs_is_told_with_its_name_if_it_is_asked_for() -> None:
    desk = _silent()
    desk.panes.models["p1"].job_runs(9, "make")
    desk.now = 110.0
    result = desk.answered(until=Until.QUIET)
    assert (result.outcome, result.panes[0].job, result.panes[0].quiet_s) == (Outcome.QUIET, "make", 10.0)


def test_a_program_that_ends_and_leaves_nobody_to_declare_is_gone_and_not_quiet() -> None:
    desk = _silent()
    desk.print(QUERY)
    number = desk.opened(until=Until.SETTLED, since=0, quiet_s=2.0, mode=Mode.ALL)
    desk.print(TITLE)
    assert desk.waits.next_time() == LATER
    assert ends(desk.ended(1)) == [(number, Outcome.OCCUPANT_CHANGED)]


def test_the_panes_to_be_looked_at_are_those_whose_silence_is_due() -> None:
    desk = _silent("p1", "p2", "p3", "p4")
    desk.say("state=working", pane="p3")
    desk.opened("p1", "p3", quiet_s=2.0)
    desk.opened("p2", quiet_s=5.0)
    desk.opened("p4", until=Until.BLOCKED, quiet_s=1.0)
    assert desk.waits.silent(101.9) == []
    assert desk.waits.silent(102.0) == ["p1"]
    desk.expire(102.0)
    assert desk.waits.silent(105.0) == ["p2"]


@pytest.mark.parametrize("names", [("p1", "p2"), ("p2", "p1")])
def test_silence_of_all_must_hold_in_each_at_the_same_moment(names: tuple[str, str]) -> None:
    desk = _silent("p1", "p2")
    number = desk.opened(*names, mode=Mode.ALL, until=Until.QUIET, quiet_s=2.0)
    for at in (101.0, 102.5, 104.0):
        desk.expire(at)
        desk.output("p2" if at == 102.5 else "p1")
    assert _ended_at(desk, number) == (106.0, Outcome.QUIET)


def test_silence_at_the_deadline_counts_before_it() -> None:
    desk = _silent()
    number = desk.opened(quiet_s=2.0, deadline=102.0)
    assert ends(desk.expire(102.0)) == [(number, Outcome.QUIET)]


def test_an_exited_pane_is_exited_and_not_quiet() -> None:
    desk = _silent()
    desk.panes.models["p1"].live(Life.EXITED, 1.0)
    desk.now = 200.0
    assert desk.answered(until=Until.QUIET).outcome is Outcome.EXITED


# ---- a write that led to nothing


def _idle() -> Desk:
    desk = _silent()
    desk.say("state=idle")
    return desk


@pytest.mark.parametrize("until", [Until.SETTLED, Until.BLOCKED])
def test_a_write_without_any_turn_has_started_nothing_after_its_grace(until: Until) -> None:
    desk = _idle()
    written = desk.written()
    desk.now = 103.0
    number = desk.opened(until=until, start_grace_s=10.0, **written)
    assert desk.waits.next_time() == 110.0
    assert _ended_at(desk, number) == (110.0, Outcome.NOT_STARTED)


@pytest.mark.parametrize("body", ["state=working", "state=idle:msg=YQ==", "state=clear"])
def test_any_turn_is_a_reaction(body: str) -> None:
    desk = _idle()
    number = desk.opened(start_grace_s=10.0, **desk.written())
    assert desk.say(body) == []
    assert _ended_at(desk, number) == (LATER, Outcome.CHECKIN)


def test_what_is_no_turn_is_no_reaction() -> None:
    desk = _idle()
    number = desk.opened(start_grace_s=10.0, **desk.written())
    desk.now = 105.0
    assert desk.print(TITLE) == []
    assert desk.output() == []
    desk.panes.models["p1"].acknowledge("ann", 105.0)
    assert _ended_at(desk, number) == (110.0, Outcome.NOT_STARTED)


NO_GRACE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"queued": True}, {}),
    ({"pane": "p2"}, {}),
    ({}, {"until": Until.EXITED}),
    ({}, {"until": Until.CHANGE}),
    ({}, {"until": Until.TEXT}),
]


@pytest.mark.parametrize(("of_write", "asked"), NO_GRACE)
def test_a_reaction_is_missed_only_where_one_must_come(of_write: dict[str, Any], asked: dict[str, Any]) -> None:
    desk = _idle()
    number = desk.opened(start_grace_s=10.0, **desk.written(**of_write), **asked)
    assert _ended_at(desk, number) == (LATER, Outcome.CHECKIN)


def test_a_pane_that_declares_nothing_is_quiet_and_not_said_to_have_started_nothing() -> None:
    desk = _silent()
    number = desk.opened(start_grace_s=1.0, quiet_s=20.0, **desk.written())
    assert _ended_at(desk, number) == (120.0, Outcome.QUIET)


def test_a_program_that_begins_to_declare_after_the_grace_has_started_nothing_yet() -> None:
    desk = Desk()
    number = desk.opened(start_grace_s=10.0, **desk.written())
    desk.now = 20.0
    assert desk.print(TITLE) == []
    assert ends(desk.print(QUERY)) == [(number, Outcome.NOT_STARTED)]


def test_a_command_that_runs_at_a_prompt_is_a_reaction_that_the_marks_do_not_tell() -> None:
    desk = _silent()
    desk.print(PROMPT)
    number = desk.opened(start_grace_s=10.0, **desk.written())
    assert desk.waits.silent(110.0) == ["p1"]
    desk.panes.models["p1"].job_runs(9, "make")
    assert desk.expire(110.0) == []
    assert _ended_at(desk, number) == (LATER, Outcome.CHECKIN)


def test_the_earlier_of_grace_and_silence_ends_a_wait_on_several_panes() -> None:
    desk = _silent("p1", "p2")
    desk.say("state=idle")
    late = desk.opened("p1", "p2", start_grace_s=30.0, quiet_s=20.0, **desk.written())
    early = desk.opened("p1", "p2", start_grace_s=10.0, quiet_s=20.0, **desk.written())
    assert _ended_at(desk, early) == (110.0, Outcome.NOT_STARTED)
    assert _ended_at(desk, late) == (120.0, Outcome.QUIET)


def test_a_moment_that_comes_earlier_than_the_one_the_clock_was_set_to_is_not_missed() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=idle")
    number = desk.opened("p1", "p2", start_grace_s=50.0, quiet_s=2.0, **desk.written())
    assert desk.waits.next_time() == 50.0
    desk.now = 10.0
    desk.output("p2")
    assert _ended_at(desk, number) == (12.0, Outcome.QUIET)


def test_for_all_a_write_that_led_to_nothing_waits_for_the_others_and_may_start_still() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=idle")
    desk.say("state=working", pane="p2")
    number = desk.opened("p1", "p2", mode=Mode.ALL, start_grace_s=10.0, **desk.written())
    assert desk.expire(10.0) == []
    ((ended, result),) = desk.say("state=done", pane="p2")
    assert ended == number
    assert by_pane(result) == {"p1": Outcome.NOT_STARTED, "p2": Outcome.SETTLED}
