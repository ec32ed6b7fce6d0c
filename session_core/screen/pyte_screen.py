"""The portable screen: drawing, charsets, saved cursors, the alternate screen, resizing.

Owns: what a run of text does to the grid, and the state that swaps with the alternate screen.
Invariants: one saved cursor for each screen; what is drawn or scrolled on the alternate screen leaves the
main screen and its scrollback alone; caches are bounded.
Deliberately absent: 132 columns (DECCOLM), which would resize the screen behind the PTY; single shifts.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pyte import modes

from session_core.screen.pyte_cells import (
    BLANK,
    CELL_TEXT_LIMIT,
    EMPTY,
    PLAIN,
    Cell,
    KeptRow,
    Row,
    Style,
    width_of,
    written,
)
from session_core.screen.pyte_grid import Grid
from session_core.screen.pyte_reflow import Mark, reflow

_GLYPH_STYLES_LIMIT: Final = 256
_GLYPHS_LIMIT: Final = 1024
_NO_GRAPHIC: Final[tuple[bool, ...]] = (False, False, False, False)
# DEC special graphics, 0x5f to 0x7e (VT100 user guide, table 3-9).
_LINE_DRAWING: Final = dict(zip(range(0x5F, 0x7F), " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))


@dataclass(frozen=True, slots=True)
class SavedCursor:
    """What DECSC keeps."""

    column: int = 0
    row: int = 0
    style: Style = PLAIN
    origin: bool = False
    graphic: tuple[bool, ...] = _NO_GRAPHIC
    charset: int = 0


class _Glyphs(dict[str, Cell]):
    """Cells of one style by character, made on first use."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self.style = style

    def __missing__(self, character: str) -> Cell:
        if len(self) >= _GLYPHS_LIMIT:
            self.clear()
        cell = self[character] = Cell(character, self.style)
        return cell


