"""What a wait makes of one pane: a table of the turns after `since`, and of the present state without it.

A turn is written as `before>state`, with its cause where that is no report, and `old` where its record is from before.
"""

import pytest

from session_core.model.changes import Cause
from session_core.model.outcomes import Outcome, SinceWrite, Until, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Observed, RecordView, Signal
from session_core.model.turns import Turn
from session_core.model.verdicts import judge, may_be_quiet
from session_core.protocol.program_status import State

from .panes import COMMAND, PROMPT, QUERY, declare, feed, new_pane

SINCE = 100
STATES = [state.value for state in Observed]
RESTING = ("idle", "done", "error")
ACTIVE = ("working", "blocked")

NO_WRITE = None
WRITE = SinceWrite("p1", queued=False, early=False, at=0.0)
QUEUED = SinceWrite("p1", queued=True, early=False, at=0.0)
EARLY = SinceWrite("p1", queued=False, early=True, at=0.0)
ELSEWHERE = SinceWrite("p2", queued=False, early=True, at=0.0)


def _turn(text: str, revision: int) -> Turn:
    """Read one turn."""
    states, *rest = text.split()
    before, state = map(Observed, states.split(">"))
    cause = next((Cause(word) for word in rest if word != "old"), Cause.REPORT)
    spoke = SINCE if "old" in rest else revision
    record = None
    if state is not Observed.UNKNOWN:
        record = RecordView(
            id="",
            state=State(state.value),
            app=None,
            kind=None,
            progress=None,
            title=None,
            msg=None,
            revision=spoke,
            at=0.0,
        )
    led_at = spoke if before is state else revision
    return Turn(revision=revision, at=1.0, before=before, state=state, cause=cause, record=record, led_at=led_at)


def _pane(turns: tuple[str, ...]) -> PaneModel:
    """Return a pane with a turn at SINCE and these after it."""
    pane = new_pane()
    for number, text in enumerate(("unknown>done", *turns)):
        pane.turns.add(_turn(text, SINCE + number))
    return pane


def _verdict(
    turns: tuple[str, ...], until: Until = Until.SETTLED, write: SinceWrite | None = NO_WRITE
) -> tuple[str, str] | None:
    """Return the outcome, and the turn that gave it as text."""
    verdict = judge(_pane(turns), WaitSpec(panes=("p1",), until=until, since=SINCE, write=write), SINCE)
    if verdict is None:
        return None
    assert verdict.turn is not None
    return verdict.outcome.value, f"{verdict.turn.before}>{verdict.turn.state}"


# ---- with since: each single turn

SETTLING = {
    *(f"{before}>{state}" for before in ACTIVE for state in RESTING),
    *(f"{before}>{state} prompt" for before in STATES for state in RESTING),
    *(f"{before}>{state}" for before in STATES for state in ("done", "error")),
    "unknown>idle",
    "unknown>idle old",
    *(f"{before}>{state} old" for before in ACTIVE for state in RESTING),
}
"""Every single turn by which a program comes to rest."""
STILL_ASKED = "blocked>blocked old"
EVERY_TURN = [
    f"{before}>{state}{rest}" for before in STATES for state in STATES for rest in ("", " old", " prompt", " clear")
]


def _expected(turn: str) -> str | None:
    """Say what the table says of a wait for rest."""
    states, *rest = turn.split()
    if states.endswith(">blocked"):
        return None if turn == STILL_ASKED else "blocked"
    if rest == ["clear"]:
        turn = states if not states.endswith(">unknown") else turn
    return "settled" if turn in SETTLING else None


@pytest.mark.parametrize("turn", EVERY_TURN)
def test_a_single_turn_settles_a_wait_only_if_the_program_came_to_rest_by_it(turn: str) -> None:
    expected = _expected(turn)
    assert _verdict((turn,)) == (None if expected is None else (expected, turn.split()[0]))


@pytest.mark.parametrize("turn", EVERY_TURN)
def test_a_single_turn_ends_a_wait_for_a_question_only_if_it_asks_one(turn: str) -> None:
    blocked = turn.split()[0].endswith(">blocked") and turn != STILL_ASKED
    assert _verdict((turn,), Until.BLOCKED) == (("blocked", turn.split()[0]) if blocked else None)


