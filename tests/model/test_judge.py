"""What a wait makes of one pane: the whole table of life, state, purpose and `since`."""

import pytest

from session_core.model.changes import Cause
from session_core.model.pane import Standing
from session_core.model.status import Life, Observed
from session_core.model.waits import Outcome, Until, judge

RUNNING = (Life.STARTING, Life.RUNNING)
TURN = 10
NEWS = (None, 0, TURN - 1)
"""Values of `since` for which the turn is news: without one, the present state counts."""
NO_NEWS = (TURN, TURN + 1)

SATISFIED: dict[Until, dict[Observed, Outcome]] = {
    Until.SETTLED: {
        Observed.IDLE: Outcome.SETTLED,
        Observed.DONE: Outcome.SETTLED,
        Observed.ERROR: Outcome.SETTLED,
        Observed.BLOCKED: Outcome.BLOCKED,
    },
    Until.BLOCKED: {Observed.BLOCKED: Outcome.BLOCKED},
    Until.EXITED: {},
    Until.CHANGE: {},
}


def _standing(life: Life, state: Observed) -> Standing:
    return Standing(life, state, TURN, Cause.REPORT)


@pytest.mark.parametrize("until", Until)
@pytest.mark.parametrize("state", Observed)
@pytest.mark.parametrize("since", [*NEWS, *NO_NEWS])
def test_an_exited_pane_ends_every_wait(until: Until, state: Observed, since: int | None) -> None:
    assert judge(_standing(Life.EXITED, state), until, since) is Outcome.EXITED


@pytest.mark.parametrize("until", [Until.SETTLED, Until.BLOCKED, Until.EXITED])
@pytest.mark.parametrize("state", Observed)
@pytest.mark.parametrize("since", NEWS)
@pytest.mark.parametrize("life", RUNNING)
def test_a_state_that_is_news_gives_its_outcome(until: Until, state: Observed, since: int | None, life: Life) -> None:
    assert judge(_standing(life, state), until, since) is SATISFIED[until].get(state)


@pytest.mark.parametrize("until", Until)
@pytest.mark.parametrize("state", Observed)
@pytest.mark.parametrize("since", NO_NEWS)
@pytest.mark.parametrize("life", RUNNING)
def test_an_old_state_satisfies_nothing(until: Until, state: Observed, since: int, life: Life) -> None:
    assert judge(_standing(life, state), until, since) is None


@pytest.mark.parametrize("state", Observed)
@pytest.mark.parametrize("life", RUNNING)
def test_any_turn_after_since_is_a_change_whatever_the_state(state: Observed, life: Life) -> None:
    assert judge(_standing(life, state), Until.CHANGE, TURN - 1) is Outcome.CHANGED
    assert judge(_standing(life, state), Until.CHANGE, None) is None
