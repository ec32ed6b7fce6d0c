"""Tells one subscriber which panes wrote something, without the output itself.

The first output is told at once and what follows at most every `EVERY_S`, all panes together; the last output is
always told. While the subscriber takes nothing, the panes are remembered, each once.
"""

import asyncio
from collections.abc import Callable

EVERY_S = 0.2


class OutputNotices:
    """`send` gets the panes and returns whether the subscriber took them."""

    def __init__(self, send: Callable[[tuple[str, ...]], bool]) -> None:
        self._send = send
        self._panes: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def wrote(self, pane: str) -> None:
        """A pane wrote something."""
        self._panes[pane] = None
        if self._timer is None:
            self._tell()

    def _tell(self) -> None:
        self._timer = None
        if not self._panes:
            return
        if self._send(tuple(self._panes)):
            self._panes.clear()
        self._timer = asyncio.get_running_loop().call_later(EVERY_S, self._tell)

    def close(self) -> None:
        """Tell nothing more."""
        self._panes.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
