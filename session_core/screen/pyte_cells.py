"""Cells of the portable screen: style, one cell, one row.

Owns: `Style`, `Cell`, `Row`, and how many columns a character takes.
Invariants: a wide character is a cell with its text and, right of it, a cell with empty text; a row never
holds one half only; a cell holds at most `CELL_TEXT_LIMIT` code points; a missing cell is blank and plain.
Deliberately absent: hyperlinks, and joining of emoji sequences, which xterm does not do either.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from pyte.screens import StaticDefaultDict
from wcwidth import wcwidth

from session_core.screen.engine import MAX_COLUMNS

CELL_TEXT_LIMIT: Final = 16
_ZERO_WIDTH_JOINER: Final = "\u200d"
_REGIONAL_INDICATORS: Final = range(0x1F1E6, 0x1F200)
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_JOINING_CATEGORIES: Final = frozenset({"Mn", "Me", "Mc", "Lo"})
IGNORED: Final = -1
_COLUMN_NUMBERS: Final = list(range(MAX_COLUMNS))


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell is shown. A colour is `5;n` or `2;r;g;b`, empty for the default; `underline` is 0..5."""

    foreground: str = ""
    background: str = ""
    underline_color: str = ""
    underline: int = 0
    bold: bool = False
    faint: bool = False
    italic: bool = False
    blink: bool = False
    reverse: bool = False
    conceal: bool = False
    strike: bool = False
    overline: bool = False


class Cell(NamedTuple):
    """The text of one cell and its style."""

    data: str
    style: Style


PLAIN: Final = Style()
BLANK: Final = Cell(" ", PLAIN)


class Row(StaticDefaultDict[int, Cell]):
    """Cells by column. `wrapped`: the line goes on in the next row."""

    def __init__(self) -> None:
        super().__init__(BLANK)
        self.wrapped = False

    def replace(self, cells: Iterable[Cell]) -> None:
        """Hold `cells` and nothing else."""
        self.clear()
        self.update(enumerate(cells))

    def cells(self, columns: int) -> list[Cell]:
        """The first `columns` cells."""
        if columns <= len(self) and list(self) == _COLUMN_NUMBERS[: len(self)]:
            return list(self.values())[:columns]
        if not self:
            return [BLANK] * columns
        return [self.get(column, BLANK) for column in range(columns)]

    def blank_halves(self, left: int, right: int) -> None:
        """Before columns left..right-1 are overwritten: blank a wide character that either end cuts."""
        for column in (left, right):
            if column in self and not self[column].data:
                self[column - 1] = Cell(" ", self[column - 1].style)
                self[column] = Cell(" ", self[column].style)

    def fill(self, left: int, right: int, cell: Cell) -> None:
        """Set columns left..right-1 to `cell`, a whole cell."""
        self.blank_halves(left, right)
        if cell is not BLANK:
            self.update(dict.fromkeys(range(left, right), cell))
        elif self:
            for column in range(left, right):
                self.pop(column, None)


class KeptRow(NamedTuple):
    """A row in compact form: up to its last cell that is not blank, or whole where the line goes on.

    A wide character that did not fit leaves the last column out: its row is one cell short.
    """

    cells: tuple[Cell, ...]
    wrapped: bool

    @property
    def text(self) -> str:
        """The text, right-trimmed."""
        return "".join([cell.data for cell in self.cells]).rstrip(" ")


EMPTY: Final = KeptRow((), False)


def kept(row: Row, columns: int) -> KeptRow:
    """`row` in its compact form, without blanks at its end."""
    whole = written(row, columns)
    if whole.wrapped or not whole.cells or whole.cells[-1] != BLANK:
        return whole
    cells = list(whole.cells)
    while cells and cells[-1] == BLANK:
        cells.pop()
    return KeptRow(tuple(cells), False)


def written(row: Row, columns: int) -> KeptRow:
    """`row` in its compact form, with the blanks that were written at its end."""
    if row.wrapped:
        return KeptRow(tuple(row.cells(columns if columns - 1 in row else columns - 1)), True)
    if not row:
        return EMPTY
    return KeptRow(tuple(row.cells(min(max(row) + 1, columns))), False)


@lru_cache(maxsize=8192)
def width_of(character: str) -> int:
    """Columns of one character: 0 joins the cell before it, IGNORED is not shown at all."""
    code = ord(character)
    if code in _REGIONAL_INDICATORS:
        return 1
    if code in _SKIN_TONES:
        return 2
    width = wcwidth(character)
    if width:
        return width
    joins = character == _ZERO_WIDTH_JOINER or unicodedata.category(character) in _JOINING_CATEGORIES
    return 0 if joins else IGNORED
