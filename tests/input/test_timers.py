"""Time decides only what bytes cannot: a lone ESC is a key, a cut report is not; time is an argument."""

import pytest

from session_core.model.input_grammar import LONE_ESC_S, STRING_S, Report, ViewerOrigin
from session_core.model.input_origin import STRING_BYTES, OriginClassifier

from .feeding import named

KEYS = ViewerOrigin.KEYSTROKE
START = 1000.0

STARTS_OF_KEYS = [
    b"\x1b",
    b"\x1b[",
    b"\x1bO",
    b"\x1b]",
    b"\x1bP",
    b"\x1b_",
    b"\x1b^",
    b"\x1bX",
    b"\x1b[1",
    b"\x1b[1;5",
    b"\x1b[200",
    b"\x1b[3 ",
    b"\x1bO5",
    b"\x1b]\x1b",
]
CUT_REPORTS = [
    (b"\x1b]1", Report.OSC_ANSWER),
    (b"\x1b]52;c;c2Vj", Report.OSC_ANSWER),
    (b"\x1b]11;rgb:0/0/0\x1b", Report.OSC_ANSWER),
    (b"\x1bP>|xterm", Report.XTVERSION),
    (b"\x1bP1", Report.UNKNOWN_ANSWER),
    (b"\x1b_Gi=1", Report.KITTY_GRAPHICS_ANSWER),
    (b"\x1b^x", Report.UNKNOWN_ANSWER),
    (b"\x1bXx", Report.UNKNOWN_ANSWER),
    (b"\x1b[M", Report.MOUSE_X10),
    (b"\x1b[M !", Report.MOUSE_X10),
    (b"\x1b[<35;1", Report.MOUSE_SGR),
    (b"\x1b[?62;", Report.UNKNOWN_ANSWER),
    (b"\x1b[>", Report.UNKNOWN_ANSWER),
    (b"\x1b[=", Report.UNKNOWN_ANSWER),
]


@pytest.mark.parametrize("start", STARTS_OF_KEYS)
def test_the_start_of_a_sequence_becomes_a_key_after_the_short_time(start: bytes) -> None:
    classifier = OriginClassifier()
    assert classifier.feed(start, START) == []
    assert classifier.next_deadline() == START + LONE_ESC_S
    assert classifier.expire(START + LONE_ESC_S / 2) == []
    assert named(classifier.expire(START + LONE_ESC_S)) == [(KEYS, start)]
    assert classifier.next_deadline() is None
    assert named(classifier.feed(b"A", START + 1)) == [(KEYS, b"A")]


@pytest.mark.parametrize(("start", "report"), CUT_REPORTS)
def test_a_report_that_was_cut_is_dropped_as_one_after_the_long_time(start: bytes, report: Report) -> None:
    classifier = OriginClassifier()
    assert classifier.feed(start, START) == []
    assert classifier.next_deadline() == START + STRING_S
    assert classifier.expire(START + LONE_ESC_S) == []
    assert named(classifier.expire(START + STRING_S)) == [(report, start)]
    assert classifier.next_deadline() is None
    assert named(classifier.feed(b"A", START + 2)) == [(KEYS, b"A")]


def test_each_byte_begins_the_time_anew() -> None:
    classifier = OriginClassifier()
    classifier.feed(b"\x1b", START)
    classifier.feed(b"[", START + 0.04)
    assert classifier.next_deadline() == START + 0.04 + LONE_ESC_S
    classifier.feed(b"", START + 0.05)
    assert classifier.next_deadline() == START + 0.04 + LONE_ESC_S


def test_bytes_that_came_late_still_complete_a_sequence_unless_it_expired() -> None:
    classifier = OriginClassifier()
    classifier.feed(b"\x1b[", START)
    assert named(classifier.feed(b"I", START + 60)) == [(Report.FOCUS, b"\x1b[I")]
    classifier.feed(b"\x1b[", START + 70)
    classifier.expire(START + 71)
    assert named(classifier.feed(b"I", START + 72)) == [(KEYS, b"I")]


@pytest.mark.parametrize("report", [b"\x1b[M \xc3\xa0", b"\x1b[M !\xc3"])
def test_a_mouse_report_that_may_be_whole_waits_the_short_time_only(report: bytes) -> None:
    classifier = OriginClassifier()
    assert classifier.feed(report, START) == []
    assert classifier.next_deadline() == START + LONE_ESC_S
    assert named(classifier.expire(START + LONE_ESC_S)) == [(Report.MOUSE_X10, report)]


@pytest.mark.parametrize("tail", [b"", b"\x1b"])
def test_a_string_that_was_too_long_and_never_ends_is_left_after_the_long_time(tail: bytes) -> None:
    classifier = OriginClassifier()
    classifier.feed(b"\x1b]52;c;" + b"A" * STRING_BYTES + tail, START)
    assert classifier.next_deadline() == START + STRING_S
    assert named(classifier.expire(START + STRING_S)) == ([(Report.OSC_ANSWER, tail)] if tail else [])
    assert classifier.next_deadline() is None
    assert named(classifier.feed(b"A", START + 2)) == [(KEYS, b"A")]


def test_nothing_held_means_no_deadline_and_nothing_to_expire() -> None:
    classifier = OriginClassifier()
    assert classifier.next_deadline() is None
    assert classifier.expire(START) == []
    classifier.feed(b"text\x1b[A\x1b]11;x\x07", START)
    assert classifier.next_deadline() is None
    assert classifier.expire(START + 10) == []
