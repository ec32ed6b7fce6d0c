"""Output bytes as the lines that a person would have seen go by: on a screen of their own with its scrollback."""

from __future__ import annotations

from dataclasses import dataclass

from session_core.screen.choose import open_screen
from session_core.screen.engine import EngineName, Size

_SHOWN_LINES = 20_000
"""Line ends that are shown at most; what comes before them is only counted."""


@dataclass(frozen=True, slots=True)
class PlainLines:
    """The newest lines; `left_out` of them came before."""

    lines: list[str]
    left_out: int


def plain_lines(data: bytes, size: Size, engine: EngineName = "auto") -> PlainLines:
    """Return what `data` shows on a fresh screen of this size.

    Progress bars and cursor movements are done, soft-wrapped rows joined, styles and blank lines at the end dropped.
    Never raises for any bytes. Takes as long as the engine needs; call it off the event loop.
    """
    begin, left_out = _newest_lines(data)
    # Every line end and every full row of characters may begin a row, and the screen must keep all of them.
    rows = _SHOWN_LINES + (len(data) - begin) // size.columns + size.rows
    screen = open_screen(size.columns, size.rows, engine=engine, scrollback_rows=rows)
    try:
        screen.feed(data[begin:])
        lines = screen.lines(0)
    finally:
        screen.close()
    return PlainLines(lines if any(lines) else [], left_out)


def _newest_lines(data: bytes) -> tuple[int, int]:
    """Return where the lines begin that are shown, and how many come before."""
    line_ends = data.count(b"\n")
    if line_ends <= _SHOWN_LINES:
        return 0, 0
    begin = len(data)
    for _ in range(_SHOWN_LINES + 1):
        begin = data.rindex(b"\n", 0, begin)
    return begin + 1, line_ends - _SHOWN_LINES


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
