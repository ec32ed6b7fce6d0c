"""Receipts of writes: ids that only rise, one ticket a key and pane, and a bound that no held write pays for."""

from typing import Any

import pytest

from session_core.model.tickets import TICKETS, Delivery, Started, Ticket, Tickets, started


def issue(tickets: Tickets, status: Delivery = Delivery.DELIVERED, **fields: Any) -> Ticket:
    """Issue a ticket of pane p1."""
    usual = {"pane": "p1", "author": "tool", "status": status, "bytes": 0, "revision": 7, "at": 1.0}
    return tickets.issue(**(usual | fields))


def ids(tickets: Tickets) -> list[str]:
    """Return what is kept, oldest first."""
    return [ticket.id for ticket in tickets]


def test_ids_rise_and_are_never_used_again() -> None:
    tickets = Tickets()
    made = [issue(tickets) for _ in range(3)]
    numbers = [int(ticket.id[1:]) for ticket in made]
    assert numbers == sorted(set(numbers))
    assert ids(tickets) == [ticket.id for ticket in made]


def test_a_ticket_is_found_by_its_id_as_it_stands_now() -> None:
    tickets = Tickets()
    held = issue(tickets, Delivery.HELD, reason="human_draft")
    updated = tickets.update(held.id, status=Delivery.DELIVERED, bytes=5, reason=None)
    assert tickets.get(held.id) == updated
    assert (updated.status, updated.bytes, updated.author, updated.at) == (Delivery.DELIVERED, 5, "tool", 1.0)
    assert held.status is Delivery.HELD
    assert tickets.get("t99") is None


def test_an_update_of_what_is_not_kept_is_an_error() -> None:
    with pytest.raises(KeyError):
        Tickets().update("t1", bytes=1)


def test_a_key_gives_its_ticket_in_its_own_pane_alone() -> None:
    tickets = Tickets()
    ticket = issue(tickets, key="k")
    assert tickets.by_key("p1", "k") == ticket
    assert tickets.by_key("p2", "k") is None
    assert tickets.by_key("p1", "other") is None
    elsewhere = issue(tickets, pane="p2", key="k")
    assert tickets.by_key("p1", "k") == ticket
    assert tickets.by_key("p2", "k") == elsewhere


def test_a_key_gives_the_ticket_as_it_stands_now() -> None:
    tickets = Tickets()
    ticket = issue(tickets, Delivery.HELD, key="k")
    updated = tickets.update(ticket.id, status=Delivery.REFUSED, reason="expired")
    assert tickets.by_key("p1", "k") == updated


def test_no_key_is_no_key() -> None:
    tickets = Tickets()
    issue(tickets)
    assert tickets.by_key("p1", None) is None


def test_an_empty_key_is_a_key() -> None:
    tickets = Tickets()
    assert tickets.by_key("p1", "") is None
    ticket = issue(tickets, key="")
    assert tickets.by_key("p1", "") == ticket


def test_at_the_bound_the_oldest_goes_with_its_key() -> None:
    tickets = Tickets()
    made = [issue(tickets, key=f"k{number}") for number in range(TICKETS + 2)]
    assert ids(tickets) == [ticket.id for ticket in made[2:]]
    assert tickets.by_key("p1", "k0") is None
    assert tickets.by_key("p1", "k1") is None
    assert tickets.by_key("p1", "k2") == made[2]


def test_a_held_ticket_is_never_forgotten() -> None:
    tickets = Tickets()
    held = [issue(tickets, Delivery.HELD, key=f"h{number}") for number in range(3)]
    others = [issue(tickets) for _ in range(TICKETS + 2)]
    assert ids(tickets) == [ticket.id for ticket in (*held, *others[5:])]
    assert [tickets.by_key("p1", f"h{number}") for number in range(3)] == list(held)


def test_held_tickets_beyond_the_bound_are_all_kept() -> None:
    tickets = Tickets()
    held = [issue(tickets, Delivery.HELD) for _ in range(TICKETS + 3)]
    assert ids(tickets) == [ticket.id for ticket in held]


def test_what_is_no_longer_held_goes_in_its_turn() -> None:
    tickets = Tickets()
    held = [issue(tickets, Delivery.HELD) for _ in range(TICKETS + 3)]
    tickets.update(held[1].id, status=Delivery.DELIVERED)
    tickets.update(held[4].id, status=Delivery.REFUSED)
    newest = issue(tickets, Delivery.HELD)
    assert ids(tickets) == [ticket.id for ticket in (held[0], *held[2:4], *held[5:], newest)]


def test_a_new_ticket_is_kept_although_all_others_are_held() -> None:
    tickets = Tickets()
    for _ in range(TICKETS):
        issue(tickets, Delivery.HELD)
    newest = issue(tickets, Delivery.UNKNOWN, key="k")
    assert tickets.get(newest.id) == newest
    assert tickets.by_key("p1", "k") == newest


@pytest.mark.parametrize("status", Delivery)
@pytest.mark.parametrize("queued", [True, False])
@pytest.mark.parametrize("can_know", [True, False])
@pytest.mark.parametrize("active", [0, 6, 7, 8, 100])
def test_started_is_true_only_for_a_declared_turn_after_a_delivered_write(
    status: Delivery, queued: bool, can_know: bool, active: int
) -> None:
    """The ticket's revision is 7: what was declared at 7 or before came before the write."""
    expected: Started
    if status is not Delivery.DELIVERED or not can_know:
        expected = None
    elif queued:
        expected = "queued_on_running_turn"
    else:
        expected = active > 7
    ticket = issue(Tickets(), status, queued=queued)
    assert started(ticket, can_know=can_know, active_revision=active) == expected