@pytest.mark.parametrize("turn", EVERY_TURN)
def test_every_turn_is_a_change_and_none_ends_a_wait_for_what_is_no_state(turn: str) -> None:
    assert _verdict((turn,), Until.CHANGE) == ("changed", turn.split()[0])
    for until in (Until.EXITED, Until.TEXT, Until.QUIET):
        assert _verdict((turn,), until) is None


@pytest.mark.parametrize("before", STATES)
def test_the_end_of_the_program_that_declared_is_told_where_nobody_else_declares(before: str) -> None:
    assert _verdict((f"{before}>unknown program_end",)) == ("occupant_changed", f"{before}>unknown")
    assert _verdict((f"{before}>unknown program_end",), Until.BLOCKED) is None


@pytest.mark.parametrize("until", Until)
def test_without_a_turn_after_since_there_is_no_verdict(until: Until) -> None:
    assert _verdict((), until) is None


# ---- with since: several turns, and after a write

SEVERAL: list[tuple[tuple[str, ...], str | None, int]] = [
    (("done>working", "working>done"), "settled", 1),
    (("done>working", "working>done", "done>working"), "settled", 1),
    (("done>working", "working>done", "done>working", "working>error"), "settled", 1),
    (("done>working", "working>unknown clear", "unknown>working"), None, 0),
    (("done>working", "working>unknown clear", "unknown>idle"), "settled", 2),
    (("done>blocked", "blocked>working"), None, 0),
    (("done>blocked", "blocked>working", "working>blocked"), "blocked", 2),
    (("done>blocked", "blocked>idle"), "settled", 1),
    (("done>blocked", "blocked>idle", "idle>blocked"), "settled", 1),
    (("done>idle", "idle>idle", "idle>idle"), None, 0),
    (("done>idle", "idle>working", "working>idle"), "settled", 2),
    (("done>idle", "idle>error"), "settled", 1),
    (("done>done old", "done>error old"), None, 0),
    (("done>idle prompt",), "settled", 0),
    (("done>working", "working>unknown program_end"), "occupant_changed", 1),
    (("done>working", "working>unknown program_end", "unknown>idle"), "occupant_changed", 1),
    (("done>working", "working>done program_end old"), "settled", 1),
]


@pytest.mark.parametrize(("turns", "outcome", "index"), SEVERAL)
def test_the_first_turn_that_satisfies_answers_and_a_question_only_while_it_is_open(
    turns: tuple[str, ...], outcome: str | None, index: int
) -> None:
    assert _verdict(turns) == (None if outcome is None else (outcome, turns[index].split()[0]))


BOOT = ("unknown>idle",)
BOOT_PROMPT = ("unknown>idle prompt",)
AFTER_WRITE: list[tuple[tuple[str, ...], SinceWrite | None, int | None]] = [
    (BOOT, NO_WRITE, 0),
    (BOOT, ELSEWHERE, 0),
    (BOOT, WRITE, None),
    (BOOT, QUEUED, None),
    (BOOT, EARLY, None),
    (BOOT_PROMPT, NO_WRITE, 0),
    (BOOT_PROMPT, WRITE, None),
    (BOOT_PROMPT, EARLY, None),
    ((*BOOT, "idle>idle prompt"), WRITE, 1),
    ((*BOOT, "idle>idle prompt"), EARLY, None),
    ((*BOOT, "idle>working", "working>idle"), WRITE, 2),
    ((*BOOT, "idle>working", "working>idle"), EARLY, 2),
    ((*BOOT, "idle>unknown clear", "unknown>idle"), WRITE, None),
    (("unknown>working", "working>unknown clear", "unknown>idle"), WRITE, 2),
    (("unknown>working", "working>unknown clear", "unknown>idle"), EARLY, 2),
    (("unknown>blocked", "blocked>idle"), EARLY, 1),
    (("idle>idle prompt",), WRITE, 0),
    (("idle>idle prompt",), EARLY, None),
    (("unknown>done",), WRITE, 0),
    (("unknown>error",), EARLY, 0),
    (("working>idle",), QUEUED, 0),
    (("working>idle",), WRITE, 0),
]


