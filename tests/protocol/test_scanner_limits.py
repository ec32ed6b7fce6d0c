"""Bounds of the scanner: oversized strings are dropped and recovered from, hostile input costs little."""

import pytest

from session_core.protocol import limits
from session_core.protocol.scanner import ControlString, Scanner, StringKind

from .reading import scan, single_bytes

ST = b"\x1b\\"
BEL = b"\x07"
BUFFER_BOUND = limits.CONTROL_STRING + limits.PRIVATE_MODE + 3
FOLLOWING = b"\x1b]0;after\x07"

both_terminators = pytest.mark.parametrize("terminator", [ST, BEL], ids=["ST", "BEL"])
one_or_many_reads = pytest.mark.parametrize("size", [1, 4095, 1 << 20], ids=["bytes", "blocks", "whole"])


def _status(length: int, terminator: bytes) -> bytes:
    """Return an OSC 7501 sequence of exactly `length` bytes, ESC to terminator."""
    head = b"\x1b]7501;state=idle:x="
    return head + b"a" * (length - len(head) - len(terminator)) + terminator


def _other(payload: int, terminator: bytes, opener: bytes = b"\x1b]") -> bytes:
    return opener + b"8" * payload + terminator


def _in_reads(data: bytes, size: int, scanner: Scanner) -> list[bytes]:
    """Feed `data` in reads of `size`, watch the bound at each, and return the payloads of the events."""
    payloads = []
    for at in range(0, len(data), size):
        for event in scanner.feed(data[at : at + size]):
            assert isinstance(event, ControlString)
            payloads.append(event.payload)
        assert scanner.buffered <= BUFFER_BOUND
    return payloads


@both_terminators
@one_or_many_reads
def test_a_status_sequence_of_exactly_its_limit_is_kept(terminator: bytes, size: int) -> None:
    """OSC 7501 section 6: 4096 bytes from ESC through terminator, whichever terminator it is (D7)."""
    data = _status(4096, terminator)
    scanner = Scanner()
    assert _in_reads(data, size, scanner) == [data[2 : -len(terminator)]]
    assert scanner.overflows == 0


@both_terminators
@one_or_many_reads
def test_a_status_sequence_one_byte_over_is_dropped_and_the_next_one_read(terminator: bytes, size: int) -> None:
    scanner = Scanner()
    assert _in_reads(_status(4097, terminator) + FOLLOWING, size, scanner) == [b"0;after"]
    assert (scanner.overflows, scanner.aborts) == (1, 0)
    assert scanner.buffered == 0


@both_terminators
@one_or_many_reads
def test_another_osc_of_exactly_the_limit_is_kept(terminator: bytes, size: int) -> None:
    scanner = Scanner()
    payloads = _in_reads(_other(limits.CONTROL_STRING, terminator), size, scanner)
    assert payloads == [b"8" * limits.CONTROL_STRING]
    assert scanner.overflows == 0


@both_terminators
@one_or_many_reads
def test_another_osc_one_byte_over_is_dropped_and_the_next_one_read(terminator: bytes, size: int) -> None:
    scanner = Scanner()
    data = _other(limits.CONTROL_STRING + 1, terminator) + FOLLOWING
    assert _in_reads(data, size, scanner) == [b"0;after"]
    assert (scanner.overflows, scanner.aborts) == (1, 0)
    assert scanner.buffered == 0


@pytest.mark.parametrize("kind", list(StringKind)[1:], ids=lambda kind: kind.name)
def test_a_string_of_each_other_kind_has_the_same_limit(kind: StringKind) -> None:
    scanner = Scanner()
    opener = b"\x1b" + kind.value
    kept = _other(limits.CONTROL_STRING, ST, opener)
    dropped = _other(limits.CONTROL_STRING + 1, ST, opener)
    payloads = _in_reads(dropped + kept + dropped + FOLLOWING, 4096, scanner)
    assert payloads == [b"8" * limits.CONTROL_STRING, b"0;after"]
    assert scanner.overflows == 2


def test_the_status_limit_is_for_an_osc_only() -> None:
    data = b"\x1bP7501;" + b"x" * 5000 + ST
    scanner = Scanner()
    assert _in_reads(data, 64, scanner) == [data[2:-2]]


def test_the_status_limit_is_for_the_number_7501_only() -> None:
    for number in (b"750;", b"75010;", b"7501", b"07501;", b"52;"):
        scanner = Scanner()
        assert len(_in_reads(b"\x1b]" + number + b"x" * 5000 + BEL, 64, scanner)) == 1


@pytest.mark.parametrize("ending", [b"\x18", b"\x1a", b"\x1b[m"], ids=["CAN", "SUB", "ESC"])
def test_a_dropped_string_that_is_aborted_counts_once_and_as_oversized(ending: bytes) -> None:
    scanner = Scanner()
    data = b"\x1b]7501;" + b"x" * 6000 + ending + FOLLOWING
    assert _in_reads(data, 100, scanner) == [b"0;after"]
    assert (scanner.overflows, scanner.aborts) == (1, 0)


def test_the_next_report_after_a_dropped_one_is_measured_by_itself() -> None:
    scanner = Scanner()
    kept = _status(4096, ST)
    data = _status(9000, BEL) + kept + _status(4097, ST) + kept
    assert _in_reads(data, 333, scanner) == [kept[2:-2], kept[2:-2]]
    assert scanner.overflows == 2


def test_a_flood_without_a_terminator_is_not_kept() -> None:
    scanner = Scanner()
    scanner.feed(b"\x1bP")
    for _ in range(64):
        assert scanner.feed(b"x" * 65536) == []
        assert scanner.buffered <= BUFFER_BOUND
    assert scan(ST + FOLLOWING, scanner=scanner) == scan(FOLLOWING, scanner=Scanner(scanner.offset - 10))
    assert scanner.overflows == 1


def test_a_string_is_held_up_to_its_limit_and_let_go_at_the_end() -> None:
    scanner = Scanner()
    scanner.feed(b"\x1b_" + b"x" * 1000)
    assert scanner.buffered == 1000
    scanner.feed(b"\x1b")
    assert scanner.buffered == 1001
    assert len(scanner.feed(b"\\")) == 1
    assert scanner.buffered == 0


@pytest.mark.parametrize(
    "unit",
    [b"4", b"7;", b"47;", b"1049;", b"\x1b[?", b"\x1b[?4", b"\x1b[?47;", b"\x1b", b"\x1b[", b"\x1b[?1049;99"],
)
def test_hostile_repetition_is_scanned_to_its_end(unit: bytes) -> None:
    """A pattern that backtracks over the digits would not finish this; the input itself is bounded."""
    flood = b"\x1b[?" + unit * (200_000 // len(unit)) + b"x"
    scanner = Scanner()
    assert scan(flood, scanner=scanner) == []
    assert scan(*single_bytes(flood[:20_000]), scanner=scanner) == []
    assert scanner.buffered <= BUFFER_BOUND
    assert len(scan(b"x" + FOLLOWING, scanner=scanner)) == 1