class PaneScreen(Grid):
    """Text and state of one pane."""

    def __init__(self, columns: int, lines: int, scrollback_rows: int) -> None:
        self._glyphs_by_style: dict[Style, _Glyphs] = {}
        self._hidden: defaultdict[int, Row] = defaultdict(Row)
        super().__init__(columns, lines, scrollback_rows)

    def reset(self) -> None:
        if self.alternate:
            self.show_alternate(False)
        self._hidden.clear()
        super().reset()
        self._saved = {False: SavedCursor(), True: SavedCursor()}
        self.graphic: tuple[bool, ...] = _NO_GRAPHIC
        self.charset = 0
        self.last_glyph = ""

    def set_style(self, style: Style) -> None:
        super().set_style(style)
        glyphs = self._glyphs_by_style.get(style)
        if glyphs is None:
            if len(self._glyphs_by_style) >= _GLYPH_STYLES_LIMIT:
                self._glyphs_by_style.clear()
            glyphs = self._glyphs_by_style[style] = _Glyphs(style)
        self._glyphs = glyphs

    # Drawing

    def draw(self, data: str) -> None:
        if self.graphic[self.charset]:
            data = data.translate(_LINE_DRAWING)
        if modes.IRM in self.mode or not data.isascii():
            for character in data:
                self._draw_character(character)
        else:
            self._draw_run(data)
            self.last_glyph = data[-1:] or self.last_glyph

    def repeat(self, count: int) -> None:
        """Draw the last character `count` more times, at most about a screenful (REP)."""
        full = self.columns * self.lines
        if self.last_glyph:
            self.draw_again(self.last_glyph * (count if count < full else full + count % self.columns))

    def draw_again(self, data: str) -> None:
        """Draw text whose charset was applied already."""
        graphic, self.graphic = self.graphic, _NO_GRAPHIC
        self.draw(data)
        self.graphic = graphic

    def _draw_run(self, data: str) -> None:
        cursor, columns, glyphs = self.cursor, self.columns, self._glyphs
        at, end = 0, len(data)
        while at < end:
            if cursor.x >= columns and not self._wrap():
                at = end - 1
            row, left = self.row(cursor.y), cursor.x
            right = min(left + end - at, columns)
            taken = data[at : at + right - left]
            row.blank_halves(left, right)
            row.update(zip(range(left, right), [glyphs[character] for character in taken], strict=True))
            cursor.x = right
            at += right - left

    def _wrap(self) -> bool:
        """Go to the next row if auto-wrap is on, else back to the last column."""
        if modes.DECAWM not in self.mode:
            self.cursor.x = self.columns - 1
            return False
        self.row(self.cursor.y).wrapped = True
        self.index()
        self.cursor.x = 0
        return True

    def _draw_character(self, character: str) -> None:
        width = width_of(character)
        if width <= 0:
            if width == 0:
                self._join(character)
            return
        if width > self.columns:
            return
        cursor = self.cursor
        if cursor.x + width > self.columns:
            if cursor.x < self.columns and modes.DECAWM in self.mode:
                row = self.row(cursor.y)
                row.fill(cursor.x, self.columns, BLANK)
            if not self._wrap():
                cursor.x = self.columns - width
        if modes.IRM in self.mode:
            self.insert_characters(width)
        row, left = self.row(cursor.y), cursor.x
        row.blank_halves(left, left + width)
        row[left] = self._glyphs[character]
        if width == 2:
            row[left + 1] = self._glyphs[""]
        cursor.x = left + width
        self.last_glyph = character

    def _join(self, character: str) -> None:
        """Add a character without width to the cell before the cursor."""
        row, column = self.row(self.cursor.y), self.cursor.x - 1
        if column > 0 and not row[column].data:
            column -= 1
        if column < 0 or column not in row:
            return
        cell = row[column]
        if len(cell.data) < CELL_TEXT_LIMIT:
            row[column] = cell._replace(data=cell.data + character)

    # State

    def save_cursor(self) -> None:
        cursor, origin = self.cursor, modes.DECOM in self.mode
        self._saved[self.alternate] = SavedCursor(cursor.x, cursor.y, self.style, origin, self.graphic, self.charset)

    def restore_cursor(self) -> None:
        saved = self._saved[self.alternate]
        self.set_style(saved.style)
        self.graphic, self.charset = saved.graphic, saved.charset
        (self.mode.add if saved.origin else self.mode.discard)(modes.DECOM)
        self.cursor.x, self.cursor.y = min(saved.column, self.columns), min(saved.row, self.lines - 1)

    def soft_reset(self) -> None:
        """DECSTR: modes, margins, pen and saved cursor, not the text."""
        self.settle()
        self.mode -= {modes.IRM, modes.DECOM}
        self.mode |= {modes.DECAWM, modes.DECTCEM}
        self.cursor.hidden = False
        self.margins = None
        self.graphic, self.charset = _NO_GRAPHIC, 0
        self.set_style(PLAIN)
        self._saved[self.alternate] = SavedCursor()

    def show_alternate(self, on: bool) -> None:
        """Swap the screens if the other one is wanted; the cursor stays where it is."""
        if on != self.alternate:
            self.buffer, self._hidden = self._hidden, self.buffer
            self.alternate = on

    def designate(self, charset: int, graphic: bool) -> None:
        """Give G0..G3 the line drawing charset, or ASCII."""
        self.graphic = (*self.graphic[:charset], graphic, *self.graphic[charset + 1 :])

    # Resizing

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) == (self.lines, self.columns):
            return
        old_columns, cursor, saved = self.columns, self.cursor, self._saved[False]
        mark = Mark(cursor.y, cursor.x)
        if self.alternate:
            mark = Mark(min(saved.row, self.lines - 1), saved.column)
        if self.alternate:
            self._crop(lines, columns)
            self._hidden = self._rewrap(self._hidden, lines, columns, mark)
            self._saved[False] = replace(saved, column=mark.column, row=mark.row)
        else:
            self.buffer = self._rewrap(self.buffer, lines, columns, mark)
            self._hidden.clear()
            cursor.x, cursor.y = mark.column, mark.row
        self.lines, self.columns, self.margins = lines, columns, None
        self._saved = {
            screen: replace(saved, column=min(saved.column, columns - 1)) if columns < old_columns else saved
            for screen, saved in self._saved.items()
        }
        self.widen_tab_stops(old_columns)

    def _crop(self, lines: int, columns: int) -> None:
        over = max(self.cursor.y - lines + 1, 0)
        rows = [written(self.row(line), self.columns) for line in range(over, self.lines)]
        self.buffer = _placed([KeptRow(_cut(row.cells, columns), False) for row in rows[:lines]])
        self.cursor.y -= over
        self.cursor.x = min(self.cursor.x, columns - 1)

    def _rewrap(self, buffer: Any, lines: int, columns: int, mark: Mark) -> defaultdict[int, Row]:
        """The main screen at its new size; rows go to the scrollback and come back from it."""
        shown = [written(buffer[line], self.columns) for line in range(self.lines)]
        while len(shown) > mark.row + 1 and shown[-1] == EMPTY:
            shown.pop()
        mark.row += len(self.history)
        rows: Sequence[KeptRow] = [*self.history, *shown]
        if columns != self.columns:
            rows = reflow(rows, columns, [mark])
        top = max(len(rows) - lines, 0)
        self.history = deque(rows[:top], self.history.maxlen)
        mark.row = max(mark.row - top, 0)
        return _placed(rows[top : top + lines])


def _cut(cells: tuple[Cell, ...], columns: int) -> tuple[Cell, ...]:
    if len(cells) > columns and not cells[columns].data:
        return (*cells[: columns - 1], BLANK)
    return cells[:columns]


def _placed(rows: Sequence[KeptRow]) -> defaultdict[int, Row]:
    buffer: defaultdict[int, Row] = defaultdict(Row)
    for line, (cells, wrapped) in enumerate(rows):
        buffer[line].replace(cells)
        buffer[line].wrapped = wrapped
    return buffer