@pytest.mark.parametrize(("turns", "write", "index"), AFTER_WRITE)
def test_after_a_write_a_program_that_only_started_has_not_come_to_rest(
    turns: tuple[str, ...], write: SinceWrite | None, index: int | None
) -> None:
    assert _verdict(turns, write=write) == (None if index is None else ("settled", turns[index].split()[0]))


@pytest.mark.parametrize("write", [WRITE, QUEUED, EARLY, ELSEWHERE])
def test_a_question_counts_after_every_write(write: SinceWrite) -> None:
    for until in (Until.SETTLED, Until.BLOCKED):
        assert _verdict(("unknown>blocked",), until, write) == ("blocked", "unknown>blocked")


# ---- without since: the present state

PRESENT: dict[Until, dict[str, Outcome]] = {
    Until.SETTLED: {**dict.fromkeys(RESTING, Outcome.SETTLED), "blocked": Outcome.BLOCKED},
    Until.BLOCKED: {"blocked": Outcome.BLOCKED},
    Until.EXITED: {},
    Until.QUIET: {},
}


@pytest.mark.parametrize("until", PRESENT)
@pytest.mark.parametrize("state", [state.value for state in State])
def test_without_since_the_present_state_counts(until: Until, state: str) -> None:
    pane = new_pane()
    declare(pane, f"state={state}")
    verdict = judge(pane, WaitSpec(panes=("p1",), until=until), pane.log.revision)
    assert (verdict.outcome if verdict else None) is PRESENT[until].get(state)
    assert verdict is None or verdict.turn is pane.turns.newest


@pytest.mark.parametrize("until", PRESENT)
def test_without_since_a_pane_of_which_nothing_is_known_gives_no_verdict(until: Until) -> None:
    assert judge(new_pane(), WaitSpec(panes=("p1",), until=until), 0) is None


def test_without_since_the_end_of_the_program_counts_only_if_it_came_during_the_wait() -> None:
    pane = new_pane()
    declare(pane, "state=working", group=7)
    began = pane.log.revision
    pane.program_ended(7, 1.0)
    spec = WaitSpec(panes=("p1",))
    verdict = judge(pane, spec, began)
    assert verdict is not None
    assert (verdict.outcome, verdict.turn) == (Outcome.OCCUPANT_CHANGED, pane.turns.newest)
    assert judge(pane, spec, pane.log.revision) is None


@pytest.mark.parametrize("until", Until)
@pytest.mark.parametrize("since", [None, 0])
def test_an_exited_pane_ends_every_wait(until: Until, since: int | None) -> None:
    pane = new_pane()
    declare(pane, "state=working")
    pane.live(Life.EXITED, 1.0)
    verdict = judge(pane, WaitSpec(panes=("p1",), until=until, since=since), 0)
    assert verdict is not None
    assert (verdict.outcome, verdict.turn) == (Outcome.EXITED, pane.turns.newest)


# ---- silence

SILENT = {
    "nothing": (b"", Signal.NONE),
    "declared": (QUERY, Signal.DECLARED),
    "marks": (PROMPT + COMMAND, Signal.PROMPT),
}


@pytest.mark.parametrize("until", Until)
@pytest.mark.parametrize("what", SILENT)
@pytest.mark.parametrize("job", [None, "make"])
@pytest.mark.parametrize("output_at", [None, 5.0])
def test_silence_is_an_answer_where_it_is_asked_for_or_nothing_else_can_be_known(
    until: Until, what: str, job: str | None, output_at: float | None
) -> None:
    pane = new_pane()
    data, signal = SILENT[what]
    feed(pane, data)
    pane.output_at = output_at
    if job:
        pane.job_runs(9, job)
    assert pane.signal is signal
    guess = signal is Signal.NONE and output_at is not None and job is None
    assert may_be_quiet(pane, until) is (until is Until.QUIET or (until is Until.SETTLED and guess))
    pane.live(Life.EXITED, 1.0)
    assert not may_be_quiet(pane, until)
