"""Tells a person's typing from what the terminal sends by itself, in the bytes that a viewer sends to a pane.

Invariants: the segments' bytes, joined, are the bytes fed, in order. While no time passes, any chunking gives
every byte the same kind. Only `expire` lets time decide; bytes that come late still complete a sequence.
Raw 0x80-0x9f are never controls: they occur inside UTF-8 characters.
Bounds: an escape sequence is held up to `SEQUENCE_BYTES` and is typing beyond; a string up to `STRING_BYTES`,
beyond which it is dropped as a report, piece by piece, and its end is found. A paste is not held at all.
A control in a string, other than ESC or the BEL of an OSC, shows that a person typed it after Alt: no answer
has one, and an Enter must not be swallowed. Deliberately absent: a time limit on a paste, and the queue.
"""

import re
from collections.abc import Callable
from enum import Enum, auto

from session_core.model.input_grammar import (
    LONE_ESC_S,
    STRING_S,
    TABLE,
    InputModes,
    Report,
    Segment,
    ViewerOrigin,
    cut_report_of,
    forwards,
    mouse_end,
    report_of,
    table_rows,
)

__all__ = [
    "LONE_ESC_S",
    "SEQUENCE_BYTES",
    "STRING_BYTES",
    "STRING_S",
    "TABLE",
    "InputModes",
    "OriginClassifier",
    "Report",
    "Segment",
    "ViewerOrigin",
    "forwards",
    "table_rows",
]

_PARAMETERS, _INTERMEDIATES = 240, 16
SEQUENCE_BYTES = 2 + _PARAMETERS + _INTERMEDIATES
"""Bytes held of an unfinished escape sequence that is no string."""
STRING_BYTES = 64 * 1024
"""Bytes held of an unfinished control string, its opener included."""

_PASTE_BEGIN = b"\x1b[200~"
_PASTE_END = b"\x1b[201~"
_MOUSE_X10 = b"\x1b[M"
_OPENER_LENGTH = 2
_OPENERS = frozenset(b"]P_^X")
_BEL, _ESC, _BACKSLASH, _BRACKET = 0x07, 0x1B, 0x5C, 0x5D
_FINAL = range(0x40, 0x7F)
_SS3_KEY = range(0x20, 0x7F)
# What comes before the final byte. The `-` after `CSI <` is the sign of a coordinate in pixels.
_HEAD = re.compile(
    rb"\x1b(?:\[(?:<[\d;-]{0,%d}|[0-?]{0,%d}[ -/]{0,%d})|O[\d;]{0,%d})?"
    % (_PARAMETERS, _PARAMETERS, _INTERMEDIATES, _INTERMEDIATES)
)
_STRING_STOP = re.compile(rb"[\x00-\x06\x08-\x1f\x7f]")
_OSC_STOP = re.compile(rb"[\x00-\x1f\x7f]")


class _At(Enum):
    GROUND = auto()
    STRING = auto()
    DROPPED_STRING = auto()
    PASTE = auto()


class _End(Enum):
    """What ends the text of a control string."""

    OPEN = auto()
    TERMINATED = auto()
    ABORTED = auto()
    TYPED = auto()


def _find_end(data: bytes, position: int, is_osc: bool) -> tuple[_End, int, int]:
    """Return what ends a string's text, where, and where that end ends; an ESC alone leaves it open."""
    stop = (_OSC_STOP if is_osc else _STRING_STOP).search(data, position)
    if stop is None:
        return _End.OPEN, len(data), len(data)
    at = stop.start()
    if data[at] == _BEL:
        return _End.TERMINATED, at, at + 1
    if data[at] != _ESC:
        return _End.TYPED, at, at
    if at + 1 == len(data):
        return _End.OPEN, at, at
    if data[at + 1] == _BACKSLASH:
        return _End.TERMINATED, at, at + 2
    return _End.ABORTED, at, at


class _Segments:
    """Collects the segments of one call; adjacent keystrokes become one."""

    __slots__ = ("_typed", "done")

    def __init__(self) -> None:
        self.done: list[Segment] = []
        self._typed = bytearray()

    def typed(self, data: bytes) -> None:
        self._typed += data

    def pasted(self, data: bytes) -> None:
        self._add(Segment(ViewerOrigin.PASTE, None, data))

    def give(self, report: Report | None, data: bytes) -> None:
        """Add a report, or what was typed."""
        if report is None:
            self.typed(data)
        elif data:
            self._add(Segment(ViewerOrigin.REPORT, report, data))

    def _add(self, segment: Segment) -> None:
        self.close()
        self.done.append(segment)

    def close(self) -> list[Segment]:
        if self._typed:
            self.done.append(Segment(ViewerOrigin.KEYSTROKE, None, bytes(self._typed)))
            self._typed.clear()
        return self.done


