"""Holds back the output of a synchronized update (mode 2026) from the screen until the frame is whole.

So a screen that is read shows a frame that the program has finished. What asks the terminal something is passed on at
once, since the program may wait for the answer within its frame; so is everything once the frame is larger than
`HELD_BYTES` or, as the caller's clock says, older than `LONGEST_S`. Viewers are not concerned: they get every byte.
"""

import re

HELD_BYTES = 1024 * 1024
LONGEST_S = 1.0
"""How long an unfinished frame hides what comes after its beginning."""

_ASKS = re.compile(rb"\x1b\[[?>=]?[\d;]*(?:[cntx]|\$p|q)|\x1b\[\?u|\x1b\][\d;]*;\?|\x1bP[+$]q|\x1bZ|\x05")

_QUESTION_BYTES = 64


class UpdateGate:
    """The gate of one pane; `closed` while a frame is held."""

    __slots__ = ("_held", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._held = bytearray()

    @property
    def held(self) -> bytes:
        """What is held now."""
        return bytes(self._held)

    def close(self) -> None:
        """A frame begins."""
        self.closed = True

    def pass_on(self, data: bytes) -> bytes:
        """Take output in stream order; return what the screen may see now."""
        if not self.closed:
            return data
        looked = max(0, len(self._held) - _QUESTION_BYTES)
        self._held += data
        if len(self._held) > HELD_BYTES or _ASKS.search(self._held, looked):
            return self.open()
        return b""

    def open(self) -> bytes:
        """The frame is whole, or has taken too long; return what was held."""
        held, self._held, self.closed = bytes(self._held), bytearray(), False
        return held
