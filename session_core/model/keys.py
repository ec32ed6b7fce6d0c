"""Named keys to bytes, as a terminal in the pane's modes would send them. A name is never text.

Invariants: one unknown name and nothing is encoded; every key's bytes are typing to `input_origin`.
Legacy encodings are xterm's (ctlseqs, PC-style function keys), but a modified F3 is `CSI 13;m~` here,
because xterm's `CSI 1;mR` is an answer to a cursor position request. The control characters are those of the
kitty keyboard documentation, whose `CSI u` form is used when flag 1 (disambiguate) or 8 (report all) is set,
with flags 4 (shifted key) and 16 (text). A shifted character means the key of a US keyboard that gives it.
An upper-case letter with C- is the same key as the lower-case one, in both encodings; C-S- means both keys.
Deliberately absent: releases and repeats, Super and Hyper, modifyOtherKeys.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag

ESC = b"\x1b"
CSI = b"\x1b["
SS3 = b"\x1bO"

DISAMBIGUATE, REPORT_ALTERNATES, REPORT_ALL, REPORT_TEXT = 1, 4, 8, 16
"""The kitty keyboard flags that change how the press of a key is sent."""


@dataclass(frozen=True, slots=True)
class KeyModes:
    """Modes of the pane: DECCKM, DECKPAM, and the kitty keyboard flags in force."""

    application_cursor: bool = False
    application_keypad: bool = False
    kitty_flags: int = 0


class UnknownKey(ValueError):
    """No key has this name. `nearest` holds up to three names that look like it."""

    def __init__(self, name: str, nearest: Sequence[str]) -> None:
        hint = f" Nearest: {', '.join(nearest)}." if nearest else ""
        shown = name if len(name) <= _SHOWN_CHARACTERS else name[:_SHOWN_CHARACTERS] + "…"
        super().__init__(f"There is no key {shown!r}.{hint}")
        self.name = name
        self.nearest = tuple(nearest)


class Modifier(IntFlag):
    """Bits of the modifier parameter of xterm and kitty, which is sent plus one."""

    NONE = 0
    SHIFT = 1
    ALT = 2
    CTRL = 4


_NONE, _SHIFT, _ALT, _CTRL = Modifier.NONE, Modifier.SHIFT, Modifier.ALT, Modifier.CTRL


@dataclass(frozen=True, slots=True)
class _Letter:
    """A key that ends in a letter; without modifiers SS3 if `always_ss3` or in application cursor mode."""

    final: bytes
    always_ss3: bool = False

    def legacy(self, held: Modifier, modes: KeyModes) -> bytes:
        if held:
            return CSI + b"1;%d%s" % (held + 1, self.final)
        return (SS3 if self.always_ss3 or modes.application_cursor else CSI) + self.final

    def kitty(self, held: Modifier, flags: int) -> bytes:
        return CSI + (b"1;%d" % (held + 1) if held else b"") + self.final


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A key of the form `CSI number ~`, unless `plain` or a kitty number says otherwise."""

    number: int
    plain: bytes = b""
    kitty_number: int = 0

    def legacy(self, held: Modifier, modes: KeyModes) -> bytes:
        return self.plain if self.plain and not held else _parameters(self.number, held, b"~")

    def kitty(self, held: Modifier, flags: int) -> bytes:
        if self.kitty_number:
            return _parameters(self.kitty_number, held, b"u")
        return _parameters(self.number, held, b"~")


@dataclass(frozen=True, slots=True)
class _Control:
    """A key of one control character; `forms` are its bytes without, with S-, with C- and with C-S-."""

    code: int
    forms: tuple[bytes, bytes, bytes, bytes]

    def legacy(self, held: Modifier, modes: KeyModes) -> bytes:
        form = self.forms[bool(held & _SHIFT) + 2 * bool(held & _CTRL)]
        return (ESC if held & _ALT else b"") + form

    def kitty(self, held: Modifier, flags: int) -> bytes:
        # Without these bytes nobody could type `reset` after a program that died with flag 1 set.
        if not held and not flags & REPORT_ALL and self.code != ESC[0]:
            return self.forms[0]
        return _parameters(self.code, held, b"u")


