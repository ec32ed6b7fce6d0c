"""The ghostty engine: libghostty-vt through pyghostty.

Owns: one native terminal per screen, its limits, and the callbacks that complete its replies.
Invariants: PYGHOSTTY_LIB is dropped before the import, for it names a library to load; scrollback is limited
by bytes, because the line limit makes the library unmap and map each page anew; images are off, so that a
program can neither fill memory nor name files. What the library does not answer is answered here, in its place.
OSC 133 is spoilt on its way to the library, which would move to a fresh line at a prompt and clear the prompt at a
resize; xterm and tmux do neither, and a person who is attached sees the output as it is.
Deliberately absent: title stack (CSI 22/23 t), links in HTML.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Final

os.environ.pop("PYGHOSTTY_LIB", None)

from pyghostty import GhosttyError, Terminal, ffi, lib

from session_core.screen import capabilities
from session_core.screen.engine import (
    BACKGROUND_RGB,
    CELL_HEIGHT_PX,
    CELL_WIDTH_PX,
    FOREGROUND_RGB,
    NO_TITLE,
    RESET_STYLE,
    TERMINAL_NAME,
    Cursor,
    EngineName,
    Size,
)
from session_core.screen.ghostty_stream import Special, Stream
from session_core.screen.ghostty_text import HTML, PLAIN, VT, check, decoded, selection, written
from session_core.screen.paint import PAINTED_MODES, Painting, paint

_NO_LINE_LIMIT: Final = 10_000_000
_CELL_BYTES: Final = 8
_ROW_BYTES: Final = 70
# The library frees whole pages; one more keeps at least the rows asked for.
_PAGE_BYTES: Final = 600_000
_STRING_BYTES: Final = 4096
_DEL: Final = b"\x7f"
_LEFT: Final = "\x1b[D"
_SPOIL: Final = b"_"
# Aborts a string and begins one that is ignored to its end, which is that of the aborted one.
_ASIDE: Final = b"\x18\x1bX"
_TITLE_REPORT: Final = b"\x1b]l"
_CURSOR_QUERY: Final = b"\x1b[6n"

_REGION = re.compile(r"\x1b\[(\d+);(\d+)r")
_SIDES = re.compile(r"\x1b\[(\d+);(\d+)s")
_LINK_TAG = re.compile(r"</?a\b[^>]*>")

_NAME_BYTES: Final[Any] = ffi.new("char[]", TERMINAL_NAME.encode())
_NAME_FIELDS = {"ptr": ffi.cast("uint8_t*", _NAME_BYTES), "len": len(TERMINAL_NAME)}
_NAME: Final[Any] = ffi.new("GhosttyString*", _NAME_FIELDS)


class GhosttyScreen:
    """A `ScreenEngine` on libghostty-vt."""

    name: EngineName = "ghostty"
    backlog = 0
    skipped = 0

    def __init__(self, size: Size, scrollback_rows: int) -> None:
        self._size = size
        self._scrollback_rows = scrollback_rows
        self._replies: list[bytes] = []
        self._stream = Stream()
        self._callbacks: list[Any] = []
        self._terminal: Any = Terminal(
            size.columns, size.rows, scrollback=_NO_LINE_LIMIT, fg=FOREGROUND_RGB, bg=BACKGROUND_RGB
        )
        self._terminal.on_reply(self._on_reply)
        self._set("TITLE_REPORT", "bool*", True)
        self._set("SCROLLBACK_MAX_BYTES", "size_t*", self._scrollback_bytes())
        self._set("KITTY_IMAGE_STORAGE_LIMIT", "uint64_t*", 0)
        for option in ("CLIPBOARD_WRITE_MAX_BYTES", "APC_MAX_BYTES", "APC_MAX_BYTES_KITTY"):
            self._set(option, "size_t*", _STRING_BYTES)
        self._answer("XTVERSION", "GhosttyTerminalXtversionFn", lambda _terminal, _data: _NAME[0])
        self._answer("SIZE", "GhosttyTerminalSizeFn", self._on_size)
        self._answer("COLOR_SCHEME", "GhosttyTerminalColorSchemeFn", _on_color_scheme)
        self._terminal.resize(size.columns, size.rows, CELL_WIDTH_PX, CELL_HEIGHT_PX)

    @property
    def row_count(self) -> int:
        return int(self._terminal.get("total_rows", "size_t"))

    @property
    def cursor(self) -> Cursor:
        column, row = self._terminal.cursor
        return Cursor(int(column), int(row), bool(self._terminal.get("cursor_visible", "bool")))

    @property
    def size(self) -> Size:
        return self._size

    @property
    def title(self) -> str:
        title = self._terminal.get("title", "GhosttyString")
        return decoded(title.ptr, title.len) if title.len else ""

    @property
    def alternate(self) -> bool:
        return bool(self._terminal.get("active_screen", "int") == lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE)

    @property
    def kitty_flags(self) -> int:
        return int(self._terminal.get("kitty_keyboard_flags", "uint8_t"))

    def feed(self, data: bytes, *, ordinary: bool = False) -> bytes:
        # The library stores DEL as a cell; every terminal ignores it.
        if _DEL in data:
            data = data.translate(None, _DEL)
        if ordinary and not self._stream.is_open:
            self._terminal.feed(data)
            return self._take_replies() if self._replies else b""
        for piece, special, argument in self._stream.cut(data):
            self._terminal.feed(piece[:-1] if special is Special.ECHO else piece)
            if special is not None:
                self._do(special, argument)
        return self._take_replies() if self._replies else b""

    def _do(self, special: Special, argument: bytes) -> None:
        """Do what the library does not, right behind the sequence that asks for it."""
        replies = self._replies
        match special:
            case Special.MARK:
                self._terminal.feed(_SPOIL)
            case Special.CURSOR:
                self._terminal.feed(_CURSOR_QUERY)
                replies[-1:] = [reply.replace(b"[", b"[?") for reply in replies[-1:]]
            case Special.CAPABILITIES | Special.OTHER_CAPABILITIES:
                self._terminal.feed(_ASIDE)
            case Special.NAMES:
                replies.append(capabilities.answer(argument))
            case Special.ECHO:
                before = len(replies)
                self._terminal.feed(argument[-1:])
                del replies[before:]

    def catch_up(self, size: int | None = None) -> None:
        """There is no backlog."""

    def text(self) -> str:
        # The library keeps rows at the end that hold typed spaces only.
        return written(self._terminal, PLAIN, self._screen()).rstrip(" \n")

    def rows(self, start: int, stop: int) -> list[str]:
        start, stop = max(start, 0), min(stop, self.row_count)
        if start >= stop:
            return []
        found = written(self._terminal, PLAIN, self._rows(start, stop)).split("\n")
        return found + [""] * (stop - start - len(found))

    def tail(self, lines: int) -> list[str]:
        total, wanted = self.row_count, max(lines, 0)
        span = wanted + self._size.rows
        while wanted:
            start = max(total - span, 0)
            text = written(self._terminal, PLAIN, self._rows(start, total), unwrap=True)
            found = [line for line in text.split("\n") if line.strip()]
            # The first line may have begun above the span.
            if start == 0 or len(found) > wanted:
                return found[-wanted:]
            span *= 4
        return []

    def lines(self, start: int) -> list[str]:
        start, total = max(start, 0), self.row_count
        if start >= total:
            return []
        return written(self._terminal, PLAIN, self._rows(start, total), unwrap=True).rstrip(" \n").split("\n")

    def mode(self, number: int) -> bool:
        if not 0 < number < 1 << 15:
            return False
        try:
            return bool(self._terminal.mode(number))
        except GhosttyError:
            return False

    def resize(self, columns: int, rows: int) -> bytes:
        self._size = Size.clamped(columns, rows)
        self._set("SCROLLBACK_MAX_BYTES", "size_t*", self._scrollback_bytes())
        self._terminal.resize(self._size.columns, self._size.rows, CELL_WIDTH_PX, CELL_HEIGHT_PX)
        return self._take_replies()

    def snapshot(self) -> bytes:
        screen = self._screen()
        content = written(self._terminal, VT, screen)
        tail = written(self._terminal, VT, screen, "style", "charsets", "kitty_keyboard")
        region = written(self._terminal, VT, screen, "scrolling_region").removeprefix(content)
        last_glyph = self._pending_glyph()
        return paint(
            Painting(
                alternate=self.alternate,
                tab_stops=written(self._terminal, VT, screen, "tabstops").removesuffix(content),
                content=content + self._blank_backgrounds(),
                rows=_bounds(_REGION, region),
                columns=_bounds(_SIDES, region),
                modes=frozenset(number for number in PAINTED_MODES if self.mode(number)),
                insert=bool(self._terminal.mode(4, ansi=True)),
                cursor=self.cursor,
                pending_glyph=last_glyph,
                pen=tail.removeprefix(content),
            )
        )

    def ansi(self) -> str:
        return written(self._terminal, VT, self._screen()).replace("\r\n", "\n")

    def html(self) -> str:
        # Links of the library may be badly nested and carry any scheme.
        return _LINK_TAG.sub("", written(self._terminal, HTML, self._screen()))

    def close(self) -> None:
        if self._terminal is not None:
            self._terminal.close()
            self._terminal = None
            self._callbacks.clear()

    def _scrollback_bytes(self) -> int:
        if not self._scrollback_rows:
            return 0
        return self._scrollback_rows * (_CELL_BYTES * self._size.columns + _ROW_BYTES) + _PAGE_BYTES

    def _take_replies(self) -> bytes:
        replies = b"".join(self._replies)
        self._replies.clear()
        return replies

    def _set(self, option: str, ctype: str, value: Any) -> None:
        self._set_pointer(option, ffi.new(ctype, value))

    def _set_pointer(self, option: str, pointer: Any) -> None:
        number = getattr(lib, f"GHOSTTY_TERMINAL_OPT_{option}")
        check(lib.ghostty_terminal_set(self._terminal._t[0], number, pointer), option)

    def _answer(self, option: str, ctype: str, function: Callable[..., Any]) -> None:
        callback = ffi.callback(ctype, function)
        self._callbacks.append(callback)
        self._set_pointer(option, callback)

    def _on_reply(self, reply: bytes) -> None:
        self._replies.append(NO_TITLE if reply.startswith(_TITLE_REPORT) else reply)

    def _on_size(self, _terminal: Any, _data: Any, out: Any) -> bool:
        out.rows, out.columns = self._size.rows, self._size.columns
        out.cell_width, out.cell_height = CELL_WIDTH_PX, CELL_HEIGHT_PX
        return True

    def _screen(self) -> Any:
        return selection(self._terminal, 0, 0, self._size.columns - 1, self._size.rows - 1, "active")

    def _rows(self, start: int, stop: int) -> Any:
        return selection(self._terminal, 0, start, self._size.columns - 1, stop - 1, "screen")

    def _pending_glyph(self) -> str:
        """The glyph at the right edge, to be painted again so that the next one wraps; else empty."""
        if not self._terminal.get("cursor_pending_wrap", "bool"):
            return ""
        column, row = self._terminal.cursor
        glyph = (
            written(self._terminal, VT, selection(self._terminal, column, row, column, row, "active"))
            or RESET_STYLE + " "
        )
        return _LEFT + glyph if self._is_right_half(column, row) else glyph

    def _is_right_half(self, column: int, row: int) -> bool:
        cell, wide = ffi.new("GhosttyCell*"), ffi.new("GhosttyCellWide*")
        check(lib.ghostty_grid_ref_cell(self._terminal.ref(column, row), cell), "cell")
        check(lib.ghostty_cell_get(cell[0], lib.GHOSTTY_CELL_DATA_WIDE, wide), "cell width")
        return bool(wide[0] == lib.GHOSTTY_CELL_WIDE_SPACER_TAIL)

    def _blank_backgrounds(self) -> str:
        """Paint the background of rows without text, which the library's formatter leaves out."""
        shown = self.rows(self.row_count - self._size.rows, self.row_count)
        painted = []
        for row, text in enumerate(shown):
            background = None if text else self._terminal.style(0, row)["bg"]
            if background:
                painted.append(f"\x1b[{row + 1};1H\x1b[0;48;{_color(background)}m\x1b[2K\x1b[0m")
        return "".join(painted)


def _color(color: tuple[str, Any]) -> str:
    kind, value = color
    return f"5;{value}" if kind == "palette" else "2;{};{};{}".format(*value)


def _bounds(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    found = pattern.search(text)
    return (int(found[1]), int(found[2])) if found else None


def _on_color_scheme(_terminal: Any, _data: Any, out: Any) -> bool:
    out[0] = lib.GHOSTTY_COLOR_SCHEME_DARK
    return True
