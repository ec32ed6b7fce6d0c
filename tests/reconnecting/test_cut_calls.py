"""A call is cut before it arrives, after the host has answered it, or amid its answer: it is done once and answered."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from session_core import Client, Delivery, NoSuchPane, Outcome, State, Until

from ..host.programs import python
from ..host.waiting import BOUND_S, reported
from ..writes.panes import logger, refusal, shell, typing
from .cutting import Proxy, Where, anywhere

pytestmark = pytest.mark.anyio

_DONE = 'tty.setraw(0)\nreport("state=done")\nready()\nrest()'


@anywhere
async def test_a_pane_is_opened_once(cut: Client, core: Client, proxy: Proxy, where: Where) -> None:
    proxy.plan("open_pane", where)
    opened = await cut.open_pane(["sleep", "1000"], name="one")
    assert [status.pane for status in (await core.list_panes()).panes] == [opened.pane]
    assert proxy.cuts == 1


@anywhere
async def test_a_text_is_written_once(cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where) -> None:
    program = await logger(core, tmp_path)
    proxy.plan("write_pane", where)
    receipt = await cut.write_pane(program.pane, "hello", author="tool")
    assert (receipt.ticket.status, receipt.ticket.bytes) == (Delivery.DELIVERED, 5)
    await cut.write_pane(program.pane, ".", author="tool")
    await program.got(b"hello.")


@anywhere
async def test_keys_are_pressed_once(cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where) -> None:
    program = await logger(core, tmp_path)
    proxy.plan("send_keys", where)
    assert (await cut.send_keys(program.pane, ["Up"])).ticket.status is Delivery.DELIVERED
    await cut.send_keys(program.pane, ["x"])
    await program.got(b"\x1b[Ax")


@anywhere
async def test_what_a_person_types_is_typed_once(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where
) -> None:
    program = await logger(core, tmp_path)
    proxy.plan("send_keystrokes", where)
    await cut.send_keystrokes(program.pane, b"y")
    await cut.send_keystrokes(program.pane, b"z")
    await program.got(b"yz")


@anywhere
async def test_a_finished_mark_is_acknowledged_once_and_the_receipt_names_it(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where
) -> None:
    pane = (await core.open_pane(python(tmp_path, _DONE))).pane
    await reported(core, pane)
    proxy.plan("acknowledge", where)
    assert (await cut.acknowledge(pane, person="ada")).acknowledged == ("",)
    status = await core.read_status(pane)
    assert status.root is State.IDLE
    assert len(status.acknowledged) == 1


@anywhere
async def test_a_held_write_is_taken_back_once(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where
) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane)
    ticket = (await core.write_pane(program.pane, "later", on_draft="hold")).ticket
    proxy.plan("cancel_write", where)
    cancelled = await cut.cancel_write(ticket.id)
    assert (cancelled.status, cancelled.reason) == (Delivery.REFUSED, "cancelled")
    assert (await refusal(cut.cancel_write(ticket.id))).code == "no_such_ticket"


@anywhere
async def test_a_pane_that_is_named_by_its_old_name_gets_its_new_one(
    cut: Client, core: Client, proxy: Proxy, where: Where
) -> None:
    opened = await core.open_pane(["sleep", "1000"], name="old")
    proxy.plan("set_pane", where)
    status = await cut.set_pane("old", name="new", tags=["a"])
    assert (status.pane, status.name, status.tags) == (opened.pane, "new", ("a",))


@anywhere
async def test_a_pane_is_closed_once_and_its_end_is_told(cut: Client, core: Client, proxy: Proxy, where: Where) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    proxy.plan("close_pane", where)
    closed = await cut.close_pane(pane)
    assert closed.exit is not None
    assert (closed.pane, closed.exit.signal) == (pane, "SIGHUP")
    with pytest.raises(NoSuchPane):
        await cut.close_pane(pane)


@anywhere
async def test_a_command_runs_once_and_its_output_comes_back(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, where: Where
) -> None:
    pane = await shell(core)
    runs = tmp_path / "runs"
    command = f"echo ran >> {runs}; wc -l < {runs}"
    assert (await core.run_command(pane, command)).output == "1"
    proxy.plan("run_command", where)
    ran = await cut.run_command(pane, command)
    assert (ran.outcome, ran.output) == (Outcome.SETTLED, "2")
    assert runs.read_text() == "ran\nran\n"


async def test_two_calls_with_one_key_at_the_same_time_write_once(cut: Client, core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    # Both wait for a pause of the person, and only then write.
    await core.send_keystrokes(program.pane, b"\r")
    tickets: list[str] = []

    async def write(client: Client) -> None:
        tickets.append((await client.write_pane(program.pane, "once", key="mine")).ticket.id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write, cut)
        tasks.start_soon(write, core)
    assert len(set(tickets)) == 1
    await core.write_pane(program.pane, ".")
    await program.got(b"\ronce.")


async def test_a_command_that_runs_when_its_connection_is_cut_is_waited_for(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    pane = await shell(core)
    gate = tmp_path / "gate"
    command = f"echo ran >> {tmp_path}/runs; until [ -e {gate} ]; do sleep 0.01; done; echo out"

    async def run() -> None:
        ran = await cut.run_command(pane, command)
        assert (ran.outcome, ran.output) == (Outcome.SETTLED, "out")

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await core.wait([pane], until=Until.CHANGE, since=(await core.read_status(pane)).revision)
            proxy.cut()
            await cut.list_panes()
            gate.touch()
    assert (tmp_path / "runs").read_text() == "ran\n"


@pytest.mark.parametrize(
    "ask",
    [
        lambda client, pane: client.list_panes(),
        lambda client, pane: client.read_status(pane),
        lambda client, pane: client.read_pane(pane),
        lambda client, pane: client.held_writes(pane),
        lambda client, pane: client.wait([pane], until=Until.EXITED, timeout_s=0),
    ],
)
@anywhere
async def test_what_only_looks_is_answered(
    cut: Client, core: Client, proxy: Proxy, where: Where, ask: Callable[[Client, str], Awaitable[object]]
) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    for method in ("list_panes", "read_status", "read_pane", "held_writes", "wait"):
        proxy.plan(method, where)
    expected = await ask(core, pane)
    answered = await ask(cut, pane)
    assert type(answered) is type(expected)
    assert proxy.cuts == 1


async def test_a_write_that_was_delivered_before_its_pane_was_closed_says_so(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    await proxy.refuse()
    async with anyio.create_task_group() as tasks:

        async def write() -> None:
            receipt = await cut.write_pane(program.pane, "hello", key="k", wait_s=5)
            assert receipt.ticket.status is Delivery.DELIVERED
            assert receipt.wait is not None
            assert receipt.wait.outcome is Outcome.CLOSED

        tasks.start_soon(write)
        await core.write_pane(program.pane, "hello", key="k")
        await core.close_pane(program.pane)
        await proxy.listen()


async def test_an_explicit_key_counts_over_connections_and_callers(cut: Client, core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    first = await cut.write_pane(program.pane, "once", key="mine")
    assert (await core.write_pane(program.pane, "once", key="mine")).ticket == first.ticket
    opened = await cut.open_pane(["sleep", "1000"], key="mine")
    assert (await core.open_pane(["sleep", "1000"], key="mine")).pane == opened.pane
    closed = await cut.close_pane(opened.pane, key="mine")
    assert await core.close_pane(opened.pane, key="mine") == closed
    await core.write_pane(program.pane, ".")
    await program.got(b"once.")
