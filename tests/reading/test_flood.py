"""A program that prints without pause holds nobody up and fills nothing."""

import anyio
import pytest

from session_core import Client, What, connect

from ..host.hosts import RunningHost
from ..host.processes import memory
from ..host.waiting import BOUND_S, exit_of

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


async def _seen(core: Client, pane: str, offset: int) -> int:
    """Return the end of the output once it is beyond `offset`."""
    with anyio.fail_after(3 * BOUND_S):
        while (end := (await core.read_pane(pane)).end) <= offset:
            pass
    return end


async def test_everything_else_works_beside_it_and_a_key_stops_it(core: Client) -> None:
    flood = (await core.open_pane(["yes", "flood"])).pane
    shell = (await core.open_pane(["bash"])).pane
    await _seen(core, flood, 4 * MIB)
    assert (await core.read_pane(flood)).text.startswith("flood\nflood")
    assert (await core.read_status(flood)).life == "running"
    assert (await core.read_pane(flood, what=What.TAIL, lines=3)).text.startswith("flood\nflood\n")
    assert (await core.run_command(shell, "echo beside")).output == "beside"
    third = (await core.open_pane(["echo", "third"])).pane
    await exit_of(core, third)
    assert (await core.read_pane(third)).text == "third"
    await core.send_keys(flood, ["C-c"])
    assert (await exit_of(core, flood)).signal == "SIGINT"


async def test_the_host_grows_no_more_once_the_scrollback_is_full(core: Client, host: RunningHost) -> None:
    flood = (await core.open_pane(["yes", "x" * 100])).pane
    end = await _seen(core, flood, 10 * MIB)
    before = memory(host.pid)
    await _seen(core, flood, end + 20 * MIB)
    assert memory(host.pid) - before < 8 * MIB
    await core.close_pane(flood)


async def test_a_read_of_everything_goes_on_beside_it(core: Client) -> None:
    flood = (await core.open_pane(["yes"])).pane
    await _seen(core, flood, 9 * MIB)
    read = await core.read_pane(flood, what=What.SINCE, offset=0)
    assert set(read.text) == {"y", "\n"}
    assert len(read.text) <= 4000
    assert read.missed_bytes > 0
    assert read.left_out_lines > 2 * MIB
    await core.close_pane(flood)


async def test_a_pane_that_is_closed_while_it_is_read_fails_no_read(core: Client) -> None:
    for _ in range(2):
        flood = (await core.open_pane(["yes"])).pane
        await _seen(core, flood, 2 * MIB)
        async with connect(start=False) as other, anyio.create_task_group() as tasks:
            for what in (What.SINCE, What.FIND, What.SINCE):
                tasks.start_soon(_read, other, flood, what)
            await core.close_pane(flood)


async def _read(core: Client, pane: str, what: What) -> None:
    read = await core.read_pane(pane, what=what, offset=0, pattern="y+", regex=True)
    assert set(read.text) <= {"y", "\n"}
