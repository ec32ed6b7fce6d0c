"""Injected writes: guarded, held or written, each with a ticket.

Judging a write and queueing its bytes happen in one turn of the loop. Its bytes are kept until the terminal has them,
so that another host goes on with them where this one has ended.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import anyio

from session_core.api.results import AuditEntry
from session_core.crash_points import reached
from session_core.host.held_writes import HeldWrites
from session_core.host.kept import PendingEntry, PendingWrite
from session_core.host.live_pane import LivePane
from session_core.host.write import Write
from session_core.model.changes import Revisions
from session_core.model.composing import check_line_lengths
from session_core.model.guard import Facts, Hold, When, judge
from session_core.model.input_queue import Entry, Origin
from session_core.model.status import Observed, Signal
from session_core.model.tickets import Delivery, Ticket, Tickets
from session_core.protocol.text import disarm
from session_core.store.output_log import Mark

DELIVERY_S = 5.0
"""How long a write waits for the terminal to take it before the answer says `unknown`."""
PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0
"""How long a person must have pressed no key before a write goes in, and how long at most it waits for that."""
AUDIT_CHARACTERS = 1000
"""How much of a write's text is on the audit."""

_ENTER = b"\r"
_CLEARING = (b"\x03", b"\x15")
"""What empties the line at a shell's prompt: C-c, C-u. Some shells then go on without a new prompt."""


