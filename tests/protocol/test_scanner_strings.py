"""Control strings: openers, terminators, aborts, exact offsets, and the text that is left between them."""

import pytest

from session_core.protocol.scanner import (
    AlternateScreen,
    ControlString,
    FullReset,
    ScanEvent,
    Scanner,
    StringKind,
)

from .reading import cuts, scan, single_bytes, text_between

ST = b"\x1b\\"
KINDS = list(StringKind)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


def _string(kind: StringKind, payload: bytes, terminator: bytes = ST, start: int = 0) -> ControlString:
    end = start + 2 + len(payload) + len(terminator)
    return ControlString(start, end, kind, payload, terminator)


@every_kind
def test_st_ends_every_kind_of_string_at_any_cut(kind: StringKind) -> None:
    data = b"\x1b" + kind.value + b"some;payload" + ST
    expected = [_string(kind, b"some;payload")]
    assert scan(data) == expected
    assert scan(*single_bytes(data)) == expected
    for first, second in cuts(data):
        assert scan(first, second) == expected, len(first)


@every_kind
def test_an_empty_string_is_a_string(kind: StringKind) -> None:
    assert scan(b"\x1b" + kind.value + ST) == [_string(kind, b"")]


def test_bel_ends_an_osc() -> None:
    assert scan(b"\x1b]0;title\x07rest\x07") == [_string(StringKind.OSC, b"0;title", b"\x07")]


@pytest.mark.parametrize("kind", KINDS[1:], ids=[kind.name for kind in KINDS[1:]])
def test_bel_is_payload_in_a_string_that_is_no_osc(kind: StringKind) -> None:
    data = b"\x1b" + kind.value + b"a\x07b" + ST
    assert scan(data) == [_string(kind, b"a\x07b")]
    assert scan(*single_bytes(data)) == [_string(kind, b"a\x07b")]


@every_kind
@pytest.mark.parametrize("cancel", [b"\x18", b"\x1a"], ids=["CAN", "SUB"])
def test_can_and_sub_abort_a_string_and_are_consumed(kind: StringKind, cancel: bytes) -> None:
    data = b"\x1b" + kind.value + b"lost" + cancel + b"text" + ST + b"\x1b]0;kept\x07"
    expected = [_string(StringKind.OSC, b"0;kept", b"\x07", start=len(data) - 9)]
    for first, second in cuts(data):
        scanner = Scanner()
        assert scan(first, second, scanner=scanner) == expected
        assert (scanner.aborts, scanner.overflows) == (1, 0)


@every_kind
def test_an_escape_aborts_a_string_and_opens_the_next_one(kind: StringKind) -> None:
    data = b"\x1b" + kind.value + b"lost\x1b]0;kept\x07"
    expected = [_string(StringKind.OSC, b"0;kept", b"\x07", start=6)]
    for first, second in cuts(data):
        scanner = Scanner()
        assert scan(first, second, scanner=scanner) == expected
        assert (scanner.aborts, scanner.overflows) == (1, 0)


def test_an_escape_that_opens_nothing_aborts_a_string_all_the_same() -> None:
    scanner = Scanner()
    assert scan(b"\x1b]0;lost\x1b[31mred\x07" + ST, scanner=scanner) == []
    assert scanner.aborts == 1
    assert scanner.buffered == 0


def test_of_two_escapes_the_second_one_counts() -> None:
    """The first ESC aborts the string, so the pair that follows is a lone ST, and then a real opener."""
    data = b"\x1b]0;lost\x1b\x1b\\\x1b\x1b]0;kept\x07"
    for first, second in cuts(data):
        assert scan(first, second) == [_string(StringKind.OSC, b"0;kept", b"\x07", start=12)]


def test_a_reset_and_a_screen_switch_inside_a_string_abort_it_and_count() -> None:
    data = b"\x1b]0;lost\x1bc\x1bPlost\x1b[?1049h"
    expected = [FullReset(8, 10), AlternateScreen(16, 24, True)]
    assert scan(data) == expected
    assert scan(*single_bytes(data)) == expected


def test_a_terminator_outside_a_string_is_nothing() -> None:
    scanner = Scanner()
    assert scan(b"a" + ST + b"b\x07c\x18d\x1ae", scanner=scanner) == []
    assert (scanner.aborts, scanner.overflows) == (0, 0)


def test_an_osc_opener_inside_an_osc_payload_without_escape_is_payload() -> None:
    assert scan(b"\x1b]0;a]b_c^d\x07") == [_string(StringKind.OSC, b"0;a]b_c^d", b"\x07")]


@pytest.mark.parametrize("byte", range(0x80, 0xA0))
def test_a_raw_c1_byte_is_never_a_control(byte: int) -> None:
    """OSC 7501 section 1: 8-bit OSC and ST are not listed; the bytes occur inside UTF-8 characters."""
    raw = bytes([byte])
    opened = raw + b"7501;state=idle" + ST + raw + b"0;x\x07" + raw + b"?1049h"
    assert scan(opened) == []
    closed = b"\x1b]0;a" + raw + b"b\x07"
    assert scan(closed) == [_string(StringKind.OSC, b"0;a" + raw + b"b", b"\x07")]


