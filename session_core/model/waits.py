"""Waits over one or many panes: registered and checked in one step, ended by a change or by the deadline.

A wait costs nothing while it waits; a change is checked against the waits on that pane only. With `since`,
only what a turn did after that revision satisfies it, so an old state never does, and nothing is missed
between two calls. A deadline that passes is an outcome (`checkin`), not an error.
Deliberately absent: clocks and tasks; `now` is an argument, and the caller arms a timer for `next_deadline`.
"""

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from session_core.model.changes import Cause
from session_core.model.pane import PaneModel, Standing
from session_core.model.status import ExitStatus, Life, Observed, RecordView
from session_core.model.tickets import Started

WAITS = 10_000
"""Open waits of a host; one more is refused."""

_RESTING = frozenset((Observed.IDLE, Observed.DONE, Observed.ERROR))


class Until(StrEnum):
    """What a wait is for. A pane that is blocked also ends SETTLED; one that has exited ends every wait."""

    SETTLED = "settled"
    BLOCKED = "blocked"
    EXITED = "exited"
    CHANGE = "change"


class Mode(StrEnum):
    """Whether one pane is enough."""

    ANY = "any"
    ALL = "all"


class Outcome(StrEnum):
    """How a wait ended, for the whole wait and for each of its panes."""

    SETTLED = "settled"
    BLOCKED = "blocked"
    EXITED = "exited"
    CHANGED = "changed"
    CLOSED = "closed"
    CHECKIN = "checkin"
    NOT_DELIVERED = "not_delivered"
    RESYNC = "resync"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitSpec:
    """What to wait for; `since` is a revision of an earlier answer."""

    panes: tuple[str, ...]
    until: Until = Until.SETTLED
    mode: Mode = Mode.ANY
    since: int | None = None


@dataclass(frozen=True, slots=True)
class PaneOutcome:
    """How one pane stood when the wait ended; CHECKIN where it had no news.

    `cause` and `revision` are those of its last turn; `record` is the one that speaks for it.
    """

    pane: str
    outcome: Outcome
    state: Observed
    cause: Cause | None
    revision: int
    record: RecordView | None = None
    exit: ExitStatus | None = None


@dataclass(frozen=True, slots=True)
class WaitResult:
    """The end of a wait. `revision` is the `since` of the next call; `waited_s` is in seconds.

    `started` belongs to a wait since a ticket: whether the program began to act on that write.
    """

    outcome: Outcome
    panes: tuple[PaneOutcome, ...]
    revision: int
    waited_s: float
    started: Started = None


@dataclass(slots=True)
class _Open:
    spec: WaitSpec
    began: float


def judge(standing: Standing, until: Until, since: int | None) -> Outcome | None:
    """Say what a wait for `until` makes of a pane that stands like this; None is to wait on."""
    if standing.life is Life.EXITED:
        return Outcome.EXITED
    if since is not None and standing.turn_revision <= since:
        return None
    if until is Until.CHANGE and since is not None:
        return Outcome.CHANGED
    if until in (Until.SETTLED, Until.BLOCKED) and standing.state is Observed.BLOCKED:
        return Outcome.BLOCKED
    if until is Until.SETTLED and standing.state in _RESTING:
        return Outcome.SETTLED
    return None


