"""Holds back the output of a synchronized update (mode 2026) from the screen until the frame is whole.

So a screen that is read shows a frame that the program has finished. The program may wait within its frame for what it
asks the terminal: from the first question on the frame is passed on at once, and whoever reads must be shown what the
screen was before it. A frame that is larger than `FRAME_BYTES` or, as the caller's clock says, older than `LONGEST_S`
is none any longer. Viewers are not concerned: they get every byte.
"""

import re
from enum import Enum, auto

FRAME_BYTES = 1024 * 1024
LONGEST_S = 1.0
"""How long an unfinished frame hides what comes after its beginning."""

_ASKS = re.compile(rb"\x1b\[[?>=]?[\d;]*(?:[cntx]|\$p|q)|\x1b\[\?u|\x1b\][\d;]*;\?|\x1bP[+$]q|\x1bZ|\x05")

_QUESTION_BYTES = 64


class Gate(Enum):
    """Where a gate stands: no frame has begun, or one is held, or one has asked and is passed on."""

    OPEN = auto()
    HOLDING = auto()
    ASKED = auto()


class UpdateGate:
    """The gate of one pane. `behind` counts the bytes of the frame that is not whole yet."""

    __slots__ = ("_held", "behind", "standing")

    def __init__(self) -> None:
        self.standing = Gate.OPEN
        self.behind = 0
        self._held = bytearray()

    def close(self) -> None:
        """A frame begins, or goes on."""
        if self.standing is Gate.OPEN:
            self.standing = Gate.HOLDING

    def pass_on(self, data: bytes) -> bytes:
        """Take output in stream order; return what goes to the screen now."""
        if self.standing is Gate.OPEN:
            return data
        looked = max(0, len(self._held) - _QUESTION_BYTES)
        self.behind += len(data)
        self._held += data
        if self.behind > FRAME_BYTES:
            return self.open()
        if self.standing is Gate.HOLDING and _ASKS.search(self._held, looked):
            self.standing = Gate.ASKED
        return self._let_go() if self.standing is Gate.ASKED else b""

    def open(self) -> bytes:
        """The frame is whole, or has taken too long; return what was held."""
        self.standing, self.behind = Gate.OPEN, 0
        return self._let_go()

    def _let_go(self) -> bytes:
        held, self._held = bytes(self._held), bytearray()
        return held
