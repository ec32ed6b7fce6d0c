"""The ways in which the tests hand bytes to a reader: at once, byte by byte, or cut at one position."""

from collections.abc import Iterable, Iterator, Sequence

from session_core.protocol.events import Event, EventStream
from session_core.protocol.scanner import ScanEvent, Scanner

CUT_EVERYWHERE = 300
"""Inputs up to this many bytes are cut at every position."""
NEAR_AN_END = 40
STRIDE = 97


def single_bytes(data: bytes) -> list[bytes]:
    """Return `data` as chunks of one byte."""
    return [data[index : index + 1] for index in range(len(data))]


def cut_positions(data: bytes) -> list[int]:
    """Return every position of a short input; both ends and a stride of a long one."""
    inner = range(1, len(data))
    if len(data) <= CUT_EVERYWHERE:
        return list(inner)
    return [at for at in inner if at <= NEAR_AN_END or at >= len(data) - NEAR_AN_END or at % STRIDE == 0]


def cuts(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield both halves of `data` for each of its cut positions."""
    for at in cut_positions(data):
        yield data[:at], data[at:]


def chunked(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """Cut `data` into chunks of `sizes` in turn; the rest is the last chunk."""
    chunks: list[bytes] = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    return [*chunks, data]


def scan(*chunks: bytes, scanner: Scanner | None = None) -> list[ScanEvent]:
    """Feed `chunks` to a scanner, by default a new one."""
    scanner = scanner or Scanner()
    return [event for chunk in chunks for event in scanner.feed(chunk)]


def read(*chunks: bytes, stream: EventStream | None = None) -> list[Event]:
    """Feed `chunks` to an event stream, by default a new one."""
    stream = stream or EventStream()
    return [event for chunk in chunks for event in stream.feed(chunk)]


def text_between(data: bytes, events: Iterable[ScanEvent]) -> bytes:
    """Return the bytes of `data` that no event covers, by the events' own offsets."""
    text = b""
    position = 0
    for event in events:
        text += data[position : event.start]
        position = event.end
    return text + data[position:]
