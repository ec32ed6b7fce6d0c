"""A host is killed: the next one knows everything that anybody was told, and goes on with it."""

import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, Life, Observed, SessionCoreError, Until

from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, reported
from ..keeper.place import Place

pytestmark = pytest.mark.anyio

_LOGGER = """
    tty.setraw(0)
    log = open(sys.argv[1], "ab", buffering=0)
    ready()
    while True:
        log.write(os.read(0, 65536))
"""


async def kill_host(core: Client) -> None:
    """Kill the host and return once the next one serves this client."""
    before = core.greeting.pid
    os.kill(before, signal.SIGKILL)
    with anyio.fail_after(2 * BOUND_S):
        while core.greeting.pid == before:
            await core.list_panes()


async def test_all_that_a_status_says_is_the_same_with_the_next_host(place: Place, tmp_path: Path) -> None:
    source = """
        report("state=working:app=agent:title=VA==:progress=40")
        report("state=blocked:id=a/b:kind=question:msg=b2s=")
        report("state=done:id=c")
        say("\\x1b]2;a title\\x07\\x1b]7;file:///tmp\\x07\\x1b]9;4;1;50\\x07\\x1b]9;look here\\x07")
        ready()
        rest()
    """
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, source), name="agent")).pane
        await reported(core, pane)
        await core.set_pane(pane, tags=["one", "two"], columns=100, rows=30)
        await core.acknowledge(pane, person="ada")
        await core.send_keystrokes(pane, b"half a line", person="ada")
        told, listed = await core.read_status(pane), await core.list_panes()
        await kill_host(core)
        assert await core.read_status(pane) == told
        assert await core.list_panes() == listed
        changes = await core.list_panes()
        assert changes.epoch == core.greeting.epoch == listed.epoch
        await core.close_pane(pane)


async def test_the_screen_its_scrollback_and_the_text_of_commands_are_there_again(place: Place) -> None:
    async with place.core(start=True) as core:
        shell = (await core.open_pane(["bash"], columns=60, rows=12)).pane
        await core.run_command(shell, "PS1='> '")
        ran = await core.run_command(shell, "seq 1 40; printf '\\033[31mred\\033[0m\\n'")
        await core.set_pane(shell, columns=50, rows=10)
        await core.run_command(shell, "echo second")
        with anyio.fail_after(BOUND_S):
            while not (await core.read_pane(shell)).text.endswith("second\n>"):
                await core.wait([shell], until=Until.QUIET, quiet_s=0.05, timeout_s=1)
        before = [await core.read_pane(shell), await core.read_pane(shell, lines=45)]
        await kill_host(core)
        after = [await core.read_pane(shell), await core.read_pane(shell, lines=45)]
        assert [(read.text, read.cursor_row, read.columns) for read in after] == [
            (read.text, read.cursor_row, read.columns) for read in before
        ]
        assert (await core.read_status(shell)).last_command is not None
        again = await core.run_command(shell, "echo third")
        assert (again.output, ran.exit_code) == ("third", 0)
        await core.close_pane(shell)


async def test_a_ticket_is_found_by_its_key_and_nothing_is_written_again(place: Place, tmp_path: Path) -> None:
    log = tmp_path / "reads"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, _LOGGER, str(log)))).pane
        await reported(core, pane)
        first = (await core.write_pane(pane, "first ", key="one")).ticket
        await kill_host(core)
        again = (await core.write_pane(pane, "first ", key="one")).ticket
        second = (await core.write_pane(pane, "second", key="two")).ticket
        assert (again, second.status) == (first, Delivery.DELIVERED)
        assert int(second.id[1:]) == int(first.id[1:]) + 1
        await eventually(lambda: log.read_bytes() == b"first second")
        await core.close_pane(pane)


