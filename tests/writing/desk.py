"""A host without I/O for one pane: the order in which a host types, judges, queues, holds and tries again.

Nothing is decided here: drafts, records, verdicts, bytes and tickets are the product's. Deliberately absent:
deadlines of held writes, more than one pane, and the terminal; a test writes the queue where it wants.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from session_core.errors import Code, SessionCoreError
from session_core.model.changes import Change, Revisions
from session_core.model.composing import compose
from session_core.model.guard import Conditions, Facts, Hold, When, judge
from session_core.model.input_queue import Entry, InputQueue, Origin
from session_core.model.status import Life, Signal
from session_core.model.tickets import Delivery, Ticket, Tickets

from ..model.panes import feed, new_pane

WAITS_ON = frozenset((Code.BLOCKED, Code.PASSWORD, Code.QUEUE_FULL))
"""Refusals that a held write waits out; any other ends it."""


def single_bytes(data: bytes) -> list[bytes]:
    """Return `data` as pieces of one byte."""
    return [data[index : index + 1] for index in range(len(data))]


@dataclass(frozen=True, slots=True)
class Write:
    """What a tool asked for."""

    author: str
    text: str
    submit: bool
    conditions: Conditions
    key: str | None = None


@dataclass
class WriteDesk:
    """One pane with its queue, its tickets, and the writes that are held."""

    bracketed: bool = True
    password: bool = False
    now: float = 0.0
    revisions: Revisions = field(default_factory=Revisions)
    queue: InputQueue = field(default_factory=InputQueue)
    tickets: Tickets = field(default_factory=Tickets)
    entries: list[Entry] = field(default_factory=list)
    """Everything that the queue took, in order."""
    _held: list[tuple[Write, str]] = field(default_factory=list)
    _last_write: int | None = None

    def __post_init__(self) -> None:
        self.pane = new_pane(self.revisions)

    @property
    def held(self) -> list[Ticket]:
        """The tickets of the held writes, the next one first."""
        found = [self.tickets.get(identity) for _, identity in self._held]
        return [ticket for ticket in found if ticket is not None]

    # ---- a person

    def typed(self, data: bytes, person: str, *, paste: bool = False) -> list[Change]:
        """Queue what a person did, then note it."""
        origin = Origin.PASTE if paste else Origin.KEYSTROKE
        assert self._push([Entry(origin, person, data)])
        return self._step(lambda: self.pane.typed(data, person, self.now, paste=paste))

    def acknowledge(self, person: str) -> list[Change]:
        """A person says that they have seen what had finished."""
        return self._step(lambda: self.pane.acknowledge(person, self.now))

    # ---- the program

    def printed(self, data: bytes) -> list[Change]:
        """The program wrote whole sequences."""
        return self._step(lambda: feed(self.pane, data, now=self.now))

    def exited(self) -> list[Change]:
        """The pane's process ended: nobody can read what is queued."""
        changes = self._step(lambda: self.pane.live(Life.EXITED, self.now))
        self.queue.drop()
        return changes

    def _step(self, do: Callable[[], list[Change]]) -> list[Change]:
        self.now += 1
        changes = do()
        if changes:
            self._try_held()
        return changes

    # ---- a tool

    def write(self, write: Write) -> Ticket:
        """Write or hold. Raises SessionCoreError for a refusal."""
        self.now += 1
        known = self.tickets.by_key("p1", write.key)
        if known is not None:
            return known
        hold = judge(write.conditions, self._facts(), self.now)
        if hold is None and self._held and write.conditions.when is When.SETTLED:
            hold = Hold.NOT_SETTLED
        if hold is None:
            status, size = Delivery.DELIVERED, self._put(write)
        else:
            status, size = Delivery.HELD, 0
        ticket = self.tickets.issue(
            pane="p1",
            author=write.author,
            status=status,
            bytes=size,
            revision=self.revisions.current,
            at=self.now,
            reason=hold.value if hold else None,
            key=write.key,
        )
        if hold is not None:
            self._held.append((write, ticket.id))
        return ticket

    def _try_held(self) -> None:
        while self._held:
            write, identity = self._held[0]
            if self.pane.life is Life.EXITED:
                self.tickets.update(identity, status=Delivery.REFUSED, reason="pane_exited")
            else:
                try:
                    if judge(write.conditions, self._facts(), self.now) is not None:
                        return
                    self.tickets.update(identity, status=Delivery.DELIVERED, bytes=self._put(write), reason=None)
                except SessionCoreError as refused:
                    if refused.code in WAITS_ON:
                        return
                    self.tickets.update(identity, status=Delivery.REFUSED, reason=refused.code.value)
            del self._held[0]

    def _put(self, write: Write) -> int:
        composed = compose(write.text, submit=write.submit, bracketed=self.bracketed, by_line=False)
        made = [Entry(Origin.INJECTED, write.author, composed.data)] if composed.data else []
        if write.submit:
            made.append(Entry(Origin.INJECTED, write.author, b"\r", after_read=bool(composed.data)))
        assert self._push(made)
        self._last_write = self.revisions.current
        return sum(len(entry.data) for entry in made)

    def _push(self, entries: list[Entry]) -> bool:
        taken = self.queue.push(entries)
        if taken:
            self.entries += entries
        return taken

    def _facts(self) -> Facts:
        standing, last = self.pane.standing, self._last_write
        unknown = self.pane.signal is Signal.NONE
        return Facts(
            pane="p1",
            state=standing.state,
            turn_revision=standing.turn_revision,
            lead=self.pane.lead,
            occupant=self.pane.occupant,
            draft=self.pane.draft.view,
            password=self.password,
            settled_since_write=last is None or unknown or standing.turn_revision > last,
        )
