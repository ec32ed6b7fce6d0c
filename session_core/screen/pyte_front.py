"""The tokenizer in front of pyte: bytes in, whole tokens out.

Owns: UTF-8 and escape sequences cut across chunks, and the limits on them.
Invariants: the tokens depend on the bytes only, never on where they were cut; of a sequence at most
`SEQUENCE_LIMIT` bytes are held, of a string `STRING_LIMIT`, and the rest is dropped to its end; ESC, CAN and
SUB end whatever is open, so that nothing swallows the rest of the output; bad UTF-8 becomes U+FFFD.
Deliberately absent: 8-bit C1 controls, which are bytes of UTF-8 characters; what a token means.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, Protocol

SEQUENCE_LIMIT: Final = 1024
STRING_LIMIT: Final = 8192
NUMBER_LIMIT: Final = 65535
PARAMETERS_LIMIT: Final = 64

_ESC, _CAN, _SUB, _BEL, _CSI = 0x1B, 0x18, 0x1A, 0x07, 0x5B
_ST_FINAL: Final = 0x5C
_PEN_FINAL: Final = ord("m")

_TEXT = re.compile(rb"[^\x00-\x1f\x7f]+")
_CONTROLS = re.compile(rb"[\x00-\x17\x19\x1c-\x1f\x7f]+")
_CSI_BODY = re.compile(rb"[\x00-\x17\x19\x1c-\x3f\x7f]*")
_ESC_BODY = re.compile(rb"[\x00-\x17\x19\x1c-\x2f\x7f]*")
# The common case, taken without looking at each part; 1024 is SEQUENCE_LIMIT.
_WHOLE_CSI = re.compile(rb"\x1b\[([\x20-\x3f]{0,1024})[\x40-\x7e]")
# What only draws: text, control characters but for shifts, pens, and what moves, erases or edits.
_DRAWN = re.compile(rb"(?:[^\x0e\x0f\x18\x1a\x1b]++|\x1b\[(?:[0-9;:]*[@A-IK-MPSTXZ`abdefm]|[01]?J))++")
_PEN = re.compile(rb"\x1b\[([0-9;:]*)m")
_CSI_PARTS = re.compile(r"([<-?]?)([0-9:;]*)([ -/]*)")


class StringKind(Enum):
    """Control strings, by the byte after ESC. `TITLE` is the old screen title, ESC k."""

    OSC = 0x5D
    DCS = 0x50
    APC = 0x5F
    PM = 0x5E
    SOS = 0x58
    TITLE = 0x6B


_STRING_KINDS: Final = {kind.value: kind for kind in StringKind}
_STRING_END: Final = {
    kind: re.compile(rb"[\x07\x18\x1a\x1b]" if kind is StringKind.OSC else rb"[\x18\x1a\x1b]") for kind in StringKind
}


@dataclass(frozen=True, slots=True)
class Csi:
    """A control sequence. `key` is prefix, intermediates and final byte; `raw` the parameters as sent."""

    key: str
    raw: str
    numbers: tuple[int, ...]

    def number(self, index: int, default: int = 0) -> int:
        """Parameter `index`; `default` where it is absent or 0."""
        return (self.numbers[index] if index < len(self.numbers) else 0) or default


class Sink(Protocol):
    """Receives the tokens, in order."""

    def text(self, text: str) -> None: ...

    def control(self, code: int) -> None: ...

    def escape(self, key: str) -> None: ...

    def csi(self, sequence: Csi) -> None: ...

    def string(self, kind: StringKind, payload: bytes, terminator: bytes) -> None: ...


class Front:
    """Feeds the tokens of a byte stream to a sink."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._utf8_open = False
        self._held = b""
        self._string: StringKind | None = None
        self._payload = bytearray()
        self._overlong = False

    @property
    def held_bytes(self) -> int:
        """Bytes kept for a token that is not complete; bounded."""
        return len(self._held) + len(self._payload)

    @property
    def is_open(self) -> bool:
        """Whether a sequence or string has begun and not ended."""
        return bool(self._held) or self._string is not None or self._overlong

    def feed(self, data: bytes, *, skim: bool = False) -> None:
        """Take the next bytes of the stream; any cut is fine. To `skim` is to leave out what only draws."""
        if self._held:
            data, self._held = self._held + data, b""
        position, end = 0, len(data)
        while position < end:
            if self._string is not None:
                position = self._in_string(data, position, self._string)
            elif self._overlong:
                position = self._in_overlong(data, position)
            elif skim and (found := _DRAWN.match(data, position)):
                self._skim(_PEN.findall(found[0]))
                position = found.end()
            elif found := _TEXT.match(data, position):
                self._text(found[0])
                position = found.end()
            elif found := _WHOLE_CSI.match(data, position):
                self._close_text()
                self._dispatch(found[1], data[found.end() - 1], True)
                position = found.end()
            elif data[position] == _ESC:
                position = self._sequence(data, position)
            else:
                self._close_text()
                self._sink.control(data[position])
                position += 1

    def _skim(self, pens: list[bytes]) -> None:
        """Draw nothing, but take the pens from the last one that forgets those before it."""
        self._utf8.reset()
        self._utf8_open = False
        forgetting = (at for at in reversed(range(len(pens))) if pens[at].split(b";")[0] in (b"", b"0"))
        fresh = next(forgetting, 0)
        for pen in pens[fresh:]:
            self._dispatch(pen, _PEN_FINAL, True)

    def _text(self, piece: bytes) -> None:
        if not self._utf8_open and piece.isascii():
            self._sink.text(piece.decode("ascii"))
            return
        text = self._utf8.decode(piece)
        self._utf8_open = bool(self._utf8.getstate()[0])
        if text:
            self._sink.text(text)

    def _close_text(self) -> None:
        if self._utf8_open:
            self._utf8_open = False
            self._sink.text(self._utf8.decode(b"", True))

    def _sequence(self, data: bytes, escape: int) -> int:
        """Take the sequence that starts at the ESC at `escape`; return where to go on."""
        self._close_text()
        position = escape + 1
        if found := _CONTROLS.match(data, position):
            self._controls(found[0])
            position = found.end()
        if position == len(data):
            self._held = b"\x1b"
            return position
        introducer = data[position]
        if introducer in _STRING_KINDS:
            self._string = _STRING_KINDS[introducer]
            return position + 1
        is_csi = introducer == _CSI
        return self._body(data, position + 1 if is_csi else position, is_csi)

    def _body(self, data: bytes, start: int, is_csi: bool) -> int:
        found = (_CSI_BODY if is_csi else _ESC_BODY).match(data, start)
        end = found.end() if found else start
        overlong = end - start > SEQUENCE_LIMIT
        if end == len(data):
            self._overlong = overlong and is_csi
            self._held = b"" if overlong else (b"\x1b[" if is_csi else b"\x1b") + data[start:]
            return end
        final = data[end]
        body = data[start:end]
        if controls := b"".join(_CONTROLS.findall(body)):
            body = _CONTROLS.sub(b"", body)
        if not overlong:
            self._controls(controls)
        if final in (_CAN, _SUB):
            return end + 1
        if final == _ESC or final > 0x7E:
            return end
        if not overlong:
            self._dispatch(body, final, is_csi)
        return end + 1

    def _dispatch(self, body: bytes, final: int, is_csi: bool) -> None:
        if not is_csi:
            self._sink.escape(body.decode("ascii") + chr(final))
        elif sequence := parse_csi(body, final):
            self._sink.csi(sequence)

    def _controls(self, codes: bytes) -> None:
        for code in codes:
            self._sink.control(code)

    def _in_overlong(self, data: bytes, position: int) -> int:
        found = _CSI_BODY.match(data, position)
        end = found.end() if found else position
        if end == len(data):
            return end
        self._overlong = False
        return end if data[end] == _ESC or data[end] > 0x7E else end + 1

    def _in_string(self, data: bytes, position: int, kind: StringKind) -> int:
        found = _STRING_END[kind].search(data, position)
        end = found.start() if found else len(data)
        self._payload += data[position : min(end, position + STRING_LIMIT - len(self._payload))]
        if not found:
            return end
        mark = data[end]
        if mark == _ESC:
            if end + 1 == len(data):
                self._held = b"\x1b"
                return end + 1
            if data[end + 1] != _ST_FINAL:
                self._close_string()
                return end
        payload = self._close_string()
        if mark not in (_CAN, _SUB):
            self._sink.string(kind, payload, b"\x07" if mark == _BEL else b"\x1b\\")
        return end + (2 if mark == _ESC else 1)

    def _close_string(self) -> bytes:
        payload = bytes(self._payload)
        self._payload.clear()
        self._string = None
        return payload


@lru_cache(maxsize=2048)
def parse_csi(body: bytes, final: int) -> Csi | None:
    """The sequence with this body (parameters and intermediates); None if it is malformed."""
    found = _CSI_PARTS.fullmatch(body.decode("ascii"))
    if found is None:
        return None
    prefix, raw, intermediates = found.groups()
    fields = raw.split(";")[:PARAMETERS_LIMIT]
    numbers = tuple(min(int(first or 0), NUMBER_LIMIT) for first in (field.split(":")[0] for field in fields))
    return Csi(prefix + intermediates + chr(final), raw, numbers if raw else ())
