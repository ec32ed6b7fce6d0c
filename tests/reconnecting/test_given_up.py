"""A host that does not come back, that ends in order, or that comes back with nothing: no call waits for ever."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, HostLost, Outcome, Until, connect

from ..host.hosts import RunningHost, private_folder, start_host
from ..host.waiting import BOUND_S, process_gone
from ..writes.panes import logger, refusal
from .cutting import Proxy, Where

pytestmark = pytest.mark.anyio


async def test_calls_to_a_host_that_does_not_come_back_are_errors_in_bounded_time(core: Client, proxy: Proxy) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    errors: list[Code] = []

    async def fail(client: Client, waits: bool) -> None:
        with pytest.raises(HostLost) as raised:
            await (client.wait([pane], timeout_s=3600) if waits else client.write_pane(pane, "x"))
        errors.append(raised.value.code)

    with anyio.fail_after(BOUND_S):
        async with connect(folder=str(proxy.folder), start=False, reconnect_s=0.3) as client:
            async with anyio.create_task_group() as tasks:
                proxy.plan("wait", Where.OPEN)
                proxy.hold()
                tasks.start_soon(fail, client, True)
                await anyio.wait_all_tasks_blocked()
                while not proxy.cuts:
                    await anyio.lowlevel.checkpoint()
                await proxy.refuse()
                tasks.start_soon(fail, client, False)
            assert client.lost.is_set()
            with pytest.raises(HostLost):
                await client.list_panes()
    assert errors == [Code.HOST_GONE] * 2


async def test_connections_that_are_refused_for_a_moment_are_tried_again(
    cut: Client, core: Client, proxy: Proxy
) -> None:
    await proxy.refuse()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(cut.open_pane, ["sleep", "1000"])
        tasks.start_soon(cut.list_panes)
        await anyio.wait_all_tasks_blocked()
        await proxy.listen()
    assert len((await core.list_panes()).panes) == 1


async def test_a_host_that_ends_in_order_is_not_looked_for_and_not_started_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = private_folder(tmp_path_factory)
    own: RunningHost = await anyio.to_thread.run_sync(start_host, folder)
    with anyio.fail_after(BOUND_S):
        async with connect(folder=str(folder)) as idle, connect(folder=str(folder)) as stopping:
            pane = (await idle.open_pane(["sleep", "1000"])).pane

            async def wait() -> None:
                ended = await idle.wait([pane], timeout_s=3600, until=Until.EXITED)
                assert ended.outcome is Outcome.EXITED

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                await stopping.stop()
            await idle.lost.wait()
            assert (await refusal(idle.list_panes())).code is Code.HOST_GONE
    await process_gone(own.pid)
    assert not (folder / "host.sock").exists()


async def test_a_write_to_a_host_that_has_lost_its_memory_is_not_made_again(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    proxy.plan("write_pane", Where.AFTER)
    proxy.other_epoch()
    error = await refusal(cut.write_pane(program.pane, "once"))
    assert error.code is Code.OUTCOME_UNKNOWN
    await cut.write_pane(program.pane, ".")
    await program.got(b"once.")


async def test_a_write_that_never_left_is_not_made_to_a_host_that_has_lost_its_memory(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    proxy.hold()
    proxy.cut()
    while cut.is_connected:
        await anyio.lowlevel.checkpoint()
    codes: list[Code] = []

    async def write() -> None:
        codes.append((await refusal(cut.write_pane(program.pane, "never"))).code)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        proxy.other_epoch()
        proxy.go_on()
    assert codes == [Code.HOST_GONE]
    await cut.write_pane(program.pane, ".")
    await program.got(b".")
