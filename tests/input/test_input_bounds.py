"""Every buffer has a bound: what is over it goes on at once, keeps its kind, and its end is found."""

import pytest

from session_core.model.input_grammar import Kind, Report, ViewerOrigin
from session_core.model.input_origin import SEQUENCE_BYTES, STRING_BYTES, OriginClassifier

from .feeding import feed, kind_of_each_byte, named

KEYS = ViewerOrigin.KEYSTROKE
ENDS = [b"\x07", b"\x1b\\"]
READS = pytest.mark.parametrize("size", [1, 4095, 1 << 20], ids=["bytes", "blocks", "whole"])


def _kinds(data: bytes, size: int) -> list[Kind]:
    """Feed `data` in reads of `size` and watch the bound at each."""
    classifier = OriginClassifier()
    kinds: list[Kind] = []
    for at in range(0, len(data), size):
        kinds += kind_of_each_byte(classifier.feed(data[at : at + size], 0.0))
        assert classifier.buffered <= STRING_BYTES + 1
    return kinds


@READS
@pytest.mark.parametrize("end", ENDS, ids=["BEL", "ST"])
@pytest.mark.parametrize("over", [0, 1, 5000])
def test_a_string_around_its_bound_is_a_report_to_its_end_and_no_further(size: int, end: bytes, over: int) -> None:
    head = b"\x1b]52;c;"
    data = head + b"A" * (STRING_BYTES - len(head) + over) + end
    assert _kinds(data + b"k\x1b[I", size) == [Report.OSC_ANSWER] * len(data) + [KEYS] + [Report.FOCUS] * 3


def test_a_string_within_the_bound_is_one_segment_and_a_longer_one_several() -> None:
    within = b"\x1bP>|" + b"v" * (STRING_BYTES - 4)
    assert named(feed(within, b"\x1b\\")) == [(Report.XTVERSION, within + b"\x1b\\")]
    assert named(feed(within + b"v", b"w", b"\x1b", b"\\")) == [
        (Report.XTVERSION, within + b"v"),
        (Report.XTVERSION, b"w"),
        (Report.XTVERSION, b"\x1b\\"),
    ]


@READS
def test_a_key_ends_a_string_that_was_too_long(size: int) -> None:
    long = b"\x1b_Gi=1;" + b"x" * STRING_BYTES
    report: list[Kind] = [Report.KITTY_GRAPHICS_ANSWER] * len(long)
    assert _kinds(long + b"\x1b[A", size) == report + [KEYS] * 3
    assert _kinds(long + b"\rls", size) == report + [KEYS] * 3


def test_an_unfinished_sequence_is_held_up_to_its_bound_only() -> None:
    for opener, filler in ((b"\x1b[", b"1"), (b"\x1b[<", b"1"), (b"\x1b[1", b" "), (b"\x1bO", b"1")):
        classifier = OriginClassifier()
        held = 0
        for byte in (opener, *[filler] * 1000):
            classifier.feed(byte, 0.0)
            held = max(held, classifier.buffered)
            assert held <= SEQUENCE_BYTES
        assert held > len(opener)
        assert classifier.buffered == 0
        assert classifier.next_deadline() is None


def test_a_flood_of_short_sequences_holds_nothing() -> None:
    classifier = OriginClassifier()
    flood = b"\x1b[<35;32;46M\x1b[I\x1bx\x1b[A" * 5000
    assert b"".join(segment.data for segment in classifier.feed(flood, 0.0)) == flood
    assert classifier.buffered == 0
