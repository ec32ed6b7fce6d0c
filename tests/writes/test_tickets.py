"""The receipt of a write: what a repeat gives, what a wait since it says, and whether the program began to act."""

from functools import partial
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, Outcome, WriteReceipt, connect

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import BOUND_S, reported, status_eventually, status_when
from .panes import lines_when, logger, refusal, shell, turns, typing

pytestmark = pytest.mark.anyio


async def test_a_repeat_with_the_same_key_gives_the_first_ticket_and_writes_nothing(
    core: Client, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    first = (await core.write_pane(program.pane, "once", submit=True, key="k1")).ticket
    again = (await core.write_pane(program.pane, "once", submit=True, key="k1")).ticket
    other_text = (await core.write_pane(program.pane, "other", key="k1")).ticket
    assert first == again == other_text
    await core.write_pane(program.pane, "next", key="k2")
    await program.got(b"once\rnext")


async def test_a_key_belongs_to_its_pane(core: Client, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = await logger(core, tmp_path / "a"), await logger(core, tmp_path / "b")
    tickets = {(await core.write_pane(program.pane, "x", key="same")).ticket.id for program in (one, two)}
    assert len(tickets) == 2
    await one.got(b"x")
    await two.got(b"x")


async def test_one_key_from_two_clients_at_once_is_written_once(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    receipts: list[WriteReceipt] = []

    async def write(client: Client, number: int) -> None:
        text = f"message {number};"
        receipts.append(await client.write_pane(program.pane, text, submit=True, key=f"k{number}"))

    async with connect(folder=str(host.folder), start=False) as other, anyio.create_task_group() as tasks:
        for number in range(10):
            for client in (core, other, core):
                tasks.start_soon(write, client, number)
    assert len({receipt.ticket.id for receipt in receipts}) == 10
    got = await program.got_bytes(10 * len("message 0;\r"))
    await core.write_pane(program.pane, "end")
    await program.got(got + b"end")
    assert sorted(got.split(b"\r")) == [b"", *(b"message %d;" % number for number in range(10))]


async def test_a_write_that_was_refused_leaves_its_key_free(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, b"d")
    assert (await refusal(core.write_pane(program.pane, "x", key="k"))).code is Code.HUMAN_DRAFT
    await core.send_keystrokes(program.pane, b"\r")
    assert (await core.write_pane(program.pane, "x", key="k")).ticket.status is Delivery.DELIVERED
    await program.got(b"d\rx")


async def test_the_key_of_a_held_write_gives_its_ticket_as_it_stands(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, b"d")
    write = partial(core.write_pane, program.pane, "x", on_draft="hold", key="k")
    held, again = (await write()).ticket, (await write()).ticket
    assert (held, held.status) == (again, Delivery.HELD)
    await core.send_keystrokes(program.pane, b"\r")
    await program.got(b"d\rx")
    delivered = (await write()).ticket
    assert (delivered.id, delivered.status, delivered.bytes) == (held.id, Delivery.DELIVERED, 1)


async def test_started_is_true_once_the_program_has_reported_after_the_write(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    for state in ("done", "error", "blocked"):
        question = (await core.read_status(pane)).records[0]
        answers = question.revision if question.state == "blocked" else None
        receipt = await core.write_pane(pane, f"turn {state}", submit=True, answers=answers, wait_s=BOUND_S)
        assert receipt.wait is not None
        assert (receipt.started, receipt.wait.panes[0].state) == (True, state)


async def test_started_is_false_while_a_program_that_declares_itself_does_nothing(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    receipt = await core.write_pane(program.pane, "x", submit=True)
    assert receipt.started is False
    waited = await core.write_pane(program.pane, "y", submit=True, wait_s=0.05)
    assert waited.wait is not None
    assert (waited.started, waited.wait.outcome) == (False, Outcome.CHECKIN)


async def test_a_write_during_a_turn_is_queued_on_it(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    receipt = await core.write_pane(pane, "more done", submit=True)
    assert (receipt.started, receipt.ticket.queued) == ("queued_on_running_turn", True)
    await lines_when(path, 2)


async def test_started_is_null_where_a_program_declares_nothing(core: Client) -> None:
    pane = (await core.open_pane(["cat"])).pane
    receipt = await core.write_pane(pane, "x", submit=True, wait_s=0.05)
    assert receipt.wait is not None
    assert (receipt.started, receipt.wait.outcome) == (None, Outcome.CHECKIN)


async def test_started_of_a_command_in_a_shell_with_prompt_marks_is_true(core: Client) -> None:
    pane = await shell(core)
    receipt = await core.write_pane(pane, "true", submit=True, wait_s=BOUND_S)
    assert receipt.started is True


async def test_an_old_rest_never_ends_a_wait_since_a_ticket(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    await core.write_pane(pane, "first done", submit=True, wait_s=BOUND_S)
    for _ in range(20):
        ticket = (await core.write_pane(pane, "next done", submit=True)).ticket
        ended = await core.wait([pane], since=ticket.id, timeout_s=BOUND_S)
        assert (ended.outcome, ended.started, ended.panes[0].state) == (Outcome.SETTLED, True, "done")
        assert ended.panes[0].revision > ticket.revision


async def test_a_wait_since_a_held_ticket_covers_its_delivery_and_its_turn(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    await typing(core, pane, b"person")
    held = (await core.write_pane(pane, "tool error", submit=True, on_draft="hold")).ticket
    assert (await core.wait([pane], since=held.id, timeout_s=0.01)).outcome is Outcome.CHECKIN
    results: list[tuple[object, ...]] = []

    async def wait() -> None:
        ended = await core.wait([pane], since=held.id, timeout_s=BOUND_S)
        results.append((ended.outcome, ended.panes[0].state, ended.started))

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        await core.send_keystrokes(pane, b"\x15")
    assert results == [(Outcome.SETTLED, "error", True)] * 3


async def test_a_held_write_with_its_wait_in_one_call_says_that_the_program_began(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    await typing(core, pane, b"x")
    receipts: list[WriteReceipt] = []

    async def write() -> None:
        receipts.append(await core.write_pane(pane, "tool done", submit=True, on_draft="hold", wait_s=BOUND_S))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await status_when(core, pane, lambda status: status.draft is not None)
        await core.send_keystrokes(pane, b"\x15")
    (receipt,) = receipts
    assert receipt.wait is not None
    assert (receipt.ticket.status, receipt.started) == (Delivery.DELIVERED, True)
    assert (receipt.wait.outcome, receipt.wait.panes[0].state) == (Outcome.SETTLED, "done")


async def test_a_wait_since_a_write_that_was_cancelled_says_so(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    await typing(core, pane, b"x")
    held = (await core.write_pane(pane, "never", on_draft="hold")).ticket
    outcomes: list[Outcome] = []

    async def wait() -> None:
        outcomes.append((await core.wait([pane], since=held.id, timeout_s=BOUND_S)).outcome)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        await core.cancel_write(held.id)
    assert outcomes == [Outcome.NOT_DELIVERED]
    assert (await core.wait([pane], since=held.id, timeout_s=0)).outcome is Outcome.NOT_DELIVERED


async def test_an_unknown_ticket_is_an_error(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    assert (await refusal(core.wait([pane], since="t0", timeout_s=BOUND_S))).code is Code.NO_SUCH_TICKET
    assert (await refusal(core.cancel_write("t0"))).code is Code.NO_SUCH_TICKET


async def test_the_end_of_the_program_ends_a_write_with_its_wait(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, "ready()\nsys.stdin.readline()\nsys.exit(3)"))).pane
    await reported(core, pane)
    receipt = await core.write_pane(pane, "x", submit=True, wait_s=BOUND_S)
    assert receipt.wait is not None
    assert receipt.wait.outcome is Outcome.EXITED
    assert receipt.wait.panes[0].exit is not None
    assert receipt.wait.panes[0].exit.code == 3


async def test_a_write_before_the_program_has_shown_anything_is_called_early(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["sh", "-c", "stty -echo; sleep 1000"])).pane
    assert (await core.write_pane(pane, "x", secret=True)).ticket.early
    program = await logger(core, tmp_path, modes="shown")
    assert not (await core.write_pane(program.pane, "x")).ticket.early