@dataclass(frozen=True, slots=True)
class _Keypad:
    """A key of the keypad: as `key`, but with its own bytes in application mode and its own kitty number."""

    key: "_Character | _Control"
    application: bytes
    kitty_number: int

    def legacy(self, held: Modifier, modes: KeyModes) -> bytes:
        if modes.application_keypad and not held & ~_ALT:
            return (ESC if held else b"") + SS3 + self.application
        return self.key.legacy(held, modes)

    def kitty(self, held: Modifier, flags: int) -> bytes:
        if isinstance(self.key, _Control):
            return _parameters(self.kitty_number, held, b"u")
        if not held and not flags & REPORT_ALL:
            return self.key.text.encode()
        return _with_text(str(self.kitty_number), held, self.key.text, flags)


@dataclass(frozen=True, slots=True)
class _Character:
    """A printable character, the space included."""

    text: str

    def legacy(self, held: Modifier, modes: KeyModes) -> bytes:
        shown = _shifted(self.text) if held & _SHIFT else self.text
        encoded = shown.encode()
        if held & _CTRL:
            control = _CONTROLS.get(shown.lower(), _CONTROLS.get(self.text.lower()))
            encoded = encoded if control is None else bytes((control,))
        return (ESC if held & _ALT else b"") + encoded

    def kitty(self, held: Modifier, flags: int) -> bytes:
        base = _unshifted(self.text)
        if base != self.text and not (held & _CTRL and self.text.isalpha()):
            held |= _SHIFT
        shown = _shifted(base) if held & _SHIFT else base
        if not held & ~_SHIFT and not flags & REPORT_ALL:
            return shown.encode()
        alternate = f":{ord(shown)}" if flags & REPORT_ALTERNATES and shown != base else ""
        return _with_text(f"{ord(base)}{alternate}", held, shown, flags)


_Key = _Letter | _Numbered | _Control | _Keypad | _Character


def _parameters(number: int, held: Modifier, final: bytes) -> bytes:
    return CSI + (b"%d;%d" % (number, held + 1) if held else b"%d" % number) + final


def _with_text(code: str, held: Modifier, text: str, flags: int) -> bytes:
    """Return a `CSI u` sequence that also tells the text where the flags ask for it and the key gives one."""
    modifier = str(held + 1) if held else ""
    if flags & REPORT_ALL and flags & REPORT_TEXT and not held & ~_SHIFT:
        return f"\x1b[{code};{modifier};{ord(text)}u".encode()
    return f"\x1b[{code}{';' + modifier if held else ''}u".encode()


_US_PLAIN = "`1234567890-=[]\\;',./"
_US_SHIFTED = '~!@#$%^&*()_+{}|:"<>?'
_TO_SHIFTED = dict(zip(_US_PLAIN, _US_SHIFTED, strict=True))
_TO_PLAIN = {shifted: plain for plain, shifted in _TO_SHIFTED.items()}
# Kitty keyboard protocol, "Legacy ctrl mapping of ASCII keys"; a character that is not here is left as it is.
_CONTROLS: Mapping[str, int] = {chr(0x60 + code): code for code in range(1, 27)} | {
    character: code
    for code, characters in {0: " @2", 27: "[3", 28: "\\4", 29: "]5", 30: "^~6", 31: "_/7", 127: "?8"}.items()
    for character in characters
}


def _shifted(text: str) -> str:
    return _TO_SHIFTED.get(text) or (text.upper() if len(text.upper()) == 1 else text)


def _unshifted(text: str) -> str:
    plain = _TO_PLAIN.get(text) or text.lower()
    return plain if len(plain) == 1 and _shifted(plain) == text else text


def _function_keys() -> dict[str, _Key]:
    """Return F1 to F24; from F13 on xterm's numbers, which its terminfo entry does not use."""
    letters: dict[str, _Key] = {f"F{n}": _Letter(b"%c" % (0x4F + n), always_ss3=True) for n in (1, 2, 4)}
    letters["F3"] = _Numbered(13, plain=SS3 + b"R")
    numbers = (15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34, 42, 43, 44, 45)
    for index, number in enumerate(numbers, start=5):
        letters[f"F{index}"] = _Numbered(number, kitty_number=57363 + index if index > 12 else 0)
    return letters


