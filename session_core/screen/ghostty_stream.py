r"""Where in the stream libghostty does not do what xterm does.

Owns: `Stream`, which cuts output behind each such sequence, also behind one that came in several pieces.
Invariants: every byte is passed on in order and at once, so nothing is held back; only the beginning of a sequence
that is not complete is remembered, at most `QUERY_BYTES`. An ESC begins anew wherever it stands, as in the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from session_core.screen.capabilities import QUERY_BYTES

Cut = tuple[bytes, "Special | None", bytes]


class Special(Enum):
    """What a piece of output ends with; the value names a group of the pattern."""

    CURSOR = "cursor"
    """DECXCPR, which the library does not answer."""
    CAPABILITIES = "capabilities"
    """The beginning of XTGETTCAP, which it answers for another terminal."""
    OTHER_CAPABILITIES = "other"
    """The same in a form that nobody answers but the library."""
    NAMES = "names"
    """The rest of XTGETTCAP; its argument is what is asked for."""
    ECHO = "echo"
    """A DA2 or keyboard answer that the terminal has echoed, which it takes for the query."""
    MARK = "mark"
    """The beginning of OSC 133, with which it moves the cursor."""


# Control characters inside a sequence are done and do not end it, but for BEL in an OSC.
_C0: Final = rb"\x00-\x17\x19\x1c-\x1f"
_OSC_C0: Final = rb"\x00-\x06\x08-\x17\x19\x1c-\x1f"
_PARTS: Final = {
    b"any_c0": _C0,
    b"c0": rb"[%b]{0,64}" % _C0,
    b"o0": rb"[%b]{0,16}" % _OSC_C0,
    b"zeros": rb"[0%b]{0,64}" % _C0,
    b"empty": rb"[:;%b]{0,64}" % _C0,
    b"numbers": rb"[0-9:;%b]{0,64}" % _C0,
    b"body": rb"[0-?%b]{0,256}" % _C0,
    b"command": rb"[0-9;%b]{0,72}" % _OSC_C0,
}

# The look ahead passes over most sequences, which is what most of the time goes to.
_SPECIAL: Final = re.compile(
    rb"\x1b(?=\[[>?%(any_c0)b]|[\]P%(any_c0)b])%(c0)b(?:"
    rb"(?P<mark>\]%(o0)b1%(o0)b3%(o0)b3%(o0)b;)"
    rb"|\[%(c0)b(?:(?P<cursor>\?%(zeros)b6%(c0)b(?:[:;]%(numbers)b)?n)"
    rb"|(?P<echo>\?%(empty)b[0-9]%(numbers)bu|>%(zeros)b[1-9]%(numbers)bc))"
    rb"|(?P<capabilities>P\+q)|(?P<other>P%(numbers)b\+%(c0)bq))" % _PARTS
)
_UNFINISHED: Final = re.compile(rb"\x1b%(c0)b(?:\[%(body)b|\]%(command)b|P%(numbers)b(?:\+%(c0)b)?)?\Z" % _PARTS)
_UNFINISHED_BYTES: Final = 400
_NAMES: Final = re.compile(rb"(?P<names>[^\x18\x1a\x1b]{0,%d})\x1b\\" % QUERY_BYTES)
_NAMES_UNFINISHED: Final = re.compile(rb"[^\x18\x1a\x1b]{0,%d}\x1b?\Z" % QUERY_BYTES)
_ESC: Final = b"\x1b"


class Stream:
    """Cuts one pane's output."""

    def __init__(self) -> None:
        self._carried = b""
        self._naming = False

    @property
    def is_open(self) -> bool:
        """Whether a special sequence may have begun that is not complete."""
        return self._naming or bool(self._carried)

    def cut(self, data: bytes) -> Iterator[Cut]:
        """Yield `data` in pieces: each with the special sequence that it ends with and that sequence's argument."""
        if _ESC not in data and not self.is_open:
            yield data, None, b""
            return
        passed, data, position = len(self._carried), self._carried + data, 0
        while found := self._next(data, position):
            kind = Special(found.lastgroup)
            self._naming = kind is Special.CAPABILITIES
            yield data[passed : found.end()], kind, found[kind.value]
            passed = position = found.end()
        self._carried = data[position:] if self._naming else _unfinished(data, position)
        yield data[passed:], None, b""

    def _next(self, data: bytes, position: int) -> re.Match[bytes] | None:
        """The next special sequence that is complete."""
        if self._naming:
            if found := _NAMES.match(data, position):
                return found
            if _NAMES_UNFINISHED.match(data, position):
                return None
            # Aborted, or far too long.
            self._naming = False
        return _SPECIAL.search(data, position)


def _unfinished(data: bytes, begin: int) -> bytes:
    """The end of `data` that a special sequence may begin with."""
    last = data.rfind(_ESC, max(begin, len(data) - _UNFINISHED_BYTES))
    return data[last:] if last >= 0 and _UNFINISHED.match(data, last) else b""
