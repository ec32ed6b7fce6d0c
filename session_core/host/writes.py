"""Injected writes: guarded, held or written, each with a ticket.

Judging a write and queueing its bytes happen in one turn of the loop. A held write keeps its place in its pane's
line and is tried again at each change of that pane; at most `HELD` are held a pane, each until its own deadline.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import anyio

from session_core.errors import Code, SessionCoreError
from session_core.host.live_pane import LivePane
from session_core.model.changes import Revisions
from session_core.model.composing import Composed, check_line_lengths
from session_core.model.guard import Conditions, Facts, Hold, When, judge
from session_core.model.input_queue import Entry, Origin
from session_core.model.status import Life, Observed, Signal
from session_core.model.tickets import Delivery, Ticket, Tickets

DELIVERY_S = 5.0
"""How long a write waits for the terminal to take it before the answer says `unknown`."""
PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0
"""How long a person must have pressed no key before a write goes in, and how long at most it waits for that."""
HELD = 100

_ENTER = b"\r"
_CLEARING = (b"\x03", b"\x15")
"""What empties the line at a shell's prompt: C-c, C-u. Some shells then go on without a new prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What to write: `bytes_for` makes the bytes for the pane's modes at the moment of writing."""

    bytes_for: Callable[[LivePane], Composed]
    submit: bool
    author: str
    conditions: Conditions
    hold_s: float
    key: str | None = None


@dataclass(slots=True)
class _Held:
    pane: LivePane
    write: Write
    ticket: str
    over: anyio.Event
    timer: asyncio.TimerHandle


class Writes:
    """All injected writes of a host."""

    def __init__(self, revisions: Revisions) -> None:
        self.tickets = Tickets()
        self._revisions = revisions
        self._held: dict[str, list[_Held]] = {}
        self._last_write: dict[str, int] = {}
        self._cleared: set[str] = set()
        self._trying: set[str] = set()

    async def write(self, pane: LivePane, write: Write) -> Ticket:
        """Write, hold, or refuse; return the ticket. Raises SessionCoreError for a refusal: nothing was typed."""
        await self._wait_for_pause(pane)
        # From here to the queued bytes nothing else runs: a key cannot be used twice, nor a check be overtaken.
        known = self.tickets.by_key(pane.pane, write.key)
        if known is not None:
            return known
        hold = judge(write.conditions, self._facts(pane), time.time())
        if hold is None and self._held.get(pane.pane) and write.conditions.when is When.SETTLED:
            hold = Hold.NOT_SETTLED
        if hold is not None:
            return self._hold(pane, write, hold)
        ticket, begin, end = self._put(pane, write, None)
        if await pane.input.wait_written(end, DELIVERY_S):
            return self._note(ticket, Delivery.DELIVERED, end - begin)
        return self._note(ticket, Delivery.UNKNOWN, min(max(pane.input.written, begin), end) - begin)

    async def _wait_for_pause(self, pane: LivePane) -> None:
        """Let a person's keys that make no draft, such as an answer or an Enter, be through first."""
        deadline = time.time() + LONGEST_PAUSE_S
        draft = pane.model.draft
        while draft.view is None and draft.keystroke_at and time.time() < deadline:
            left = draft.keystroke_at + PAUSE_S - time.time()
            if left <= 0:
                return
            await anyio.sleep(left)

    def _note(self, ticket: Ticket, status: Delivery, taken: int) -> Ticket:
        if self.tickets.get(ticket.id) is None:
            # Thousands of writes came meanwhile, and this one is no longer kept.
            return replace(ticket, status=status, bytes=taken)
        return self.tickets.update(ticket.id, status=status, bytes=taken)

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
        if not pane.input.put(entries):
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
        end = pane.input.taken
        if held is not None:
            ticket = self.tickets.update(held.id, **fields)
        else:
            ticket = self.tickets.issue(pane=pane.pane, author=write.author, key=write.key, **fields)
        pane.text.note_write(ticket.id, revision, b"" if write.conditions.secret else data)
        pane.input.when_written(end, lambda: self._delivered(pane, ticket, begin, end))
        return ticket, begin, end

    def _delivered(self, pane: LivePane, ticket: Ticket, begin: int, end: int) -> None:
        """Called once the bytes are through, or once the terminal is gone."""
        if pane.input.written >= end:
            self._note(ticket, Delivery.DELIVERED, end - begin)

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

    # ---- held writes

    def _hold(self, pane: LivePane, write: Write, why: Hold) -> Ticket:
        line = self._held.setdefault(pane.pane, [])
        if len(line) >= HELD:
            raise SessionCoreError(
                Code.LIMIT_REACHED, f"{HELD} writes are held for pane {pane.pane}.", "Cancel some of them first."
            )
        ticket = self.tickets.issue(
            pane=pane.pane,
            author=write.author,
            status=Delivery.HELD,
            bytes=0,
            revision=self._revisions.current,
            at=time.time(),
            reason=why.value,
            key=write.key,
        )
        timer = asyncio.get_running_loop().call_later(write.hold_s, self._withdraw, pane, ticket.id, "expired")
        line.append(_Held(pane, write, ticket.id, anyio.Event(), timer))
        return ticket

    def held(self, pane: str) -> tuple[Ticket, ...]:
        """Return the tickets of the writes that are held for a pane, the next one first."""
        found = (self.tickets.get(held.ticket) for held in self._held.get(pane, ()))
        return tuple(ticket for ticket in found if ticket is not None)

    def on_changes(self, pane: LivePane) -> None:
        """Something changed in a pane: write what no longer has to be held, in order."""
        if pane.pane in self._trying:
            # To judge a write is to look at the occupant, which may be a change itself.
            return
        self._trying.add(pane.pane)
        try:
            self._write_held(pane)
        finally:
            self._trying.discard(pane.pane)

    def on_output(self, pane: LivePane) -> None:
        """A pane wrote something: its echo may be on again, which nothing else tells."""
        if self._held.get(pane.pane):
            self.on_changes(pane)

    def _write_held(self, pane: LivePane) -> None:
        while self._held.get(pane.pane):
            if pane.model.life is Life.EXITED:
                self._drop(pane.pane, self._held[pane.pane][0].ticket, "pane_exited")
            elif not self._try(pane, self._held[pane.pane][0]):
                return

    def _try(self, pane: LivePane, held: _Held) -> bool:
        ticket = self.tickets.get(held.ticket)
        assert ticket is not None, "a held ticket is never forgotten"
        try:
            hold = judge(held.write.conditions, self._facts(pane), time.time())
            if hold is not None:
                self.tickets.update(ticket.id, reason=hold.value)
                return False
            self._put(pane, held.write, ticket)
        except SessionCoreError as error:
            if error.code in (Code.BLOCKED, Code.PASSWORD, Code.QUEUE_FULL):
                return False
            self._drop(pane.pane, ticket.id, error.code.value)
            return True
        self._over(pane.pane, held)
        return True

    def cancel(self, identity: str) -> Ticket:
        """Take back a held write. Raises SessionCoreError for a ticket that is not held."""
        ticket = self.tickets.get(identity)
        if ticket is None or ticket.status is not Delivery.HELD:
            raise SessionCoreError(
                Code.NO_SUCH_TICKET,
                f"There is no held write {identity!r}.",
                "Only a held write can be taken back; read_status lists those of its pane.",
            )
        pane = next(held.pane for held in self._held[ticket.pane] if held.ticket == identity)
        self._withdraw(pane, identity, "cancelled")
        return self.tickets.update(identity)

    def _withdraw(self, pane: LivePane, identity: str, why: str) -> None:
        """Drop a held write, and write what only waited behind it."""
        self._drop(pane.pane, identity, why)
        self.on_changes(pane)

    def closed(self, pane: str) -> None:
        """A pane was removed: nothing more will be written to it."""
        for held in tuple(self._held.get(pane, ())):
            self._drop(pane, held.ticket, "pane_closed")
        self._held.pop(pane, None)
        self._last_write.pop(pane, None)
        self._cleared.discard(pane)

    def _drop(self, pane: str, identity: str, why: str) -> None:
        for held in self._held.get(pane, ()):
            if held.ticket == identity:
                self.tickets.update(identity, status=Delivery.REFUSED, reason=why)
                self._over(pane, held)
                return

    def _over(self, pane: str, held: _Held) -> None:
        held.timer.cancel()
        self._held[pane].remove(held)
        held.over.set()

    async def wait_over(self, identity: str, timeout_s: float) -> Ticket | None:
        """Wait until a write is no longer held, at most `timeout_s`; return its ticket, None for an unknown one."""
        ticket = self.tickets.get(identity)
        if ticket is not None and ticket.status is Delivery.HELD:
            over = next(held.over for held in self._held[ticket.pane] if held.ticket == identity)
            with anyio.move_on_after(timeout_s):
                await over.wait()
        return self.tickets.get(identity)
