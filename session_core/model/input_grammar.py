r"""What a viewer's terminal can send: one total table of kinds, how each looks, and what becomes of it.

Invariants: every kind has one row; a whole sequence that matches no pattern is a key. Reports never count as
typing. Answers are never forwarded, because the host has answered the program already.
A CPR in row 1 is byte for byte what xterm sends for a modified F3 (`CSI 1;2R`). It is read as the answer: a
lost F3 is pressed again, while an answer taken for a key would end a finished state and be typed into the
program. The kitty protocol dropped `CSI R` for the same reason; `CSI 13;2~`, `SS3 R` and `CSI R` are keys.
Deliberately absent: modes 1001 (highlight tracking) and 9001 (win32 input), which the host never sets.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum

LONE_ESC_S = 0.05
"""Seconds after its last byte at which an ESC, or the start of a sequence, was a key of its own."""
STRING_S = 1.0
"""Seconds after its last byte at which a sequence that no key begins like is dropped as a report."""


class ViewerOrigin(StrEnum):
    """Who made the bytes that came from a viewer: a key, a bracketed paste, or the terminal by itself."""

    KEYSTROKE = "keystroke"
    PASTE = "paste"
    REPORT = "report"


class Report(StrEnum):
    """What a terminal sends by itself. Where two patterns match, the earlier member is meant."""

    CPR = "cpr"
    DA1 = "da1"
    DA2 = "da2"
    DA3 = "da3"
    COLOUR_SCHEME = "colour_scheme"
    DSR = "dsr"
    DECRPM = "decrpm"
    XTVERSION = "xtversion"
    XTGETTCAP = "xtgettcap"
    DECRQSS = "decrqss"
    OSC_ANSWER = "osc_answer"
    KITTY_KEYBOARD_ANSWER = "kitty_keyboard_answer"
    KITTY_GRAPHICS_ANSWER = "kitty_graphics_answer"
    IN_BAND_RESIZE = "in_band_resize"
    SIZE_ANSWER = "size_answer"
    FOCUS = "focus"
    MOUSE_X10 = "mouse_x10"
    MOUSE_SGR = "mouse_sgr"
    MOUSE_URXVT = "mouse_urxvt"
    LONE_MODIFIER = "lone_modifier"
    KEY_RELEASE = "key_release"
    UNKNOWN_ANSWER = "unknown_answer"


Kind = ViewerOrigin | Report
"""A row of the table; `ViewerOrigin.REPORT` has none of its own."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes of one origin. `name` is the row of a report and None otherwise."""

    origin: ViewerOrigin
    name: Report | None
    data: bytes

    @property
    def kind(self) -> Kind:
        """The row of `TABLE` that rules this segment."""
        return self.name or self.origin

    @property
    def typing(self) -> bool:
        """Whether a person did this, so that it acknowledges and makes a draft."""
        return TABLE[self.kind].typing


class Forward(Enum):
    """When the program gets the bytes."""

    ALWAYS = "always"
    NEVER = "never"
    WHEN_FOCUS = "when the program asked for focus reports"
    WHEN_MOUSE = "when the program asked for mouse reports"
    WHEN_KITTY = "when the program asked for the kitty keyboard protocol"


