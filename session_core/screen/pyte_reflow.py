"""Rewrapping rows to another width.

Owns: `reflow`.
Invariants: no text is lost, but for wide characters in a single column; a wide character is not split; every
mark stays on the cell that it was on.
Deliberately absent: the alternate screen, which programs repaint and no terminal reflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from session_core.screen.pyte_cells import Cell, KeptRow


@dataclass(slots=True)
class Mark:
    """A place among rows: a row's index and a column, moved by `reflow`."""

    row: int
    column: int


def reflow(rows: Sequence[KeptRow], columns: int, marks: Sequence[Mark]) -> list[KeptRow]:
    """`rows` wrapped at `columns`; `marks` are moved along."""
    result: list[KeptRow] = []
    moved: list[tuple[Mark, int, int]] = []
    for start, stop in _lines(rows):
        cells: list[Cell] = []
        inside: list[tuple[Mark, int]] = []
        for index in range(start, stop):
            inside += [(mark, len(cells) + mark.column) for mark in marks if mark.row == index]
            cells += rows[index].cells
        cells = cells if columns > 1 else _narrowed(cells)
        breaks = _breaks(cells, columns)
        for mark, offset in inside:
            line = sum(1 for at in breaks[1:-1] if at <= offset)
            width = breaks[line + 1] - breaks[line]
            column = min(offset - breaks[line], columns if width == columns else columns - 1)
            moved.append((mark, len(result) + line, column))
        last = len(breaks) - 2
        for number, (left, right) in enumerate(pairwise(breaks)):
            result.append(KeptRow(tuple(cells[left:right]), number < last or rows[stop - 1].wrapped))
    for mark, row, column in moved:
        mark.row, mark.column = row, column
    return result


def _lines(rows: Sequence[KeptRow]) -> Iterator[tuple[int, int]]:
    start = 0
    for index, row in enumerate(rows):
        if not row.wrapped or index == len(rows) - 1:
            yield start, index + 1
            start = index + 1


def _breaks(cells: Sequence[Cell], columns: int) -> list[int]:
    """Where the rows of a line begin, and its end."""
    breaks, at = [0], 0
    while len(cells) - at > columns:
        at += columns
        # An empty cell is the right half of a wide character.
        if not cells[at].data:
            at -= 1
        breaks.append(at)
    return [*breaks, len(cells)]


def _narrowed(cells: list[Cell]) -> list[Cell]:
    wide = {index for index, cell in enumerate(cells) if not cell.data}
    wide |= {index - 1 for index in wide}
    return [cell._replace(data=" ") if index in wide else cell for index, cell in enumerate(cells)]
