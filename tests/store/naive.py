"""The output log as a plain string of bytes, and its file as the documentation says that it is read."""

import struct
from dataclasses import dataclass
from pathlib import Path

from session_core.store.output_log import CHUNK_BYTES, LoggedOutput

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


def in_file(path: Path) -> tuple[int, bytes]:
    """Return the offset of the first byte that a file has, and all its bytes."""
    raw = path.read_bytes()
    magic, capacity, end = struct.unpack_from("=8sQQ", raw)
    assert magic == b"PANEOUT1"
    begin = max(0, end - (capacity - CHUNK_BYTES))
    ring = raw[HEADER_BYTES : HEADER_BYTES + capacity]
    at = begin % capacity
    return begin, (ring[at:] + ring[:at])[: end - begin]
