"""What goes from a pane's output to its screen: in stream order, a synchronized update as a whole.

Replies of the screen go to the program as they come. An update that is not finished in time is shown as far as it is.
"""

import asyncio
from collections.abc import Callable

from session_core.host.pane_text import PaneText
from session_core.model.update_gate import LONGEST_S, UpdateGate


class Display:
    """The screen side of one pane. `reply` gets the screen's answers; `overdue` hears of a frame that was cut short."""

    def __init__(self, text: PaneText, reply: Callable[[bytes], None], overdue: Callable[[], None]) -> None:
        self._text = text
        self._reply = reply
        self._overdue = overdue
        self._gate = UpdateGate()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def updating(self) -> bool:
        """Whether a frame has begun and is held back."""
        return self._gate.closed

    @property
    def held(self) -> bytes:
        """What of the frame has come so far."""
        return self._gate.held

    def show(self, data: bytes) -> None:
        """Take the next output."""
        self._feed(self._gate.pass_on(data))
        if not self._gate.closed:
            self._stop_timer()

    def frame(self, *, begins: bool) -> None:
        """A synchronized update begins or ends after what was shown last."""
        if not begins:
            self.flush()
        elif not self._gate.closed:
            self._gate.close()
            self._timer = asyncio.get_running_loop().call_later(LONGEST_S, self._cut_short)

    def flush(self) -> None:
        """Show what is held."""
        self._stop_timer()
        self._feed(self._gate.open())

    def _cut_short(self) -> None:
        self.flush()
        self._overdue()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _feed(self, data: bytes) -> None:
        reply = self._text.feed(data) if data else b""
        if reply:
            self._reply(reply)