class Writes:
    """All injected writes of a host."""

    def __init__(
        self, revisions: Revisions, touched: Callable[[str], None], audit: Callable[[AuditEntry], None]
    ) -> None:
        """`touched` hears of each ticket that has changed, `audit` of each write that goes to a terminal."""
        self.tickets = Tickets(touched)
        self.held = HeldWrites(self.tickets, revisions, self._write_held, touched)
        self._touched = touched
        self._audit = audit
        self._pending: dict[str, PendingWrite] = {}
        self._revisions = revisions
        self._last_write: dict[str, int] = {}
        self._cleared: set[str] = set()
        self._on_their_way: dict[str, anyio.Event] = {}

    async def write(self, pane: LivePane, write: Write) -> Ticket:
        """Write, hold, or refuse; return the ticket. Raises SessionCoreError for a refusal: nothing was typed."""
        await self._wait_for_pause(pane)
        # From here to the queued bytes nothing else runs: a key cannot be used twice, nor a check be overtaken.
        known = self.tickets.by_key(pane.pane, write.key)
        if known is not None:
            return await self.again(known)
        hold = judge(write.conditions, self._facts(pane), time.time())
        if hold is None and self.held.any_for(pane.pane) and write.conditions.when is When.SETTLED:
            hold = Hold.NOT_SETTLED
        if hold is not None:
            return self.held.hold(pane, write, hold)
        ticket, begin, end = self._put(pane, write, None)
        if await pane.input.wait_written(end, DELIVERY_S):
            return self.tickets.note(ticket, Delivery.DELIVERED, end - begin)
        return self.tickets.note(ticket, Delivery.UNKNOWN, min(max(pane.input.written, begin), end) - begin)

    async def again(self, ticket: Ticket) -> Ticket:
        """Return the ticket of a write that was made before, once its bytes are through, as its first call does."""
        with anyio.move_on_after(DELIVERY_S):
            if ticket.id in self._on_their_way:
                await self._on_their_way[ticket.id].wait()
        return self.tickets.get(ticket.id) or ticket

    async def _wait_for_pause(self, pane: LivePane) -> None:
        """Let a person's keys that make no draft, such as an answer or an Enter, be through first."""
        deadline = time.time() + LONGEST_PAUSE_S
        draft = pane.model.draft
        while draft.view is None and draft.keystroke_at and time.time() < deadline:
            left = draft.keystroke_at + PAUSE_S - time.time()
            if left <= 0:
                return
            await anyio.sleep(left)

    def _put(self, pane: LivePane, write: Write, held: Ticket | None) -> tuple[Ticket, int, int]:
        """Queue the bytes; return the ticket, made or completed, and where its bytes begin and end."""
        composed = write.bytes_for(pane)
        data = composed.data
        self._check_lines(pane, data)
        entries = [Entry(Origin.INJECTED, write.author, data)] if data else []
        if write.submit:
            entries.append(Entry(Origin.INJECTED, write.author, _ENTER, after_read=bool(data)))
        revision = self._revisions.current
        queued = pane.model.standing.state is Observed.WORKING
        begin = pane.input.taken
        end = begin + sum(len(entry.data) for entry in entries)
        if not pane.input.has_room(end - begin):
            raise pane.not_reading()
        self._last_write[pane.pane] = revision
        (self._cleared.add if data in _CLEARING and not write.submit else self._cleared.discard)(pane.pane)
        fields = {
            "status": Delivery.UNKNOWN,
            "revision": revision,
            "removed": composed.removed,
            "pasted": composed.pasted,
            "queued": queued,
            "early": pane.model.output_at is None,
            "bytes": 0,
            "reason": None,
            "at": time.time(),
            "offset": pane.whole_offset,
        }
        if held is not None:
            ticket = self.tickets.update(held.id, **fields)
        else:
            ticket = self.tickets.issue(pane=pane.pane, author=write.author, key=write.key, **fields)
        pane.text.note_write(ticket.id, revision, b"" if write.conditions.secret else data)
        kept = () if write.conditions.secret else tuple(PendingEntry(entry.data, entry.after_read) for entry in entries)
        self._pending[ticket.id] = PendingWrite(ticket.id, begin, end, write.author, kept)
        text = None if write.conditions.secret else disarm(data.decode(errors="replace"), AUDIT_CHARACTERS)
        self._audit(AuditEntry(ticket.id, ticket.at, pane.pane, write.author, end - begin, text))
        self._touched(ticket.id)
        reached("ticket_issued")
        self._on_their_way[ticket.id] = anyio.Event()
        pane.input.put(entries)
        pane.input.when_written(end, lambda: self._delivered(pane, ticket, begin, end))
        return ticket, begin, end

    def _delivered(self, pane: LivePane, ticket: Ticket, begin: int, end: int) -> None:
        """Called once the bytes are through, or once the terminal is gone."""
        self._pending.pop(ticket.id, None)
        if pane.input.written >= end:
            self.tickets.note(ticket, Delivery.DELIVERED, end - begin)
        self._on_their_way.pop(ticket.id).set()

    def _check_lines(self, pane: LivePane, data: bytes) -> None:
        if pane.reads_lines:
            check_line_lengths(data, pane.input.line_bytes)

    def _facts(self, pane: LivePane) -> Facts:
        model = pane.model
        standing = model.standing
        known = model.signal is not Signal.NONE
        return Facts(
            pane=pane.pane,
            state=standing.state,
            turn_revision=standing.turn_revision,
            lead=model.lead,
            occupant=pane.occupant(),
            draft=model.draft.view,
            password=pane.reads_password,
            settled_since_write=not known or self.is_read(pane),
        )

    def is_read(self, pane: LivePane) -> bool:
        """Whether the pane has had a turn since the last write to it: nothing of that one is left unread."""
        last = self._last_write.get(pane.pane)
        return last is None or pane.model.standing.turn_revision > last

    def is_clear(self, pane: LivePane) -> bool:
        """Whether nothing that was written stands at the prompt of the pane's shell, nor is on its way there."""
        return pane.pane in self._cleared or self.is_read(pane)

    def _write_held(self, pane: LivePane, write: Write, ticket: Ticket) -> Hold | None:
        """Write what was held, or return why it must be held on."""
        hold = judge(write.conditions, self._facts(pane), time.time())
        if hold is None:
            self._put(pane, write, ticket)
        return hold

    def closed(self, pane: str) -> None:
        """A pane was removed: nothing more will be written to it."""
        self.held.closed(pane)
        self._last_write.pop(pane, None)
        self._cleared.discard(pane)

    # ---- what the journal has

    def last_write(self, pane: str) -> int | None:
        """The revision of the last write to a pane."""
        return self._last_write.get(pane)

    def is_cleared(self, pane: str) -> bool:
        """Whether the last write to a pane emptied its line."""
        return pane in self._cleared

    def pending(self, identity: str) -> PendingWrite | None:
        """The write of a ticket whose bytes are not all with the terminal."""
        return self._pending.get(identity)

    def restore(self, tickets: Iterable[Ticket], issued: int) -> None:
        """Know the tickets of another host, oldest first."""
        self.tickets.restore(tickets, issued)

    def restore_pane(self, pane: str, last_write: int | None, *, cleared: bool) -> None:
        """Know of a pane's input what another host knew."""
        if last_write is not None:
            self._last_write[pane] = last_write
        if cleared:
            self._cleared.add(pane)

    def resume(self, pane: LivePane | None, pending: PendingWrite) -> None:
        """Go on with a write of another host, from the byte that its terminal has not had.

        Where that host died during the very write to the terminal nobody knows, and the rest is not written; nor are
        secret bytes, which are nowhere.
        """
        ticket = self.tickets.get(pending.ticket)
        if ticket is None or pane is None:
            self._touched(pending.ticket)
            return
        sent, sending = pane.log.mark(Mark.SENT), pane.log.mark(Mark.SENDING)
        taken = min(max(sent - pending.begin, 0), pending.end - pending.begin)
        if sent >= pending.end:
            self.tickets.note(ticket, Delivery.DELIVERED, taken)
        elif sent != sending and sending > pending.begin:
            self.tickets.note(ticket, Delivery.UNKNOWN, taken)
        elif not pending.entries and not taken:
            self.tickets.update(ticket.id, status=Delivery.REFUSED, reason="host_restarted")
        else:
            self._put_rest(pane, ticket, pending, taken)

    def _put_rest(self, pane: LivePane, ticket: Ticket, pending: PendingWrite, taken: int) -> None:
        entries, skip = [], taken
        for entry in pending.entries:
            data = entry.data[skip:]
            skip = max(0, skip - len(entry.data))
            if data:
                entries.append(Entry(Origin.INJECTED, pending.author, data, after_read=entry.after_read))
        begin = pane.input.taken - taken
        end = pane.input.taken + sum(len(entry.data) for entry in entries)
        if not entries or not pane.input.has_room(end - pane.input.taken):
            self.tickets.note(ticket, Delivery.UNKNOWN, taken)
            return
        self._pending[ticket.id] = replace(pending, begin=begin, end=end)
        self._on_their_way[ticket.id] = anyio.Event()
        self._touched(ticket.id)
        pane.input.put(entries)
        pane.input.when_written(end, lambda: self._delivered(pane, ticket, begin, end))
