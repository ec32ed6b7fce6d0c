"""The bytes that paint a screen on a fresh terminal of the same size.

Owns: the order of the parts of a snapshot, the same for both engines.
Invariants: content is painted before margins and modes, so that neither can displace it; the pen comes last.
Deliberately absent: synchronized output (2026), which would freeze the viewer, and 3/40 (132 columns), which
would resize it; scrollback.
"""

from __future__ import annotations

from dataclasses import dataclass

from session_core.screen.engine import Cursor

_ON_BY_DEFAULT = frozenset({7, 1007, 1035, 1036})
_MODES_SEEN_BY_PROGRAM_ONLY = (1, 5, 7, 9, 12, 45, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016)
_NEWER_MODES = (1035, 1036, 1039, 1045, 2004, 2027, 2031, 2048)
_SIDE_MARGINS = 69
_ORIGIN = 6

PAINTED_MODES = (*_MODES_SEEN_BY_PROGRAM_ONLY, *_NEWER_MODES, _SIDE_MARGINS, _ORIGIN)


@dataclass(frozen=True, slots=True)
class Painting:
    """What a snapshot holds. Margins are 1-based and inclusive, None for the whole screen."""

    alternate: bool
    tab_stops: str
    content: str
    rows: tuple[int, int] | None
    columns: tuple[int, int] | None
    modes: frozenset[int]
    insert: bool
    cursor: Cursor
    pending_glyph: str
    pen: str


def paint(painting: Painting) -> bytes:
    """The snapshot of `painting`; rows in its content are separated by CR LF."""
    parts = (
        "\x1b[?1049h" if painting.alternate else "",
        painting.tab_stops,
        "\x1b[H",
        painting.content,
        _margins(painting),
        *(_switch(number, number in painting.modes) for number in PAINTED_MODES if number != _SIDE_MARGINS),
        _position(painting),
        painting.pending_glyph,
        "\x1b[4h" if painting.insert else "",
        painting.pen,
        "" if painting.cursor.visible else "\x1b[?25l",
    )
    return "".join(parts).encode("utf-8", "replace")


def _switch(number: int, on: bool) -> str:
    if on == (number in _ON_BY_DEFAULT):
        return ""
    return f"\x1b[?{number}{'h' if on else 'l'}"


def _margins(painting: Painting) -> str:
    rows = f"\x1b[{painting.rows[0]};{painting.rows[1]}r" if painting.rows else ""
    sides = f"\x1b[{painting.columns[0]};{painting.columns[1]}s" if painting.columns else ""
    return rows + _switch(_SIDE_MARGINS, _SIDE_MARGINS in painting.modes) + sides


def _position(painting: Painting) -> str:
    row, column = painting.cursor.row + 1, painting.cursor.column + 1
    if _ORIGIN in painting.modes:
        row -= painting.rows[0] - 1 if painting.rows else 0
        column -= painting.columns[0] - 1 if painting.columns else 0
    return f"\x1b[{max(row, 1)};{max(column, 1)}H"