def test_the_tail_byte_of_a_quote_opens_nothing_wherever_the_character_is_cut() -> None:
    data = "\u201dA\r\n".encode() + b"\x41\xc2\x9b31mB" + b"\x1b]7501;state=done\x07"
    expected = [_string(StringKind.OSC, b"7501;state=done", b"\x07", start=13)]
    for first, second in cuts(data):
        assert scan(first, second) == expected


def test_a_full_reset_is_found_at_any_cut() -> None:
    data = b"a\x1bcb\x1b\x1bc"
    for first, second in cuts(data):
        assert scan(first, second) == [FullReset(1, 3), FullReset(5, 7)]


@pytest.mark.parametrize("data", [b"\x1b[c", b"\x1b[!p", b"\x1b(c", b"\x1b#c", b"\x1bC", b"c", b"\x1b c"])
def test_what_only_looks_like_a_full_reset_gives_nothing(data: bytes) -> None:
    """OSC 7501 section 4: a soft reset (DECSTR, `CSI ! p`) keeps every record."""
    assert scan(data) == []
    assert scan(*single_bytes(data)) == []


MIXED: list[tuple[bytes, ScanEvent | None]] = [
    (b"plain \xe2\x94\x80 text\r\n", None),
    (b"\x1b]0;one\x07", _string(StringKind.OSC, b"0;one", b"\x07")),
    (b"\x1b[31mred\x1b[0m", None),
    (b"\x1bPq#0" + ST, _string(StringKind.DCS, b"q#0")),
    (b"\x1b[?1049h", AlternateScreen(0, 8, True)),
    (b"\x1b_Ga=q" + ST, _string(StringKind.APC, b"Ga=q")),
    (b"\x1b[?25h", None),
    (b"\x1bc", FullReset(0, 2)),
    (b"\x1b^p" + ST, _string(StringKind.PM, b"p")),
    (b"\x1bXs" + ST, _string(StringKind.SOS, b"s")),
    (b"\x1b[?1049l", AlternateScreen(0, 8, False)),
    (b"end", None),
]


def _spans(events: list[ScanEvent]) -> list[tuple[int, int]]:
    return [(event.start, event.end) for event in events]


def test_events_of_every_type_come_in_stream_order_with_exact_offsets() -> None:
    data = b""
    spans: list[tuple[int, int]] = []
    types: list[type[ScanEvent]] = []
    for piece, event in MIXED:
        if event is not None:
            spans.append((len(data), len(data) + len(piece)))
            types.append(type(event))
        data += piece
    for first, second in cuts(data):
        events = scan(first, second)
        assert _spans(events) == spans
        assert [type(event) for event in events] == types
    assert _spans(scan(*single_bytes(data))) == spans


def test_the_text_between_events_is_what_their_offsets_leave() -> None:
    data = b"".join(piece for piece, _ in MIXED)
    text = b"".join(piece for piece, event in MIXED if event is None)
    for first, second in cuts(data):
        assert text_between(data, scan(first, second)) == text


def test_offsets_are_absolute_over_many_chunks() -> None:
    scanner = Scanner()
    unit = b"x" * 1000 + b"\x1b]0;t\x07"
    for turn in range(50):
        base = turn * len(unit)
        assert scan(unit[:500], unit[500:1003], unit[1003:], scanner=scanner) == [
            _string(StringKind.OSC, b"0;t", b"\x07", start=base + 1000)
        ]
        assert scanner.offset == base + len(unit)


def test_offsets_count_from_the_offset_that_the_scanner_began_with() -> None:
    began = 10**12
    data = b"ab\x1b]0;t\x07\x1b[?47h\x1bc"
    expected = [(began + 2, began + 8), (began + 8, began + 14), (began + 14, began + 16)]
    for first, second in cuts(data):
        scanner = Scanner(began)
        assert _spans(scan(first, second, scanner=scanner)) == expected
        assert scanner.offset == began + len(data)


def test_an_event_comes_with_its_last_byte_and_not_before() -> None:
    scanner = Scanner()
    *pending, last = single_bytes(b"\x1b]7501;state=done" + ST)
    assert scan(*pending, scanner=scanner) == []
    assert len(scanner.feed(last)) == 1


def test_an_empty_read_changes_nothing() -> None:
    data = b"a\x1b]0;t" + ST + b"\x1b[?1049h"
    spaced = [piece for byte in single_bytes(data) for piece in (byte, b"")]
    scanner = Scanner()
    assert scan(*spaced, scanner=scanner) == scan(data)
    assert scanner.offset == len(data)


@pytest.mark.parametrize(
    ("before", "data", "ordinary"),
    [
        (b"", b"text\r\n", True),
        (b"", b"\x1b[31mred\x1b[m\x1b[2;5H\x1b[K\x1b[", False),
        (b"", b"\x1b[31mred\x1b[m\x1b[2;5H\x1b[K", True),
        (b"", b"text\x1b", False),
        (b"text\x1b", b"[31m", False),
        (b"\x1b]0;title", b"text", False),
        (b"", b"\x1b[?25l", False),
        (b"", b"\x1b[>c", False),
        (b"", b"\x1b7", False),
        (b"", b"\x1b[\x006n", False),
        (b"\x1b]0;title\x07", b"text", True),
    ],
)
def test_only_text_and_plain_sequences_are_called_ordinary(before: bytes, data: bytes, ordinary: bool) -> None:
    scanner = Scanner()
    scanner.feed(before)
    scanner.feed(data)
    assert scanner.ordinary is ordinary
