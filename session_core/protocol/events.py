"""Routes each control string to its parser: the one table of OSC numbers that we read.

`EventStream.feed` turns a pane's output bytes into typed events with absolute offsets, in stream order.
What is malformed or over a limit is counted in `statistics` and gives no event.
"""

from collections.abc import Callable
from dataclasses import dataclass

from session_core.protocol import host_events, program_status, shell_marks
from session_core.protocol.host_events import HostEvent
from session_core.protocol.program_status import Query, Rejected, Status
from session_core.protocol.scanner import (
    AlternateScreen,
    ControlString,
    FullReset,
    ScanEvent,
    Scanner,
    StringKind,
    SynchronizedUpdate,
)
from session_core.protocol.shell_marks import ShellMark

Meaning = Status | ShellMark | HostEvent | FullReset | AlternateScreen | SynchronizedUpdate


@dataclass(frozen=True, slots=True)
class Event:
    """One meaningful sequence at output bytes `start` to `end`; `terminator` ends it, or is empty."""

    start: int
    end: int
    meaning: Meaning
    terminator: bytes = b""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters since the pane began: nothing that a program sends is dropped silently."""

    bytes: int
    reports: int
    rejected_reports: int
    oversized_strings: int
    aborted_strings: int


_PARSERS: dict[bytes, Callable[[bytes], Meaning | None]] = {
    b"0": host_events.parse_title,
    b"2": host_events.parse_title,
    b"7": host_events.parse_folder,
    b"9": host_events.parse_nine,
    b"99": host_events.parse_kitty,
    b"133": shell_marks.parse,
    b"777": host_events.parse_urxvt,
    b"7501": program_status.parse,
}


class EventStream:
    """Incremental reader of one pane's output."""

    __slots__ = ("_before", "_rejected", "_reports", "_scanner")

    def __init__(self, offset: int = 0, before: "Statistics | None" = None) -> None:
        """Read from byte `offset` on, where no sequence is open; `before` was counted of what came until then."""
        self._scanner = Scanner(offset)
        self._before = before or Statistics(0, 0, 0, 0, 0)
        self._reports = 0
        self._rejected = 0

    @property
    def offset(self) -> int:
        """Output bytes taken so far."""
        return self._scanner.offset

    @property
    def ordinary(self) -> bool:
        """Whether the bytes fed last hold only text, colours, cursor moves and erasures, and end nothing older."""
        return self._scanner.ordinary

    @property
    def unfinished(self) -> int:
        """Where the control string begins that has not ended yet; `offset` where there is none."""
        return self._scanner.unfinished

    @property
    def buffered(self) -> int:
        """Bytes held for the next chunk; bounded as `Scanner.buffered` says."""
        return self._scanner.buffered

    @property
    def statistics(self) -> Statistics:
        """The counters as of now."""
        scanner, before = self._scanner, self._before
        return Statistics(
            scanner.offset,
            before.reports + self._reports,
            before.rejected_reports + self._rejected,
            before.oversized_strings + scanner.overflows,
            before.aborted_strings + scanner.aborts,
        )

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes and return the events that they complete, in stream order."""
        return [event for scanned in self._scanner.feed(data) if (event := self._read(scanned))]

    def _read(self, scanned: ScanEvent) -> Event | None:
        if not isinstance(scanned, ControlString):
            return Event(scanned.start, scanned.end, scanned)
        if scanned.kind is not StringKind.OSC:
            return None
        number, separator, body = scanned.payload.partition(b";")
        parser = _PARSERS.get(number)
        meaning = parser(body) if parser and separator else None
        if meaning is None:
            return None
        if isinstance(meaning, Rejected):
            self._rejected += 1
        elif isinstance(meaning, Status) and not isinstance(meaning, Query):
            self._reports += 1
        return Event(scanned.start, scanned.end, meaning, scanned.terminator)
