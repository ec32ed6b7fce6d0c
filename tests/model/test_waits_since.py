"""`since`: an old state never satisfies a wait, and nothing between two calls is missed."""

import pytest

from session_core.model.outcomes import Mode, Outcome, Until
from session_core.model.status import ExitStatus, Life, Observed
from session_core.model.turns import TURNS

from .panes import COMMAND, PROMPT
from .waiting import Desk, by_pane, ends


@pytest.mark.parametrize("word", ["idle", "done", "error", "blocked"])
def test_a_state_from_before_since_never_satisfies(word: str) -> None:
    desk = Desk()
    desk.say(f"state={word}")
    for until in (Until.SETTLED, Until.BLOCKED, Until.CHANGE):
        desk.opened(until=until, since=desk.current)
    assert desk.say(f"state={word}") == []
    assert len(desk.waits) == 3


def test_after_a_write_only_the_turn_that_it_led_to_settles() -> None:
    desk = Desk()
    desk.say("state=idle")
    number = desk.opened(since=desk.current)
    assert desk.print(b"\x1b]2;busy\x07") == []
    assert desk.say("state=working") == []
    assert ends(desk.say("state=done")) == [(number, Outcome.SETTLED)]


def test_a_turn_between_two_calls_is_seen_by_the_second() -> None:
    desk = Desk()
    desk.say("state=idle")
    since = desk.answered().revision
    desk.say("state=working", "state=done")
    result = desk.answered(since=since)
    assert (result.outcome, result.panes[0].state.value) == (Outcome.SETTLED, "done")


def test_two_turns_to_the_same_state_are_two_pieces_of_news() -> None:
    desk = Desk()
    desk.say("state=done")
    since = desk.answered().revision
    desk.say("state=working", "state=done")
    since = desk.answered(since=since).revision
    desk.opened(since=since)


def test_following_every_change_with_since_misses_none() -> None:
    desk = Desk()
    since, seen = desk.current, []
    for body in ("state=working", "state=blocked", "state=working", "state=clear", "state=idle"):
        desk.say(body)
        result = desk.answered(until=Until.CHANGE, since=since)
        assert result.outcome is Outcome.CHANGED
        seen.append(result.panes[0].state.value)
        since = result.revision
    assert seen == ["working", "blocked", "working", "unknown", "idle"]
    desk.opened(until=Until.CHANGE, since=since)


def test_without_since_a_wait_for_change_counts_from_its_own_begin() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=done")
    number = desk.opened("p1", "p2", until=Until.CHANGE)
    ((ended, result),) = desk.say("state=working", pane="p2")
    assert (ended, result.outcome) == (number, Outcome.CHANGED)
    assert by_pane(result) == {"p1": Outcome.CHECKIN, "p2": Outcome.CHANGED}


@pytest.mark.parametrize("until", [Until.SETTLED, Until.BLOCKED, Until.CHANGE])
def test_an_acknowledgement_is_not_a_turn(until: Until) -> None:
    desk = Desk()
    desk.say("state=done")
    since = desk.current
    number = desk.opened(until=until, since=since)
    changes = desk.panes["p1"].acknowledge("ann", 1.0)
    assert changes
    assert desk.after(changes) == []
    desk.waits.cancel(number)
    desk.opened(until=until, since=since)


def test_without_since_what_was_acknowledged_is_at_rest() -> None:
    desk = Desk()
    desk.say("state=done")
    desk.panes["p1"].acknowledge("ann", 1.0)
    result = desk.answered()
    assert (result.outcome, result.panes[0].state.value) == (Outcome.SETTLED, "idle")


def test_a_prompt_that_comes_back_is_a_turn_of_its_own() -> None:
    desk = Desk()
    desk.print(PROMPT)
    since = desk.current
    number = desk.opened(since=since)
    assert desk.print(COMMAND) == []
    assert ends(desk.print(PROMPT)) == [(number, Outcome.SETTLED)]


