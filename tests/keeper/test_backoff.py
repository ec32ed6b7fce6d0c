"""When a process that died is started again."""

from session_core.keeper.backoff import DELAYS_S, FLOOD, FLOOD_DELAY_S, STEADY_S, Deaths


def test_a_process_that_crashes_again_and_again_is_started_later_each_time_and_then_given_up() -> None:
    deaths = Deaths()
    delays = [deaths.delay(float(number), None, killed=False) for number in range(len(DELAYS_S) + 1)]
    assert delays == [*DELAYS_S, None]


def test_one_that_served_for_a_while_starts_afresh() -> None:
    deaths = Deaths()
    for number in range(20):
        assert deaths.delay(number * STEADY_S, STEADY_S, killed=False) == DELAYS_S[0]


def test_one_that_is_killed_from_outside_is_started_at_once_but_not_in_a_flood() -> None:
    deaths = Deaths()
    delays = [deaths.delay(number * 0.01, 0.005, killed=True) for number in range(FLOOD + 1)]
    assert delays == [0.0] * FLOOD + [FLOOD_DELAY_S]
    assert deaths.delay(FLOOD + STEADY_S, 0.005, killed=True) == 0.0


def test_a_kill_before_it_serves_counts_as_a_crash() -> None:
    deaths = Deaths()
    assert [deaths.delay(0.0, None, killed=True) for _ in range(6)][-1] is None
