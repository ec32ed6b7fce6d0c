"""The records of one pane: what its programs declared, under which id, and what ends each.

A report replaces its record whole; `clear` takes the addressed record and all beneath it; only `app` is
inherited, and only when read; at most `STATUS_RECORDS` are held and the least recently updated goes first;
an identical report changes nothing but counts as an update, unless the program that had said it is gone.
OSC 7501 sections 3 and 4 are the source.
`LIFETIMES` is the whole rule of which event drops which states. No timeout ever changes a record.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from session_core.model.changes import Cause, Change, ChangeLog, Subject
from session_core.model.status import RecordView
from session_core.protocol import limits
from session_core.protocol.program_status import Report, State
from session_core.protocol.text import disarm

ROOT = ""

_UNFINISHED = frozenset((State.IDLE, State.WORKING, State.BLOCKED))
LIFETIMES: dict[Cause, frozenset[State]] = {
    Cause.PROMPT: _UNFINISHED,
    Cause.PROGRAM_END: _UNFINISHED,
    Cause.EXIT: _UNFINISHED,
    Cause.RESET: frozenset(State),
}
"""States that each event drops. `idle` may go, too: a shell at its prompt is no idle agent."""
FINISHED = frozenset((State.DONE, State.ERROR))


@dataclass(frozen=True, slots=True)
class Record:
    """What the pane holds under one id.

    `group` is the process group that reported it, None where unknown; `ended` says that this program is over,
    so that an acknowledged record has nobody left to be idle. `at` is when it took this form.
    """

    report: Report
    group: int | None
    revision: int
    at: float
    ended: bool = False


class RecordStore:
    """The records of one pane, least recently updated first."""

    __slots__ = ("_capacity", "_log", "_records", "version")

    def __init__(self, log: ChangeLog, capacity: int = limits.STATUS_RECORDS) -> None:
        self._records: dict[str, Record] = {}
        self._log = log
        self._capacity = capacity
        self.version = 0
        """Counts what may have changed any record."""

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def get(self, identity: str) -> Record | None:
        """Return the record under `identity`, or None."""
        return self._records.get(identity)

    def app_of(self, identity: str) -> str | None:
        """Return the record's own app or that of its nearest ancestor that has one, the root last."""
        names = identity.split("/") if identity else []
        for depth in range(len(names), -1, -1):
            record = self._records.get("/".join(names[:depth]))
            if record and record.report.app:
                return record.report.app
        return None

    def view(self, record: Record) -> RecordView:
        """Return a record as a reader sees it: its app inherited, its texts made harmless and cut."""
        report = record.report
        return RecordView(
            id=report.id,
            state=report.state,
            app=self.app_of(report.id),
            kind=report.kind,
            progress=report.progress,
            title=disarm(report.title, limits.SHOWN_TITLE_CHARACTERS) if report.title else None,
            msg=disarm(report.msg, limits.SHOWN_MSG_CHARACTERS) if report.msg else None,
            revision=record.revision,
            at=record.at,
        )

    def apply(self, report: Report, group: int | None, now: float) -> list[Change]:
        """Replace the record that `report` addresses; evict the least recently updated at the capacity."""
        self.version += 1
        before = self._records.pop(report.id, None)
        if before and before.report == report and not before.ended:
            self._records[report.id] = replace(before, group=group)
            return []
        change = self._record_change(report.id, Cause.REPORT, now, before, report.state)
        self._records[report.id] = Record(report, group, change.revision, now)
        if len(self._records) <= self._capacity:
            return [change]
        oldest = next(iter(self._records))
        return [change, self._remove(oldest, Cause.EVICT, now)]

    def clear(self, identity: str, now: float) -> list[Change]:
        """Remove the addressed record and all beneath it; the root address removes every record."""
        self.version += 1
        beneath = identity + "/"
        gone = [key for key in self._records if not identity or key == identity or key.startswith(beneath)]
        return [self._remove(key, Cause.CLEAR, now) for key in gone]

    def restore(self, records: Iterable[Record]) -> None:
        """Hold these records, the least recently updated first."""
        self.version += 1
        self._records = {record.report.id: record for record in records}

    def end(self, cause: Cause, now: float, group: int | None = None) -> list[Change]:
        """Drop what `LIFETIMES` says for `cause`, and mark the rest as ended.

        With `group`, only the records that this process group reported.
        """
        self.version += 1
        dropped = LIFETIMES[cause]
        touched = [key for key, record in self._records.items() if group is None or record.group == group]
        changes = [self._remove(k, cause, now) for k in touched if self._records[k].report.state in dropped]
        for key in touched:
            if key in self._records:
                self._records[key] = replace(self._records[key], ended=True)
        return changes

    def acknowledge(self, now: float) -> list[Change]:
        """End `done` and `error`: idle with its app while the reporter lives, gone when it does not."""
        self.version += 1
        finished = [key for key, record in self._records.items() if record.report.state in FINISHED]
        return [self._acknowledge(key, now) for key in finished]

    def _acknowledge(self, identity: str, now: float) -> Change:
        record = self._records[identity]
        if record.ended:
            return self._remove(identity, Cause.ACKNOWLEDGE, now)
        report = Report(state=State.IDLE, id=identity, app=record.report.app)
        change = self._record_change(identity, Cause.ACKNOWLEDGE, now, record, report.state)
        self._records[identity] = Record(report, record.group, change.revision, now)
        return change

    def _remove(self, identity: str, cause: Cause, now: float) -> Change:
        return self._record_change(identity, cause, now, self._records.pop(identity), None)

    def _record_change(
        self, identity: str, cause: Cause, now: float, before: Record | None, after: State | None
    ) -> Change:
        return self._log.add(
            Subject.RECORD,
            cause,
            now,
            record=identity,
            before=before.report.state.value if before else None,
            after=after.value if after else None,
        )
