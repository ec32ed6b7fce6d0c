"""The one queue of bytes toward a pane's program: every entry has an origin and an author.

Entries are written whole and in order, so that no other byte lands inside an injected write. The queue is
bounded in bytes; a full queue refuses the new entry and loses nothing that it took.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

QUEUE_BYTES = 8 * 1024 * 1024


class Origin(StrEnum):
    """Whose bytes these are. Only a keystroke or a paste acknowledges anything."""

    KEYSTROKE = "keystroke"
    PASTE = "paste"
    INJECTED = "injected"
    REPLY = "reply"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Entry:
    """One author's bytes, written without a gap.

    With `after_read` they wait until the program has read what was written before them, so that a submit is not
    taken for a part of the text; they do not wait for ever (`PaneInput.SUBMIT_S`).
    """

    origin: Origin
    author: str
    data: bytes
    after_read: bool = False


class InputQueue:
    """First in, first out; the head may be partly written.

    `taken` and `written` count bytes since the pane began, so that a caller knows when its own are through.
    """

    __slots__ = ("_entries", "_head_written", "taken", "written")

    def __init__(self, written: int = 0) -> None:
        self._entries: deque[Entry] = deque()
        self._head_written = 0
        self.taken = self.written = written

    @property
    def pending(self) -> int:
        """Bytes taken and not yet written."""
        return self.taken - self.written

    def push(self, entries: Sequence[Entry]) -> bool:
        """Append `entries` without a gap; False, and nothing taken, if they do not all fit."""
        size = sum(len(entry.data) for entry in entries)
        if self.pending + size > QUEUE_BYTES:
            return False
        self._entries.extend(entry for entry in entries if entry.data)
        self.taken += size
        return True

    @property
    def waits_for_read(self) -> bool:
        """Whether the head must wait until the program has read everything before it."""
        return bool(self._entries) and self._entries[0].after_read and not self._head_written

    def head(self) -> memoryview:
        """Return the bytes to write next, all of one entry; empty when there are none."""
        return memoryview(self._entries[0].data)[self._head_written :] if self._entries else memoryview(b"")

    def wrote(self, count: int) -> None:
        """Note that `count` bytes of the head were written."""
        self.written += count
        self._head_written += count
        if self._entries and self._head_written >= len(self._entries[0].data):
            self._head_written = 0
            self._entries.popleft()

    def drop(self) -> int:
        """Empty the queue of a program that is gone; return how many bytes it never got."""
        lost = self.pending
        self._entries.clear()
        self._head_written = 0
        self.taken = self.written
        return lost
