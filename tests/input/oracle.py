"""A naive classifier, one byte at a time and one rule a state: what the real one is compared with.

It shares the enums with the product and nothing else. Not in it: bounds, time, and UTF-8 in mouse reports.
"""

from enum import Enum, auto

from session_core.model.input_grammar import Kind, Report, ViewerOrigin

KEYS, PASTE = ViewerOrigin.KEYSTROKE, ViewerOrigin.PASTE
MODIFIER_KEYS = {57358, 57359, 57360, *range(57441, 57455)}


class _At(Enum):
    TEXT = auto()
    ESCAPE = auto()
    SS3 = auto()
    CSI = auto()
    MOUSE = auto()
    STRING = auto()
    STRING_ESCAPE = auto()
    PASTE = auto()


class NaiveClassifier:
    """`kinds` has the kind of every byte that is decided; the rest is in `held`."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.held = b""
        self._at = _At.TEXT
        self._paste = b""

    def feed(self, data: bytes) -> None:
        """Take `data` byte by byte."""
        for byte in data:
            self.held += bytes((byte,))
            self._step(byte)

    def _decide(self, kind: Kind) -> None:
        self.kinds += [kind] * len(self.held)
        self.held = b""
        self._at = _At.TEXT

    def _again(self, kind: Kind, count: int = 1) -> None:
        """Decide all but the last `count` bytes and look at those anew."""
        last = self.held[-count:]
        self.held = self.held[:-count]
        self._decide(kind)
        self.feed(last)

    def _step(self, byte: int) -> None:
        if self._at is _At.PASTE:
            self._paste += bytes((byte,))
            self._decide(PASTE)
            self._at = _At.TEXT if self._paste.endswith(b"\x1b[201~") else _At.PASTE
        elif self._at is _At.STRING:
            self._in_string(byte)
        elif self._at is _At.STRING_ESCAPE:
            self._after_string_escape(byte)
        elif self._at is _At.MOUSE:
            if len(self.held) == 6:
                self._decide(Report.MOUSE_X10)
        elif self._at is _At.CSI:
            self._in_csi(byte)
        elif self._at is _At.SS3:
            self._in_ss3(byte)
        elif self._at is _At.ESCAPE:
            self._after_escape(byte)
        elif byte == 0x1B:
            self._at = _At.ESCAPE
        else:
            self._decide(KEYS)

    def _after_escape(self, byte: int) -> None:
        states = {"[": _At.CSI, "O": _At.SS3} | dict.fromkeys("]P_^X", _At.STRING)
        if byte == 0x1B:
            self._again(KEYS)
        elif chr(byte) in states:
            self._at = states[chr(byte)]
        else:
            self._decide(KEYS)

    def _in_ss3(self, byte: int) -> None:
        if chr(byte) in "0123456789;":
            return
        if 0x20 <= byte <= 0x7E:
            self._decide(KEYS)
        else:
            self._again(KEYS)

    def _in_csi(self, byte: int) -> None:
        middle = self.held[2:-1]
        signed = middle.startswith(b"<")
        if signed and chr(byte) in "0123456789;-":
            return
        if not signed and 0x30 <= byte <= 0x3F and not any(0x20 <= one <= 0x2F for one in middle):
            return
        if not signed and 0x20 <= byte <= 0x2F:
            return
        if not 0x40 <= byte <= 0x7E:
            self._again(KEYS)
        elif self.held == b"\x1b[M":
            self._at = _At.MOUSE
        elif self.held == b"\x1b[200~":
            self._paste = b""
            self._decide(PASTE)
            self._at = _At.PASTE
        else:
            self._decide(_csi_kind(middle.decode(), chr(byte)))

    def _in_string(self, byte: int) -> None:
        if byte == 0x1B:
            self._at = _At.STRING_ESCAPE
        elif byte == 0x07 and self.held[1] == ord("]"):
            self._decide(_string_kind(self.held))
        elif (byte < 0x20 and byte != 0x07) or byte == 0x7F:
            self._again(KEYS)

    def _after_string_escape(self, byte: int) -> None:
        if byte == ord("\\"):
            self._decide(_string_kind(self.held))
        else:
            self._again(_string_kind(self.held) if len(self.held) > 4 else KEYS, 2)


def _string_kind(held: bytes) -> Report:
    begins = {
        b"]": Report.OSC_ANSWER,
        b"_G": Report.KITTY_GRAPHICS_ANSWER,
        b"P>|": Report.XTVERSION,
        b"P!|": Report.DA3,
        b"P0+r": Report.XTGETTCAP,
        b"P1+r": Report.XTGETTCAP,
        b"P0$r": Report.DECRQSS,
        b"P1$r": Report.DECRQSS,
    }
    return next((kind for begin, kind in begins.items() if held[1:].startswith(begin)), Report.UNKNOWN_ANSWER)


def _csi_kind(middle: str, final: str) -> Kind:
    if middle[:1] and middle[0] in "<=>?":
        return _private_kind(middle, final)
    fields = middle.split(";")
    numbers = [field.isdigit() for field in fields]
    if final == "R" and numbers == [True, True]:
        return Report.CPR
    if final == "n" and middle and not middle.strip("0123456789;"):
        return Report.DSR
    if final == "y" and middle.endswith("$") and [one.isdigit() for one in middle[:-1].split(";")] == [True] * 2:
        return Report.DECRPM
    if final == "t" and middle.startswith("48;") and not middle.strip("0123456789:;"):
        return Report.IN_BAND_RESIZE
    if final == "t" and middle and not middle.strip("0123456789;"):
        return Report.SIZE_ANSWER
    if final in "IO" and not middle:
        return Report.FOCUS
    if final == "M" and numbers == [True] * 3:
        return Report.MOUSE_URXVT
    if final == "w" and middle.endswith("&") and len(middle) > 1 and not middle[:-1].strip("0123456789;"):
        return Report.UNKNOWN_ANSWER
    return _key_kind(middle, fields, final)


def _key_kind(middle: str, fields: list[str], final: str) -> Kind:
    if middle.strip("0123456789:;"):
        return KEYS
    code = fields[0].split(":")[0]
    if final == "u" and code.isdigit() and int(code) in MODIFIER_KEYS and len(code) == 5:
        return Report.LONE_MODIFIER
    event = fields[1].split(":")[1:] if len(fields) in (2, 3) else []
    return Report.KEY_RELEASE if event == ["3"] and final in "u~ABCDEFGHPQRS" else KEYS


def _private_kind(middle: str, final: str) -> Kind:
    mark, rest = middle[0], middle[1:]
    plain = not rest.strip("0123456789;")
    numbers = [field.isdigit() for field in rest.split(";")]
    if mark == "<" and final in "Mm" and rest:
        return Report.MOUSE_SGR
    if mark == ">" and final == "c" and plain:
        return Report.DA2
    if mark != "?":
        return Report.UNKNOWN_ANSWER
    if final == "n" and numbers == [True] * 2 and rest.startswith("997;"):
        return Report.COLOUR_SCHEME
    if final == "y" and rest.endswith("$") and [one.isdigit() for one in rest[:-1].split(";")] == [True] * 2:
        return Report.DECRPM
    simple = {"c": plain, "n": plain and bool(rest), "u": rest.isdigit() or not rest}
    simple["R"] = numbers in ([True] * 2, [True] * 3)
    kinds = {"c": Report.DA1, "n": Report.DSR, "u": Report.KITTY_KEYBOARD_ANSWER, "R": Report.CPR}
    return kinds[final] if simple.get(final) else Report.UNKNOWN_ANSWER
