"""Sequences that only move, draw, erase or edit: tables from the sequence to the screen's operation.

Owns: `CONTROLS` by byte, `ESCAPES` and `SEQUENCES` by key.
Invariants: a count of 0 means 1, as in xterm; no loop runs more often than the screen has columns.
Deliberately absent: whatever needs modes, the title, the keyboard flags or an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from session_core.screen.pyte_front import Csi
from session_core.screen.pyte_screen import PaneScreen
from session_core.screen.pyte_sgr import styled

Operation = Callable[[PaneScreen, Csi], None]


def _counted(method: Callable[[PaneScreen, int], None]) -> Operation:
    return lambda screen, sequence: method(screen, sequence.number(0, 1))


def _selected(method: Callable[[PaneScreen, int], None]) -> Operation:
    return lambda screen, sequence: method(screen, sequence.number(0))


def _forward(screen: PaneScreen, count: int) -> None:
    for _ in range(min(count, screen.columns)):
        screen.tab()


def _backward(screen: PaneScreen, count: int) -> None:
    for _ in range(min(count, screen.columns)):
        screen.tab_back()


def _save_cursor(screen: PaneScreen, sequence: Csi) -> None:
    # With parameters it is DECSLRM.
    if not sequence.raw:
        screen.save_cursor()


def _designation(charset: int, graphic: bool) -> Callable[[PaneScreen], None]:
    return lambda screen: screen.designate(charset, graphic)


def _next_line(screen: PaneScreen) -> None:
    screen.index()
    screen.carriage_return()


CONTROLS: Final[dict[int, Callable[[PaneScreen], None]]] = {
    0x08: PaneScreen.backspace,
    0x09: PaneScreen.tab,
    0x0A: PaneScreen.linefeed,
    0x0B: PaneScreen.linefeed,
    0x0C: PaneScreen.linefeed,
    0x0D: PaneScreen.carriage_return,
    0x0E: lambda screen: setattr(screen, "charset", 1),
    0x0F: lambda screen: setattr(screen, "charset", 0),
}

ESCAPES: Final[dict[str, Callable[[PaneScreen], None]]] = {
    "D": PaneScreen.index,
    "E": _next_line,
    "H": PaneScreen.set_tab_stop,
    "M": PaneScreen.reverse_index,
    "7": PaneScreen.save_cursor,
    "8": PaneScreen.restore_cursor,
    "n": lambda screen: setattr(screen, "charset", 2),
    "o": lambda screen: setattr(screen, "charset", 3),
    "#8": PaneScreen.alignment_display,
    **{
        f"{introducer}{final}": _designation(number, final == "0")
        for number, introducer in enumerate("()*+")
        for final in "0ABCEHKQRYZ4567="
    },
}

SEQUENCES: Final[dict[str, Operation]] = {
    "@": _counted(PaneScreen.insert_characters),
    "A": _counted(PaneScreen.cursor_up),
    "B": _counted(PaneScreen.cursor_down),
    "C": _counted(PaneScreen.cursor_forward),
    "D": _counted(PaneScreen.cursor_back),
    "E": _counted(PaneScreen.cursor_down1),
    "F": _counted(PaneScreen.cursor_up1),
    "G": _counted(PaneScreen.cursor_to_column),
    "H": lambda screen, sequence: screen.cursor_position(sequence.number(0), sequence.number(1)),
    "I": _counted(_forward),
    "J": _selected(PaneScreen.erase_in_display),
    "?J": _selected(PaneScreen.erase_in_display),
    "K": _selected(PaneScreen.erase_in_line),
    "?K": _selected(PaneScreen.erase_in_line),
    "L": _counted(PaneScreen.insert_lines),
    "M": _counted(PaneScreen.delete_lines),
    "P": _counted(PaneScreen.delete_characters),
    "S": _counted(PaneScreen.scroll_up),
    "T": _counted(PaneScreen.scroll_down),
    "X": _counted(PaneScreen.erase_characters),
    "Z": _counted(_backward),
    "`": _counted(PaneScreen.cursor_to_column),
    "a": _counted(PaneScreen.cursor_forward),
    "b": _counted(PaneScreen.repeat),
    "d": _counted(PaneScreen.cursor_to_line),
    "e": _counted(PaneScreen.rows_down),
    "f": lambda screen, sequence: screen.cursor_position(sequence.number(0), sequence.number(1)),
    "g": _selected(PaneScreen.clear_tab_stop),
    "m": lambda screen, sequence: screen.set_style(styled(screen.style, sequence.raw)),
    "r": lambda screen, sequence: screen.set_margins(sequence.number(0), sequence.number(1)),
    "s": _save_cursor,
    "u": lambda screen, _sequence: screen.restore_cursor(),
}
