"""Text out of a native terminal: what is selected, written by the library's formatter.

Owns: the calls for selections and formatters, and the memory that they take.
Invariants: whatever is allocated for a call is freed with it; text is valid, bad bytes replaced.
Deliberately absent: the terminal, which `ghostty` owns.
"""

from __future__ import annotations

from typing import Any, Final

from pyghostty import GhosttyError, ffi, lib
from pyghostty.core import init_sized

PLAIN: Final[Any] = lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
VT: Final[Any] = lib.GHOSTTY_FORMATTER_FORMAT_VT
HTML: Final[Any] = lib.GHOSTTY_FORMATTER_FORMAT_HTML

_FORMAT_GUESS: Final = 16_384


def selection(terminal: Any, left: int, top: int, right: int, bottom: int, space: str) -> Any:
    """The cells between two corners; `space` is `active` for the screen and `screen` for scrollback and screen."""
    selected = init_sized("GhosttySelection")
    selected.start = terminal.ref(left, top, space)[0]
    selected.end = terminal.ref(right, bottom, space)[0]
    return selected


def written(terminal: Any, kind: Any, selected: Any, *extras: str, unwrap: bool = False) -> str:
    """What is selected as text of this kind, with these extras; soft-wrapped rows are joined if `unwrap`."""
    options = init_sized("GhosttyFormatterTerminalOptions")
    options.emit, options.trim, options.unwrap, options.selection = kind, True, unwrap, selected
    for extra in extras:
        setattr(options.extra if hasattr(options.extra, extra) else options.extra.screen, extra, True)
    formatter = ffi.new("GhosttyFormatter*")
    check(lib.ghostty_formatter_terminal_new(ffi.NULL, formatter, terminal._t[0], options[0]), "formatter")
    try:
        return _formatted(formatter[0])
    finally:
        lib.ghostty_formatter_free(formatter[0])


def _formatted(formatter: Any) -> str:
    length, capacity = ffi.new("size_t*"), _FORMAT_GUESS
    buffer = ffi.new("uint8_t[]", capacity)
    result = lib.ghostty_formatter_format_buf(formatter, buffer, capacity, length)
    if result == lib.GHOSTTY_OUT_OF_SPACE:
        capacity = int(length[0])
        buffer = ffi.new("uint8_t[]", capacity)
        result = lib.ghostty_formatter_format_buf(formatter, buffer, capacity, length)
    check(result, "format")
    return decoded(buffer, length[0])


def decoded(pointer: Any, length: int) -> str:
    """Text at an address of the library."""
    return bytes(ffi.buffer(pointer, length)).decode("utf-8", "replace")


def check(result: Any, what: str) -> None:
    """Raise GhosttyError unless a call of the library went well."""
    if result:
        raise GhosttyError(f"{what} failed: {result}")
