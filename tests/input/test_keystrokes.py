"""What a person does stays a keystroke, whatever it looks like; a sequence that is none is typing too."""

import pytest

from session_core.model.input_grammar import Report, ViewerOrigin
from session_core.model.input_origin import SEQUENCE_BYTES, OriginClassifier

from .feeding import classify, cuts, feed, single_bytes

KEYS = ViewerOrigin.KEYSTROKE

TYPED = {
    "text": b"hello",
    "UTF-8": "Grüße, 世界 👩‍💻 ‌فارسی".encode(),
    "UTF-8 with bytes of C1 controls": "\u00dd\u00d0\u0410\u041b\u065f".encode(),
    "raw C1 bytes": b"\x9b31n\x9d11;x\x90\x9c\x9f\x9e\x98",
    "controls": bytes(range(0x00, 0x1B)) + b"\x1c\x1d\x1e\x1f\x7f",
    "Alt and a letter": b"\x1bx",
    "Alt and a character": b"\x1b\xc3\xa9",
    "Alt-Enter": b"\x1b\r",
    "Alt-Backspace": b"\x1b\x7f",
    "Alt and Ctrl": b"\x1b\x18",
    "Alt-backslash": b"\x1b\\",
    "two Escapes and a letter": b"\x1b\x1bx",
    "Alt-Up as two prefixes": b"\x1b\x1b[A",
    "arrows": b"\x1b[A\x1b[B\x1b[C\x1b[D",
    "application arrows": b"\x1bOA\x1bOB\x1bOC\x1bOD",
    "modified arrows": b"\x1b[1;5A\x1b[1;2D",
    "Home and End": b"\x1b[H\x1b[F\x1bOH\x1b[1~\x1b[4~",
    "F1 to F4": b"\x1bOP\x1bOQ\x1bOR\x1bOS",
    "F3 of other terminals": b"\x1b[13~\x1b[13;2~\x1b[R\x1b[1;2:1R",
    "function keys": b"\x1b[15~\x1b[24;5~\x1b[34~",
    "BackTab": b"\x1b[Z\x1b[1;6Z",
    "keypad": b"\x1bOp\x1bOM\x1bOI\x1bO ",
    "SS3 with a modifier": b"\x1bO5P\x1bO1;5P",
    "Linux console F1": b"\x1b[[A",
    "rxvt arrows": b"\x1b[a\x1b[d\x1bOc\x1b[c",
    "rxvt Delete": b"\x1b[3$\r\x1b[3^\x1b[3@",
    "modifyOtherKeys": b"\x1b[27;5;9~\x1b[27;6;65~",
    "kitty press": b"\x1b[97u\x1b[97;5u\x1b[97;1:1u\x1b[27u",
    "kitty repeat": b"\x1b[97;1:2u\x1b[1;1:2A\x1b[3;5:2~",
    "kitty text": b"\x1b[97:65;2;65u\x1b[0;;229u",
    "kitty keys next to the modifier keys": b"\x1b[57361u\x1b[57357u\x1b[57440u\x1b[57455u",
    "kitty keypad": b"\x1b[57399u\x1b[57427~",
    "the end of a paste without its begin": b"\x1b[201~",
    "a CSI broken by text": b"\x1b[12\xc3\xa9",
    "a CSI broken by a control": b"\x1b[12\r",
    "a CSI broken by an Escape": b"\x1b[12\x1b[A",
    "an SS3 broken by a control": b"\x1bO\r\x1bO\x1bOA",
}
each_key = pytest.mark.parametrize("data", TYPED.values(), ids=TYPED.keys())


@each_key
def test_what_is_typed_is_a_keystroke_at_any_cut(data: bytes) -> None:
    assert classify(data) == [(KEYS, data)]
    assert classify(*single_bytes(data)) == [(KEYS, data)]
    for first, second in cuts(data):
        assert classify(first, second) == [(KEYS, data)]


@each_key
def test_the_keystrokes_of_one_read_are_one_segment(data: bytes) -> None:
    assert len(feed(data)) == 1


def test_text_is_handed_on_at_once() -> None:
    classifier = OriginClassifier()
    for piece in (b"a", b"\xc3", b"\xa9", b"\x1b[A", b"\x1bx"):
        assert b"".join(segment.data for segment in classifier.feed(piece, 0.0)) == piece
        assert classifier.next_deadline() is None


@pytest.mark.parametrize("opener", [b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b^", b"\x1bX"])
@pytest.mark.parametrize("typed", [b"", b"ls -l"])
@pytest.mark.parametrize("control", [b"\r", b"\x03", b"\x18", b"\x1a", b"\x7f"])
def test_an_enter_after_alt_and_a_string_opener_is_not_swallowed(opener: bytes, typed: bytes, control: bytes) -> None:
    data = opener + typed + control
    assert classify(data + b"x") == [(KEYS, data + b"x")]
    assert classify(*single_bytes(data + b"x")) == [(KEYS, data + b"x")]


def test_alt_and_a_string_opener_before_another_escape_is_a_key() -> None:
    assert classify(b"\x1b]\x1b[A") == [(KEYS, b"\x1b]\x1b[A")]
    assert classify(b"\x1bP\x1b[I") == [(KEYS, b"\x1bP"), (Report.FOCUS, b"\x1b[I")]


def test_a_sequence_longer_than_any_key_is_typing() -> None:
    long = b"\x1b[" + b"1" * SEQUENCE_BYTES + b"R"
    assert classify(long) == [(KEYS, long)]
    assert classify(*single_bytes(long)) == [(KEYS, long)]


def test_an_escape_key_before_a_report_does_not_change_the_report() -> None:
    assert classify(b"\x1b\x1b[I") == [(KEYS, b"\x1b"), (Report.FOCUS, b"\x1b[I")]
    assert classify(b"\x1b\x1b[24;80R") == [(KEYS, b"\x1b"), (Report.CPR, b"\x1b[24;80R")]
