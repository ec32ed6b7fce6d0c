"""The newest output of one pane as raw bytes with absolute offsets, in a file that outlives the host process.

The file is a ring of fixed size, mapped into memory: output is read from the terminal straight into it, so that a kill
at any instant loses nothing. The place for the next bytes is kept full of `_BLANK`, which no UTF-8 text holds: what was
read by a process that died before it had noted how much is found by that. Blocks are claimed before they are
touched: a full disk is an error there and never a fault later; the log then goes on in memory with a smaller bound,
and `durable` says so. At the bound the oldest bytes go.
The file: `PANEOUT2`, the ring's capacity, then `Marks`, 64 bits each in the machine's order, in a header of 4,096
bytes. The byte of offset N stands at 4,096 + N % capacity; valid are the last capacity - 65,536.
Deliberately absent: what the bytes mean. A read says how many of the bytes asked for are gone.
"""

import contextlib
import mmap
import os
import struct
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from session_core.crash_points import reached

LOG_BYTES = 8 * 1024 * 1024
"""Bytes kept for each pane."""
MEMORY_BYTES = 256 * 1024
"""Bytes kept for a pane where there is no file, besides those that are in it already."""
CHUNK_BYTES = 64 * 1024
"""Longest piece that is appended at once."""

_MAGIC = b"PANEOUT2"
_HEADER, _NUMBER = struct.Struct("=8sQ"), struct.Struct("=Q")
_HEADER_BYTES = 4096
_CLAIM_BYTES = 256 * 1024
_BLANK = b"\xff"
_BLANKS = _BLANK * CHUNK_BYTES

Source = Callable[[Sequence[memoryview]], int | None]
"""Fills buffers, one after the other, and returns how many bytes: 0 if there is nothing now, None at the end."""


class Mark(IntEnum):
    """Numbers that the file keeps beside the output; the value is the place in its header.

    A number is written by one store of 8 bytes: whoever reads the file after a kill sees it whole, old or new.
    """

    END = 2
    """The offset of the next byte."""
    FIRST = 3
    """The offset at which the log began."""
    PARSED = 4
    """Up to here the output's sequences have had their effect, and it is in the journal."""
    SHOWN = 5
    """Up to here the screen has it, and what it answered is on its way to the program."""
    SHOWING = 6
    """Up to here the screen is being given it now; 0 while it is not."""
    KILLED = 7
    """How many hosts have ended while they gave the screen the same bytes."""
    SENT = 8
    """Bytes that the terminal has taken for the program since the pane began."""
    SENDING = 9
    """Bytes that it may have taken: more than SENT during a write."""
    GROUND = 10
    """A place at or before SHOWN where no sequence is open."""
    BLANK = 11
    """Up to here the place of the next bytes was blank before anything was read into it."""
    CLAIMED = 12
    """Bytes behind the header for which the disk has given blocks."""


_NUMBERS = max(Mark) + 1
# As plain numbers: these are looked at at every read of a flood.
_END, _CLAIMED, _BLANK_TO = int(Mark.END), int(Mark.CLAIMED), int(Mark.BLANK)


@dataclass(frozen=True, slots=True)
class LoggedOutput:
    """Output bytes from offset `begin` on; `missed` were asked for and are gone."""

    begin: int
    data: bytes
    missed: int


class OutputLog:
    """Appended to as output is read; `end` is the offset of the next byte."""

    def __init__(self, path: str | None, limit: int = LOG_BYTES, *, begin: int = 0) -> None:
        """Begin an empty log at `path`, with offset `begin`; without a path, or where it cannot be made, in memory."""
        self._use(_Ring.create(path, limit, begin) if path is not None else None, begin)

    @classmethod
    def reopen(cls, path: str, limit: int = LOG_BYTES, *, begin: int = 0) -> "OutputLog":
        """Go on with the file that an earlier process has left; a file that is none is made anew, from `begin` on."""
        ring = _Ring.reopened(path)
        if ring is None:
            return cls(path, limit, begin=begin)
        log = cls.__new__(cls)
        log._use(ring, begin)
        return log

    def _use(self, ring: "_Ring | None", begin: int) -> None:
        self._ring = ring
        self._tail: _Tail | None = None if ring else _Tail(begin)
        self._marks = ring.numbers if ring else memoryview(bytearray(8 * _NUMBERS)).cast("Q")
        if ring is None:
            for mark in (Mark.FIRST, Mark.PARSED, Mark.SHOWN, Mark.GROUND):
                self._marks[mark] = begin

    def mark(self, mark: int) -> int:
        """Return a number that is kept beside the output."""
        return self._marks[mark]

    def note(self, mark: int, value: int) -> None:
        """Keep a number beside the output; nothing of it is lost by a kill."""
        self._marks[mark] = value

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

    def take(self, source: Source) -> int | None:
        """Read the next output from `source`, at most `CHUNK_BYTES`; return what it returned."""
        if self._tail is None and self._ring is not None:
            if self._ring.claim(CHUNK_BYTES):
                return self._ring.take(source)
            self._tail = _Tail(self._ring.end)
        piece = bytearray(CHUNK_BYTES)
        count = source([memoryview(piece)])
        if count and self._tail is not None:
            self._tail.append(bytes(piece[:count]))
        return count

    def newest(self, begin: int) -> bytes:
        """Return the bytes from offset `begin` on, or as many of them as are kept."""
        ring = self._ring
        if ring is not None and self._tail is None and ring.end - begin <= CHUNK_BYTES:
            return ring.read(begin, ring.end)
        return self.read(begin).data

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
            self._marks = memoryview(bytearray(self._marks)).cast("Q")
            self._ring.close()
            self._ring = None