class Waits:
    """All open waits of a host."""

    def __init__(self, panes: Mapping[str, PaneModel]) -> None:
        self._panes = panes
        self._open: dict[int, _Open] = {}
        self._by_pane: dict[str, set[int]] = {}
        self._deadlines: list[tuple[float, int]] = []
        self._last = 0

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, spec: WaitSpec, now: float, deadline: float, revision: int) -> int | WaitResult:
        """Check `spec` and register it if it is not yet satisfied; return its number or its result.

        `revision` is the host's current one; a `since` beyond it belongs to another host: RESYNC.
        """
        if spec.since is not None and spec.since > revision:
            return self._result(spec, Outcome.RESYNC, revision, 0.0)
        if spec.until is Until.CHANGE and spec.since is None:
            spec = WaitSpec(panes=spec.panes, until=spec.until, mode=spec.mode, since=revision)
        outcome = self._check(spec)
        if outcome or deadline <= now:
            return self._result(spec, outcome or Outcome.CHECKIN, revision, 0.0)
        self._last += 1
        self._open[self._last] = _Open(spec, now)
        for pane in spec.panes:
            self._by_pane.setdefault(pane, set()).add(self._last)
        heapq.heappush(self._deadlines, (deadline, self._last))
        return self._last

    def changed(self, pane: str, now: float, revision: int) -> list[tuple[int, WaitResult]]:
        """Return the waits that the newest change of `pane` ends."""
        ended = []
        for number in sorted(self._by_pane.get(pane, ())):
            outcome = self._check(self._open[number].spec)
            if outcome:
                ended.append((number, self._end(number, outcome, now, revision)))
        return ended

    def expire(self, now: float, revision: int) -> list[tuple[int, WaitResult]]:
        """Return the waits whose deadline has come."""
        ended = []
        while self._deadlines and self._deadlines[0][0] <= now:
            number = heapq.heappop(self._deadlines)[1]
            if number in self._open:
                ended.append((number, self._end(number, Outcome.CHECKIN, now, revision)))
        return ended

    def next_deadline(self) -> float | None:
        """When `expire` has something to do next; None while nobody waits."""
        while self._deadlines and self._deadlines[0][1] not in self._open:
            heapq.heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def not_delivered(self, panes: tuple[str, ...], revision: int) -> WaitResult:
        """The result of a wait since a write that was never delivered."""
        return self._result(WaitSpec(panes=panes), Outcome.NOT_DELIVERED, revision, 0.0)

    def cancel(self, number: int) -> None:
        """Forget a wait; one that has ended is forgotten already."""
        self._remove(number)

    def _check(self, spec: WaitSpec) -> Outcome | None:
        outcomes = [self._outcome(pane, spec) for pane in spec.panes]
        news = [outcome for outcome in outcomes if outcome]
        if not news or (spec.mode is Mode.ALL and len(news) < len(outcomes)):
            return None
        return Outcome.BLOCKED if Outcome.BLOCKED in news else news[0]

    def _outcome(self, pane: str, spec: WaitSpec) -> Outcome | None:
        model = self._panes.get(pane)
        return judge(model.standing, spec.until, spec.since) if model else Outcome.CLOSED

    def _end(self, number: int, outcome: Outcome, now: float, revision: int) -> WaitResult:
        wait = self._remove(number)
        assert wait is not None
        return self._result(wait.spec, outcome, revision, now - wait.began)

    def _remove(self, number: int) -> _Open | None:
        wait = self._open.pop(number, None)
        for pane in set(wait.spec.panes) if wait else ():
            numbers = self._by_pane[pane]
            numbers.discard(number)
            if not numbers:
                del self._by_pane[pane]
        # Cancelled waits leave their deadline behind; it must not outgrow the open ones.
        if len(self._deadlines) > 2 * len(self._open) + 64:
            self._deadlines = [entry for entry in self._deadlines if entry[1] in self._open]
            heapq.heapify(self._deadlines)
        return wait

    def _result(self, spec: WaitSpec, outcome: Outcome, revision: int, waited: float) -> WaitResult:
        news = tuple(self._news(spec.panes, spec))
        if outcome is Outcome.CHECKIN and spec.mode is Mode.ALL:
            # Panes that are through already must count again in the next call.
            revision = spec.since or 0
        return WaitResult(outcome, news, revision, round(waited, 3))

    def _news(self, panes: Iterable[str], spec: WaitSpec) -> Iterable[PaneOutcome]:
        for pane in panes:
            model = self._panes.get(pane)
            if model is None:
                yield PaneOutcome(pane, Outcome.CLOSED, Observed.UNKNOWN, None, 0)
                continue
            standing = model.standing
            outcome = judge(standing, spec.until, spec.since) or Outcome.CHECKIN
            yield PaneOutcome(
                pane, outcome, standing.state, standing.cause, standing.turn_revision, model.lead, model.exit
            )
