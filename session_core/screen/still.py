"""What a screen showed at one moment, to be read while the screen itself goes on.

Owns: `Still`, which reads like the screen did when it was taken.
Invariant: what costs more than a snapshot is made when it is asked for, from the snapshot, on a screen of its own.
Deliberately absent: modes and replies, which are those of the screen itself; rows of the scrollback by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from session_core.screen.choose import open_screen
from session_core.screen.engine import ScreenEngine


class Still:
    """A `ReadableScreen`."""

    def __init__(self, screen: ScreenEngine) -> None:
        self._engine = screen.name
        self.size = screen.size
        self.cursor = screen.cursor
        self.title = screen.title
        self.alternate = screen.alternate
        self.row_count = screen.row_count
        self.skipped = screen.skipped
        self._text = screen.text()
        self._lines = screen.lines(0)
        self._snapshot = screen.snapshot()

    def text(self) -> str:
        return self._text

    def lines(self, _start: Literal[0], /) -> list[str]:
        return self._lines

    def tail(self, lines: int) -> list[str]:
        found = [line for line in self._lines if line.strip()]
        return found[max(len(found) - lines, 0) :]

    def snapshot(self) -> bytes:
        return self._snapshot

    def ansi(self) -> str:
        with self._painted() as copy:
            return copy.ansi()

    def html(self) -> str:
        with self._painted() as copy:
            return copy.html()

    @contextmanager
    def _painted(self) -> Iterator[ScreenEngine]:
        copy = open_screen(self.size.columns, self.size.rows, engine=self._engine, scrollback_rows=0)
        try:
            copy.feed(self._snapshot)
            yield copy
        finally:
            copy.close()
