"""What a wait makes of one pane as it stands: the verdict, and the turn that gave it.

With `since`, a wait gets what it would have got had it begun there: the first turn after it that satisfies it, except
that a question which has been answered meanwhile is no news. A state that was there before never satisfies it, nor
does a program that is only at rest still: it must have come to rest. After a write to a pane that had declared nothing
yet, or shown nothing, the program must have been at work first.
"""

from dataclasses import dataclass

from session_core.model.outcomes import Mode, Outcome, Until, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Observed, Signal
from session_core.model.turns import RESTING, Turn


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome for one pane, and the turn behind it; None where it is no turn that gave it."""

    outcome: Outcome
    turn: Turn | None = None


def judge(pane: PaneModel, spec: WaitSpec, began: int) -> Verdict | None:
    """Say what a wait that began at revision `began` makes of `pane`; None is to wait on."""
    if pane.life.over:
        return Verdict(Outcome.LOST if pane.life is Life.LOST else Outcome.EXITED, pane.turns.newest)
    if spec.until in (Until.EXITED, Until.TEXT, Until.QUIET):
        return None
    if spec.since is None:
        return _present(pane, spec.until, began) or _while_away(pane, spec)
    if spec.until is Until.CHANGE:
        turn = next(pane.turns.after(spec.since), None)
        return Verdict(Outcome.CHANGED, pane.turns.newest) if turn else None
    return _first_turn(pane, spec, spec.since)


def is_too_old(pane: PaneModel, spec: WaitSpec) -> bool:
    """Whether a wait that begins now cannot know what it would have got at its `since`."""
    if spec.until in (Until.EXITED, Until.TEXT, Until.QUIET) or pane.life.over:
        return False
    if spec.since is None and (spec.stood is None or spec.mode is Mode.ALL):
        return False
    return pane.turns.forgotten > max(spec.since or 0, spec.stood or 0)


def _while_away(pane: PaneModel, spec: WaitSpec) -> Verdict | None:
    """What would have ended a wait while its connection was broken; all panes at once are seen only as they stand."""
    return None if spec.stood is None or spec.mode is Mode.ALL else _first_turn(pane, spec, spec.stood)


def _present(pane: PaneModel, until: Until, began: int) -> Verdict | None:
    turn, state = pane.turns.newest, pane.standing.state
    if state is Observed.BLOCKED:
        return Verdict(Outcome.BLOCKED, turn)
    if until is Until.SETTLED:
        if state in RESTING:
            return Verdict(Outcome.SETTLED, turn)
        if turn and turn.revision > began and turn.lost_program:
            return Verdict(Outcome.OCCUPANT_CHANGED, turn)
    return None


def _first_turn(pane: PaneModel, spec: WaitSpec, since: int) -> Verdict | None:
    write = spec.write if spec.write and spec.write.pane == pane.spec.pane else None
    acted = False
    for turn in pane.turns.after(since):
        if turn is pane.turns.newest and turn.asks(since):
            return Verdict(Outcome.BLOCKED, turn)
        acted = acted or turn.state not in (Observed.IDLE, Observed.UNKNOWN)
        if spec.until is not Until.SETTLED:
            continue
        reaction = write is None or acted or not (write.early or turn.before is Observed.UNKNOWN)
        if reaction and turn.ends_at_rest(since):
            return Verdict(Outcome.SETTLED, turn)
        if turn.lost_program:
            return Verdict(Outcome.OCCUPANT_CHANGED, turn)
    return None


def may_be_quiet(pane: PaneModel, until: Until) -> bool:
    """Whether silence of this pane is an answer: where that is what is asked, or where nothing else can be known.

    A program that has shown nothing yet is not quiet but starting, one amid a synchronized update is at work, and a
    shell's command is waited for.
    """
    if pane.life.over or pane.updating:
        return False
    if until is Until.QUIET:
        return True
    return until is Until.SETTLED and pane.signal is Signal.NONE and pane.output_at is not None and pane.job is None
