"""Parses in the background what screens have not parsed yet, so that only a flood is ever skipped.

Invariant: however many panes write, one slice at a time is parsed, the pane that waits longest first, and at most about
a fifth of the loop's time goes to it. A screen whose engine parses at once is never here.
"""

import asyncio

from session_core.screen import ScreenEngine

SLICE_BYTES = 4096
_REST = 4
"""How many times as long as a slice took the loop is left to others."""
_LEAST_REST_S = 0.005


class CatchingUp:
    """The screens of one host that are behind their output."""

    def __init__(self) -> None:
        self._behind: dict[ScreenEngine, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, screen: ScreenEngine) -> None:
        """A screen was given output."""
        if screen.backlog:
            self._behind.setdefault(screen)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(_LEAST_REST_S, self._work)

    def _work(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        begun = loop.time()
        screen = next(iter(self._behind))
        del self._behind[screen]
        screen.catch_up(SLICE_BYTES)
        if screen.backlog:
            self._behind[screen] = None
        if self._behind:
            rest = max(_LEAST_REST_S, _REST * (loop.time() - begun))
            self._timer = loop.call_later(rest, self._work)