class OriginClassifier:
    """Incremental classifier of one viewer's bytes; `now` is in seconds of any monotonic clock."""

    __slots__ = ("_at", "_carry", "_dropped", "_fed_at", "_paste_tail", "_string")

    def __init__(self) -> None:
        self._at = _At.GROUND
        self._carry = b""  # an unfinished sequence; of a string, the ESC that may begin its end
        self._string = bytearray()
        self._dropped = Report.UNKNOWN_ANSWER
        self._paste_tail = b""
        self._fed_at = 0.0

    @property
    def buffered(self) -> int:
        """Bytes fed and not yet returned; at most `STRING_BYTES` + 1."""
        return len(self._carry) + len(self._string)

    def feed(self, data: bytes, now: float) -> list[Segment]:
        """Take the next bytes, read at `now`, and return what they complete."""
        out = _Segments()
        if not data:
            return out.done
        self._fed_at = now
        data, self._carry = self._carry + data, b""
        position = 0
        while position < len(data):
            position = _STEPS[self._at](self, data, position, out)
        return out.close()

    def next_deadline(self) -> float | None:
        """Return the time at which `expire` has something to do if no byte comes before; None if never."""
        if self._at is _At.DROPPED_STRING or len(self._string) > _OPENER_LENGTH:
            return self._fed_at + STRING_S
        if not self.buffered:
            return None
        incomplete = not self._string and cut_report_of(self._carry) is not None
        # A mouse report of three single bytes is whole, except that it could be one of characters.
        whole = self._carry.startswith(_MOUSE_X10) and len(self._carry) >= len(_MOUSE_X10) + 3
        return self._fed_at + (STRING_S if incomplete and not whole else LONE_ESC_S)

    def expire(self, now: float) -> list[Segment]:
        """Return what was held for too long at `now`: keys, or a report that was cut."""
        deadline = self.next_deadline()
        if deadline is None or now < deadline:
            return []
        out = _Segments()
        held, self._carry = self._carry, b""
        if self._at is _At.GROUND:
            report = cut_report_of(held)
        elif self._at is _At.STRING:
            report = report_of(self._string) if len(self._string) > _OPENER_LENGTH else None
            held = bytes(self._string) + held
        else:
            report = self._dropped
        self._to_ground()
        out.give(report, held)
        return out.close()

    def _to_ground(self) -> None:
        self._at = _At.GROUND
        self._string.clear()

    def _in_ground(self, data: bytes, position: int, out: _Segments) -> int:
        """Take the text up to the next ESC and the sequence that it begins, if that is whole."""
        head = _HEAD.search(data, position)
        if head is None:
            out.typed(data[position:])
            return len(data)
        start, end = head.span()
        out.typed(data[position:start])
        if end == len(data):
            self._carry = data[start:]
            return end
        if end == start + 1:
            return self._after_escape(data, start, out)
        is_csi = data[start + 1] == ord("[")
        if data[end] not in (_FINAL if is_csi else _SS3_KEY):
            out.typed(data[start:end])
            return end
        return self._sequence(data, start, end + 1, out)

    def _after_escape(self, data: bytes, start: int, out: _Segments) -> int:
        following = data[start + 1]
        if following in _OPENERS:
            self._at = _At.STRING
            self._string += data[start : start + _OPENER_LENGTH]
            return start + _OPENER_LENGTH
        end = start + 1 if following == _ESC else start + 2
        out.typed(data[start:end])
        return end

    def _sequence(self, data: bytes, start: int, end: int, out: _Segments) -> int:
        """Name the CSI or SS3 sequence `data[start:end]`."""
        sequence = data[start:end]
        if sequence == _PASTE_BEGIN:
            self._at = _At.PASTE
            return start
        if sequence == _MOUSE_X10:
            whole = mouse_end(data, end)
            if whole is None:
                self._carry = data[start:]
                return len(data)
            end, sequence = whole, data[start:whole]
        out.give(report_of(sequence), sequence)
        return end

    def _in_paste(self, data: bytes, position: int, out: _Segments) -> int:
        """Hand on the paste's bytes; only the last few are remembered, in case they begin its end."""
        known = len(self._paste_tail)
        across = (self._paste_tail + data[position : position + len(_PASTE_END)]).find(_PASTE_END)
        begin = position - known + across if across >= 0 else data.find(_PASTE_END, position)
        if across < 0 and begin < 0:
            out.pasted(data[position:])
            last = data[max(position, len(data) - len(_PASTE_END)) :]
            self._paste_tail = (self._paste_tail + last)[1 - len(_PASTE_END) :]
            return len(data)
        end = begin + len(_PASTE_END)
        out.pasted(data[position:end])
        self._at = _At.GROUND
        self._paste_tail = b""
        return end

    def _in_string(self, data: bytes, position: int, out: _Segments) -> int:
        """Collect a string up to its end, or to the byte that shows that it is none."""
        how, end, after = _find_end(data, position, self._string[1] == _BRACKET)
        self._string += data[position:end]
        if len(self._string) > STRING_BYTES:
            self._dropped = report_of(self._string) or Report.UNKNOWN_ANSWER
            out.give(self._dropped, bytes(self._string))
            self._string.clear()
            self._at = _At.DROPPED_STRING
            return end
        if how is _End.OPEN:
            self._carry = data[end:]
            return len(data)
        is_key = how is _End.TYPED or (how is _End.ABORTED and len(self._string) == _OPENER_LENGTH)
        self._string += data[end:after]
        out.give(None if is_key else report_of(self._string), bytes(self._string))
        self._to_ground()
        return after

    def _in_dropped_string(self, data: bytes, position: int, out: _Segments) -> int:
        """Hand on the rest of a string that was too long; what ends it may be the next key."""
        how, end, after = _find_end(data, position, self._dropped is Report.OSC_ANSWER)
        out.give(self._dropped, data[position:after])
        if how is _End.OPEN:
            self._carry = data[end:]
            return len(data)
        self._to_ground()
        return after


_STEPS: dict[_At, Callable[[OriginClassifier, bytes, int, _Segments], int]] = {
    _At.GROUND: OriginClassifier._in_ground,
    _At.STRING: OriginClassifier._in_string,
    _At.DROPPED_STRING: OriginClassifier._in_dropped_string,
    _At.PASTE: OriginClassifier._in_paste,
}
