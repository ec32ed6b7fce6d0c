"""What the portable screen answers to a program.

Owns: the queries that are answered and the bytes of the answers, the same as the ghostty engine's.
Invariants: an answer holds no text that came from the program, so no title and no clipboard; an OSC answer
ends as its query did.
Deliberately absent: ENQ, OSC 7501 (the host answers it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pyte.graphics import FG_BG_256

from session_core.screen import capabilities
from session_core.screen.engine import (
    BACKGROUND_RGB,
    CELL_HEIGHT_PX,
    CELL_WIDTH_PX,
    FOREGROUND_RGB,
    NO_TITLE,
    TERMINAL_NAME,
)
from session_core.screen.pyte_front import Csi, StringKind
from session_core.screen.pyte_sgr import parameters

if TYPE_CHECKING:
    from session_core.screen.pyte_control import Control

_DYNAMIC_COLORS: Final = {10: FOREGROUND_RGB, 11: BACKGROUND_RGB, 12: FOREGROUND_RGB}
_PALETTE_QUERIES_LIMIT: Final = 256
_PALETTE_QUERY = re.compile(rb"(\d{1,3});\?")
_DYNAMIC_QUERY = re.compile(rb"1[0-2](?:;\?)+")
_COLOR_SCHEME_REPORT: Final = "\x1b[?997;1n"
_SET, _RESET, _UNKNOWN = 1, 2, 0


def answer_csi(control: Control, sequence: Csi) -> bytes:
    """The answer to `sequence`; empty if it asks nothing."""
    answer = _ANSWERS.get(sequence.key)
    return answer(control, sequence).encode("ascii") if answer else b""


def answer_string(control: Control, kind: StringKind, payload: bytes, terminator: bytes) -> bytes:
    """The answer to a control string; empty if it asks nothing."""
    if kind is StringKind.DCS and payload.startswith(b"$q"):
        return _setting(control, payload[2:])
    if kind is StringKind.DCS and payload.startswith(b"+q"):
        return capabilities.answer(payload[2:])
    if kind is not StringKind.OSC:
        return b""
    if _DYNAMIC_QUERY.fullmatch(payload):
        return _dynamic_colors(payload, terminator)
    if payload.startswith(b"4;"):
        return _palette(payload, terminator)
    return b""


def size_report(control: Control) -> bytes:
    """The in-band size report (mode 2048)."""
    columns, rows = control.screen.columns, control.screen.lines
    return f"\x1b[48;{rows};{columns};{rows * CELL_HEIGHT_PX};{columns * CELL_WIDTH_PX}t".encode("ascii")


def _device_status(control: Control, sequence: Csi) -> str:
    if sequence.number(0) == 5:
        return "\x1b[0n"
    return f"\x1b[{_position(control)}R" if sequence.number(0) == 6 else ""


def _private_status(control: Control, sequence: Csi) -> str:
    reports = {6: f"\x1b[?{_position(control)}R", 996: _COLOR_SCHEME_REPORT}
    return reports.get(sequence.number(0), "")


def _position(control: Control) -> str:
    screen = control.screen
    top = screen.region[0] if 6 in control.modes else 0
    return f"{screen.cursor.y - top + 1};{min(screen.cursor.x, screen.columns - 1) + 1}"


def _window(control: Control, sequence: Csi) -> str:
    columns, rows = control.screen.columns, control.screen.lines
    reports = {
        14: f"\x1b[4;{rows * CELL_HEIGHT_PX};{columns * CELL_WIDTH_PX}t",
        16: f"\x1b[6;{CELL_HEIGHT_PX};{CELL_WIDTH_PX}t",
        18: f"\x1b[8;{rows};{columns}t",
        21: NO_TITLE.decode(),
    }
    return reports.get(sequence.number(0), "")


def _private_mode(control: Control, sequence: Csi) -> str:
    number = sequence.number(0)
    value = (_SET if control.mode(number) else _RESET) if control.knows(number) else _UNKNOWN
    return f"\x1b[?{number};{value}$y"


def _ansi_mode(control: Control, sequence: Csi) -> str:
    number = sequence.number(0)
    value = (_SET if number in control.screen.mode else _RESET) if number in (4, 20) else _UNKNOWN
    return f"\x1b[{number};{value}$y"


def _setting(control: Control, name: bytes) -> bytes:
    top, bottom = control.screen.region
    settings = {
        b"m": f"{parameters(control.screen.style)}m",
        b"r": f"{top + 1};{bottom + 1}r",
        b" q": f"{control.cursor_style or 2} q",
    }
    value = settings.get(name)
    return f"\x1bP1$r{value}\x1b\\".encode("ascii") if value else b"\x1bP0$r\x1b\\"


def _dynamic_colors(payload: bytes, terminator: bytes) -> bytes:
    first, count = int(payload[:2]), payload.count(b"?")
    answers = (
        b"\x1b]%d;%s%s" % (number, _rgb(*_DYNAMIC_COLORS[number]), terminator)
        for number in range(first, first + count)
        if number in _DYNAMIC_COLORS
    )
    return b"".join(answers)


def _palette(payload: bytes, terminator: bytes) -> bytes:
    answers = []
    for found in _PALETTE_QUERY.findall(payload)[:_PALETTE_QUERIES_LIMIT]:
        number = int(found)
        if number < len(FG_BG_256):
            rgb = _rgb(*bytes.fromhex(FG_BG_256[number]))
            answers.append(b"\x1b]4;%d;%s%s" % (number, rgb, terminator))
    return b"".join(answers)


def _rgb(*components: int) -> bytes:
    return ("rgb:" + "/".join(f"{value:02x}{value:02x}" for value in components)).encode("ascii")


_ANSWERS: Final[dict[str, Callable[[Control, Csi], str]]] = {
    "c": lambda _control, sequence: "" if sequence.number(0) else "\x1b[?62;22c",
    ">c": lambda _control, sequence: "" if sequence.number(0) else "\x1b[>1;0;0c",
    "=c": lambda _control, sequence: "" if sequence.number(0) else "\x1bP!|00000000\x1b\\",
    "n": _device_status,
    "?n": _private_status,
    "t": _window,
    "?$p": _private_mode,
    "$p": _ansi_mode,
    ">q": lambda _control, sequence: "" if sequence.number(0) else f"\x1bP>|{TERMINAL_NAME}\x1b\\",
    # With parameters it is an answer, which a terminal that echoes shows us.
    "?u": lambda control, sequence: "" if sequence.raw else f"\x1b[?{control.kitty_flags}u",
}
