"""The portable screen as ANSI text and as HTML.

Owns: both writers.
Invariants: all text is escaped; the 256 palette colours are named `--vt-palette-N`, as the ghostty engine
names them, so that one style sheet serves both.
Deliberately absent: hyperlinks, cursor, scrollback.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from session_core.screen.engine import RESET_STYLE
from session_core.screen.pyte_cells import BLANK, PLAIN, Cell, KeptRow, Style
from session_core.screen.pyte_sgr import parameters

_FLAG_CSS: Final = {
    "bold": "font-weight: bold;",
    "italic": "font-style: italic;",
    "faint": "opacity: 0.5;",
    "reverse": "filter: invert(100%);",
    "conceal": "visibility: hidden;",
}
_UNDERLINES: Final = (
    "",
    "underline",
    "underline double",
    "underline wavy",
    "underline dotted",
    "underline dashed",
)
_BOX: Final = '<div style="font-family: monospace; white-space: pre;">'


def ansi_rows(rows: Sequence[KeptRow]) -> list[str]:
    """Each row with its colours, blanks at its end left out; every row starts and ends plain."""
    return [_ansi_row(row.cells) for row in rows]


def sgr(style: Style) -> str:
    """The sequence that gives `style` from any other."""
    return f"\x1b[{parameters(style)}m"


def html(rows: Sequence[KeptRow]) -> str:
    """A monospaced fragment."""
    return _BOX + "\n".join(_html_row(row.cells) for row in rows) + "</div>"


def _ansi_row(cells: Sequence[Cell]) -> str:
    parts, current = [], PLAIN
    end = len(cells)
    while end and cells[end - 1] == BLANK:
        end -= 1
    for style, run in groupby(cells[:end], key=lambda cell: cell.style):
        if style != current:
            parts.append(sgr(style))
            current = style
        parts += [cell.data for cell in run]
    if current != PLAIN:
        parts.append(RESET_STYLE)
    return "".join(parts)


def _html_row(cells: Sequence[Cell]) -> str:
    parts = []
    for style, run in groupby(cells, key=lambda cell: cell.style):
        text = escape("".join([cell.data for cell in run]))
        css = _css(style)
        parts.append(f'<span style="{css}">{text}</span>' if css else text)
    return "".join(parts)


def _css(style: Style) -> str:
    parts = [css for name, css in _FLAG_CSS.items() if getattr(style, name)]
    lines = [
        _UNDERLINES[style.underline],
        "line-through" if style.strike else "",
        "overline" if style.overline else "",
    ]
    for name, color in (("color", style.foreground), ("background-color", style.background)):
        if color:
            parts.append(f"{name}: {_css_color(color)};")
    if any(lines):
        parts.append(f"text-decoration: {' '.join(filter(None, lines))};")
    return "".join(parts)


def _css_color(color: str) -> str:
    kind, _, value = color.partition(";")
    if kind == "5":
        return f"var(--vt-palette-{value})"
    return f"rgb({value.replace(';', ', ')})"
