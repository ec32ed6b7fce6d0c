"""Deadlines, cancelling, and what waits cost: nothing on other panes, and no memory once they are over."""

import weakref

import pytest

from session_core.model.outcomes import Mode, Outcome, Until
from session_core.model.waits import WAITS

from .waiting import LATER, Desk, by_pane, ends


class Deadline(float):
    """A deadline of which one can see whether anybody still holds it."""


def test_a_deadline_that_comes_is_a_check_in_and_loses_nothing() -> None:
    desk = Desk()
    desk.say("state=working")
    desk.now = 10.0
    number = desk.opened(deadline=55.0)
    assert desk.waits.expire(54.9, desk.current) == []
    ((ended, result),) = desk.waits.expire(55.0, desk.current)
    assert (ended, result.outcome, result.waited_s) == (number, Outcome.CHECKIN, 45.0)
    assert by_pane(result) == {"p1": Outcome.CHECKIN}
    assert result.panes[0].state.value == "working"
    assert len(desk.waits) == 0
    desk.say("state=done")
    assert desk.answered(since=result.revision).outcome is Outcome.SETTLED


@pytest.mark.parametrize("deadline", [0.0, -1.0])
def test_a_deadline_of_now_is_a_look(deadline: float) -> None:
    desk = Desk()
    desk.say("state=working")
    assert desk.answered(deadline=deadline).outcome is Outcome.CHECKIN
    desk.say("state=done")
    assert desk.answered(deadline=deadline).outcome is Outcome.SETTLED
    assert len(desk.waits) == 0
    assert desk.waits.next_time() is None


def test_the_next_deadline_is_the_earliest_of_the_open_waits() -> None:
    desk = Desk("p1", "p2")
    assert desk.waits.next_time() is None
    late, early, middle = (desk.opened("p2", deadline=at) for at in (30.0, 10.0, 20.0))
    assert desk.waits.next_time() == 10.0
    desk.waits.cancel(early)
    assert desk.waits.next_time() == 20.0
    assert ends(desk.waits.expire(25.0, desk.current)) == [(middle, Outcome.CHECKIN)]
    assert desk.waits.next_time() == 30.0
    assert ends(desk.say("state=done", pane="p2")) == [(late, Outcome.SETTLED)]
    assert desk.waits.next_time() is None


def test_deadlines_that_come_together_end_in_order() -> None:
    desk = Desk()
    numbers = {at: desk.opened(deadline=at) for at in (3.0, 1.0, 2.0)}
    same = desk.opened(deadline=2.0)
    ended = desk.waits.expire(LATER, desk.current)
    assert [number for number, _ in ended] == [numbers[1.0], numbers[2.0], same, numbers[3.0]]


def test_a_wait_that_has_ended_does_not_expire_again() -> None:
    desk = Desk()
    desk.opened(deadline=5.0)
    desk.say("state=done")
    assert desk.waits.expire(LATER, desk.current) == []


def test_cancelling_frees_and_a_cancelled_wait_never_ends() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", deadline=5.0)
    kept = desk.opened("p2")
    desk.waits.cancel(number)
    desk.waits.cancel(number)
    desk.waits.cancel(12345)
    assert len(desk.waits) == 1
    assert desk.say("state=done") == []
    assert ends(desk.say("state=done", pane="p2")) == [(kept, Outcome.SETTLED)]
    assert desk.waits.expire(LATER, desk.current) == []


def test_a_change_costs_nothing_for_waits_on_other_panes() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=working")
    number = desk.opened("p1")
    desk.panes.lookups = 0
    ended = desk.say("state=done")
    alone = desk.panes.lookups
    assert ends(ended) == [(number, Outcome.SETTLED)]
    desk.say("state=working")
    for _ in range(WAITS):
        desk.opened("p2")
    number = desk.opened("p1")
    desk.panes.lookups = 0
    assert ends(desk.say("state=done")) == [(number, Outcome.SETTLED)]
    assert desk.panes.lookups == alone > 0
    assert len(desk.waits) == WAITS


def test_an_open_wait_looks_at_no_pane_until_something_changes() -> None:
    desk = Desk()
    for _ in range(100):
        desk.opened()
    desk.panes.lookups = 0
    for moment in range(100):
        assert desk.waits.expire(float(moment), desk.current) == []
        assert desk.waits.next_time() == LATER
    assert desk.panes.lookups == 0


@pytest.mark.parametrize("ending", ["cancel", "change"])
def test_waits_that_are_over_leave_no_growing_heap_of_deadlines(ending: str) -> None:
    desk = Desk()
    held: list[weakref.ref[Deadline]] = []
    most = 0
    for number in range(3000):
        deadline = Deadline(LATER + number)
        held.append(weakref.ref(deadline))
        begun = desk.opened(deadline=deadline, since=desk.current)
        del deadline
        if ending == "cancel":
            desk.waits.cancel(begun)
        else:
            assert len(desk.say("state=working", "state=done")) == 1
        if number % 100 == 0:
            most = max(most, sum(reference() is not None for reference in held))
    assert most <= 100
    assert desk.waits.next_time() is None
    assert all(reference() is None for reference in held)


def test_cancelling_most_waits_keeps_the_deadlines_of_the_rest() -> None:
    desk = Desk()
    numbers = [desk.opened(deadline=float(at)) for at in range(1, 1001)]
    for number in numbers[:-3]:
        desk.waits.cancel(number)
    assert desk.waits.next_time() == 998.0
    assert [number for number, _ in desk.waits.expire(LATER, desk.current)] == numbers[-3:]


def test_numbers_of_waits_are_never_given_twice() -> None:
    desk = Desk()
    first = desk.opened()
    desk.waits.cancel(first)
    assert desk.opened(mode=Mode.ALL, until=Until.CHANGE) > first
