"""Waits for the tests: some panes, a clock that is a number, and short names for what a host does."""

from collections.abc import Iterator, Mapping
from typing import Any

from session_core.model.changes import Change, Revisions
from session_core.model.outcomes import Outcome, SinceWrite, WaitResult, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.text_watch import TextMatch
from session_core.model.waits import Waits

from .panes import declare, feed, new_pane

LATER = 1000.0
"""A deadline that no test reaches by accident."""


class CountedPanes(Mapping[str, PaneModel]):
    """Panes by id that count how often one was looked up."""

    def __init__(self) -> None:
        self.models: dict[str, PaneModel] = {}
        self.lookups = 0

    def __getitem__(self, pane: str) -> PaneModel:
        self.lookups += 1
        return self.models[pane]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)


class Desk:
    """A host without I/O: panes on one number line and the waits on them; `now` is set by the test."""

    def __init__(self, *names: str) -> None:
        self.revisions = Revisions()
        self.panes = CountedPanes()
        for name in names or ("p1",):
            self.panes.models[name] = new_pane(self.revisions, pane=name)
        self.waits = Waits(self.panes)
        self.now = 0.0

    @property
    def current(self) -> int:
        """The newest revision."""
        return self.revisions.current

    def begin(
        self,
        *panes: str,
        deadline: float = LATER,
        matches: Mapping[str, TextMatch] | None = None,
        **asked: Any,
    ) -> int | WaitResult:
        """Begin a wait, by default for `p1` to settle; `asked` are fields of its spec."""
        spec = WaitSpec(panes=panes or ("p1",), **asked)
        return self.waits.begin(spec, self.now, deadline, self.current, matches)

    def opened(self, *panes: str, **asked: Any) -> int:
        """Begin a wait that must stay open, and return its number."""
        begun = self.begin(*panes, **asked)
        assert isinstance(begun, int)
        return begun

    def answered(self, *panes: str, **asked: Any) -> WaitResult:
        """Begin a wait that must end at once, and return its result."""
        begun = self.begin(*panes, **asked)
        assert isinstance(begun, WaitResult)
        return begun

    def written(self, pane: str = "p1", *, queued: bool = False, early: bool = False) -> dict[str, Any]:
        """Return what a wait since a write asks that is put into the pane now."""
        return {"since": self.current, "write": SinceWrite(pane, queued, early, self.now)}

    def say(self, *bodies: str, pane: str = "p1", group: int = 1) -> list[tuple[int, WaitResult]]:
        """A program reports; return the waits that it ends."""
        return self.after(declare(self.panes.models[pane], *bodies, group=group, now=self.now), pane)

    def print(self, data: bytes, *, pane: str = "p1") -> list[tuple[int, WaitResult]]:
        """A program prints; return the waits that it ends."""
        return self.after(feed(self.panes.models[pane], data, now=self.now), pane)

    def output(self, pane: str = "p1") -> list[tuple[int, WaitResult]]:
        """A program prints what means nothing; return the waits that it ends."""
        model = self.panes.models[pane]
        first = model.output_at is None
        model.output_at = model.heard_at = self.now
        return self.waits.changed(pane, self.now, self.current) if first else []

    def ended(self, group: int, pane: str = "p1") -> list[tuple[int, WaitResult]]:
        """A process group is gone; return the waits that it ends."""
        model = self.panes.models[pane]
        if model.job:
            model.heard_at = self.now
        return self.after(model.program_ended(group, self.now), pane)

    def expire(self, at: float | None = None) -> list[tuple[int, WaitResult]]:
        """Let the clock come to `at`; return the waits that it ends."""
        self.now = self.now if at is None else at
        return self.waits.expire(self.now, self.current)

    def after(self, changes: list[Change], pane: str = "p1") -> list[tuple[int, WaitResult]]:
        """Tell the waits, as a host does, when there were changes."""
        return self.waits.changed(pane, self.now, self.current) if changes else []


def ends(ended: list[tuple[int, WaitResult]]) -> list[tuple[int, Outcome]]:
    """Return the number and the outcome of each ended wait."""
    return [(number, result.outcome) for number, result in ended]


def by_pane(result: WaitResult) -> dict[str, Outcome]:
    """Return how each pane of a wait stood."""
    return {news.pane: news.outcome for news in result.panes}
