"""What a screen answers when a program asks its terminal for terminfo capabilities (XTGETTCAP).

Owns: the capabilities, those of xterm-256color with true colour that hold for both engines, and the answer's form.
Invariants: each name is answered alone, in the order asked; an answer holds no text of the program but hexadecimal
digits; at most `NAMES` names of one query are answered.
Deliberately absent: the clipboard (`Ms`), which is nobody's to set; keys, whose sequences change with the modes.
"""

from __future__ import annotations

import re
from typing import Final

QUERY_BYTES: Final = 4096
"""Longest list of names that is looked at."""
NAMES: Final = 64

_TRUE: Final = None
_CAPABILITIES: Final[dict[str, str | None]] = {
    "TN": "xterm-256color",
    "Co": "256",
    "colors": "256",
    "RGB": "8",
    "Tc": _TRUE,
    "Su": _TRUE,
    "am": _TRUE,
    "bce": _TRUE,
    "xenl": _TRUE,
    "it": "8",
    "setaf": "\x1b[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m",
    "setab": "\x1b[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m",
    "setrgbf": "\x1b[38:2:%p1%d:%p2%d:%p3%dm",
    "setrgbb": "\x1b[48:2:%p1%d:%p2%d:%p3%dm",
    "Setulc": "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%dm",
    "Smulx": "\x1b[4:%p1%dm",
    "Ss": "\x1b[%p1%d q",
    "Se": "\x1b[2 q",
    "sitm": "\x1b[3m",
    "ritm": "\x1b[23m",
    "smxx": "\x1b[9m",
    "rmxx": "\x1b[29m",
    "Sync": "\x1b[?2026%?%p1%{1}%-%tl%eh%;",
    "BE": "\x1b[?2004h",
    "BD": "\x1b[?2004l",
    "smcup": "\x1b[?1049h\x1b[22;0;0t",
    "rmcup": "\x1b[?1049l\x1b[23;0;0t",
    "civis": "\x1b[?25l",
    "cnorm": "\x1b[?12l\x1b[?25h",
}
_IGNORED: Final = bytes((*range(0x20), 0x7F))
_HEXADECIMAL: Final = re.compile(rb"(?:[0-9A-Fa-f]{2})+")
_REFUSED: Final = b"\x1bP0+r%s\x1b\\"


def answer(names: bytes) -> bytes:
    """The answers to `DCS + q names ST`, where the names are in hexadecimal and parted by semicolons."""
    if len(names) > QUERY_BYTES:
        return b""
    return b"".join(map(_one, names.translate(None, _IGNORED).split(b";")[:NAMES]))


def _one(name: bytes) -> bytes:
    if not _HEXADECIMAL.fullmatch(name):
        return _REFUSED % b""
    known = bytes.fromhex(name.decode()).decode("latin-1")
    if known not in _CAPABILITIES:
        return _REFUSED % name
    value = _CAPABILITIES[known]
    return b"\x1bP1+r%s%s\x1b\\" % (name, b"" if value is None else b"=" + value.encode().hex().upper().encode())