_ENTER = _Control(13, (b"\r",) * 4)
_NAMED: Mapping[str, _Key] = {
    "Enter": _ENTER,
    "Tab": _Control(9, (b"\t", CSI + b"Z", b"\t", CSI + b"Z")),
    "Escape": _Control(27, (ESC,) * 4),
    "BSpace": _Control(127, (b"\x7f", b"\x7f", b"\x08", b"\x08")),
    "Space": _Character(" "),
    "Insert": _Numbered(2),
    "Delete": _Numbered(3),
    "PageUp": _Numbered(5),
    "PageDown": _Numbered(6),
    **{
        name: _Letter(final)
        for name, final in zip(("Up", "Down", "Right", "Left"), (b"A", b"B", b"C", b"D"), strict=True)
    },
    "Home": _Letter(b"H"),
    "End": _Letter(b"F"),
    **_function_keys(),
    **{f"KP{n}": _Keypad(_Character(str(n)), bytes((0x70 + n,)), 57399 + n) for n in range(10)},
    "KPEnter": _Keypad(_ENTER, b"M", 57414),
}
_ALIASES: Mapping[str, tuple[Modifier, str]] = {
    "BTab": (_SHIFT, "Tab"),
    "Esc": (_NONE, "Escape"),
    "Return": (_NONE, "Enter"),
    "Backspace": (_NONE, "BSpace"),
    "PgUp": (_NONE, "PageUp"),
    "PPage": (_NONE, "PageUp"),
    "PgDn": (_NONE, "PageDown"),
    "NPage": (_NONE, "PageDown"),
}
_MODIFIERS = {"C": _CTRL, "M": _ALT, "S": _SHIFT, "Ctrl": _CTRL, "Alt": _ALT, "Shift": _SHIFT}
_PREFIX = re.compile(f"({'|'.join(_MODIFIERS)})-(?=.)", re.DOTALL)
_GUESSED_PREFIX = re.compile(r"(?:([cms])(?:trl|ontrol|eta|hift)?|alt)[-+](?=.)", re.IGNORECASE | re.DOTALL)
_SHOWN_CHARACTERS = 40

KEY_NAMES: tuple[str, ...] = (*_NAMED, *_ALIASES)
"""Every name but the single characters, which are names of their own keys, and the combinations."""


def encode_keys(names: Sequence[str], modes: KeyModes) -> bytes:
    """Return the bytes of these keys in order; raise `UnknownKey` for the first name that is none.

    A name is one of `KEY_NAMES` or one printable character, after any of C-, M-, S- (Ctrl-, Alt-, Shift-).
    """
    if isinstance(names, str):
        raise TypeError("names must be a sequence of key names, not one string")
    return b"".join([_encode(name, modes) for name in names])


def _parse(name: str) -> tuple[Modifier, _Key]:
    held, rest = _NONE, name
    while found := _PREFIX.match(rest):
        modifier = _MODIFIERS[found[1]]
        if held & modifier:
            raise UnknownKey(name, _nearest(name))
        held, rest = held | modifier, rest[found.end() :]
    implied, rest = _ALIASES.get(rest, (_NONE, rest))
    key = _NAMED.get(rest)
    if key is None and len(rest) == 1 and rest.isprintable():
        key = _Character(rest)
    if key is None:
        raise UnknownKey(name, _nearest(name))
    return held | implied, key


def _nearest(name: str) -> list[str]:
    """Return up to three names that were perhaps meant, whatever the case and the sign after a modifier."""
    if len(name) > _SHOWN_CHARACTERS:
        return []
    prefix, rest = "", name
    while found := _GUESSED_PREFIX.match(rest):
        letter = (found[1] or "m").upper()
        prefix, rest = prefix if f"{letter}-" in prefix else f"{prefix}{letter}-", rest[found.end() :]
    if len(rest) == 1 and rest.isprintable():
        return [prefix + rest] if prefix else []
    names = {known.lower(): known for known in KEY_NAMES}
    return [prefix + names[near] for near in difflib.get_close_matches(rest.lower(), names, n=3)]


def _encode(name: str, modes: KeyModes) -> bytes:
    held, key = _parse(name)
    if modes.kitty_flags & (DISAMBIGUATE | REPORT_ALL):
        return key.kitty(held, modes.kitty_flags)
    return key.legacy(held, modes)
