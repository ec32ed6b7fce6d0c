"""Waits for a text: it is told where it is found; any pane or all of them."""

from session_core.model.outcomes import Mode, Outcome, Until
from session_core.model.status import Life
from session_core.model.text_watch import TextMatch

from .waiting import Desk, by_pane, ends

MATCH = TextMatch("all tests passed", 3, 4, 99)
OTHER = TextMatch("other", 0, 0, 1)


def test_a_text_that_is_found_ends_the_wait_and_is_told() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=working")
    desk.now = 10.0
    number = desk.opened("p1", "p2", until=Until.TEXT)
    result = desk.waits.found(number, "p2", MATCH, 12.5, desk.current)
    assert result is not None
    assert (result.outcome, result.waited_s, result.revision) == (Outcome.TEXT, 2.5, desk.current)
    assert by_pane(result) == {"p1": Outcome.CHECKIN, "p2": Outcome.TEXT}
    assert [news.match for news in result.panes] == [None, MATCH]
    assert len(desk.waits) == 0


def test_a_text_that_was_found_already_ends_the_wait_at_once() -> None:
    result = Desk().answered(until=Until.TEXT, matches={"p1": MATCH})
    assert (result.outcome, result.panes[0].match) == (Outcome.TEXT, MATCH)


def test_no_state_ends_a_wait_for_a_text() -> None:
    desk = Desk()
    desk.opened(until=Until.TEXT)
    assert desk.say("state=working", "state=blocked", "state=done") == []


def test_all_waits_for_the_text_in_each_pane_whatever_comes_between() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", until=Until.TEXT, mode=Mode.ALL)
    assert desk.waits.found(number, "p1", MATCH, 1.0, desk.current) is None
    assert desk.say("state=working", "state=done") == []
    result = desk.waits.found(number, "p2", OTHER, 2.0, desk.current)
    assert result is not None
    assert [(news.outcome, news.match) for news in result.panes] == [(Outcome.TEXT, MATCH), (Outcome.TEXT, OTHER)]


def test_the_first_text_of_a_pane_is_the_one_that_is_told() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", until=Until.TEXT, mode=Mode.ALL)
    for match in (MATCH, OTHER):
        desk.waits.found(number, "p1", match, 1.0, desk.current)
    result = desk.waits.found(number, "p2", OTHER, 1.0, desk.current)
    assert result is not None
    assert result.panes[0].match == MATCH


def test_a_check_in_tells_what_was_found_so_far() -> None:
    desk = Desk("p1", "p2")
    since = desk.current
    number = desk.opened("p1", "p2", until=Until.TEXT, mode=Mode.ALL, since=since, deadline=5.0)
    desk.waits.found(number, "p1", MATCH, 1.0, desk.current)
    desk.say("state=working")
    ((ended, result),) = desk.expire(5.0)
    assert (ended, result.outcome, result.revision) == (number, Outcome.CHECKIN, since)
    assert by_pane(result) == {"p1": Outcome.TEXT, "p2": Outcome.CHECKIN}


def test_a_text_for_a_wait_that_is_over_is_nothing() -> None:
    desk = Desk()
    number = desk.opened(until=Until.TEXT)
    desk.waits.cancel(number)
    assert desk.waits.found(number, "p1", MATCH, 1.0, desk.current) is None


def test_all_counts_an_exit_beside_a_text() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", until=Until.TEXT, mode=Mode.ALL)
    assert desk.after(desk.panes["p1"].live(Life.EXITED, 1.0)) == []
    result = desk.waits.found(number, "p2", MATCH, 1.0, desk.current)
    assert result is not None
    assert by_pane(result) == {"p1": Outcome.EXITED, "p2": Outcome.TEXT}


def test_a_text_that_was_found_before_the_exit_stays_found() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", until=Until.TEXT, mode=Mode.ALL)
    desk.waits.found(number, "p1", MATCH, 1.0, desk.current)
    desk.after(desk.panes["p1"].live(Life.EXITED, 1.0))
    ended = desk.after(desk.panes["p2"].live(Life.EXITED, 1.0), "p2")
    assert ends(ended) == [(number, Outcome.TEXT)]
    assert by_pane(ended[0][1]) == {"p1": Outcome.TEXT, "p2": Outcome.EXITED}
