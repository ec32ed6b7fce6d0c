r"""Finds control strings, full resets, alternate-screen switches and synchronized updates in a pane's output.

The bytes between two events are ordinary output: `data[previous.end - base : event.start - base]`.
Outside a string an ESC always begins anew, so the ground state needs no machine: one search finds the
next opener. Carried from chunk to chunk are only an unfinished opener (at most `PRIVATE_MODE` bytes) and
the open string (bounded by `limits`, beyond which it is dropped and its end is still found). So a string inside a
tmux envelope is one; in an envelope inside another, where each ESC is written four times, it is none.
Raw 0x80-0x9f are never controls: they occur inside UTF-8 characters. Any chunking gives the same events.
Alternate-screen switches are found here because a prompt mark on that screen is not the shell's, and the
status must not wait for the screen engine to learn which screen is shown; synchronized updates because the screen
is shown a frame as a whole.
"""

import re
from dataclasses import dataclass
from enum import Enum

from session_core.protocol import limits


class StringKind(Enum):
    """Which opener began a control string; the value is the byte after ESC."""

    OSC = b"]"
    DCS = b"P"
    APC = b"_"
    PM = b"^"
    SOS = b"X"


@dataclass(frozen=True, slots=True)
class ControlString:
    """A whole control string. `start` and `end` are absolute offsets of its ESC and of the byte after it."""

    start: int
    end: int
    kind: StringKind
    payload: bytes
    terminator: bytes