def test_a_clear_is_a_change_but_no_rest() -> None:
    desk = Desk()
    desk.say("state=working")
    since = desk.current
    settled, changed = desk.opened(since=since), desk.opened(until=Until.CHANGE, since=since)
    assert ends(desk.say("state=clear")) == [(changed, Outcome.CHANGED)]
    assert ends(desk.say("state=idle")) == [(settled, Outcome.SETTLED)]


def test_the_turn_of_another_pane_does_not_make_an_old_state_new() -> None:
    desk = Desk("p1", "p2")
    desk.say("state=done")
    since = desk.current
    desk.opened("p1", since=since)
    number = desk.opened("p1", "p2", since=since)
    ((ended, result),) = desk.say("state=done", pane="p2")
    assert ended == number
    assert by_pane(result) == {"p1": Outcome.CHECKIN, "p2": Outcome.SETTLED}


def test_since_beyond_the_current_revision_is_of_another_host() -> None:
    desk = Desk()
    desk.say("state=done")
    result = desk.answered(since=desk.current + 1)
    assert (result.outcome, result.revision) == (Outcome.RESYNC, desk.current)
    assert by_pane(result) == {"p1": Outcome.CHECKIN}
    desk.opened(since=desk.current)


def test_since_the_exit_the_pane_still_counts_as_exited() -> None:
    desk = Desk()
    desk.after(desk.panes["p1"].live(Life.EXITED, 1.0))
    assert desk.answered(since=desk.current).outcome is Outcome.EXITED


def test_a_check_in_of_all_gives_a_revision_from_which_panes_that_are_through_count_again() -> None:
    desk = Desk("p1", "p2")
    since = desk.current
    desk.opened("p1", "p2", mode=Mode.ALL, since=since, deadline=5.0)
    desk.say("state=done")
    ((_, result),) = desk.waits.expire(5.0, desk.current)
    assert by_pane(result) == {"p1": Outcome.SETTLED, "p2": Outcome.CHECKIN}
    number = desk.opened("p1", "p2", mode=Mode.ALL, since=result.revision)
    assert ends(desk.say("state=done", pane="p2")) == [(number, Outcome.SETTLED)]


def test_a_check_in_of_any_gives_the_current_revision() -> None:
    desk = Desk()
    desk.opened(since=0, deadline=5.0)
    desk.say("state=working")
    ((_, result),) = desk.waits.expire(5.0, desk.current)
    assert (result.outcome, result.revision) == (Outcome.CHECKIN, desk.current)


def _turns(desk: Desk, count: int, pane: str = "p1") -> None:
    """Have a program at work come and go, which settles nothing and asks nothing."""
    for number in range(count):
        assert desk.say("state=clear" if number % 2 else "state=working", pane=pane) == []


@pytest.mark.parametrize("until", [Until.SETTLED, Until.BLOCKED, Until.CHANGE])
@pytest.mark.parametrize("mode", Mode)
def test_a_since_from_which_turns_have_been_forgotten_ends_the_wait_at_once(until: Until, mode: Mode) -> None:
    desk = Desk("p1", "p2")
    since = desk.current
    _turns(desk, TURNS)
    desk.say("state=done")
    result = desk.answered("p2", "p1", until=until, mode=mode, since=since)
    assert (result.outcome, result.revision) == (Outcome.RESYNC, desk.current)
    assert by_pane(result) == {"p1": Outcome.RESYNC, "p2": Outcome.CHECKIN}
    if until is Until.SETTLED:
        assert desk.answered(until=until, since=since + 1).outcome is Outcome.SETTLED


def test_a_since_from_which_turns_have_been_forgotten_does_not_hide_an_exit() -> None:
    desk = Desk()
    _turns(desk, TURNS + 1)
    desk.after(desk.panes["p1"].live(Life.EXITED, 1.0))
    assert desk.answered(since=0).outcome is Outcome.EXITED


@pytest.mark.parametrize("until", [Until.EXITED, Until.TEXT, Until.QUIET])
def test_what_is_no_turn_can_be_waited_for_from_any_revision(until: Until) -> None:
    desk = Desk()
    since = desk.current
    _turns(desk, TURNS + 1)
    desk.opened(until=until, since=since)