async def test_held_writes_wait_on_and_a_secret_one_is_refused(place: Place, tmp_path: Path) -> None:
    log = tmp_path / "reads"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, _LOGGER, str(log)))).pane
        await reported(core, pane)
        await core.send_keystrokes(pane, b"draft")
        held = (await core.write_pane(pane, "held", on_draft="hold")).ticket
        keys = (await core.send_keys(pane, ["Up"], on_draft="hold")).ticket
        secret = (await core.write_pane(pane, "hunter2", on_draft="hold", secret=True)).ticket
        await kill_host(core)
        assert [ticket.id for ticket in (await core.held_writes(pane)).tickets] == [held.id, keys.id]
        refused = await core.read_ticket(secret.id)
        assert (refused.status, refused.reason) == (Delivery.REFUSED, "host_restarted")
        await core.send_keystrokes(pane, b"\r")
        await eventually(lambda: log.read_bytes() == b"draft\rheld\x1b[A")
        state = place.path / "state"
        assert not any(b"hunter2" in path.read_bytes() for path in state.rglob("*") if path.is_file())
        await core.close_pane(pane)


async def test_a_write_goes_on_from_the_byte_that_the_terminal_had_not_taken(place: Place, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        ready()
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
        log = open(sys.argv[1], "ab", buffering=0)
        while True:
            log.write(os.read(0, 65536))
    """
    log, go = tmp_path / "reads", tmp_path / "go"
    text = "".join(f"{number:06d}\n" for number in range(20_000))
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, source, str(log), str(go)))).pane
        await reported(core, pane)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(core.write_pane, pane, text, multiline="lines"))
            await _issued(core, "t1")
            for _ in range(3):
                await kill_host(core)
            go.touch()
        await eventually(lambda: log.exists() and log.stat().st_size >= len(text))
        assert log.read_bytes() == text.replace("\n", "\r").encode()
        ticket = await core.read_ticket("t1")
        assert (ticket.status, ticket.bytes) == (Delivery.DELIVERED, len(text))
        await core.close_pane(pane)


async def _issued(core: Client, ticket: str) -> None:
    """Return once there is such a ticket."""
    with anyio.fail_after(BOUND_S):
        while True:
            with suppress(SessionCoreError):
                await core.read_ticket(ticket)
                return


async def test_records_of_a_program_that_ended_while_no_host_was_there_end_with_it(place: Place) -> None:
    script = r"printf '\033]7501;state=working\033\\\033]7501;state=done:id=a\033\\\033]7501;id=ready:state=idle\033\\'"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["sh", "-c", f"{script}; read go; exit 7"])).pane
        status = await reported(core, pane)
        assert status.occupant is not None
        os.kill(status.occupant.pid, signal.SIGSTOP)
        await core.write_pane(pane, "go", submit=True)
        host = core.greeting.pid
        os.kill(host, signal.SIGKILL)
        os.kill(status.occupant.pid, signal.SIGCONT)
        ended = await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
        assert ended.panes[0].exit is not None
        assert ended.panes[0].exit.code == 7
        after = await core.read_status(pane)
        assert (after.life, after.state) == (Life.EXITED, Observed.DONE)
        assert [record.id for record in after.records] == ["a"]
        await core.close_pane(pane)


async def test_an_ended_pane_stays_readable_and_closed_ones_stay_closed(place: Place) -> None:
    async with place.core(start=True) as core:
        ended = (await core.open_pane(["sh", "-c", "echo last words; exit 3"])).pane
        closed = (await core.open_pane(["cat"])).pane
        await core.wait([ended], until=Until.EXITED, timeout_s=BOUND_S)
        await core.close_pane(closed)
        await kill_host(core)
        (status,) = (await core.list_panes()).panes
        assert (status.pane, status.exit and status.exit.code) == (ended, 3)
        assert (await core.read_pane(ended)).text == "last words"
        with pytest.raises(SessionCoreError) as raised:
            await core.read_status(closed)
        assert raised.value.code is Code.NO_SUCH_PANE
        assert (await core.open_pane(["cat"])).pane not in (ended, closed)
