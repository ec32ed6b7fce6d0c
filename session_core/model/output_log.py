"""The newest output of one pane as raw bytes with absolute offsets; at the bound the oldest goes.

Deliberately absent: what the bytes mean. A read says how many of the bytes asked for are gone.
"""

from collections import deque
from dataclasses import dataclass

LOG_BYTES = 256 * 1024
"""Bytes kept for each pane."""


@dataclass(frozen=True, slots=True)
class LoggedOutput:
    """Output bytes from offset `begin` on; `missed` were asked for and are gone."""

    begin: int
    data: bytes
    missed: int


class OutputLog:
    """Appended to as output is read; `end` is the offset of the next byte."""

    __slots__ = ("_bytes", "_chunks", "_kept", "end")

    def __init__(self, limit: int = LOG_BYTES) -> None:
        self._chunks: deque[bytes] = deque()
        self._kept = 0
        self._bytes = limit
        self.end = 0

    @property
    def begin(self) -> int:
        """The offset of the oldest byte kept."""
        return self.end - self._kept

    def append(self, data: bytes) -> None:
        """Take the next output bytes; whole chunks are dropped, so that up to one chunk more than the limit stays."""
        self._chunks.append(data)
        self._kept += len(data)
        self.end += len(data)
        while self._kept - len(self._chunks[0]) >= self._bytes:
            self._kept -= len(self._chunks.popleft())

    def read(self, begin: int, end: int | None = None) -> LoggedOutput:
        """Return the bytes from offset `begin` up to `end`, by default all that came since; what is gone is counted."""
        stop = self.end if end is None else min(end, self.end)
        first = min(max(begin, self.begin), stop)
        position, parts = self.end, []
        for chunk in reversed(self._chunks):
            position -= len(chunk)
            if position < stop:
                parts.append(chunk[max(first - position, 0) : stop - position])
            if position <= first:
                break
        return LoggedOutput(first, b"".join(reversed(parts)), max(0, first - max(begin, 0)) if begin < stop else 0)