class _Ring:
    """The file. What is valid ends `CHUNK_BYTES` before the ring is full: that is the place of the next bytes."""

    def __init__(self, path: str, mapped: mmap.mmap) -> None:
        self._path = path
        self._mapped = mapped
        self._view = memoryview(mapped)
        self.numbers = self._view[: 8 * _NUMBERS].cast("Q")
        self._capacity = len(mapped) - _HEADER_BYTES
        self._first = self.numbers[Mark.FIRST]
        self.end = self._blank_to = self.numbers[Mark.END]

    @classmethod
    def create(cls, path: str, limit: int, begin: int) -> "_Ring | None":
        """Make the file anew; None where the system refuses."""
        try:
            capacity = max(limit, CHUNK_BYTES) + CHUNK_BYTES
            # Never made shorter: another process that has the old file mapped would fault.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            mapped = _map_new(path, capacity)
        except OSError:
            return None
        _HEADER.pack_into(mapped, 0, _MAGIC, capacity)
        for mark in (Mark.FIRST, Mark.END, Mark.PARSED, Mark.SHOWN, Mark.GROUND):
            _NUMBER.pack_into(mapped, 8 * mark, begin)
        return cls(path, mapped)

    @classmethod
    def reopened(cls, path: str) -> "_Ring | None":
        """Map what an earlier process has left, with what it had read and not noted; None if it is no log."""
        try:
            mapped = _map_old(path)
        except OSError:
            return None
        magic, capacity = _HEADER.unpack_from(mapped, 0)
        if magic != _MAGIC or len(mapped) != _HEADER_BYTES + capacity:
            mapped.close()
            return None
        ring = cls(path, mapped)
        ring._end_is(ring.end + ring._unnoted())
        ring._blank_to = ring.end
        return ring

    def _unnoted(self) -> int:
        """How many bytes were read behind `end`."""
        size = min(max(0, self.numbers[Mark.BLANK] - self.end), CHUNK_BYTES)
        return len(b"".join(self._place(self.end, size)).rstrip(_BLANK))

    @property
    def begin(self) -> int:
        return max(self._first, self.end - (self._capacity - CHUNK_BYTES))

    def take(self, source: Source) -> int | None:
        """Read at most `CHUNK_BYTES`, which are claimed, to their place."""
        end = self.end
        if self._blank_to < end + CHUNK_BYTES:
            self._blank()
        count = source(self._place(end, CHUNK_BYTES))
        if count:
            reached("output_read")
            self.end = self.numbers[_END] = end + count
        return count

    def _end_is(self, end: int) -> None:
        self.end = self.numbers[Mark.END] = end

    def _blank(self) -> None:
        """Fill the place of the next bytes, as far as it is not blank already."""
        at = 0
        for part in self._place(self._blank_to, self.end + CHUNK_BYTES - self._blank_to):
            part[:] = _BLANKS[: len(part)]
            at += len(part)
        self._blank_to += at
        self.numbers[_BLANK_TO] = self._blank_to

    def _place(self, begin: int, size: int) -> list[memoryview]:
        """Where `size` bytes from offset `begin` on stand, in one piece or two."""
        at = _HEADER_BYTES + (begin - self._first) % self._capacity
        until_end = _HEADER_BYTES + self._capacity - at
        if size <= until_end:
            return [self._view[at : at + size]]
        return [self._view[at:], self._view[_HEADER_BYTES : _HEADER_BYTES + size - until_end]]

    def _holds(self, size: int) -> bool:
        """Whether the disk has given the blocks of the next `size` bytes."""
        return min(self.end - self._first + size, self._capacity) <= self.numbers[_CLAIMED]

    def claim(self, size: int) -> bool:
        """Have the disk give the blocks of the next bytes; False where it is full."""
        while not self._holds(size):
            if not self._claim_more():
                return False
        return True

    def _claim_more(self) -> bool:
        """Once all blocks are claimed the ring goes round in them."""
        claimed = self.numbers[Mark.CLAIMED]
        size = min(_CLAIM_BYTES, self._capacity - claimed)
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            try:
                _claim(descriptor, _HEADER_BYTES + claimed, size)
            finally:
                os.close(descriptor)
        except OSError:
            return False
        self.numbers[Mark.CLAIMED] = claimed + size
        return True

    def read(self, begin: int, end: int) -> bytes:
        """Return valid bytes; `begin` to `end` must lie between `self.begin` and `self.end`."""
        return b"".join(self._place(begin, end - begin))

    def close(self) -> None:
        self.numbers.release()
        self._view.release()
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


def _map_new(path: str, capacity: int) -> mmap.mmap:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(descriptor, _HEADER_BYTES + capacity)
        _claim(descriptor, 0, _HEADER_BYTES)
        return mmap.mmap(descriptor, _HEADER_BYTES + capacity, **_UNTRACKED)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)


def _map_old(path: str) -> mmap.mmap:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        size = os.fstat(descriptor).st_size
        if size <= _HEADER_BYTES:
            raise OSError(f"{path} is no log")
        return mmap.mmap(descriptor, size, **_UNTRACKED)
    finally:
        os.close(descriptor)
