"""What waits should give, in the plainest way: everything that happened, kept in lists and read anew for each answer.

Deliberately slow, without memory between two answers, and without shared code but for the words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from session_core.model.outcomes import SinceWrite, WaitSpec

from .naive import MOST_URGENT_FIRST, Held, NaivePane

RESTING = ("idle", "done", "error")
ACTIVE = ("working", "blocked")
KEPT = 64
"""Turns that can be looked back upon."""

Lead = tuple[str, int] | None
"""The record that speaks: its id and the number of its present form."""


@dataclass(frozen=True)
class Turn:
    """One turn: `fresh` is the revision after which its record took its present form."""

    revision: int
    before: str
    state: str
    cause: str
    fresh: int


@dataclass
class Pane:
    """All that happened to one pane."""

    naive: NaivePane = field(default_factory=lambda: NaivePane(10**6))
    turns: list[Turn] = field(default_factory=list)
    steps: list[tuple[int, str, Lead]] = field(default_factory=list)
    born: dict[int, int] = field(default_factory=dict)
    heard_at: float = 0.0
    printed: bool = False
    job: int | None = None
    job_seen: int = 0

    def state(self) -> str:
        """Say what a wait sees: at a shell's signal its shell, else what was declared."""
        if self.naive.signal() == "prompt":
            return "idle" if self.naive.shell == "prompt" else "working"
        speakers = self._speakers()
        for word in MOST_URGENT_FIRST:
            if any(held.word == word for held in speakers):
                return word
        return {None: "unknown", "prompt": "idle", "command": "working"}[self.naive.shell]

    def _speakers(self) -> list[Held]:
        """While a program declares, only records of programs that live are heard."""
        declared = self.naive.signal() == "declared"
        return [held for held in self.naive.held if not (declared and held.over)]

    def lead(self) -> Lead:
        """Return who speaks."""
        speakers = self._speakers()
        for word in MOST_URGENT_FIRST:
            urgent = [held for held in speakers if held.word == word]
            if urgent:
                held = max(urgent, key=lambda one: one.number)
                return held.report.id, held.number
        return None

    def step(self, before: str, revision: int, turn: tuple[str, int] | None) -> None:
        """Something happened, and the host's revision is now this; a turn has a cause and its own revision."""
        for held in self.naive.held:
            self.born.setdefault(held.number, revision)
        lead, state = self.lead(), self.state()
        self.steps.append((revision, state, lead))
        if turn:
            cause, number = turn
            self.turns.append(Turn(number, before, state, cause, self.born[lead[1]] if lead else 0))

    def merged(self) -> list[Turn]:
        """Return the turns, those that go on working as one."""
        found: list[Turn] = []
        for turn in self.turns:
            if found and found[-1].state == turn.state == "working":
                found[-1] = replace(turn, before=found[-1].before)
            else:
                found.append(turn)
        return found

    def after(self, since: int) -> list[Turn]:
        """Return the turns after a revision."""
        return [turn for turn in self.merged() if turn.revision > since]

    def is_too_old(self, since: int) -> bool:
        """Whether turns after this revision are no longer kept."""
        return any(turn.revision > since for turn in self.merged()[:-KEPT])

    def asks(self, since: int) -> bool:
        """Whether it is blocked, and not all the time by the question that was there at this revision."""
        if self.state() != "blocked":
            return False
        then = [step for step in self.steps if step[0] <= since][-1:]
        later = [step for step in self.steps if step[0] > since]
        return bool({step[1:] for step in later} - {step[1:] for step in then if step[1] == "blocked"})


@dataclass
class Wait:
    """One wait as it was asked for, with the texts found for it."""

    spec: WaitSpec
    began: int
    at: float
    deadline: float
    too_old: frozenset[str] = frozenset()
    matched: set[str] = field(default_factory=set)

    def quiet_from(self) -> float:
        """Say from when silence counts."""
        if self.spec.write:
            return self.spec.write.at
        return self.at if self.spec.since is not None else -1e9

    def write_to(self, name: str) -> SinceWrite | None:
        """Return the write that it follows, if it went to this pane."""
        return self.spec.write if self.spec.write and self.spec.write.pane == name else None


def as_read(
    spec: WaitSpec, panes: Mapping[str, Pane], now: float, deadline: float, current: int, matched: set[str]
) -> Wait:
    """Read what is asked for: text and changes count from now, and for all, a `since` of 0 is none."""
    until, since, began = spec.until.value, spec.since, current
    if until in ("change", "text"):
        since = current if since is None else since
    elif since == 0 and spec.mode.value == "all" and spec.write is None:
        since, began = None, 0
    too_old = set()
    if since is not None and until in ("settled", "blocked", "change"):
        here = [name for name in spec.panes if name in panes and not panes[name].naive.exited]
        too_old = {name for name in here if panes[name].is_too_old(since)}
    return Wait(replace(spec, since=since), began, now, deadline, frozenset(too_old), matched)


