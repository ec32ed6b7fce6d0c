"""Waits over one or many panes: registered and checked in one step, ended by a change or by the clock.

A wait costs nothing while it waits; a change is checked against the waits on that pane only (`verdicts` says what
it means to each). The clock ends waits at their deadline (`checkin`, an outcome and no error), and looks at a wait
where a write had no reaction, or where a pane that declares nothing has been silent.
Deliberately absent: clocks and tasks; `now` is an argument, and the caller arms a timer for `next_time`. Before it
calls `expire` it looks who is in the foreground of the panes that `silent` names.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from session_core.model.outcomes import Mode, Outcome, PaneOutcome, Until, WaitResult, WaitSpec
from session_core.model.pane import Footing, PaneModel
from session_core.model.status import Observed, Signal
from session_core.model.text_watch import TextMatch
from session_core.model.verdicts import Verdict, is_too_old, judge, may_be_quiet

WAITS = 10_000
"""Open waits of a host; one more is refused."""
SHOWN_TURNS = 8
_ANY_TIME = 0
"""For all panes at once, a `since` of 0 is none: a wait without one goes on as it began after a check-in."""
_LASTING = frozenset((Outcome.SETTLED, Outcome.OCCUPANT_CHANGED))
"""What a turn after `since` has given stays given while a wait goes on for other panes."""


@dataclass(slots=True)
class _Open:
    spec: WaitSpec
    began: float
    revision: int
    deadline: float
    quiet_from: float
    matches: dict[str, TextMatch] = field(default_factory=dict)
    look_at: float | None = None
    too_old: frozenset[str] = frozenset()
    through: dict[str, Verdict] = field(default_factory=dict)


class Waits:
    """All open waits of a host."""

    def __init__(self, panes: Mapping[str, PaneModel]) -> None:
        self._panes = panes
        self._open: dict[int, _Open] = {}
        self._by_pane: dict[str, set[int]] = {}
        self._footings: dict[str, Footing | None] = {}
        self._times: list[tuple[float, int]] = []
        self._due: list[tuple[float, int]] = []
        self._last = 0

    def __len__(self) -> int:
        return len(self._open)

    def begin(
        self,
        spec: WaitSpec,
        now: float,
        deadline: float,
        revision: int,
        matches: Mapping[str, TextMatch] | None = None,
    ) -> int | WaitResult:
        """Check `spec` and register it if it is not yet satisfied; return its number or its result.

        `revision` is the host's current one; a `since` or `stood` beyond it is of another: RESYNC. A `since` of 0 is
        what a wait for all panes continues with: as they stand, and who was lost before counts. `matches` are the texts
        that were found already.
        """
        began = revision if spec.stood is None else spec.stood
        if spec.until in (Until.CHANGE, Until.TEXT):
            spec = replace(spec, since=began if spec.since is None else spec.since)
        elif spec.since == _ANY_TIME and spec.mode is Mode.ALL and spec.write is None:
            spec, began = replace(spec, since=None), _ANY_TIME
        wait = _Open(spec, now, began, deadline, _quiet_from(spec, now), dict(matches or {}))
        if max(spec.since or 0, spec.stood or 0) > revision:
            return self._result(wait, Outcome.RESYNC, now, revision)
        # Only a new wait can have missed turns: an open one is told each of them.
        models = {pane: self._panes.get(pane) for pane in spec.panes}
        wait.too_old = frozenset(pane for pane, model in models.items() if model and is_too_old(model, spec))
        outcome = self._check(wait, now)
        if outcome or deadline <= now:
            return self._result(wait, outcome or Outcome.CHECKIN, now, revision)
        self._last += 1
        self._open[self._last] = wait
        for pane in spec.panes:
            self._by_pane.setdefault(pane, set()).add(self._last)
        heapq.heappush(self._times, (deadline, self._last))
        self._look_later(self._last, wait, now)
        return self._last

    def changed(self, pane: str, now: float, revision: int) -> list[tuple[int, WaitResult]]:
        """Return the waits that the newest change of `pane` ends."""
        numbers = self._by_pane.get(pane)
        if not numbers:
            return []
        model = self._panes.get(pane)
        footing = model.footing if model else None
        stands = pane in self._footings and self._footings[pane] == footing
        self._footings[pane] = footing
        ended = []
        for number in sorted(numbers):
            wait = self._open[number]
            if stands and wait.spec.until is not Until.CHANGE:
                continue
            # Only this pane has changed: where it is no news, the others are none either.
            outcome = self._check(wait, now) if self._verdict(wait, pane, now) else None
            if outcome:
                ended.append((number, self._end(number, outcome, now, revision)))
            else:
                self._look_later(number, wait, now)
        return ended

    def found(self, number: int, pane: str, match: TextMatch, now: float, revision: int) -> WaitResult | None:
        """A text wait has its text in `pane`; return its result if that ends it."""
        wait = self._open.get(number)
        if wait is None:
            return None
        wait.matches.setdefault(pane, match)
        outcome = self._check(wait, now)
        return self._end(number, outcome, now, revision) if outcome else None

    def silent(self, now: float) -> list[str]:
        """Return the panes whose silence, or lack of a reaction, `expire`, which must follow, is about to judge."""
        while self._times and self._times[0][0] <= now:
            self._due.append(heapq.heappop(self._times))
        waits = {number: self._open[number] for _, number in self._due if number in self._open}
        asked = {(pane, wait.spec.until) for wait in waits.values() for pane in wait.spec.panes}
        quiet = {pane for pane, until in asked if self._may_be_quiet(pane, until)}
        # A shell whose marks do not tell that a command began may run one all the same.
        return sorted(quiet | {wait.spec.write.pane for wait in waits.values() if wait.spec.write})

    def expire(self, now: float, revision: int) -> list[tuple[int, WaitResult]]:
        """Return the waits that the clock ends."""
        self.silent(now)
        due, self._due = self._due, []
        ended = []
        for time, number in due:
            wait = self._open.get(number)
            if wait is None:
                continue
            if wait.look_at == time:
                wait.look_at = None
            outcome = self._check(wait, now) or (Outcome.CHECKIN if wait.deadline <= now else None)
            if outcome:
                ended.append((number, self._end(number, outcome, now, revision)))
            else:
                self._look_later(number, wait, now)
        return ended

    def next_time(self) -> float | None:
        """When `expire` has something to do next; None while nobody waits."""
        while self._times and self._times[0][1] not in self._open:
            heapq.heappop(self._times)
        return self._times[0][0] if self._times else None

    def not_delivered(self, panes: tuple[str, ...], now: float, revision: int) -> WaitResult:
        """The result of a wait since a write that was never delivered."""
        wait = _Open(WaitSpec(panes=panes), now, revision, now, now)
        return self._result(wait, Outcome.NOT_DELIVERED, now, revision)

    def resync(self, spec: WaitSpec, now: float, revision: int) -> WaitResult:
        """The result of a wait whose `since` is no longer known."""
        return self._result(_Open(spec, now, revision, now, now), Outcome.RESYNC, now, revision)

    def cancel(self, number: int) -> None:
        """Forget a wait; one that has ended is forgotten already."""
        self._remove(number)

    # ---- judging

    def _check(self, wait: _Open, now: float) -> Outcome | None:
        spec = wait.spec
        outcomes = [verdict.outcome if (verdict := self._verdict(wait, pane, now)) else None for pane in spec.panes]
        news = [outcome for outcome in outcomes if outcome]
        if Outcome.RESYNC in news:
            return Outcome.RESYNC
        if not news or (spec.mode is Mode.ALL and len(news) < len(outcomes)):
            return None
        return Outcome.BLOCKED if Outcome.BLOCKED in news else news[0]

    def _verdict(self, wait: _Open, pane: str, now: float) -> Verdict | None:
        model = self._panes.get(pane)
        if model is None:
            return Verdict(Outcome.CLOSED)
        if pane in wait.matches:
            return Verdict(Outcome.TEXT, model.turns.newest)
        if pane in wait.too_old:
            return Verdict(Outcome.RESYNC, model.turns.newest)
        verdict = wait.through.get(pane)
        if verdict is None or model.life.over:
            verdict = judge(model, wait.spec, wait.revision)
        if verdict:
            if wait.spec.since is not None and verdict.outcome in _LASTING:
                wait.through[pane] = verdict
            return verdict
        if may_be_quiet(model, wait.spec.until) and self._quiet_at(wait, model) <= now:
            return Verdict(Outcome.QUIET, model.turns.newest)
        grace = self._grace_ends(wait, model)
        if grace is not None and grace <= now:
            return Verdict(Outcome.NOT_STARTED, model.turns.newest)
        return None

    def _may_be_quiet(self, pane: str, until: Until) -> bool:
        model = self._panes.get(pane)
        return model is not None and may_be_quiet(model, until)

    def _quiet_at(self, wait: _Open, model: PaneModel) -> float:
        return max(model.heard_at, wait.quiet_from) + wait.spec.quiet_s

    def _grace_ends(self, wait: _Open, model: PaneModel) -> float | None:
        """When a write that had no reaction yet counts as one that started nothing; None where that cannot be."""
        write, spec = wait.spec.write, wait.spec
        if write is None or write.queued or write.pane != model.spec.pane or model.signal is Signal.NONE:
            return None
        if spec.until not in (Until.SETTLED, Until.BLOCKED) or next(model.turns.after(spec.since or 0), None):
            return None
        if model.signal is Signal.PROMPT and (model.job is not None or model.job_seen > (spec.since or 0)):
            return None
        return write.at + spec.start_grace_s

    def _look_later(self, number: int, wait: _Open, now: float) -> None:
        """Have the clock look at a wait that only it can end; output since then makes it look again."""
        times = []
        for pane in wait.spec.panes:
            model = self._panes.get(pane)
            if model is None:
                continue
            if may_be_quiet(model, wait.spec.until):
                times.append(self._quiet_at(wait, model))
            grace = self._grace_ends(wait, model)
            if grace is not None:
                times.append(grace)
        soon = min((time for time in times if time > now), default=None)
        if soon is not None and soon < wait.deadline and (wait.look_at is None or soon < wait.look_at):
            wait.look_at = soon
            heapq.heappush(self._times, (soon, number))

    # ---- ending

    def _end(self, number: int, outcome: Outcome, now: float, revision: int) -> WaitResult:
        wait = self._remove(number)
        assert wait is not None
        return self._result(wait, outcome, now, revision)

    def _remove(self, number: int) -> _Open | None:
        wait = self._open.pop(number, None)
        for pane in set(wait.spec.panes) if wait else ():
            numbers = self._by_pane[pane]
            numbers.discard(number)
            if not numbers:
                del self._by_pane[pane]
                self._footings.pop(pane, None)
        # Ended waits leave their times behind; these must not outgrow the open ones.
        if len(self._times) > 4 * len(self._open) + 64:
            self._times = [entry for entry in self._times if entry[1] in self._open]
            heapq.heapify(self._times)
        return wait

    def _result(self, wait: _Open, outcome: Outcome, now: float, revision: int) -> WaitResult:
        news = tuple(self._news(wait, pane, now) for pane in wait.spec.panes)
        if outcome is Outcome.CHECKIN and wait.spec.mode is Mode.ALL:
            # Panes that are through already must count again in the next call.
            revision = wait.spec.since or _ANY_TIME
        return WaitResult(outcome, news, revision, round(now - wait.began, 3))

    def _news(self, wait: _Open, pane: str, now: float) -> PaneOutcome:
        model = self._panes.get(pane)
        if model is None:
            return PaneOutcome(pane=pane, outcome=Outcome.CLOSED, state=Observed.UNKNOWN, cause=None, revision=0)
        verdict = self._verdict(wait, pane, now)
        present = model.standing.state
        turn = verdict.turn if verdict else model.turns.newest
        # What the turn brought may have been seen by a person meanwhile, or another turn has begun.
        looks_back = wait.spec.since is not None or wait.spec.stood is not None
        told = turn if verdict and looks_back else None
        state = told.state if told else present
        since = wait.spec.since if wait.spec.since is not None else wait.revision
        return PaneOutcome(
            pane=pane,
            outcome=verdict.outcome if verdict else Outcome.CHECKIN,
            state=state,
            cause=turn.cause if turn else None,
            revision=turn.revision if turn else 0,
            record=told.record if told else model.waited_lead,
            exit=model.exit,
            now=present if present is not state else None,
            went=tuple(turn.state for turn in model.turns.after(since))[-SHOWN_TURNS:],
            unfinished=turn.unfinished if turn else False,
            quiet_s=round(max(0.0, now - model.heard_at), 3),
            job=model.job if model.signal is Signal.NONE else None,
            match=wait.matches.get(pane),
            key_at=model.draft.keystroke_at,
            key=model.key,
            output_at=model.output_at,
        )


def _quiet_from(spec: WaitSpec, now: float) -> float:
    """From when silence counts: with `since`, only what comes after it."""
    if spec.write is not None:
        return spec.write.at
    return now if spec.since is not None else -1e9
