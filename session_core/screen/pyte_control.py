"""What each token does to the portable screen.

Owns: the dispatch of tokens, the DEC modes, the title, the kitty keyboard flags.
Invariants: a sequence that is in no table is dropped whole; only known modes are remembered; every stack is
bounded; a title holds no control characters.
Deliberately absent: DECSLRM, DECSCA, sixel, XTWINOPS that move or resize the window, setting colours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyte import modes

from session_core.screen.pyte_front import Csi, StringKind
from session_core.screen.pyte_operations import CONTROLS, ESCAPES, SEQUENCES
from session_core.screen.pyte_replies import answer_csi, answer_string
from session_core.screen.pyte_screen import PaneScreen

KNOWN_MODES: Final = frozenset(
    {1, 3, 4, 5, 6, 7, 8, 9, 12, 25, 40, 45, 47, 66, 67, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}
    | {1015, 1016, 1035, 1036, 1039, 1045, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048}
)
KNOWN_ANSI_MODES: Final = frozenset({modes.IRM, modes.LNM})
_ON_AT_RESET: Final = frozenset({7, 25, 1007, 1035, 1036})
_AUTO_WRAP, _ORIGIN, _CURSOR_SHOWN, _KEYPAD = 7, 6, 25, 66
_ALTERNATE, _ALTERNATE_CLEARED, _SAVED_CURSOR, _ALTERNATE_SAVED = 47, 1047, 1048, 1049
_TITLE_LIMIT: Final = 1024
_KITTY_DEPTH: Final = 8
_KITTY_FLAGS: Final = 31
_TITLE_COMMANDS: Final = frozenset({b"0", b"2"})
_WITHOUT_CONTROLS: Final = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)])


class Control:
    """The sink of the front: applies tokens to a screen and gathers the replies."""

    def __init__(self, screen: PaneScreen) -> None:
        self.screen = screen
        self.replies = bytearray()
        self.title = ""
        self.modes: set[int] = set(_ON_AT_RESET)
        self.cursor_style = 0
        self._kept_modes: dict[int, bool] = {}
        self._kitty: dict[bool, list[int]] = {False: [0], True: [0]}

    @property
    def kitty_flags(self) -> int:
        """Flags in force on the screen shown."""
        return self._kitty[self.screen.alternate][-1]

    @property
    def inserting(self) -> bool:
        """Insert mode (IRM)."""
        return modes.IRM in self.screen.mode

    def mode(self, number: int) -> bool:
        """Whether a DEC private mode is set."""
        return number in self.modes

    def knows(self, number: int) -> bool:
        """Whether a DEC private mode is one that this screen keeps."""
        return number in KNOWN_MODES

    def text(self, text: str) -> None:
        self.screen.draw(text)

    def control(self, code: int) -> None:
        if operation := CONTROLS.get(code):
            operation(self.screen)

    def escape(self, key: str) -> None:
        if operation := ESCAPES.get(key):
            operation(self.screen)
        elif control := _CONTROL_ESCAPES.get(key):
            control(self)

    def csi(self, sequence: Csi) -> None:
        if operation := SEQUENCES.get(sequence.key):
            operation(self.screen, sequence)
        elif control := _CONTROL_SEQUENCES.get(sequence.key):
            control(self, sequence)
        else:
            self.replies += answer_csi(self, sequence)

    def string(self, kind: StringKind, payload: bytes, terminator: bytes) -> None:
        command, _, rest = payload.partition(b";")
        if kind is StringKind.OSC and command in _TITLE_COMMANDS:
            self._set_title(rest)
        elif kind is StringKind.TITLE:
            self._set_title(payload)
        else:
            self.replies += answer_string(self, kind, payload, terminator)

    def reset(self) -> None:
        """RIS. The title stays."""
        self.screen.reset()
        self.screen.history.clear()
        self.modes = set(_ON_AT_RESET)
        self.cursor_style = 0
        self._kept_modes.clear()
        self._kitty = {False: [0], True: [0]}

    def soft_reset(self) -> None:
        """DECSTR."""
        self.screen.soft_reset()
        self.modes = (self.modes | {_AUTO_WRAP, _CURSOR_SHOWN}) - {1, _ORIGIN, _KEYPAD}

    def report_device(self) -> None:
        """DECID: the answer to primary device attributes."""
        self.replies += answer_csi(self, Csi("c", "", ()))

    def keypad(self, application: bool) -> None:
        """DECKPAM and DECKPNM."""
        self._switch(_KEYPAD, application)

    # Modes

    def switch_private(self, sequence: Csi, on: bool) -> None:
        """DECSET and DECRST."""
        for number in sequence.numbers:
            self._switch(number, on)

    def switch_ansi(self, sequence: Csi, on: bool) -> None:
        """SM and RM."""
        known = KNOWN_ANSI_MODES.intersection(sequence.numbers)
        self.screen.mode = self.screen.mode | known if on else self.screen.mode - known

    def keep_modes(self, sequence: Csi) -> None:
        """XTSAVE."""
        for number in KNOWN_MODES.intersection(sequence.numbers):
            self._kept_modes[number] = number in self.modes

    def restore_modes(self, sequence: Csi) -> None:
        """XTRESTORE."""
        for number in sequence.numbers:
            if number in self._kept_modes:
                self._switch(number, self._kept_modes[number])

    def _switch(self, number: int, on: bool) -> None:
        if number not in KNOWN_MODES:
            return
        changed = on != (number in self.modes)
        (self.modes.add if on else self.modes.discard)(number)
        screen = self.screen
        if number in (_ALTERNATE, _ALTERNATE_CLEARED, _ALTERNATE_SAVED):
            self._switch_screen(number, on)
        elif number == _SAVED_CURSOR:
            (screen.save_cursor if on else screen.restore_cursor)()
        elif number == _CURSOR_SHOWN:
            screen.cursor.hidden = not on
        elif number in (_AUTO_WRAP, _ORIGIN):
            shifted = number << 5
            screen.mode = screen.mode | {shifted} if on else screen.mode - {shifted}
            if number == _ORIGIN:
                screen.cursor_position()
            elif changed:
                screen.settle()

    def _switch_screen(self, number: int, on: bool) -> None:
        screen = self.screen
        if number == _ALTERNATE_SAVED and on:
            screen.save_cursor()
        if number == _ALTERNATE_CLEARED and not on and screen.alternate:
            screen.erase_in_display(2)
        screen.show_alternate(on)
        if number == _ALTERNATE_SAVED and on:
            screen.erase_in_display(2)
        elif number == _ALTERNATE_SAVED:
            screen.restore_cursor()
        if not on:
            self.modes -= {_ALTERNATE, _ALTERNATE_CLEARED, _ALTERNATE_SAVED}

    # Keyboard, title

    def push_kitty(self, sequence: Csi) -> None:
        stack = self._kitty[self.screen.alternate]
        stack.append(sequence.number(0) & _KITTY_FLAGS)
        del stack[1 : max(1, len(stack) - _KITTY_DEPTH)]

    def pop_kitty(self, sequence: Csi) -> None:
        stack = self._kitty[self.screen.alternate]
        del stack[max(1, len(stack) - sequence.number(0, 1)) :]
        if len(stack) == 1:
            stack[0] = 0

    def set_kitty(self, sequence: Csi) -> None:
        stack, flags = self._kitty[self.screen.alternate], sequence.number(0) & _KITTY_FLAGS
        stack[-1] = {1: flags, 2: stack[-1] | flags, 3: stack[-1] & ~flags}.get(sequence.number(1, 1), stack[-1])

    def set_cursor_style(self, sequence: Csi) -> None:
        """DECSCUSR."""
        if sequence.number(0) <= 6:
            self.cursor_style = sequence.number(0)

    def _set_title(self, payload: bytes) -> None:
        self.title = payload.decode("utf-8", "replace").translate(_WITHOUT_CONTROLS)[:_TITLE_LIMIT]


_CONTROL_ESCAPES: Final[dict[str, Callable[[Control], None]]] = {
    "c": Control.reset,
    "Z": Control.report_device,
    "=": lambda control: control.keypad(True),
    ">": lambda control: control.keypad(False),
}

_CONTROL_SEQUENCES: Final[dict[str, Callable[[Control, Csi], None]]] = {
    "h": lambda control, sequence: control.switch_ansi(sequence, True),
    "l": lambda control, sequence: control.switch_ansi(sequence, False),
    "?h": lambda control, sequence: control.switch_private(sequence, True),
    "?l": lambda control, sequence: control.switch_private(sequence, False),
    "?s": Control.keep_modes,
    "?r": Control.restore_modes,
    "!p": lambda control, _sequence: control.soft_reset(),
    " q": Control.set_cursor_style,
    ">u": Control.push_kitty,
    "<u": Control.pop_kitty,
    "=u": Control.set_kitty,
}
