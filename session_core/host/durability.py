"""Keeps the journal in step with the host: what was touched is written before anything that follows from it is seen.

`commit` is the barrier: it is called before bytes go to a client or to a program, and at the end of each turn of the
loop in which something was touched. It writes all that was touched in one batch, each entry once: the mirrors remember
what the journal has. Where the journal refuses, the mirrors forget and all is written at a later commit, tried at
most once in `RETRY_S`; the host goes on meanwhile, and its panes say `not_durable`.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from session_core.crash_points import reached
from session_core.host import kept
from session_core.host.kept import KeptCheckpoint, KeptPane, Kind, Numbers
from session_core.host.live_pane import LivePane
from session_core.host.pane_output import Checkpoint
from session_core.host.writes import Writes
from session_core.model.changes import RECENT_CHANGES, Change
from session_core.model.output_index import OutputIndex, Places
from session_core.model.pane import PaneModel
from session_core.model.pane_state import capture
from session_core.model.records import Record
from session_core.protocol.events import Statistics
from session_core.store.journal import Batch, Journal

RETRY_S = 5.0
CHECKPOINTS = 4
"""Checkpoints kept for a pane; the newest of them lies at most half a log back."""
_DROP_EVERY = 64
"""So many entries are added before the oldest are dropped."""

OTHERS = 10_000
"""Changes to other entries that wait for a journal that takes them; the oldest are lost beyond that."""

_HOST = ""
T = TypeVar("T")


@dataclass(slots=True)
class Mirror:
    """What the journal has of one pane: the newest key and value of each kind that grows, and the rest as it is."""

    newest: dict[str, tuple[int, Any]] = field(default_factory=dict)
    added: dict[str, int] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    places: Places | None = None
    checkpoints: list[int] = field(default_factory=list)

    @classmethod
    def restored(cls, model: PaneModel, index: OutputIndex, checkpoints: list[int]) -> "Mirror":
        """What the journal has of a pane whose model and index were just read from it."""
        mirror = cls(places=index.places, checkpoints=checkpoints)
        mirror.records = {record.report.id: record for record in model.records}
        for kind, newest_first in _growing(model, index):
            newest = next(iter(newest_first()), None)
            if newest is not None:
                mirror.newest[kind.name] = newest
        return mirror


class Durability:
    """The one writer of a journal; `numbers` tells the host's counters as of now."""

    def __init__(self, journal: Journal, epoch: str, writes: Writes, numbers: Callable[[], Numbers]) -> None:
        self._journal = journal
        self._epoch = epoch
        self._writes = writes
        self._numbers = numbers
        self._panes: dict[str, LivePane] = {}
        self._touched: dict[str, None] = {}
        self._tickets: dict[str, None] = {}
        self._dropped: list[str] = []
        self._other: deque[Callable[[Batch], None]] = deque(maxlen=OTHERS)
        self._mirrors: dict[str, Mirror] = {}
        self._written = Numbers()
        self._scheduled = False
        self._retry_at = 0.0

    @property
    def durable(self) -> bool:
        """Whether everything that was committed is in the journal."""
        return self._journal.durable

    # ---- what was touched

    def add(self, pane: LivePane, mirror: "Mirror | None" = None) -> None:
        """A pane is there from now on; one that comes from the journal brings its mirror."""
        self._panes[pane.pane] = pane
        self._mirrors[pane.pane] = mirror or Mirror()
        self.touch(pane.pane)

    def announce(self, model: PaneModel) -> None:
        """A pane's program is about to be started."""
        value = KeptPane(state=capture(model), parsed=0, counted=Statistics(0, 0, 0, 0, 0), pid=0)
        self.put(kept.PANE, model.spec.pane, "", value)

    def touch(self, pane: str) -> None:
        """Something of a pane may have changed."""
        self._touched[pane] = None
        self._schedule()

    def touch_ticket(self, identity: str) -> None:
        """A ticket, or what is to be written or held under it, has changed."""
        self._tickets[identity] = None
        self._schedule()

    def drop(self, pane: str) -> None:
        """A pane was removed."""
        self._panes.pop(pane, None)
        self._touched.pop(pane, None)
        self._mirrors.pop(pane, None)
        self._dropped.append(pane)
        self._schedule()

    def put(self, kind: Kind[Any], pane: str, key: str | int, value: Any) -> None:
        """Keep an entry that belongs to no touched thing."""
        text = kind.text(value)
        self._other.append(lambda batch: batch.put(kind.name, pane, key, text))
        self._schedule()

    def forget(self, kind: Kind[Any], pane: str, key: str | int) -> None:
        """Keep it no longer."""
        self._other.append(lambda batch: batch.drop(kind.name, pane, key))
        self._schedule()

    def drop_below(self, kind: Kind[Any], pane: str, key: int) -> None:
        """Keep no entries with smaller keys any longer."""
        self._other.append(partial(Batch.drop_below, kind=kind.name, pane=pane, key=key))
        self._schedule()

    def changed(self, changes: Iterable[Change]) -> None:
        """Keep changes for subscribers who are away, also of panes that will be gone."""
        for change in changes:
            self.put(kept.RECENT, _HOST, change.revision, change)
            if change.revision % _DROP_EVERY == 0:
                self.drop_below(kept.RECENT, _HOST, change.revision - RECENT_CHANGES)

    def checkpoint(self, pane: str, checkpoint: Checkpoint) -> None:
        """Keep what paints a pane's screen."""
        mirror = self._mirrors[pane]
        self.put(kept.CHECKPOINT, pane, checkpoint.offset, KeptCheckpoint.of(checkpoint))
        mirror.checkpoints.append(checkpoint.offset)
        while len(mirror.checkpoints) > CHECKPOINTS:
            self.forget(kept.CHECKPOINT, pane, mirror.checkpoints.pop(0))

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._turn_ends)

    def _turn_ends(self) -> None:
        self._scheduled = False
        self.commit()

    # ---- writing

    def commit(self) -> None:
        """Write all that was touched since the last commit."""
        numbers = self._numbers()
        if not (self._touched or self._tickets or self._dropped or self._other) and numbers == self._written:
            return
        if not self._journal.durable and time.monotonic() < self._retry_at:
            return
        if not self._journal.durable:
            self._write_all_anew()
        reached("committing")
        batch = self._batch(numbers)
        touched = tuple(self._touched)
        if not self._journal.write(batch):
            self._retry_at = time.monotonic() + RETRY_S
            return
        reached("committed")
        for pane in touched:
            self._panes[pane].output.parsed_is_kept()
        self._touched.clear()
        self._tickets.clear()
        self._dropped.clear()
        self._other.clear()
        self._written = numbers

    def _write_all_anew(self) -> None:
        """Nobody knows what the journal has: the next batch replaces it."""
        self._dropped.extend(self._panes)
        self._mirrors = {pane: Mirror() for pane in self._panes}
        self._touched.update(dict.fromkeys(self._panes))
        self._tickets.update(dict.fromkeys(ticket.id for ticket in self._writes.tickets))

    def _batch(self, numbers: Numbers) -> Batch:
        batch = Batch()
        for pane in self._dropped:
            batch.drop_pane(pane)
        if self._written == Numbers():
            batch.put(kept.EPOCH.name, _HOST, "", kept.EPOCH.text(self._epoch))
        batch.put(kept.NUMBERS.name, _HOST, "", kept.NUMBERS.text(numbers))
        for pane in self._touched:
            self._put_pane(batch, self._panes[pane], self._mirrors[pane])
        for identity in self._tickets:
            self._put_ticket(batch, identity)
        for change in self._other:
            change(batch)
        return batch

    def _put_pane(self, batch: Batch, pane: LivePane, mirror: Mirror) -> None:
        name, model, index = pane.pane, pane.model, pane.output.index
        value = KeptPane(
            state=capture(model),
            parsed=pane.output.parsed,
            counted=pane.output.statistics,
            pid=pane.pid,
            last_write=self._writes.last_write(name),
            cleared=self._writes.is_cleared(name),
            engine_failed=pane.engine_failed,
        )
        batch.put(kept.PANE.name, name, "", kept.PANE.text(value))
        for kind, newest_first in _growing(model, index):
            _put_newest(batch, mirror, kind, name, newest_first)
        records = {record.report.id: record for record in model.records}
        for identity, record in records.items():
            if mirror.records.get(identity) is not record:
                batch.put(kept.RECORD.name, name, identity, kept.RECORD.text(record))
        for identity in mirror.records.keys() - records.keys():
            batch.drop(kept.RECORD.name, name, identity)
        mirror.records = records
        if mirror.places is not index.places:
            mirror.places = index.places
            batch.put(kept.PLACES.name, name, "", kept.PLACES.text(index.places))

    def _put_ticket(self, batch: Batch, identity: str) -> None:
        number = int(identity.removeprefix("t"))
        ticket = self._writes.tickets.get(identity)
        _set(batch, kept.TICKET, number, ticket)
        _set(batch, kept.PENDING, number, self._writes.pending(identity))
        _set(batch, kept.HELD, number, self._writes.held.held_write(identity))
        if number % _DROP_EVERY == 0:
            oldest = next(iter(self._writes.tickets)).id
            batch.drop_below(kept.TICKET.name, _HOST, int(oldest.removeprefix("t")))

    def close(self) -> None:
        """Write what is left and give the journal back."""
        self._retry_at = 0.0
        self.commit()
        self._journal.close()


