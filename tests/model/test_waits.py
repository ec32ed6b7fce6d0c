"""What ends a wait, and what never does."""

import pytest

from session_core.model.changes import Cause
from session_core.model.outcomes import Mode, Outcome, Until
from session_core.model.status import ExitStatus, Life, Observed

from .panes import COMMAND, PROMPT, QUERY
from .waiting import Desk, by_pane, ends

AT_REST = ("idle", "done", "error")


@pytest.mark.parametrize("word", AT_REST)
def test_a_pane_already_at_rest_answers_at_once(word: str) -> None:
    desk = Desk()
    desk.say(f"state={word}:msg=YQ==")
    result = desk.answered()
    assert (result.outcome, result.waited_s, result.revision) == (Outcome.SETTLED, 0.0, desk.current)
    (news,) = result.panes
    assert (news.pane, news.outcome, news.state.value) == ("p1", Outcome.SETTLED, word)
    assert (news.cause, news.exit) == (Cause.REPORT, None)
    assert news.record is not None
    assert news.record.msg == "a"
    assert len(desk.waits) == 0


@pytest.mark.parametrize("word", AT_REST)
def test_a_working_pane_that_comes_to_rest_ends_the_wait(word: str) -> None:
    desk = Desk()
    desk.say("state=working")
    desk.now = 10.0
    number = desk.opened()
    desk.now = 12.3456
    ((ended, result),) = desk.say(f"state={word}")
    assert (ended, result.outcome, result.waited_s) == (number, Outcome.SETTLED, 2.346)
    assert result.revision == result.panes[0].revision == desk.current
    assert len(desk.waits) == 0


def test_a_blocked_pane_ends_a_wait_for_rest_as_blocked_before_and_during_it() -> None:
    desk = Desk()
    desk.say("state=working")
    number = desk.opened()
    ((ended, result),) = desk.say("state=blocked:kind=question:msg=UnVuIHRlc3RzPw==")
    assert (ended, result.outcome) == (number, Outcome.BLOCKED)
    assert result.panes[0].record is not None
    assert (result.panes[0].record.kind, result.panes[0].record.msg) == ("question", "Run tests?")
    assert desk.answered().outcome is Outcome.BLOCKED


def test_a_wait_for_blocked_waits_on_through_rest() -> None:
    desk = Desk()
    number = desk.opened(until=Until.BLOCKED)
    assert desk.say("state=done", "state=working") == []
    assert ends(desk.say("state=blocked:id=child")) == [(number, Outcome.BLOCKED)]


def test_a_finished_child_does_not_settle_a_working_root() -> None:
    desk = Desk()
    desk.say("state=working:app=agent")
    number = desk.opened()
    assert desk.say("state=done:id=t1") == []
    assert ends(desk.say("state=done:app=agent")) == [(number, Outcome.SETTLED)]


def test_a_blocked_child_under_a_working_root_ends_the_wait() -> None:
    desk = Desk()
    desk.say("state=working")
    number = desk.opened()
    assert ends(desk.say("state=blocked:id=t1")) == [(number, Outcome.BLOCKED)]


@pytest.mark.parametrize("until", Until)
@pytest.mark.parametrize("with_since", [True, False])
def test_an_exit_ends_every_wait_before_and_during_it(until: Until, with_since: bool) -> None:
    desk = Desk()
    desk.say("state=working")
    since = desk.current if with_since else None
    number = desk.opened(until=until, since=since)
    status = ExitStatus(code=9)
    ((ended, result),) = desk.after(desk.panes["p1"].live(Life.EXITED, 1.0, status))
    assert (ended, result.outcome, result.panes[0].exit) == (number, Outcome.EXITED, status)
    assert result.panes[0].cause is Cause.EXIT
    assert desk.answered(until=until, since=desk.current).outcome is Outcome.EXITED


@pytest.mark.parametrize("until", Until)
def test_a_pane_that_is_removed_ends_every_wait_as_closed(until: Until) -> None:
    desk = Desk()
    number = desk.opened(until=until)
    del desk.panes.models["p1"]
    ((ended, result),) = desk.waits.changed("p1", 1.0, desk.current)
    assert (ended, result.outcome) == (number, Outcome.CLOSED)
    (news,) = result.panes
    assert (news.outcome, news.state, news.cause, news.revision) == (
        Outcome.CLOSED,
        Observed.UNKNOWN,
        None,
        0,
    )
    assert desk.answered("never there", until=until).outcome is Outcome.CLOSED


