"""What kind of key a person pressed last: enough to tell an interrupt, and never what was typed."""

from enum import StrEnum

_ESCAPES = (b"\x1b", b"\x1b[27u", b"\x1b[27;1u")
_INTERRUPTS = (b"\x03", b"\x1b[99;5u")
_ENTERS = (b"\r", b"\n", b"\x1b[13u", b"\x1bOM")


class KeyKind(StrEnum):
    """The kinds that tell a supervisor something; everything else is TEXT or KEY."""

    ESCAPE = "escape"
    INTERRUPT = "interrupt"
    ENTER = "enter"
    TEXT = "text"
    PASTE = "paste"
    KEY = "key"


def last_key(data: bytes) -> KeyKind:
    """Say what the last key of `data` was."""
    for kind, endings in ((KeyKind.ESCAPE, _ESCAPES), (KeyKind.INTERRUPT, _INTERRUPTS), (KeyKind.ENTER, _ENTERS)):
        if data.endswith(endings):
            return kind
    return KeyKind.KEY if data[-1:] < b" " or data.endswith(b"\x7f") or b"\x1b" in data else KeyKind.TEXT
