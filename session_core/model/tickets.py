"""Tickets: the receipts of injected writes.

A ticket says what became of a write and from which revision its effects count. The same idempotency key in the
same pane gives the same ticket and nothing is written again. `TICKETS` are kept, those that are over going first.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

TICKETS = 4096

Started = bool | Literal["queued_on_running_turn"] | None


class Delivery(StrEnum):
    """What became of a write. UNKNOWN: the terminal has not taken all of it yet, or its program ended meanwhile."""

    DELIVERED = "delivered"
    HELD = "held"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One injected write. `revision` is the host's from before it, and `offset` the pane's output read until then;
    `bytes` is what its terminal has taken.

    `at` is when it was written, or asked for while it is held; `reason` says why it is held or was refused later.
    `queued` says that the program was working already, and `early` that it had not shown anything yet: such a program
    may still throw its input away.
    """

    id: str
    pane: str
    author: str
    status: Delivery
    bytes: int
    revision: int
    at: float
    offset: int = 0
    removed: int = 0
    pasted: bool = False
    reason: str | None = None
    queued: bool = False
    early: bool = False
    key: str | None = None


class Tickets:
    """All tickets of a host, oldest first; ids count up and are never used again."""

    __slots__ = ("_by_key", "_last", "_tickets", "_touched")

    def __init__(self, touched: Callable[[str], None] = lambda _: None) -> None:
        """`touched` hears of each ticket that is new or has changed."""
        self._touched = touched
        self._tickets: dict[str, Ticket] = {}
        self._by_key: dict[tuple[str, str], str] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Ticket]:
        return iter(self._tickets.values())

    def get(self, identity: str) -> Ticket | None:
        """Return the ticket, None if there is none or it is no longer kept."""
        return self._tickets.get(identity)

    def by_key(self, pane: str, key: str | None) -> Ticket | None:
        """Return the ticket that this idempotency key has got in this pane."""
        identity = self._by_key.get((pane, key)) if key is not None else None
        return self._tickets.get(identity) if identity else None

    def restore(self, tickets: Iterable[Ticket], issued: int) -> None:
        """Keep these tickets, oldest first; `issued` have been issued until now."""
        for ticket in tickets:
            self._tickets[ticket.id] = ticket
            if ticket.key is not None:
                self._by_key[ticket.pane, ticket.key] = ticket.id
        self._last = issued

    @property
    def issued(self) -> int:
        """How many were issued until now."""
        return self._last

    def issue(self, **fields: Any) -> Ticket:
        """Make a ticket out of its fields but the id."""
        self._last += 1
        ticket = Ticket(id=f"t{self._last}", **fields)
        self._tickets[ticket.id] = ticket
        if ticket.key is not None:
            self._by_key[ticket.pane, ticket.key] = ticket.id
        self._forget()
        self._touched(ticket.id)
        return ticket

    def update(self, identity: str, **fields: Any) -> Ticket:
        """Change fields of a ticket and return it. Raises KeyError for one that is not kept."""
        ticket = self._tickets[identity] = replace(self._tickets[identity], **fields)
        self._touched(identity)
        return ticket

    def note(self, ticket: Ticket, status: Delivery, taken: int) -> Ticket:
        """Say what became of a write of which the terminal has taken so many bytes."""
        if ticket.id not in self._tickets:
            # Thousands of writes came meanwhile, and this one is no longer kept.
            return replace(ticket, status=status, bytes=taken)
        return self.update(ticket.id, status=status, bytes=taken)

    def _forget(self) -> None:
        surplus = len(self._tickets) - TICKETS
        if surplus > 0:
            older = list(self._tickets.values())[:-1]
            over = (ticket.id for ticket in older if ticket.status is not Delivery.HELD)
            for identity in [identity for identity, _ in zip(over, range(surplus), strict=False)]:
                self._drop(identity)

    def _drop(self, identity: str) -> None:
        ticket = self._tickets.pop(identity)
        if ticket.key is not None:
            self._by_key.pop((ticket.pane, ticket.key), None)


def started(ticket: Ticket, *, can_know: bool, active_revision: int) -> Started:
    """Say whether the program has begun to act on the write.

    True only if it declared `working`, `blocked` or a finished state after it (`active_revision` is the newest
    such change); `queued_on_running_turn` if it was working already; None where the program declares nothing.
    """
    if not can_know or ticket.status is not Delivery.DELIVERED:
        return None
    if ticket.queued:
        return "queued_on_running_turn"
    return active_revision > ticket.revision
