"""The portable engine: pyte's screen behind our own tokenizer.

Owns: the adapter from the engine interface to the front, the control tables and the screen.
Invariants: output is parsed when somebody reads the screen, and at once where it asks something; of output that nobody
reads the newest `BACKLOG_BYTES` are kept for that, and what was in the way of modes, pens, titles, screen switches and
keyboard flags before them still counts. Row 0 is the oldest row kept, and the alternate screen has no scrollback.
Deliberately absent: parsing; every fault of pyte is closed in the modules below.
"""

from __future__ import annotations

from itertools import islice

from session_core.screen.engine import Cursor, EngineName, Size
from session_core.screen.paint import PAINTED_MODES, Painting, paint
from session_core.screen.pyte_backlog import Backlog
from session_core.screen.pyte_cells import EMPTY, KeptRow, kept
from session_core.screen.pyte_control import Control
from session_core.screen.pyte_export import ansi_rows, html, sgr
from session_core.screen.pyte_front import Front
from session_core.screen.pyte_replies import size_report
from session_core.screen.pyte_screen import PaneScreen

_IN_BAND_RESIZE = 2048


class PyteScreen:
    """A `ScreenEngine` in Python alone."""

    name: EngineName = "pyte"

    def __init__(self, size: Size, scrollback_rows: int) -> None:
        self._parsed = Control(PaneScreen(size.columns, size.rows, scrollback_rows))
        self._front = Front(self._parsed)
        self._waiting = Backlog()
        self._skipped = 0
        self._skipped_until = 0

    @property
    def _control(self) -> Control:
        """Everything but the text, up to date."""
        self.catch_up()
        return self._parsed

    @property
    def _screen(self) -> PaneScreen:
        """The screen, up to date."""
        return self._control.screen

    @property
    def row_count(self) -> int:
        return self._screen.lines + (0 if self.alternate else len(self._screen.history))

    @property
    def cursor(self) -> Cursor:
        cursor = self._screen.cursor
        return Cursor(min(cursor.x, self._screen.columns - 1), cursor.y, not cursor.hidden)

    @property
    def size(self) -> Size:
        screen = self._parsed.screen
        return Size(screen.columns, screen.lines)

    @property
    def title(self) -> str:
        return self._control.title

    @property
    def alternate(self) -> bool:
        return self._screen.alternate

    @property
    def kitty_flags(self) -> int:
        return self._control.kitty_flags

    @property
    def backlog(self) -> int:
        return self._waiting.size

    @property
    def skipped(self) -> int:
        if self._skipped and self._screen.scrolled > self._skipped_until:
            self._skipped = 0
        return self._skipped

    def feed(self, data: bytes, *, ordinary: bool = False) -> bytes:
        # What a slice of the backlog has left open goes on in the backlog, and was looked at as it came.
        goes_on = self._front.is_open and not self._waiting.size
        asks = self._waiting.add(data)
        self._skip(self._waiting.overflow())
        if asks or goes_on:
            self.catch_up()
        replies = bytes(self._parsed.replies)
        self._parsed.replies.clear()
        return replies

    def _skip(self, data: bytes) -> None:
        """Take output of which there is too much without drawing it."""
        if data:
            screen = self._parsed.screen
            self._front.feed(data, skim=True)
            self._skipped += len(data)
            self._skipped_until = screen.scrolled + (screen.history.maxlen or 0) + screen.lines

    def catch_up(self, size: int | None = None) -> None:
        if self._waiting.size:
            self._front.feed(self._waiting.take(size))

    def text(self) -> str:
        return "\n".join(row.text for row in self._shown()).rstrip("\n")

    def rows(self, start: int, stop: int) -> list[str]:
        return [row.text for row in self._between(start, stop)]

    def tail(self, lines: int) -> list[str]:
        found: list[str] = []
        parts: list[str] = []
        index = self.row_count
        while index > 0 and len(found) < lines:
            index -= 1
            above = self._between(index - 1, index)
            parts += [cell.data for row in self._between(index, index + 1) for cell in row.cells][::-1]
            if not (above and above[0].wrapped):
                line = "".join(reversed(parts)).rstrip(" ")
                parts.clear()
                if line.strip():
                    found.append(line)
        return found[::-1]

    def lines(self, start: int) -> list[str]:
        parts = [
            "".join([cell.data for cell in row.cells]) if row.wrapped else row.text + "\n"
            for row in self._between(start, self.row_count)
        ]
        return [line.rstrip(" ") for line in "".join(parts).rstrip(" \n").split("\n")]

    def mode(self, number: int) -> bool:
        return self._control.mode(number)

    def resize(self, columns: int, rows: int) -> bytes:
        size = Size.clamped(columns, rows)
        self._screen.resize(size.rows, size.columns)
        return size_report(self._control) if self.mode(_IN_BAND_RESIZE) else b""

    def snapshot(self) -> bytes:
        screen, control = self._screen, self._control
        top, bottom = screen.region
        return paint(
            Painting(
                alternate=self.alternate,
                tab_stops=self._tab_stops(),
                content="\r\n".join(ansi_rows(self._shown())),
                rows=(top + 1, bottom + 1) if screen.margins else None,
                columns=None,
                modes=frozenset(number for number in PAINTED_MODES if control.mode(number)),
                insert=control.inserting,
                cursor=self.cursor,
                pending_glyph=self._pending_glyph(),
                pen=self._pen(),
            )
        )

    def ansi(self) -> str:
        return "\n".join(ansi_rows(self._shown()))

    def html(self) -> str:
        return html(self._shown())

    def close(self) -> None:
        self._waiting.clear()
        self._screen.history.clear()
        self._screen.buffer.clear()

    def _shown(self) -> list[KeptRow]:
        """The rows of the screen, without the empty ones at its end."""
        screen = self._screen
        rows = [kept(screen.row(line), screen.columns) for line in range(screen.lines)]
        while rows and rows[-1] == EMPTY:
            rows.pop()
        return rows

    def _between(self, start: int, stop: int) -> list[KeptRow]:
        screen = self._screen
        above = self.row_count - screen.lines
        start, stop = max(start, 0), min(stop, self.row_count)
        kept_rows = list(islice(screen.history, start, min(stop, above))) if start < above else []
        shown = range(max(start, above) - above, stop - above)
        return kept_rows + [kept(screen.row(line), screen.columns) for line in shown]

    def _tab_stops(self) -> str:
        screen = self._screen
        if screen.tabstops == set(range(8, screen.columns, 8)):
            return ""
        return "\x1b[3g" + "".join(f"\x1b[{stop + 1}G\x1bH" for stop in sorted(screen.tabstops))

    def _pending_glyph(self) -> str:
        """The glyph at the right edge, to be painted again so that the next one wraps; else empty."""
        screen = self._screen
        if screen.cursor.x < screen.columns:
            return ""
        cells = screen.row(screen.cursor.y).cells(screen.columns)
        if cells[-1].data or len(cells) == 1:
            return sgr(cells[-1].style) + cells[-1].data
        return "\x1b[D" + sgr(cells[-2].style) + cells[-2].data

    def _pen(self) -> str:
        screen = self._screen
        drawing = (f"\x1b{introducer}0" for introducer, on in zip("()*+", screen.graphic, strict=True) if on)
        shift = ("", "\x0e", "\x1bn", "\x1bo")[screen.charset]
        kitty = f"\x1b[={self.kitty_flags};1u" if self.kitty_flags else ""
        return sgr(screen.style) + "".join(drawing) + shift + kitty