@dataclass(frozen=True, slots=True)
class FullReset:
    """RIS, `ESC c`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AlternateScreen:
    """Private mode 47, 1047 or 1049 was set (`active`) or reset."""

    start: int
    end: int
    active: bool


@dataclass(frozen=True, slots=True)
class SynchronizedUpdate:
    """Private mode 2026 was set (`active`: a frame begins) or reset."""

    start: int
    end: int
    active: bool


ScanEvent = ControlString | FullReset | AlternateScreen | SynchronizedUpdate

_KINDS = {kind.value: kind for kind in StringKind}
# Colours, cursor moves and erasures are all that most output has that is full of escapes.
_UNUSUAL = re.compile(rb"\x1b(?!\[[0-9;A-Zm])")
_OPENER_OR_SWITCH = re.compile(
    rb"\x1b[\]P_^Xc]|\x1b\[\?(?=[\d;]{0,%d}(?:4[79]|26))[\d;]{2,%d}[hl]"
    % (limits.PRIVATE_MODE - 2, limits.PRIVATE_MODE)
)
_UNFINISHED = re.compile(rb"\x1b(?:\[(?:\?[\d;]{0,%d})?)?\Z" % limits.PRIVATE_MODE)
_UNFINISHED_LENGTH = limits.PRIVATE_MODE + 3
_ALTERNATE_MODES = frozenset((b"47", b"1047", b"1049"))
_SYNCHRONIZED = b"2026"
_STRING_END = {kind: re.compile(rb"[\x18\x1a\x1b]") for kind in StringKind} | {
    StringKind.OSC: re.compile(rb"[\x07\x18\x1a\x1b]"),
}
_STATUS_PREFIX = b"7501;"
_TWO_ENVELOPES = b"\x1b\x1b\x1b"
"""What stands before the ESC of a string in an envelope inside another."""
_ESC = 0x1B
_BEL = 0x07
_BACKSLASH = 0x5C


class Scanner:
    """Incremental scanner of one pane's output.

    `offset` is the number of bytes fed so far; `ordinary` tells that the last of them are text, colours, cursor moves
    and erasures, and that nothing before them is unfinished. `overflows` counts strings over their limit and `aborts`
    strings that CAN, SUB or another ESC ended or that came in two envelopes; neither gives an event.
    """

    __slots__ = (
        "_carry",
        "_enveloped",
        "_kind",
        "_overflowing",
        "_payload",
        "_start",
        "aborts",
        "offset",
        "ordinary",
        "overflows",
    )

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset
        self.ordinary = True
        self.overflows = 0
        self.aborts = 0
        self._carry = b""
        self._kind: StringKind | None = None
        self._payload = bytearray()
        self._overflowing = False
        self._enveloped = False
        self._start = 0

    @property
    def buffered(self) -> int:
        """Bytes held for the next chunk; never above `limits.CONTROL_STRING` plus one opener and three ESCs."""
        return len(self._carry) + len(self._payload)

    @property
    def unfinished(self) -> int:
        """Where the control string or its opener begins that has not ended yet; `offset` where there is none."""
        if self._kind is not None:
            return self._start
        return self.offset - len(self._carry)

    def feed(self, data: bytes) -> list[ScanEvent]:
        """Take the next bytes and return the events that they complete, in stream order."""
        base = self.offset - len(self._carry)
        self.offset += len(data)
        self.ordinary = self._kind is None and not self._carry and not (b"\x1b" in data and _UNUSUAL.search(data))
        if self.ordinary:
            return []
        if self._carry:
            data = self._carry + data
            self._carry = b""
        events: list[ScanEvent] = []
        position = 0
        while position < len(data):
            if self._kind is None:
                position = self._scan_ground(data, position, base, events)
            else:
                position = self._scan_string(data, position, base, events)
        return events

    def _scan_ground(self, data: bytes, position: int, base: int, events: list[ScanEvent]) -> int:
        found = _OPENER_OR_SWITCH.search(data, position)
        if found is None:
            tail = data.rfind(b"\x1b", max(position, len(data) - _UNFINISHED_LENGTH))
            if tail >= 0 and _UNFINISHED.match(data, tail):
                before = data[max(position, tail - len(_TWO_ENVELOPES)) : tail]
                self._carry = data[tail - len(before) + len(before.rstrip(b"\x1b")) :]
            return len(data)
        start, end = found.span()
        introducer = data[start + 1 : start + 2]
        if introducer == b"c":
            events.append(FullReset(base + start, base + end))
        elif introducer == b"[":
            modes, active = data[start + 3 : end - 1].split(b";"), data[end - 1 : end] == b"h"
            if not _ALTERNATE_MODES.isdisjoint(modes):
                events.append(AlternateScreen(base + start, base + end, active))
            if _SYNCHRONIZED in modes:
                events.append(SynchronizedUpdate(base + start, base + end, active))
        else:
            self._kind = _KINDS[introducer]
            self._start = base + start
            self._enveloped = data.endswith(_TWO_ENVELOPES, 0, start)
        return end

    def _scan_string(self, data: bytes, position: int, base: int, events: list[ScanEvent]) -> int:
        assert self._kind is not None
        found = _STRING_END[self._kind].search(data, position)
        if found is None:
            self._collect(data[position:])
            return len(data)
        end = found.start()
        self._collect(data[position:end])
        if data[end] == _ESC and end + 1 == len(data):
            self._carry = data[end:]
            return len(data)
        if data[end] == _BEL:
            return self._finish(end, end + 1, data, base, events)
        if data[end] == _ESC and data[end + 1] == _BACKSLASH:
            return self._finish(end, end + 2, data, base, events)
        self._drop()
        # CAN and SUB are consumed; any other ESC may open the next sequence (ECMA-48 5.6, xterm).
        return end if data[end] == _ESC else end + 1

    def _collect(self, piece: bytes) -> None:
        if self._overflowing:
            return
        self._payload += piece
        if len(self._payload) > self._limit():
            self._overflowing = True
            self._payload = bytearray()

    def _limit(self) -> int:
        status = self._kind is StringKind.OSC and self._payload.startswith(_STATUS_PREFIX)
        return limits.STATUS_SEQUENCE if status else limits.CONTROL_STRING

    def _finish(self, end: int, after: int, data: bytes, base: int, events: list[ScanEvent]) -> int:
        assert self._kind is not None
        too_long = self._payload.startswith(_STATUS_PREFIX) and (base + after - self._start > limits.STATUS_SEQUENCE)
        if self._overflowing or (too_long and self._kind is StringKind.OSC):
            self.overflows += 1
        elif self._enveloped:
            self.aborts += 1
        else:
            payload = bytes(self._payload)
            events.append(ControlString(self._start, base + after, self._kind, payload, data[end:after]))
        self._close()
        return after

    def _drop(self) -> None:
        if self._overflowing:
            self.overflows += 1
        else:
            self.aborts += 1
        self._close()

    def _close(self) -> None:
        self._kind = None
        self._overflowing = False
        self._payload = bytearray()
