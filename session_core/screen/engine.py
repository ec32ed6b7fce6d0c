"""The screen of one pane: the interface that every engine implements, and its value types.

Owns: `ScreenEngine`, `Cursor`, `Size`, the size bounds, and the errors.
Invariants: columns and rows are counted from 0; row 0 of `rows` is the oldest row still kept; any bytes are
legal input; a sequence cut at any byte gives the same screen; memory is bounded by size and scrollback.
Deliberately absent: program status (OSC 7501), prompt marks (OSC 133) and the folder (OSC 7), which the host
reads from the bytes itself; titles and clipboards are never sent back to the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

EngineName = Literal["auto", "ghostty", "pyte"]

MAX_COLUMNS = 2000
MAX_ROWS = 2000
CELL_WIDTH_PX = 8
CELL_HEIGHT_PX = 16
FOREGROUND_RGB = (229, 229, 229)
BACKGROUND_RGB = (0, 0, 0)
TERMINAL_NAME = "panebridge"
RESET_STYLE = "\x1b[0m"
NO_TITLE = b"\x1b]l\x1b\\"
"""The answer to the query for the title: it is never sent back."""


class ScreenError(Exception):
    """Base of the errors of this package; `code` is stable."""

    code: ClassVar[str] = "screen_error"


class EngineUnavailableError(ScreenError):
    """The engine asked for is not installed here."""

    code: ClassVar[str] = "engine_unavailable"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the cursor is, 0-based; a pending wrap is shown in the last column."""

    column: int
    row: int
    visible: bool


@dataclass(frozen=True, slots=True)
class Size:
    """Columns and rows of the visible screen, each within 1..2000."""

    columns: int
    rows: int

    @classmethod
    def clamped(cls, columns: int, rows: int) -> Size:
        """The nearest size within bounds."""
        return cls(min(max(columns, 1), MAX_COLUMNS), min(max(rows, 1), MAX_ROWS))


class ReadableScreen(Protocol):
    """What can be read of a screen."""

    @property
    def row_count(self) -> int:
        """Rows kept: scrollback and screen; on the alternate screen, the screen only."""
        ...

    @property
    def cursor(self) -> Cursor: ...

    @property
    def size(self) -> Size: ...

    @property
    def title(self) -> str:
        """The last window title (OSC 0 or 2); untrusted text, empty if none."""
        ...

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is shown (modes 47, 1047, 1049)."""
        ...

    @property
    def skipped(self) -> int:
        """Bytes that nobody read in time and that were dropped, so that what they drew is missing from the rows kept.

        Modes, pens, titles, screen switches and keyboard flags in them are not. 0 again once as much has been scrolled.
        """
        ...

    def text(self) -> str:
        """The visible screen: rows right-trimmed, joined by newlines, trailing empty rows dropped."""
        ...

    def tail(self, lines: int) -> list[str]:
        """The last `lines` lines that are not blank, oldest first; soft-wrapped rows are joined."""
        ...

    def lines(self, start: Literal[0], /) -> list[str]:
        """All lines kept, soft-wrapped rows joined, blank ones at the end dropped."""
        ...

    def snapshot(self) -> bytes:
        """Bytes that paint this screen, its modes and its cursor on a fresh terminal of the same size."""
        ...

    def ansi(self) -> str:
        """The visible screen as text with SGR colours, rows joined by newlines, no other sequences."""
        ...

    def html(self) -> str:
        """The visible screen as an HTML fragment; all text is escaped."""
        ...


class ScreenEngine(ReadableScreen, Protocol):
    """A terminal screen without a window. Not thread-safe: one pane, one thread.

    An engine may leave output unparsed until it is read. After `close` only `close` may be called, and `backlog` is 0.
    """

    @property
    def name(self) -> EngineName:
        """`ghostty` or `pyte`."""
        ...

    @property
    def kitty_flags(self) -> int:
        """Kitty keyboard flags in force on the screen shown, 0..31."""
        ...

    @property
    def backlog(self) -> int:
        """Bytes that were fed and are not parsed yet; reading anything else parses them first."""
        ...

    def feed(self, data: bytes, *, ordinary: bool = False) -> bytes:
        """Take output of the program; return the terminal's replies to it, in stream order. Never raises.

        What asks for a reply is answered at once. `ordinary`: the caller knows that no sequence begins in `data` but
        `CSI` with a digit, a semicolon, a capital letter or `m` behind it, so that it need not be looked for.
        """
        ...

    def catch_up(self, size: int | None = None) -> None:
        """Parse the oldest `size` bytes of the backlog, or all of it."""
        ...

    def rows(self, start: int, stop: int) -> list[str]:
        """Rows start..stop-1 of scrollback and screen, right-trimmed; bounds outside are clamped."""
        ...

    def lines(self, start: int) -> list[str]:
        """The lines from row `start` to the end, soft-wrapped rows joined, blank ones at the end dropped.

        The first is what is left of its line where that begins above `start`.
        """
        ...

    def mode(self, number: int) -> bool:
        """Whether DEC private mode `number` is set; False for a mode the engine does not know."""
        ...

    def resize(self, columns: int, rows: int) -> bytes:
        """Resize (clamped), reflowing the main screen; return the in-band report (mode 2048) if on."""
        ...

    def close(self) -> None:
        """Free what the engine holds. Idempotent."""
        ...