def test_a_prompt_after_a_killed_program_settles_and_names_its_cause() -> None:
    desk = Desk()
    desk.print(PROMPT + COMMAND)
    desk.say("state=working:app=w", "state=done:id=x")
    number = desk.opened()
    ((ended, result),) = desk.print(PROMPT)
    assert (ended, result.outcome) == (number, Outcome.SETTLED)
    assert (result.panes[0].state, result.panes[0].cause) == (Observed.IDLE, Cause.PROMPT)


def test_prompt_marks_alone_settle_a_wait() -> None:
    desk = Desk()
    desk.print(PROMPT + COMMAND)
    number = desk.opened()
    assert ends(desk.print(PROMPT)) == [(number, Outcome.SETTLED)]


@pytest.mark.parametrize("data", [b"text", b"\x1b]2;t\x07", QUERY, b"\x1b]9;4;1;5\x07", b"\x1b]9;hi\x07"])
def test_what_is_no_state_ends_no_wait(data: bytes) -> None:
    desk = Desk()
    desk.say("state=working")
    for until in Until:
        desk.opened(until=until)
    assert desk.print(data) == []


def test_a_program_that_goes_on_working_changes_and_settles_nothing() -> None:
    desk = Desk()
    desk.say("state=working")
    settled = desk.opened()
    for percent in (10, 20, 30):
        changed = desk.opened(until=Until.CHANGE)
        assert ends(desk.say(f"state=working:progress={percent}")) == [(changed, Outcome.CHANGED)]
    assert ends(desk.say("state=done")) == [(settled, Outcome.SETTLED)]


def test_of_several_waits_those_that_are_satisfied_end_in_the_order_of_their_begin() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=working")
    numbers = [desk.opened() for _ in range(12)]
    other = desk.opened("p2")
    blocked = desk.opened(until=Until.BLOCKED)
    assert [number for number, _ in desk.say("state=done")] == numbers
    assert len(desk.waits) == 2
    assert {other, blocked}.isdisjoint(numbers)


def test_any_ends_with_the_first_pane_and_says_how_the_others_stand() -> None:
    desk = Desk("p1", "p2", "p3")
    desk.say("state=working")
    number = desk.opened("p1", "p2", "p3")
    ((ended, result),) = desk.say("state=done", pane="p2")
    assert (ended, result.outcome) == (number, Outcome.SETTLED)
    assert by_pane(result) == {"p1": Outcome.CHECKIN, "p2": Outcome.SETTLED, "p3": Outcome.CHECKIN}
    assert [news.state.value for news in result.panes] == ["working", "done", "unknown"]


def test_all_ends_when_the_last_pane_is_through() -> None:
    desk = Desk("p1", "p2", "p3")
    number = desk.opened("p1", "p2", "p3", mode=Mode.ALL)
    assert desk.say("state=done", pane="p2") == []
    assert desk.after(desk.panes["p3"].live(Life.EXITED, 1.0), "p3") == []
    ((ended, result),) = desk.say("state=idle")
    assert (ended, result.outcome) == (number, Outcome.SETTLED)
    assert by_pane(result) == {"p1": Outcome.SETTLED, "p2": Outcome.SETTLED, "p3": Outcome.EXITED}


def test_all_waits_on_when_a_pane_that_was_through_works_again() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", mode=Mode.ALL)
    desk.say("state=done")
    desk.say("state=working")
    assert desk.say("state=done", pane="p2") == []
    assert ends(desk.say("state=done")) == [(number, Outcome.SETTLED)]


def test_a_blocked_pane_gives_its_name_to_a_wait_on_several() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=done")
    desk.say("state=blocked", pane="p2")
    assert desk.answered("p1", "p2").outcome is Outcome.BLOCKED
    assert desk.answered("p1", "p2", mode=Mode.ALL).outcome is Outcome.BLOCKED


def test_the_outcome_of_several_panes_is_otherwise_that_of_the_first_one_named() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=done")
    desk.after(desk.panes["p2"].live(Life.EXITED, 1.0), "p2")
    assert desk.answered("p1", "p2", mode=Mode.ALL).outcome is Outcome.SETTLED
    assert desk.answered("p2", "p1", mode=Mode.ALL).outcome is Outcome.EXITED


def test_a_pane_named_twice_counts_once_and_frees_once() -> None:
    desk = Desk("p1")
    number = desk.opened("p1", "p1", mode=Mode.ALL)
    assert ends(desk.say("state=done")) == [(number, Outcome.SETTLED)]
    assert len(desk.waits) == 0
