"""The newest output of one pane as raw bytes with absolute offsets, in a file that outlives the host process.

The file is a ring of fixed size, mapped into memory, so that an append costs no system call and a killed host loses
nothing. Its blocks are claimed before they are touched: a full disk is an error there and never a fault later; the
log then goes on in memory with a smaller bound, and `durable` says so. At the bound the oldest bytes go.
The file: `PANEOUT1`, then the ring's capacity and the offset of the next byte, 64 bits each in the machine's order,
in a header of 4,096 bytes. The byte of offset N stands at 4,096 + N % capacity; valid are the last capacity - 65,536.
Deliberately absent: what the bytes mean. A read says how many of the bytes asked for are gone.
"""

import contextlib
import mmap
import os
import struct
import sys
from collections import deque
from dataclasses import dataclass

LOG_BYTES = 8 * 1024 * 1024
"""Bytes kept for each pane."""
MEMORY_BYTES = 256 * 1024
"""Bytes kept for a pane where there is no file, besides those that are in it already."""
CHUNK_BYTES = 64 * 1024
"""Longest piece that is appended at once."""

_MAGIC = b"PANEOUT1"
_HEADER = struct.Struct("=8sQQ")
_END_AT = 2
_HEADER_BYTES = 4096
_CLAIM_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class LoggedOutput:
    """Output bytes from offset `begin` on; `missed` were asked for and are gone."""

    begin: int
    data: bytes
    missed: int


class OutputLog:
    """Appended to as output is read; `end` is the offset of the next byte."""

    def __init__(self, path: str | None, limit: int = LOG_BYTES) -> None:
        """Begin an empty log at `path`; without one, or where it cannot be made, in memory."""
        self._ring = _Ring.create(path, limit) if path is not None else None
        self._tail: _Tail | None = None if self._ring else _Tail(0)

    @property
    def durable(self) -> bool:
        """Whether everything appended is in the file."""
        return self._tail is None

    @property
    def end(self) -> int:
        """The offset of the next byte."""
        return self._tail.end if self._tail else self._in_file[1]

    @property
    def begin(self) -> int:
        """The offset of the oldest byte from which on all are kept."""
        if self._tail is None or self._tail.begin <= self._in_file[1]:
            return self._in_file[0]
        return self._tail.begin

    @property
    def _in_file(self) -> tuple[int, int]:
        return (self._ring.begin, self._ring.end) if self._ring else (0, 0)

    def append(self, data: bytes) -> None:
        """Take the next output bytes."""
        for at in range(0, len(data), CHUNK_BYTES):
            piece = data[at : at + CHUNK_BYTES]
            if self._tail is None and self._ring is not None and not self._ring.append(piece):
                self._tail = _Tail(self._ring.end)
            if self._tail is not None:
                self._tail.append(piece)

    def read(self, begin: int, end: int | None = None) -> LoggedOutput:
        """Return the bytes from offset `begin` up to `end`, by default all that came since; what is gone is counted."""
        stop = self.end if end is None else max(0, min(end, self.end))
        wanted = min(max(begin, 0), stop)
        first = min(max(wanted, self.begin), stop)
        filed = self._in_file[1]
        data = self._ring.read(first, min(stop, filed)) if self._ring and first < filed else b""
        if self._tail is not None and stop > first + len(data):
            data += self._tail.read(first + len(data), stop)
        return LoggedOutput(first, data, first - wanted)

    def close(self) -> None:
        """Give the mapping back and keep nothing more; the file stays. Idempotent."""
        if self._ring is not None:
            self._tail = self._tail or _Tail(self._ring.end)
            self._ring.close()
            self._ring = None


class _Ring:
    """The file. What is valid ends `CHUNK_BYTES` before the ring is full, so that no append touches a valid byte."""

    def __init__(self, path: str, limit: int) -> None:
        """Make the file anew. Raises OSError."""
        self._path = path
        self._capacity = max(limit, CHUNK_BYTES) + CHUNK_BYTES
        self._claimed = 0
        self.end = 0
        # Never made shorter: another process that has the old file mapped would fault.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, _HEADER_BYTES + self._capacity)
            _claim(descriptor, 0, _HEADER_BYTES)
            self._mapped = mmap.mmap(descriptor, _HEADER_BYTES + self._capacity, **_UNTRACKED)
        except OSError:
            os.unlink(path)
            raise
        finally:
            os.close(descriptor)
        _HEADER.pack_into(self._mapped, 0, _MAGIC, self._capacity, 0)
        # One aligned store of 8 bytes: whoever reads the file after a kill sees the offset before or after it.
        self._numbers = memoryview(self._mapped)[: _HEADER.size].cast("Q")

    @classmethod
    def create(cls, path: str, limit: int) -> "_Ring | None":
        """Make the file; None where the system refuses."""
        try:
            return cls(path, limit)
        except OSError:
            return None

    @property
    def begin(self) -> int:
        return max(0, self.end - (self._capacity - CHUNK_BYTES))

    def append(self, data: bytes) -> bool:
        """Take at most `CHUNK_BYTES`; False where the disk is full, and then nothing is taken."""
        if self.end + len(data) > self._claimed and not self._claim_more():
            return False
        at = self.end % self._capacity
        first = min(len(data), self._capacity - at)
        self._mapped[_HEADER_BYTES + at : _HEADER_BYTES + at + first] = data[:first]
        if first < len(data):
            self._mapped[_HEADER_BYTES : _HEADER_BYTES + len(data) - first] = data[first:]
        self.end += len(data)
        self._numbers[_END_AT] = self.end
        return True

    def _claim_more(self) -> bool:
        """Have the disk give the next blocks; once all are claimed the ring goes round in them."""
        if self._claimed >= self._capacity:
            return True
        size = min(_CLAIM_BYTES, self._capacity - self._claimed)
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            try:
                _claim(descriptor, _HEADER_BYTES + self._claimed, size)
            finally:
                os.close(descriptor)
        except OSError:
            return False
        self._claimed += size
        return True

    def read(self, begin: int, end: int) -> bytes:
        """Return valid bytes; `begin` to `end` must lie between `self.begin` and `self.end`."""
        at, size = begin % self._capacity, end - begin
        first = min(size, self._capacity - at)
        data = self._mapped[_HEADER_BYTES + at : _HEADER_BYTES + at + first]
        return data if first == size else data + self._mapped[_HEADER_BYTES : _HEADER_BYTES + size - first]

    def close(self) -> None:
        self._numbers.release()
        self._mapped.close()


class _Tail:
    """The newest bytes in memory, from offset `begin` on; whole chunks are dropped."""

    def __init__(self, begin: int) -> None:
        self.begin = self.end = begin
        self._chunks: deque[bytes] = deque()

    def append(self, data: bytes) -> None:
        self._chunks.append(data)
        self.end += len(data)
        while self.end - self.begin - len(self._chunks[0]) >= MEMORY_BYTES:
            self.begin += len(self._chunks.popleft())

    def read(self, begin: int, end: int) -> bytes:
        return b"".join(self._chunks)[max(begin - self.begin, 0) : end - self.begin]


_UNTRACKED: dict[str, bool] = {"trackfd": False} if sys.version_info >= (3, 13) else {}
"""Before 3.13 a mapping keeps a descriptor of its own."""


def _claim(descriptor: int, at: int, size: int) -> None:
    """Make sure that these bytes have their place on the disk, by writing zeros where the system cannot just say so."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, at, size)
    elif os.pwrite(descriptor, bytes(size), at) != size:
        raise OSError("the disk is full")