Verdict = tuple[str, Turn | None] | None


def verdict(wait: Wait, name: str, panes: Mapping[str, Pane], now: float) -> Verdict:
    """Say how a pane stands for a wait, and by which turn."""
    if name not in panes:
        return "closed", None
    pane = panes[name]
    last = pane.merged()[-1] if pane.turns else None
    if name in wait.matched:
        return "text", last
    if name in wait.too_old:
        return "resync", last
    if pane.naive.exited:
        return "exited", last
    until, since = wait.spec.until.value, wait.spec.since
    found: Verdict = None
    if until in ("settled", "blocked"):
        found = _present(wait, pane) if since is None else _first(wait, name, pane)
    elif until == "change" and since is not None and pane.after(since):
        found = "changed", last
    if found:
        return found
    if quiet_at(wait, pane) <= now:
        return "quiet", last
    if grace_ends(wait, name, pane) <= now:
        return "not_started", last
    return None


def _present(wait: Wait, pane: Pane) -> Verdict:
    state, last = pane.state(), pane.merged()[-1] if pane.turns else None
    if state == "blocked":
        return "blocked", last
    if wait.spec.until.value == "settled":
        if state in RESTING:
            return "settled", last
        if last and last.revision > wait.began and (last.cause, last.state) == ("program_end", "unknown"):
            return "occupant_changed", last
    return None


def _first(wait: Wait, name: str, pane: Pane) -> Verdict:
    since = wait.spec.since or 0
    turns, write = pane.after(since), wait.write_to(name)
    for index, turn in enumerate(turns if wait.spec.until.value == "settled" else ()):
        was_active = any(one.state not in ("idle", "unknown") for one in turns[: index + 1])
        only_started = write is not None and not was_active and (write.early or turn.before == "unknown")
        if _came_to_rest(turn, since) and not only_started:
            return "settled", turn
        if (turn.cause, turn.state) == ("program_end", "unknown"):
            return "occupant_changed", turn
    return ("blocked", turns[-1]) if turns and turns[-1].state == "blocked" and pane.asks(since) else None


def _came_to_rest(turn: Turn, since: int) -> bool:
    if turn.state not in RESTING:
        return False
    if turn.before in ACTIVE or turn.cause == "prompt":
        return True
    return turn.before == "unknown" if turn.state == "idle" else turn.fresh > since


def quiet_at(wait: Wait, pane: Pane) -> float:
    """Say when the silence of a pane is an answer."""
    until = wait.spec.until.value
    guess = until == "settled" and pane.naive.signal() == "none" and pane.printed and pane.job is None
    if pane.naive.exited or not (until == "quiet" or guess):
        return float("inf")
    return max(pane.heard_at, wait.quiet_from()) + wait.spec.quiet_s


def grace_ends(wait: Wait, name: str, pane: Pane) -> float:
    """Say when a write has led to nothing."""
    write, since = wait.write_to(name), wait.spec.since or 0
    signal = pane.naive.signal()
    if write is None or write.queued or signal == "none" or pane.naive.exited or pane.after(since):
        return float("inf")
    if signal == "prompt" and (pane.job is not None or pane.job_seen > since):
        return float("inf")
    return write.at + wait.spec.start_grace_s if wait.spec.until.value in ("settled", "blocked") else float("inf")


def outcome(wait: Wait, panes: Mapping[str, Pane], now: float) -> str | None:
    """Say how a wait ends now; None is to wait on."""
    found = [verdict(wait, name, panes, now) for name in wait.spec.panes]
    words = [one[0] for one in found if one]
    if "resync" in words:
        return "resync"
    if not words or (wait.spec.mode.value == "all" and len(words) < len(found)):
        return "checkin" if wait.deadline <= now else None
    return "blocked" if "blocked" in words else words[0]


def due(wait: Wait, panes: Mapping[str, Pane], now: float) -> float:
    """Say when the clock alone ends a wait."""
    here = [(name, panes[name]) for name in wait.spec.panes if name in panes]
    times = [quiet_at(wait, pane) for _, pane in here] + [grace_ends(wait, name, pane) for name, pane in here]
    later = sorted(time for time in (*times, wait.deadline) if now < time <= wait.deadline)
    return next(time for time in later if outcome(wait, panes, time))
