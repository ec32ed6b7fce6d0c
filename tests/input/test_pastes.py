"""A bracketed paste is one thing from marker to marker: content of any kind, cut anywhere, and not held."""

import pytest

from session_core.model.input_grammar import Report, Segment, ViewerOrigin
from session_core.model.input_origin import OriginClassifier

from .feeding import classify, cuts, feed, kind_of_each_byte, single_bytes

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
KEYS, PASTE = ViewerOrigin.KEYSTROKE, ViewerOrigin.PASTE

CONTENT = {
    "nothing": b"",
    "lines": b"one\rtwo\nthree",
    "UTF-8": "Grüße 世界".encode(),
    "a focus report": b"\x1b[I",
    "an OSC": b"\x1b]52;c;AAAA\x07",
    "an open string": b"\x1b]0;never ended",
    "an open CSI": b"\x1b[12;",
    "a mouse report": b"\x1b[M !!",
    "its own begin": BEGIN,
    "half an end": b"\x1b[201",
    "half an end, twice": b"\x1b[20\x1b[201\x1b",
    "controls": b"\x00\x03\x1a\x7f",
    "escapes": b"\x1b\x1b\x1b",
}
each_content = pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT.keys())


def _shape(segments: list[Segment]) -> list[tuple[object, bytes]]:
    """Return the segments with the pieces of a paste and of typing joined."""
    shape: list[tuple[object, bytes]] = []
    for segment in segments:
        if shape and shape[-1][0] == segment.kind:
            shape[-1] = (segment.kind, shape[-1][1] + segment.data)
        else:
            shape.append((segment.kind, segment.data))
    return shape


@each_content
def test_a_paste_is_one_at_any_cut_and_the_keys_around_it_are_keys(content: bytes) -> None:
    paste = BEGIN + content + END
    whole = b"a" + paste + b"\r"
    expected = [(KEYS, b"a"), (PASTE, paste), (KEYS, b"\r")]
    assert classify(whole) == expected
    assert _shape(feed(*single_bytes(whole))) == expected
    for first, second in cuts(whole):
        assert _shape(feed(first, second)) == expected, first


@each_content
def test_a_paste_in_three_pieces_is_still_one(content: bytes) -> None:
    whole = BEGIN + content + END + b"\x1b[I"
    kinds = kind_of_each_byte(feed(whole))
    for first, rest in cuts(whole):
        for second, third in cuts(rest):
            assert kind_of_each_byte(feed(first, second, third)) == kinds


def test_two_pastes_in_one_read_are_two_segments() -> None:
    one, two = BEGIN + b"1" + END, BEGIN + b"2" + END
    assert classify(one + two) == [(PASTE, one), (PASTE, two)]


def test_a_report_after_a_paste_is_a_report() -> None:
    assert classify(BEGIN + b"x" + END + b"\x1b[O") == [
        (PASTE, BEGIN + b"x" + END),
        (Report.FOCUS, b"\x1b[O"),
    ]


def test_a_paste_is_handed_on_as_it_comes_and_waits_for_nothing() -> None:
    classifier = OriginClassifier()
    for piece in (BEGIN + b"one", b"two\x1b", b"[201", b"x" * 1_000_000, b"\x1b[20"):
        assert [segment.data for segment in classifier.feed(piece, 0.0)] == [piece]
        assert classifier.buffered == 0
        assert classifier.next_deadline() is None
        assert classifier.expire(1e9) == []


def test_an_end_that_comes_late_in_pieces_still_ends_the_paste() -> None:
    classifier = OriginClassifier()
    classifier.feed(BEGIN + b"text", 0.0)
    for at, byte in enumerate(single_bytes(END), start=1):
        assert classifier.expire(at * 60.0) == []
        assert [segment.kind for segment in classifier.feed(byte, at * 60.0)] == [PASTE]
    assert [segment.kind for segment in classifier.feed(b"k", 1e4)] == [KEYS]


def test_a_modified_tilde_key_with_the_number_of_a_marker_begins_no_paste() -> None:
    assert classify(b"\x1b[200;1~ab") == [(KEYS, b"\x1b[200;1~ab")]
