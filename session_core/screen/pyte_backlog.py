"""Output that waits to be parsed.

Owns: the bytes that are waiting, at most `BACKLOG_BYTES` once `overflow` was taken, and whether they hold a question.
Invariants: nothing is taken for a question that is none but at the price of parsing sooner; no question is missed,
however it is cut, if what comes after an open sequence is parsed as well (`Front.is_open`).
Deliberately absent: parsing.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

BACKLOG_BYTES: Final = 128 * 1024

_ESC: Final = b"\x1b"
# Controls inside a sequence are done and do not end it. The finals are those of `pyte_replies`. A switch of the screen
# is taken like a question, so that the main screen is whole when it comes back.
_C0: Final = rb"\x00-\x17\x19\x1c-\x1f\x7f"
_PARTS: Final = {b"c0": rb"[%b]*" % _C0, b"body": rb"[ -?%b]*" % _C0}
_ASKS: Final = re.compile(
    rb"\x1b%(c0)b(?:\[(?:%(body)b[cnt]|%(body)b\$%(body)bp|%(c0)b>%(body)bq|%(c0)b\?%(body)bu"
    rb"|\?[0-9;]*4[79][0-9;]*[hl])|Z|P[$+]q|\](?:4|1[0-2]);)" % _PARTS
)
_STRING: Final = re.compile(rb"\x1b%(c0)b[\]P_^Xk]" % _PARTS)
_UNFINISHED: Final = re.compile(rb"\x1b%(c0)b(?:\[%(body)b)?\Z" % _PARTS)
_CARRIED: Final = 64
_CONTINUATIONS: Final = bytes(range(0x80, 0xC0))
_CONTINUATION_BYTES: Final = 3


class Backlog:
    """The bytes of one pane that are not parsed yet."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._carried = b""
        self.size = 0

    def add(self, data: bytes) -> bool:
        """Keep `data`; return whether it may hold, or end amid, what wants an answer or switches the screen."""
        self._chunks.append(data)
        self.size += len(data)
        seen, self._carried = self._carried + data, b""
        last = seen.rfind(_ESC)
        if last < 0:
            return False
        if _ASKS.search(seen) or _is_open_string(seen, last):
            return True
        if _UNFINISHED.match(seen, last):
            self._carried = seen[last:]
        return len(self._carried) > _CARRIED

    def overflow(self) -> bytes:
        """Take the oldest bytes that are too many, up to the end of a character."""
        if self.size <= BACKLOG_BYTES:
            return b""
        taken = self.take(self.size - BACKLOG_BYTES)
        rest = self._chunks[0][:_CONTINUATION_BYTES]
        return taken + self.take(len(rest) - len(rest.lstrip(_CONTINUATIONS)))

    def take(self, size: int | None = None) -> bytes:
        """Take the oldest bytes, at most `size` of them, or all."""
        left = self.size if size is None else min(size, self.size)
        self.size -= left
        taken = []
        while left:
            chunk = self._chunks.popleft()
            if len(chunk) > left:
                self._chunks.appendleft(chunk[left:])
            taken.append(chunk[:left])
            left -= len(taken[-1])
        return b"".join(taken)

    def clear(self) -> None:
        """Forget everything."""
        self.take()
        self._carried = b""


def _is_open_string(data: bytes, last: int) -> bool:
    """Whether the last ESC, which nothing but another one can end, begins a string that goes on."""
    found = _STRING.match(data, last)
    if found is None:
        return False
    rest = data[found.end() :]
    return not (b"\x18" in rest or b"\x1a" in rest or (b"]" in found[0] and b"\x07" in rest))
