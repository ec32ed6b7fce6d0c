"""Changes and their revisions: one number line for everything that anybody can observe in a host.

A revision ticks once per change and never goes back; it counts over all panes, so one number taken from one
answer serves as `since` for any set of panes. Each pane keeps its last `KEPT_CHANGES` changes.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

KEPT_CHANGES = 256
"""Changes kept for each pane; older ones are gone, which `ChangeLog.total` shows."""
RECENT_CHANGES = 4096


class Cause(StrEnum):
    """Why something changed."""

    OPEN = "open"
    REPORT = "report"
    CLEAR = "clear"
    QUERY = "query"
    RESET = "reset"
    PROMPT = "prompt"
    COMMAND = "command"
    PROGRAM_END = "program_end"
    EXIT = "exit"
    CLOSE = "close"
    ACKNOWLEDGE = "acknowledge"
    EVICT = "evict"
    OUTPUT = "output"
    REQUEST = "request"
    KEYSTROKE = "keystroke"


class Subject(StrEnum):
    """What changed."""

    LIFE = "life"
    RECORD = "record"
    SHELL = "shell"
    SIGNAL = "signal"
    OCCUPANT = "occupant"
    TITLE = "title"
    FOLDER = "folder"
    NOTIFICATION = "notification"
    PROGRESS = "progress"
    SIZE = "size"
    NAME = "name"
    TAGS = "tags"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class Change:
    """One observable difference. `before` and `after` are states, never a program's text.

    `record` is the id of the record that changed ("" is the root), and None for any other subject.
    `at` is in seconds since the epoch.
    """

    revision: int
    at: float
    pane: str
    subject: Subject
    cause: Cause
    record: str | None = None
    before: str | None = None
    after: str | None = None


_COALESCED = frozenset((Subject.TITLE, Subject.PROGRESS))
"""Subjects that some programs change many times a second: a run of one of them keeps its newest change."""


class Revisions:
    """The host's counter."""

    __slots__ = ("current",)

    def __init__(self, current: int = 0) -> None:
        self.current = current

    def tick(self) -> int:
        """Count one change and return its revision."""
        self.current += 1
        return self.current


class ChangeLog:
    """Stamps one pane's changes and keeps the last `KEPT_CHANGES`; `total` counts all of them."""

    __slots__ = ("_kept", "_pane", "_revisions", "total")

    def __init__(self, pane: str, revisions: Revisions) -> None:
        self._pane = pane
        self._revisions = revisions
        self._kept: deque[Change] = deque(maxlen=KEPT_CHANGES)
        self.total = 0

    def __iter__(self) -> Iterator[Change]:
        return iter(self._kept)

    def __reversed__(self) -> Iterator[Change]:
        return reversed(self._kept)

    @property
    def revision(self) -> int:
        """The pane's newest revision."""
        return self._kept[-1].revision if self._kept else 0

    def add(
        self,
        subject: Subject,
        cause: Cause,
        at: float,
        *,
        record: str | None = None,
        before: str | None = None,
        after: str | None = None,
    ) -> Change:
        """Record one change and return it with its revision."""
        change = Change(self._revisions.tick(), at, self._pane, subject, cause, record, before, after)
        if subject in _COALESCED:
            self._drop_older(subject)
        self._kept.append(change)
        self.total += 1
        return change

    def restore(self, changes: Iterable[Change], total: int) -> None:
        """Go on after these changes, the newest last, as the log did that had made them."""
        for change in changes:
            if change.subject in _COALESCED:
                self._drop_older(change.subject)
            self._kept.append(change)
        self.total = total

    def _drop_older(self, subject: Subject) -> None:
        """Drop the earlier change of `subject` in the trailing run of coalesced ones."""
        for back in range(1, min(len(_COALESCED), len(self._kept)) + 1):
            kept = self._kept[-back].subject
            if kept is subject:
                del self._kept[-back]
                return
            if kept not in _COALESCED:
                return


class RecentChanges:
    """The newest `RECENT_CHANGES` changes of a whole host, also of panes that are gone, in the order of revisions.

    `forgotten` is up to which revision changes have gone.
    """

    __slots__ = ("_kept", "forgotten")

    def __init__(self, forgotten: int = 0) -> None:
        self._kept: deque[Change] = deque()
        self.forgotten = forgotten

    def add(self, changes: Iterable[Change]) -> None:
        """Take the next changes."""
        self._kept.extend(changes)
        while len(self._kept) > RECENT_CHANGES:
            self.forgotten = self._kept.popleft().revision

    def after(self, since: int) -> list[Change] | None:
        """Return what changed after revision `since`; None where some of it is no longer kept."""
        if since < self.forgotten:
            return None
        return [change for change in self._kept if change.revision > since]