def _set(batch: Batch, kind: Kind[T], number: int, value: T | None) -> None:
    if value is None:
        batch.drop(kind.name, _HOST, number)
    else:
        batch.put(kind.name, _HOST, number, kind.text(value))


def _growing(
    model: PaneModel, index: OutputIndex
) -> tuple[tuple[Kind[Any], Callable[[], Iterable[tuple[int, Any]]]], ...]:
    """What grows in a pane by entries with a number, the newest first."""
    return (
        (kept.CHANGE, lambda: ((change.revision, change) for change in reversed(model.log))),
        (kept.TURN, lambda: ((model.turns.added - at, turn) for at, turn in enumerate(reversed(model.turns)))),
        (kept.COMMAND, lambda: ((command.number, command) for command in reversed(model.commands))),
        (kept.OFFSET, lambda: reversed(index)),
    )


def _put_newest(
    batch: Batch, mirror: Mirror, kind: Kind[Any], pane: str, newest_first: Callable[[], Iterable[tuple[int, Any]]]
) -> None:
    """Put what was added to entries whose keys count up, of which the newest may have been replaced."""
    known_key, known = mirror.newest.get(kind.name, (-1, None))
    newest, added = None, 0
    for key, value in newest_first():
        if key < known_key or (key == known_key and value is known):
            break
        newest = newest or (key, value)
        added += 1
        batch.put(kind.name, pane, key, kind.text(value))
    if newest is None:
        return
    mirror.newest[kind.name] = newest
    mirror.added[kind.name] = mirror.added.get(kind.name, 0) + added
    if mirror.added[kind.name] >= _DROP_EVERY:
        mirror.added[kind.name] = 0
        *_, (oldest, _value) = newest_first()
        batch.drop_below(kind.name, pane, oldest)