@pytest.mark.parametrize("until", [Until.SETTLED, Until.BLOCKED])
def test_an_open_wait_outlives_any_number_of_turns(until: Until) -> None:
    desk = Desk()
    number = desk.opened(until=until, since=desk.current)
    _turns(desk, 3 * TURNS)
    assert ends(desk.say("state=blocked")) == [(number, Outcome.BLOCKED)]


def test_a_pane_that_is_through_stays_so_for_all_whatever_comes_after() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", mode=Mode.ALL, since=desk.current)
    assert desk.say("state=working", "state=done:msg=YQ==") == []
    settled = desk.current
    _turns(desk, 2 * TURNS)
    ((ended, result),) = desk.say("state=idle", pane="p2")
    assert (ended, result.outcome) == (number, Outcome.SETTLED)
    news = result.panes[0]
    assert (news.outcome, news.state, news.revision, news.now) == (
        Outcome.SETTLED,
        Observed.DONE,
        settled,
        Observed.UNKNOWN,
    )
    assert news.record is not None
    assert news.record.msg == "a"


def test_a_question_that_was_answered_does_not_count_for_all() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", mode=Mode.ALL, since=desk.current)
    for body in ("state=blocked", "state=working"):
        assert desk.say(body) == []
    assert desk.say("state=done", pane="p2") == []
    assert ends(desk.say("state=blocked")) == [(number, Outcome.BLOCKED)]


def test_a_question_that_is_open_since_before_is_no_news_when_others_go_on_beside_it() -> None:
    desk = Desk()
    desk.say("state=blocked:msg=YQ==", "state=working:id=child")
    since = desk.answered().revision
    number = desk.opened(since=since)
    assert desk.say("state=working:id=child:progress=50", "state=done:id=child") == []
    assert ends(desk.say("state=blocked:msg=Yg==")) == [(number, Outcome.BLOCKED)]


def test_a_question_that_was_hidden_behind_a_newer_one_is_news_once_that_is_answered() -> None:
    desk = Desk()
    desk.say("state=blocked:id=first", "state=blocked:id=second")
    since = desk.answered().revision
    number = desk.opened(since=since)
    ((ended, result),) = desk.say("state=working:id=second")
    assert (ended, result.outcome) == (number, Outcome.BLOCKED)
    assert result.panes[0].record is not None
    assert result.panes[0].record.id == "first"


def test_a_question_counts_while_it_is_open_whatever_others_did_meanwhile() -> None:
    desk = Desk()
    since = desk.current
    desk.say("state=blocked", "state=working:id=child", "state=done:id=child")
    assert desk.answered(since=since).outcome is Outcome.BLOCKED


def test_for_all_an_exit_counts_as_one_also_after_rest() -> None:
    desk = Desk("p1", "p2")
    number = desk.opened("p1", "p2", mode=Mode.ALL, since=desk.current)
    desk.say("state=done")
    desk.after(desk.panes["p1"].live(Life.EXITED, 1.0, ExitStatus(code=0)))
    ((ended, result),) = desk.say("state=done", pane="p2")
    assert ended == number
    assert by_pane(result) == {"p1": Outcome.EXITED, "p2": Outcome.SETTLED}


def test_without_since_all_goes_on_after_a_check_in_as_it_began() -> None:
    desk = Desk("p1", "p2")
    for pane in ("p1", "p2"):
        desk.say("state=working", "state=done", "state=working", pane=pane)
    desk.say("state=done")
    desk.opened("p1", "p2", mode=Mode.ALL, deadline=5.0)
    ((_, result),) = desk.expire(5.0)
    assert (result.outcome, by_pane(result)["p1"]) == (Outcome.CHECKIN, Outcome.SETTLED)
    number = desk.opened("p1", "p2", mode=Mode.ALL, since=result.revision)
    assert ends(desk.say("state=done", pane="p2")) == [(number, Outcome.SETTLED)]


def test_without_since_all_is_never_too_old_to_go_on() -> None:
    desk = Desk("p1", "p2")
    _turns(desk, TURNS + 1)
    result = desk.answered("p1", "p2", mode=Mode.ALL, deadline=0.0)
    desk.opened("p1", "p2", mode=Mode.ALL, since=result.revision)
