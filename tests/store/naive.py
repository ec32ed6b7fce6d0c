"""The output log as a plain string of bytes, and its file as the documentation says that it is read."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from session_core.store.output_log import CHUNK_BYTES, LoggedOutput, OutputLog

HEADER_BYTES = 4096


@dataclass
class NaiveLog:
    """Keeps everything; what may be gone is worked out."""

    limit: int
    data: bytes = b""

    def append(self, data: bytes) -> None:
        """Take the next bytes."""
        self.data += data

    def holds(self, read: LoggedOutput, begin: int, end: int | None, first: int) -> bool:
        """Whether `read` is what a log whose oldest byte is at `first` has from `begin` to `end`."""
        stop = min(len(self.data) if end is None else max(end, 0), len(self.data))
        wanted = min(max(begin, 0), stop)
        kept = min(max(wanted, first), stop)
        return read == LoggedOutput(kept, self.data[kept:stop], kept - wanted)


def fill(buffers: Sequence[memoryview], data: bytes) -> int:
    """Put as much of `data` into the buffers as there is room for, as a read does."""
    taken = 0
    for buffer in buffers:
        piece = data[taken : taken + len(buffer)]
        buffer[: len(piece)] = piece
        taken += len(piece)
    return taken


def append(log: OutputLog, data: bytes) -> None:
    """Have a log read `data`, in as many turns as it takes."""
    at = 0
    while at < len(data):
        taken = log.take(partial(_fill_from, data, at))
        assert taken
        at += taken


def _fill_from(data: bytes, at: int, buffers: Sequence[memoryview]) -> int:
    return fill(buffers, data[at:])


def in_file(path: Path) -> tuple[int, bytes]:
    """Return the offset of the first byte that a file has, and all its bytes."""
    raw = path.read_bytes()
    magic, capacity, end, first = struct.unpack_from("=8sQQQ", raw)
    assert magic == b"PANEOUT2"
    begin = max(first, end - (capacity - CHUNK_BYTES))
    ring = raw[HEADER_BYTES : HEADER_BYTES + capacity]
    at = (begin - first) % capacity
    return begin, (ring[at:] + ring[:at])[: end - begin]
