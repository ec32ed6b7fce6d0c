"""Parses in the background what screens have not parsed yet, so that only a flood is ever skipped.

Invariant: however many panes write, one slice at a time is parsed, the pane that waits longest first, and at most about
a fifth of the loop's time goes to it. A screen whose engine parses at once is here only while it is cold, and is
painted whole.
"""

import asyncio
from typing import Protocol

SLICE_BYTES = 4096
_REST = 4
"""How many times as long as a slice took the loop is left to others."""
_LEAST_REST_S = 0.005


class Lagging(Protocol):
    """A pane's screen that may not have all output."""

    @property
    def is_behind(self) -> bool:
        """Whether it lacks some."""

    def catch_up(self, size: int) -> None:
        """Take the oldest `size` bytes of that; more only where it cannot be stopped."""


class CatchingUp:
    """The screens of one host that are behind their output."""

    def __init__(self) -> None:
        self._behind: dict[Lagging, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._held = False

    def hold(self) -> None:
        """Parse nothing before `go_on`: a screen would load its engine, which would stop the loop."""
        self._held = True

    def go_on(self) -> None:
        """Parse from now on."""
        self._held = False
        self._arm()

    def add(self, output: Lagging) -> None:
        """A pane has output."""
        if output.is_behind:
            self._behind.setdefault(output)
            self._arm()

    def _arm(self) -> None:
        if self._behind and self._timer is None and not self._held:
            self._timer = asyncio.get_running_loop().call_later(_LEAST_REST_S, self._work)

    def _work(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        begun = loop.time()
        output = next(iter(self._behind))
        del self._behind[output]
        output.catch_up(SLICE_BYTES)
        if output.is_behind:
            self._behind[output] = None
        if self._behind:
            rest = max(_LEAST_REST_S, _REST * (loop.time() - begun))
            self._timer = loop.call_later(rest, self._work)
