"""The grid of the portable screen: scrolling, erasing, editing and cursor motion on pyte's buffer.

Owns: the rows shown, the rows scrolled off, margins and tab stops.
Invariants: the cursor is on the screen, and its column equals the width only while a wrap is pending, which
every motion ends; no wide character is cut in half; erased cells take the background of the pen; only rows
that leave the top of the main screen are kept, at most `scrollback_rows` of them.
Deliberately absent: side margins, protected cells, drawing.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any, Final

from pyte import modes
from pyte.screens import Margins, Screen

from session_core.screen.pyte_cells import BLANK, PLAIN, Cell, KeptRow, Row, Style, kept

_ERASE_BELOW, _ERASE_ABOVE, _ERASE_ALL, _ERASE_SCROLLBACK, _ERASE_PUSHED = 0, 1, 2, 3, 22
_LINE_ERASURES: Final = frozenset({_ERASE_BELOW, _ERASE_ABOVE, _ERASE_ALL})
_TAB_WIDTH: Final = 8
_ALL_TAB_STOPS: Final = 3


class Grid(Screen):
    """A `pyte.Screen` whose editing operations are those of xterm."""

    buffer: Any
    cursor: Any

    def __init__(self, columns: int, lines: int, scrollback_rows: int) -> None:
        self.history: deque[KeptRow] = deque(maxlen=scrollback_rows)
        self.scrolled = 0
        """Rows that have left the top of the main screen since the beginning."""
        self.alternate = False
        self.eraser = BLANK
        super().__init__(columns, lines)
        self.buffer = defaultdict(Row)

    @property
    def style(self) -> Style:
        """The pen."""
        style: Style = self.cursor.attrs.style
        return style

    def set_style(self, style: Style) -> None:
        """Change the pen."""
        self.cursor.attrs = Cell(" ", style)
        background = style.background
        self.eraser = Cell(" ", Style(background=background)) if background else BLANK

    def reset(self) -> None:
        super().reset()
        self.set_style(PLAIN)

    def row(self, line: int) -> Row:
        """Row `line` of the screen shown."""
        row: Row = self.buffer[line]
        return row

    @property
    def region(self) -> tuple[int, int]:
        """First and last line that scroll."""
        return self.margins or (0, self.lines - 1)

    def settle(self) -> None:
        """End a pending wrap."""
        if self.cursor.x >= self.columns:
            self.cursor.x = self.columns - 1

    # Scrolling

    def index(self) -> None:
        self.settle()
        _top, bottom = self.region
        if self.cursor.y == bottom:
            self.scroll_up(1)
        elif self.cursor.y < self.lines - 1:
            self.cursor.y += 1

    def reverse_index(self) -> None:
        self.settle()
        top, _bottom = self.region
        if self.cursor.y == top:
            self.scroll_down(1)
        elif self.cursor.y > 0:
            self.cursor.y -= 1

    def scroll_up(self, count: int) -> None:
        """Move the region up by `count` lines; lines that leave the top of the main screen are kept."""
        top, bottom = self.region
        if top == 0 and not self.alternate:
            self.scrolled += min(count, bottom + 1)
            for line in range(min(count, bottom + 1)):
                self.history.append(kept(self.row(line), self.columns))
        self._move_up(top, bottom, count)

    def scroll_down(self, count: int) -> None:
        """Move the region down by `count` lines."""
        self._move_down(*self.region, count)

    def _move_up(self, top: int, bottom: int, count: int) -> None:
        buffer = self.buffer
        edge = bottom + 1 - min(count, bottom + 1 - top)
        for line in range(top, edge):
            buffer[line] = buffer[line + count]
        for line in range(edge, bottom + 1):
            buffer[line] = self._blank_row()

    def _move_down(self, top: int, bottom: int, count: int) -> None:
        buffer = self.buffer
        edge = top + min(count, bottom + 1 - top)
        for line in range(bottom, edge - 1, -1):
            buffer[line] = buffer[line - count]
        for line in range(top, edge):
            buffer[line] = self._blank_row()

    def _blank_row(self) -> Row:
        row = Row()
        row.fill(0, self.columns, self.eraser)
        return row

    def insert_lines(self, count: int | None = None) -> None:
        top, bottom = self.region
        if top <= self.cursor.y <= bottom:
            self._move_down(self.cursor.y, bottom, count or 1)
            self.cursor.x = 0

    def delete_lines(self, count: int | None = None) -> None:
        top, bottom = self.region
        if top <= self.cursor.y <= bottom:
            self._move_up(self.cursor.y, bottom, count or 1)
            self.cursor.x = 0

    # Erasing and editing

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        if how not in _LINE_ERASURES:
            return
        self.settle()
        row, column = self.row(self.cursor.y), self.cursor.x
        spans = {
            _ERASE_BELOW: (column, self.columns),
            _ERASE_ABOVE: (0, column + 1),
            _ERASE_ALL: (0, self.columns),
        }
        row.fill(*spans[how], self.eraser)
        if how != _ERASE_ABOVE:
            row.wrapped = False

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        line = self.cursor.y
        if how == _ERASE_SCROLLBACK and not self.alternate:
            self.history.clear()
        spans = {
            _ERASE_BELOW: range(line + 1, self.lines),
            _ERASE_ABOVE: range(line),
            _ERASE_ALL: range(self.lines),
            _ERASE_PUSHED: range(self.lines),
        }
        if how in spans:
            self.settle()
        for erased in spans.get(how, ()):
            self.buffer[erased] = self._blank_row()
        if how in (_ERASE_BELOW, _ERASE_ABOVE):
            self.erase_in_line(how)

    def erase_characters(self, count: int | None = None) -> None:
        self.settle()
        end = min(self.cursor.x + (count or 1), self.columns)
        self.row(self.cursor.y).fill(self.cursor.x, end, self.eraser)

    def insert_characters(self, count: int | None = None) -> None:
        self.settle()
        row, column = self.row(self.cursor.y), self.cursor.x
        count = min(count or 1, self.columns - column)
        row.blank_halves(column, self.columns - count)
        cells = row.cells(self.columns)
        row.replace(cells[:column] + [self.eraser] * count + cells[column : self.columns - count])
        row.wrapped = False

    def delete_characters(self, count: int | None = None) -> None:
        self.settle()
        row, column = self.row(self.cursor.y), self.cursor.x
        count = min(count or 1, self.columns - column)
        row.blank_halves(column, column + count)
        cells = row.cells(self.columns)
        row.replace(cells[:column] + cells[column + count :] + [self.eraser] * count)
        row.wrapped = False

    def alignment_display(self) -> None:
        self.margins = None
        for line in range(self.lines):
            self.buffer[line] = Row()
            self.row(line).fill(0, self.columns, Cell("E", PLAIN))
        self.cursor_position()

    # Cursor

    def set_margins(self, top: int | None = None, bottom: int | None = None) -> None:
        first, last = (top or 1) - 1, min(bottom or self.lines, self.lines) - 1
        if first < last:
            self.margins = None if (first, last) == (0, self.lines - 1) else Margins(first, last)
            self.cursor_position()

    def cursor_position(self, line: int | None = None, column: int | None = None) -> None:
        self.cursor_to_line(line)
        self.cursor_to_column(column)

    def cursor_to_line(self, line: int | None = None) -> None:
        self.settle()
        top, bottom = self.region if modes.DECOM in self.mode else (0, self.lines - 1)
        self.cursor.y = min(top + (line or 1) - 1, bottom)

    def cursor_to_column(self, column: int | None = None) -> None:
        self.cursor.x = min((column or 1) - 1, self.columns - 1)

    def cursor_up(self, count: int | None = None) -> None:
        self.settle()
        top, _bottom = self.region
        self.cursor.y = max(self.cursor.y - (count or 1), top if self.cursor.y >= top else 0)

    def cursor_down(self, count: int | None = None) -> None:
        self.settle()
        _top, bottom = self.region
        last = bottom if self.cursor.y <= bottom else self.lines - 1
        self.cursor.y = min(self.cursor.y + (count or 1), last)

    def cursor_forward(self, count: int | None = None) -> None:
        self.cursor.x = min(self.cursor.x + (count or 1), self.columns - 1)

    def cursor_back(self, count: int | None = None) -> None:
        self.settle()
        self.cursor.x = max(self.cursor.x - (count or 1), 0)

    def rows_down(self, count: int) -> None:
        """Move down by `count` lines, past the margins (VPR)."""
        self.settle()
        last = self.region[1] if modes.DECOM in self.mode else self.lines - 1
        self.cursor.y = max(self.cursor.y, min(self.cursor.y + count, last))

    def tab(self) -> None:
        if self.cursor.x < self.columns:
            stops = (stop for stop in self.tabstops if self.cursor.x < stop < self.columns)
            self.cursor.x = min(stops, default=self.columns - 1)

    def tab_back(self) -> None:
        """Move to the tab stop before the cursor, else to column 0."""
        self.settle()
        self.cursor.x = max((stop for stop in self.tabstops if stop < self.cursor.x), default=0)

    def set_tab_stop(self) -> None:
        self.tabstops.add(min(self.cursor.x, self.columns - 1))

    def widen_tab_stops(self, old_columns: int) -> None:
        """Give the columns that a resize added the usual stops, and forget those it took."""
        first = -(-old_columns // _TAB_WIDTH) * _TAB_WIDTH
        self.tabstops.update(range(max(first, _TAB_WIDTH), self.columns, _TAB_WIDTH))
        self.tabstops = {stop for stop in self.tabstops if stop < self.columns}
