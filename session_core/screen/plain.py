"""Output bytes as the lines that a person would have seen go by: on a screen of their own with its scrollback."""

from __future__ import annotations

import re
from dataclasses import dataclass

from session_core.screen.choose import open_screen
from session_core.screen.engine import EngineName, ScreenEngine, Size

LOOK_BACK_BYTES = 256
"""How far before the end of output a character or sequence can begin that is not complete, strings apart."""

_UNFINISHED = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*|[ -/]*)?\Z"
    rb"|(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z"
    # What is joined to the next character is no whole character either.
    rb"|[\xc2-\xf4][\x80-\xbf]{1,3}(?:\xef\xb8\x8f)?\xe2\x80\x8d\Z"
)
_SHOWS_NOTHING = re.compile(rb"\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_SHOWN_LINES = 20_000
"""Line ends that are shown at most; what comes before them is only counted."""
_SHOWN_ROWS = 100_000
_PIECE_BYTES = 64 * 1024
_PORTABLE_BYTES = 256 * 1024
"""Newest bytes that the portable engine is given: more would take it seconds."""


@dataclass(frozen=True, slots=True)
class PlainLines:
    """The newest lines; `left_out` of them came before, and `end`, line ends or spaces, after the last of them."""

    lines: list[str]
    left_out: int
    end: str = ""


def plain_lines(data: bytes, size: Size, engine: EngineName = "auto") -> PlainLines:
    """Return what `data` shows on a fresh screen of this size.

    Progress bars and cursor movements are done, soft-wrapped rows joined, styles and blank lines at the end dropped.
    Never raises for any bytes. Takes as long as the engine needs; call it off the event loop.
    """
    begin = _begin_of_newest(data, size.columns * _SHOWN_ROWS)
    # Every line end and every full row of characters may begin a row, and the screen must keep all of them.
    rows = _SHOWN_LINES + (len(data) - begin) // size.columns + size.rows
    screen = open_screen(size.columns, size.rows, engine=engine, scrollback_rows=rows)
    try:
        if screen.name == "pyte":
            begin = max(begin, _begin_of_newest(data, _PORTABLE_BYTES))
        for at in range(begin, len(data), _PIECE_BYTES):
            screen.feed(data[at : at + _PIECE_BYTES])
            screen.catch_up()
        lines = screen.lines(0)
        line_ends = _line_ends(screen)
    finally:
        screen.close()
    tail = _SHOWS_NOTHING.sub(b"", data[-LOOK_BACK_BYTES:])
    end = "\n" * line_ends or " " * (len(tail) - len(tail.rstrip(b" ")))
    return PlainLines(lines if any(lines) else [], data.count(b"\n", 0, begin), end)


def _begin_of_newest(data: bytes, most: int) -> int:
    """Return where the newest lines begin: at most `most` bytes of them."""
    begin = 0
    if data.count(b"\n") > _SHOWN_LINES:
        at = len(data)
        for _ in range(_SHOWN_LINES + 1):
            at = data.rindex(b"\n", 0, at)
        begin = at + 1
    if len(data) - begin <= most:
        return begin
    return data.find(b"\n", len(data) - most) + 1 or len(data) - most


def _line_ends(screen: ScreenEngine) -> int:
    """Return how many rows the cursor is below the last text."""
    top = screen.row_count - screen.size.rows
    above_cursor = screen.rows(top, top + screen.cursor.row + 1)
    while above_cursor and not above_cursor[-1]:
        above_cursor.pop()
    return screen.cursor.row + 1 - max(1, len(above_cursor))


def unfinished(tail: bytes) -> int:
    """Return how many bytes at the end belong to a character or sequence that is not complete, strings apart."""
    found = _UNFINISHED.search(tail)
    return len(tail) - found.start() if found else 0


def cut_lines(lines: list[str], max_bytes: int) -> tuple[list[str], int]:
    """Return the last lines that fit in `max_bytes` when joined by line ends.

    Of a single line that does not fit, its end, and how many of its bytes are left out.
    """
    left, count = max_bytes + 1, 0
    for line in reversed(lines):
        left -= len(line.encode(errors="replace")) + 1
        if left < 0:
            break
        count += 1
    if not lines or count:
        return lines[len(lines) - count :], 0
    whole = lines[-1].encode(errors="replace")
    end = whole[-max_bytes:].decode(errors="ignore")
    return [end], len(whole) - len(end.encode())
