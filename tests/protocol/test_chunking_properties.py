"""For any bytes in any chunks: the same events as in one chunk and as the naive scanner, within the bound."""

from hypothesis import example, given
from hypothesis import strategies as st

from session_core.protocol import limits
from session_core.protocol.events import EventStream
from session_core.protocol.scanner import ScanEvent, Scanner

from .oracle import NaiveScanner
from .reading import chunked, read, scan, single_bytes, text_between
from .strategies import FEW, MANY, chunk_sizes, soups

BUFFER_BOUND = limits.CONTROL_STRING + limits.PRIVATE_MODE + 3
"""Private modes of more parameter bytes are the subject of `test_alternate_screen` alone."""


def _counts(scanner: Scanner | NaiveScanner) -> tuple[int, int]:
    return scanner.overflows, scanner.aborts


@MANY
@given(soups, chunk_sizes)
@example(b"\x1b]7501;state=idle\x1b\\", [16])
@example(b"\x1b]0;a\x1b\x1b]0;b\x07", [6, 1])
def test_any_chunking_gives_the_events_of_one_chunk(data: bytes, sizes: list[int]) -> None:
    whole, parts = Scanner(), Scanner()
    assert scan(*chunked(data, sizes), scanner=parts) == scan(data, scanner=whole)
    assert _counts(parts) == _counts(whole)
    assert parts.buffered == whole.buffered
    assert parts.offset == whole.offset == len(data)


@MANY
@given(soups)
@example(b"\x1bPtmux;\x1b\x1b]7501;state=done\x07\x1b\\")
@example(b"\x1bPtmux;\x1b\x1bPtmux;\x1b\x1b\x1b\x1b]7501;state=done\x07\x1b\x1b\\\x1b\\")
@example(b"\x1b[?25;1049h\x1b[?1049;1h")
def test_the_events_are_those_of_the_naive_scanner(data: bytes) -> None:
    naive, scanner = NaiveScanner(), Scanner()
    naive.feed(data)
    assert scan(data, scanner=scanner) == naive.events
    assert _counts(scanner) == _counts(naive)


@MANY
@given(soups, chunk_sizes)
def test_the_typed_events_and_counters_do_not_depend_on_the_chunks(data: bytes, sizes: list[int]) -> None:
    whole, parts = EventStream(), EventStream()
    assert read(*chunked(data, sizes), stream=parts) == read(data, stream=whole)
    assert parts.statistics == whole.statistics


@MANY
@given(soups | st.binary(max_size=300), chunk_sizes)
def test_no_bytes_raise_and_the_buffer_keeps_its_bound_at_every_step(data: bytes, sizes: list[int]) -> None:
    stream = EventStream()
    for chunk in chunked(data, sizes):
        stream.feed(chunk)
        assert stream.buffered <= BUFFER_BOUND
    for byte in single_bytes(data[:300]):
        stream.feed(byte)
        assert stream.buffered <= BUFFER_BOUND


@MANY
@given(soups)
def test_events_neither_overlap_nor_go_back_and_cover_what_they_claim(data: bytes) -> None:
    events = scan(data)
    position = 0
    for event in events:
        assert position <= event.start < event.end <= len(data)
        assert data[event.start] == 0x1B
        position = event.end
    covered = sum(event.end - event.start for event in events)
    assert len(text_between(data, events)) == len(data) - covered


@MANY
@given(soups, soups, st.integers(0, 2**60))
def test_a_reset_parser_continues_at_any_offset(before: bytes, after: bytes, offset: int) -> None:
    """CAN and a finished OSC leave no state, so what follows is read as by a new scanner at that offset."""
    closing = b"\x18\x1b]0;\x07"
    scanner = Scanner(offset)
    scan(before + closing, scanner=scanner)
    fresh = Scanner(offset + len(before + closing))
    assert scan(after, scanner=scanner) == scan(after, scanner=fresh)


@FEW
@given(
    st.sampled_from([b"\x1b]0;", b"\x1b]7501;", b"\x1bP7501;", b"\x1b_G"]),
    st.integers(-6, 3),
    st.sampled_from([limits.STATUS_SEQUENCE, limits.CONTROL_STRING]),
    st.sampled_from([b"\x07", b"\x1b\\", b"\x18", b"\x1bc"]),
    st.lists(st.integers(0, 70_000), max_size=4),
)
def test_round_the_limits_the_chunks_and_the_naive_scanner_agree(
    opener: bytes, distance: int, limit: int, ending: bytes, sizes: list[int]
) -> None:
    data = opener + b"p" * (limit + distance - len(opener)) + ending + b"\x1b]0;next\x07\x1b\\"
    naive, parts = NaiveScanner(), Scanner()
    naive.feed(data)
    events: list[ScanEvent] = scan(*chunked(data, sizes), scanner=parts)
    assert events == naive.events
    assert _counts(parts) == _counts(naive)
