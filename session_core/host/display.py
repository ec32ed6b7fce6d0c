"""What goes from a pane's output to its screen: in stream order, a synchronized update as a whole.

Replies of the screen go to the program as they come. Where a frame asks something the screen gets the rest of it at
once, and readers a still of what was before it. An update that is not finished in time is shown as far as it is.
"""

import asyncio
from collections.abc import Callable

from session_core.host.pane_text import PaneText
from session_core.model.update_gate import LONGEST_S, Gate, UpdateGate
from session_core.screen import ReadableScreen, ScreenEngine, Still


class Display:
    """The screen side of one pane. `reply` gets the screen's answers; `overdue` hears of a frame that was cut short."""

    def __init__(
        self, screen: ScreenEngine, text: PaneText, reply: Callable[[bytes], None], overdue: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._text = text
        self._reply = reply
        self._overdue = overdue
        self._gate = UpdateGate()
        self._still: Still | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def updating(self) -> bool:
        """Whether a frame has begun that is not whole yet."""
        return self._gate.standing is not Gate.OPEN

    @property
    def behind(self) -> int:
        """How many bytes of that frame have come so far; none of them is in what readers see."""
        return self._gate.behind

    @property
    def shown(self) -> ReadableScreen:
        """The screen as readers see it."""
        return self._still or self._screen

    def show(self, data: bytes, *, ordinary: bool = False) -> None:
        """Take the next output; `ordinary` as in `ScreenEngine.feed`."""
        if not self.updating:
            self._feed(data, ordinary=ordinary)
            return
        passed = self._gate.pass_on(data)
        if not self.updating:
            self._whole()
        elif self._gate.standing is Gate.ASKED and self._still is None:
            self._still = Still(self._screen)
        self._feed(passed)

    def frame(self, *, begins: bool) -> None:
        """A synchronized update begins or ends after what was shown last."""
        if not begins:
            self.flush()
        elif not self.updating:
            self._gate.close()
            self._timer = asyncio.get_running_loop().call_later(LONGEST_S, self._cut_short)

    def resized(self) -> None:
        """The screen has another size: a still of it is worth nothing any longer."""
        if self._still is not None:
            self.flush()

    def flush(self) -> None:
        """Show what is held."""
        held = self._gate.open()
        self._whole()
        self._feed(held)

    def _whole(self) -> None:
        self._still = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut_short(self) -> None:
        self.flush()
        self._overdue()

    def _feed(self, data: bytes, *, ordinary: bool = False) -> None:
        reply = self._text.feed(data, ordinary=ordinary) if data else b""
        if reply:
            self._reply(reply)
