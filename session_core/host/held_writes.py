"""Injected writes that wait for their time: each pane's line, in order.

A held write keeps its place and is tried again at each change of its pane; at most `HELD` are held a pane, each until
its own deadline.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from session_core.api.requests import WritePane
from session_core.errors import Code, SessionCoreError
from session_core.host.kept import HeldWrite
from session_core.host.live_pane import LivePane
from session_core.host.write import Write
from session_core.model.changes import Revisions
from session_core.model.guard import Hold
from session_core.model.tickets import Delivery, Ticket, Tickets

HELD = 100


@dataclass(slots=True)
class _Held:
    pane: LivePane
    write: Write
    ticket: str
    until: float
    over: anyio.Event
    timer: asyncio.TimerHandle


class HeldWrites:
    """The lines of all panes. `write_now` judges a write and writes it, or returns why it must wait; it raises
    SessionCoreError for one that can never be written.
    """

    def __init__(
        self,
        tickets: Tickets,
        revisions: Revisions,
        write_now: Callable[[LivePane, Write, Ticket], Hold | None],
        touched: Callable[[str], None],
    ) -> None:
        self._tickets = tickets
        self._revisions = revisions
        self._write_now = write_now
        self._touched = touched
        self._held: dict[str, list[_Held]] = {}
        self._trying: set[str] = set()

    def any_for(self, pane: str) -> bool:
        """Whether writes are held for a pane."""
        return bool(self._held.get(pane))

    def hold(self, pane: LivePane, write: Write, why: Hold) -> Ticket:
        """Put a write at the end of its pane's line. Raises SessionCoreError at the limit."""
        line = self._held.setdefault(pane.pane, [])
        if len(line) >= HELD:
            raise SessionCoreError(
                Code.LIMIT_REACHED, f"{HELD} writes are held for pane {pane.pane}.", "Cancel some of them first."
            )
        ticket = self._tickets.issue(
            pane=pane.pane,
            author=write.author,
            status=Delivery.HELD,
            bytes=0,
            revision=self._revisions.current,
            at=time.time(),
            reason=why.value,
            key=write.key,
        )
        self._keep_held(pane, write, ticket.id, time.time() + write.hold_s)
        return ticket

    def _keep_held(self, pane: LivePane, write: Write, identity: str, until: float) -> None:
        left = max(0.0, until - time.time())
        timer = asyncio.get_running_loop().call_later(left, self._withdraw, pane, identity, "expired")
        self._held.setdefault(pane.pane, []).append(_Held(pane, write, identity, until, anyio.Event(), timer))
        self._touched(identity)

    def of(self, pane: str) -> tuple[Ticket, ...]:
        """Return the tickets of the writes that are held for a pane, the next one first."""
        found = (self._tickets.get(held.ticket) for held in self._held.get(pane, ()))
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
            if pane.model.life.over:
                self._drop(pane.pane, self._held[pane.pane][0].ticket, "pane_exited")
            elif not self._try(pane, self._held[pane.pane][0]):
                return

    def _try(self, pane: LivePane, held: _Held) -> bool:
        ticket = self._tickets.get(held.ticket)
        assert ticket is not None, "a held ticket is never forgotten"
        try:
            hold = self._write_now(pane, held.write, ticket)
            if hold is not None:
                self._tickets.update(ticket.id, reason=hold.value)
                return False
        except SessionCoreError as error:
            if error.code in (Code.BLOCKED, Code.PASSWORD, Code.QUEUE_FULL):
                return False
            self._drop(pane.pane, ticket.id, error.code.value)
            return True
        self._over(pane.pane, held)
        return True

    def cancel(self, identity: str) -> Ticket:
        """Take back a held write. Raises SessionCoreError for a ticket that is not held."""
        ticket = self._tickets.get(identity)
        if ticket is None or ticket.status is not Delivery.HELD:
            raise SessionCoreError(
                Code.NO_SUCH_TICKET,
                f"There is no held write {identity!r}.",
                "Only a held write can be taken back; read_status lists those of its pane.",
            )
        pane = next(held.pane for held in self._held[ticket.pane] if held.ticket == identity)
        self._withdraw(pane, identity, "cancelled")
        return self._tickets.update(identity)

    def _withdraw(self, pane: LivePane, identity: str, why: str) -> None:
        """Drop a held write, and write what only waited behind it."""
        self._drop(pane.pane, identity, why)
        self.on_changes(pane)

    def closed(self, pane: str) -> None:
        """A pane was removed: nothing more will be written to it."""
        for held in tuple(self._held.get(pane, ())):
            self._drop(pane, held.ticket, "pane_closed")
        self._held.pop(pane, None)

    def _drop(self, pane: str, identity: str, why: str) -> None:
        for held in self._held.get(pane, ()):
            if held.ticket == identity:
                self._tickets.update(identity, status=Delivery.REFUSED, reason=why)
                self._over(pane, held)
                return

    def _over(self, pane: str, held: _Held) -> None:
        held.timer.cancel()
        self._held[pane].remove(held)
        self._touched(held.ticket)
        held.over.set()

    async def wait_over(self, identity: str, timeout_s: float) -> Ticket | None:
        """Wait until a write is no longer held, at most `timeout_s`; return its ticket, None for an unknown one."""
        ticket = self._tickets.get(identity)
        if ticket is not None and ticket.status is Delivery.HELD:
            over = next(held.over for held in self._held[ticket.pane] if held.ticket == identity)
            with anyio.move_on_after(timeout_s):
                await over.wait()
        return self._tickets.get(identity)

    # ---- what the journal has

    def held_write(self, identity: str) -> HeldWrite | None:
        """The write of a ticket that waits for its time; None for one that another host could not make."""
        ticket = self._tickets.get(identity)
        for held in self._held.get(ticket.pane, ()) if ticket else ():
            asked = held.write.asked
            if held.ticket == identity and asked is not None and not asked.secret:
                text, keys = (asked, None) if isinstance(asked, WritePane) else (None, asked)
                return HeldWrite(identity, held.until, text, keys)
        return None

    def hold_again(self, pane: LivePane | None, held: HeldWrite, write: Write) -> None:
        """Hold a write of another host until its time."""
        ticket = self._tickets.get(held.ticket)
        if pane is not None and ticket is not None and ticket.status is Delivery.HELD:
            self._keep_held(pane, write, held.ticket, held.until)

    def refuse_lost(self) -> None:
        """Refuse the writes that another host held and of which not enough was kept, such as secret ones."""
        held = {held.ticket for line in self._held.values() for held in line}
        for ticket in tuple(self._tickets):
            if ticket.status is Delivery.HELD and ticket.id not in held:
                self._tickets.update(ticket.id, status=Delivery.REFUSED, reason="host_restarted")