@dataclass(frozen=True, slots=True)
class InputModes:
    """What the program has asked for: modes 1004, any of 9/1000/1002/1003, and kitty keyboard flags."""

    focus: bool = False
    mouse: bool = False
    kitty: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One kind: an example, its meaning, its two rules, and the pattern that its sequences match."""

    example: bytes
    meaning: str
    typing: bool
    forwarded: Forward
    pattern: bytes = b""


def _answer(example: bytes, meaning: str, pattern: bytes) -> Row:
    return Row(example, meaning, False, Forward.NEVER, pattern)


def _event(example: bytes, meaning: str, forwarded: Forward, pattern: bytes) -> Row:
    return Row(example, meaning, False, forwarded, pattern)


# Kitty: caps, scroll and num lock; left and right shift, control, alt, super, hyper, meta; ISO level 3 and 5.
_MODIFIER_KEY = rb"573(?:5[89]|60)|574(?:4[1-9]|5[0-4])"

TABLE: Mapping[Kind, Row] = {
    ViewerOrigin.KEYSTROKE: Row(b"\x1b[1;5A", "a key, or text that was typed", True, Forward.ALWAYS),
    ViewerOrigin.PASTE: Row(b"\x1b[200~text\x1b[201~", "a bracketed paste", True, Forward.ALWAYS),
    Report.CPR: _answer(b"\x1b[24;80R", "cursor position", rb"\[(?:\d+;\d+|\?\d+;\d+(?:;\d+)?)R\Z"),
    Report.DA1: _answer(b"\x1b[?62;22c", "primary device attributes", rb"\[\?[\d;]*c\Z"),
    Report.DA2: _answer(b"\x1b[>1;10;0c", "secondary device attributes", rb"\[>[\d;]*c\Z"),
    Report.DA3: _answer(b"\x1bP!|7E565445\x1b\\", "tertiary device attributes", rb"P!\|"),
    Report.COLOUR_SCHEME: _answer(b"\x1b[?997;1n", "colour scheme, dark or light", rb"\[\?997;\d+n\Z"),
    Report.DSR: _answer(b"\x1b[0n", "device status", rb"\[\??[\d;]+n\Z"),
    Report.DECRPM: _answer(b"\x1b[?2026;2$y", "state of a mode", rb"\[\??\d+;\d+\$y\Z"),
    Report.XTVERSION: _answer(b"\x1bP>|term 1.2\x1b\\", "name and version", rb"P>\|"),
    Report.XTGETTCAP: _answer(b"\x1bP1+r544e=787465726d\x1b\\", "terminfo capability", rb"P[01]\+r"),
    Report.DECRQSS: _answer(b"\x1bP1$r0m\x1b\\", "setting", rb"P[01]\$r"),
    Report.OSC_ANSWER: _answer(
        b"\x1b]11;rgb:0000/0000/0000\x1b\\", "any OSC: colours, clipboard, status, title", rb"\]"
    ),
    Report.KITTY_KEYBOARD_ANSWER: _answer(b"\x1b[?11u", "kitty keyboard flags", rb"\[\?\d*u\Z"),
    Report.KITTY_GRAPHICS_ANSWER: _answer(b"\x1b_Gi=31;OK\x1b\\", "kitty graphics", rb"_G"),
    Report.IN_BAND_RESIZE: _answer(b"\x1b[48;24;80;480;800t", "new size, mode 2048", rb"\[48;[\d:;]*t\Z"),
    Report.SIZE_ANSWER: _answer(b"\x1b[8;24;80t", "window size, position or state", rb"\[[\d;]+t\Z"),
    Report.FOCUS: _event(b"\x1b[I", "focus came or went", Forward.WHEN_FOCUS, rb"\[[IO]\Z"),
    Report.MOUSE_X10: _event(b"\x1b[M !!", "mouse in bytes, or in UTF-8 as of mode 1005", Forward.WHEN_MOUSE, rb"\[M"),
    Report.MOUSE_SGR: _event(
        b"\x1b[<35;32;46M", "mouse in decimals, mode 1006 or 1016", Forward.WHEN_MOUSE, rb"\[<[\d;-]+[Mm]\Z"
    ),
    Report.MOUSE_URXVT: _event(
        b"\x1b[67;32;46M", "mouse in decimals, mode 1015", Forward.WHEN_MOUSE, rb"\[\d+;\d+;\d+M\Z"
    ),
    Report.LONE_MODIFIER: _event(
        b"\x1b[57441;2u",
        "a modifier or lock key alone, pressed or released",
        Forward.WHEN_KITTY,
        rb"\[(?:" + _MODIFIER_KEY + rb")(?:[:;][\d:;]*)?u\Z",
    ),
    Report.KEY_RELEASE: _event(
        b"\x1b[97;1:3u", "a key was let go", Forward.WHEN_KITTY, rb"\[[\d:]*;\d*:3(?:;[\d:]*)?[u~A-HP-S]\Z"
    ),
    Report.UNKNOWN_ANSWER: _answer(
        b"\x1bP0;1|17/ab\x1b\\",
        "any other DCS, APC, PM or SOS string, private CSI or locator report",
        rb"[P_^X]|\[[<-?][0-?]*[ -/]*[@-~]\Z|\[[\d;]+&w\Z",
    ),
}

_ANY_REPORT = re.compile(
    rb"\x1b(?:" + b"|".join(b"(?P<%s>%s)" % (kind.name.encode(), TABLE[kind].pattern) for kind in Report) + rb")"
)

# A sequence cut off after one of these was no key: no key's sequence begins so.
_CUT_REPORTS: tuple[tuple[bytes, Report], ...] = (
    (b"\x1b[M", Report.MOUSE_X10),
    (b"\x1b[<", Report.MOUSE_SGR),
    (b"\x1b[=", Report.UNKNOWN_ANSWER),
    (b"\x1b[>", Report.UNKNOWN_ANSWER),
    (b"\x1b[?", Report.UNKNOWN_ANSWER),
)

_MOUSE_VALUES = 3

_ASKED: Mapping[Forward, Callable[[InputModes], bool]] = {
    Forward.ALWAYS: lambda modes: True,
    Forward.NEVER: lambda modes: False,
    Forward.WHEN_FOCUS: lambda modes: modes.focus,
    Forward.WHEN_MOUSE: lambda modes: modes.mouse,
    Forward.WHEN_KITTY: lambda modes: modes.kitty,
}


def report_of(sequence: bytes | bytearray) -> Report | None:
    """Return what a whole CSI sequence is, or a string by its beginning; None for a key."""
    found = _ANY_REPORT.match(sequence)
    return Report[found.lastgroup] if found and found.lastgroup else None


def cut_report_of(start: bytes) -> Report | None:
    """Return what an unfinished escape sequence must have been; None if a key can begin so."""
    return next((report for prefix, report in _CUT_REPORTS if start.startswith(prefix)), None)


def mouse_end(data: bytes, at: int) -> int | None:
    """Return where the three values after `CSI M` end that begin at `at`; None if that is not known yet.

    A value is one byte, which can look like a control, or one two-byte UTF-8 character. Both can be meant
    where a byte over 0xc1 is followed by one in 0x80-0xbf; it is the character, unless a control where
    the next value must be shows that three single bytes were the whole report.
    """
    start = at
    for _ in range(_MOUSE_VALUES):
        if at >= len(data):
            return None
        lead = data[at]
        if at - start >= _MOUSE_VALUES and lead < 0x20:
            return at
        at += 1
        if 0xC2 <= lead <= 0xDF:
            if at >= len(data):
                return None
            at += 0x80 <= data[at] <= 0xBF
    return at


def forwards(kind: Kind, modes: InputModes) -> bool:
    """Say whether a program that asked for `modes` gets bytes of this kind."""
    return _ASKED[TABLE[kind].forwarded](modes)


def table_rows() -> list[tuple[str, ...]]:
    """Return the table as Markdown cells: name, example, what it is, counts as typing, forwarded."""
    return [
        (
            kind.name,
            "`" + readable(row.example).replace("|", r"\|") + "`",
            row.meaning,
            "yes" if row.typing else "no",
            row.forwarded.value,
        )
        for kind, row in TABLE.items()
    ]


_CONTROL_NAMES = {0x07: "BEL", 0x0D: "CR", 0x1B: "ESC", 0x7F: "DEL"}


def readable(data: bytes) -> str:
    """Write bytes in ASCII: controls and the space by name, any other byte as it is or in hex."""
    names = _CONTROL_NAMES | {0x20: "SP"}
    shown = [names.get(byte) or (chr(byte) if 0x20 < byte < 0x7F else f"0x{byte:02x}") for byte in data]
    spaced = [f" {one} " if len(one) > 1 else one for one in shown]
    return " ".join("".join(spaced).split())
