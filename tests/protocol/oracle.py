"""A naive scanner, one byte at a time and one state a rule: what the real one is compared with.

It shares the event types and the limits with the product, and nothing else. It keeps every byte of a string
however long, so only the decision at its end knows the limits.
"""

from enum import Enum, auto

from session_core.protocol import limits
from session_core.protocol.scanner import (
    AlternateScreen,
    ControlString,
    FullReset,
    ScanEvent,
    StringKind,
    SynchronizedUpdate,
)

BEL, CAN, SUB, ESC = 0x07, 0x18, 0x1A, 0x1B


class _At(Enum):
    TEXT = auto()
    ESCAPE = auto()
    BRACKET = auto()
    PRIVATE = auto()
    STRING = auto()
    STRING_ESCAPE = auto()


class NaiveScanner:
    """Reads one byte at a time; `events`, `overflows` and `aborts` grow as it goes."""

    def __init__(self) -> None:
        self.events: list[ScanEvent] = []
        self.overflows = 0
        self.aborts = 0
        self._at = _At.TEXT
        self._position = 0
        self._start = 0
        self._escape = 0
        self._escapes = 0
        self._enveloped = False
        self._kind = StringKind.OSC
        self._payload = bytearray()
        self._parameters = bytearray()

    def feed(self, data: bytes) -> None:
        """Take `data` byte by byte."""
        for byte in data:
            self._step(byte)
            self._escapes = self._escapes + 1 if byte == ESC else 0
            self._position += 1

    def _step(self, byte: int) -> None:
        if self._at is _At.STRING:
            self._in_string(byte)
        elif self._at is _At.STRING_ESCAPE and byte == ord("\\"):
            self._finish(b"\x1b\\")
        elif self._at is _At.STRING_ESCAPE:
            self._drop()
            self._start = self._escape
            self._after_escape(byte)
        elif byte == ESC:
            self._at = _At.ESCAPE
            self._start = self._position
        elif self._at is _At.ESCAPE:
            self._after_escape(byte)
        elif self._at is _At.BRACKET:
            self._at = _At.PRIVATE if byte == ord("?") else _At.TEXT
            self._parameters = bytearray()
        elif self._at is _At.PRIVATE:
            self._in_private_mode(byte)

    def _after_escape(self, byte: int) -> None:
        self._at = _At.TEXT
        if byte == ESC:
            self._at = _At.ESCAPE
            self._start = self._position
        elif byte == ord("c"):
            self.events.append(FullReset(self._start, self._position + 1))
        elif byte == ord("["):
            self._at = _At.BRACKET
        elif byte in b"]P_^X":
            self._at = _At.STRING
            self._kind = StringKind(bytes([byte]))
            self._enveloped = self._escapes >= 4
            self._payload = bytearray()

    def _in_private_mode(self, byte: int) -> None:
        if byte in b"0123456789;":
            self._parameters.append(byte)
            return
        self._at = _At.TEXT
        modes = bytes(self._parameters).split(b";")
        if len(self._parameters) > limits.PRIVATE_MODE or byte not in b"hl":
            return
        if b"47" in modes or b"1047" in modes or b"1049" in modes:
            self.events.append(AlternateScreen(self._start, self._position + 1, byte == ord("h")))
        if b"2026" in modes:
            self.events.append(SynchronizedUpdate(self._start, self._position + 1, byte == ord("h")))

    def _in_string(self, byte: int) -> None:
        if byte == ESC:
            self._at = _At.STRING_ESCAPE
            self._escape = self._position
        elif byte in (CAN, SUB):
            self._drop()
        elif byte == BEL and self._kind is StringKind.OSC:
            self._finish(b"\x07")
        else:
            self._payload.append(byte)

    def _is_status(self) -> bool:
        return self._kind is StringKind.OSC and self._payload.startswith(b"7501;")

    def _finish(self, terminator: bytes) -> None:
        end = self._position + 1
        if self._is_status():
            over = end - self._start > limits.STATUS_SEQUENCE
        else:
            over = len(self._payload) > limits.CONTROL_STRING
        if over:
            self.overflows += 1
        elif self._enveloped:
            self.aborts += 1
        else:
            payload = bytes(self._payload)
            self.events.append(ControlString(self._start, end, self._kind, payload, terminator))
        self._at = _At.TEXT

    def _drop(self) -> None:
        limit = limits.STATUS_SEQUENCE if self._is_status() else limits.CONTROL_STRING
        if len(self._payload) > limit:
            self.overflows += 1
        else:
            self.aborts += 1
        self._at = _At.TEXT
