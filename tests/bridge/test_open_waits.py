"""Many waits at once, and waits that are given up: nobody else is held up, and nothing is left behind."""

import anyio
import pytest

from .calls import Json, Tools
from .programs import report
from .waiting import BOUND_S

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ["auto", "legacy"])]


async def test_open_waits_hold_up_no_other_call(tools: Tools) -> None:
    pane = await tools.puppet()
    ended: list[Json] = []

    async def wait_for_the_end() -> None:
        ended.append(await tools.wait(pane, until="exited"))

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(wait_for_the_end)
        for number in range(5):
            await tools.call("list_panes")
            await tools.tell(pane, report("working", f"step {number}"))
            assert (await tools.call("read_status", pane=pane))["records"][0]["msg"] == f"step {number}"
        assert ended == []
        await tools.call("write_pane", pane=pane, text="exit 7")
    assert [row["exit"] for row in ended] == ["code 7"] * 10


async def test_a_wait_that_is_given_up_leaves_the_connection_and_the_pane_as_they_were(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working", "at it"))
    for _ in range(3):
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(_wait, tools, pane)
            await tools.call("list_panes")
            tasks.cancel_scope.cancel()
    assert (await tools.call("read_status", pane=pane))["records"][0]["msg"] == "at it"
    with anyio.fail_after(BOUND_S):
        written = await tools.call("write_pane", pane=pane, text=report("done"))
        assert (await tools.wait(pane, since=written["revision"]))["state"] == "done"


async def _wait(tools: Tools, pane: str) -> None:
    await tools.call("wait_idle", panes=[pane], until="exited")


async def test_giving_up_one_wait_leaves_the_others_open(tools: Tools) -> None:
    pane = await tools.puppet()
    ended: list[Json] = []

    async def wait_for_the_end(scope: anyio.CancelScope) -> None:
        with scope:
            ended.append(await tools.wait(pane, until="exited"))

    scopes = [anyio.CancelScope() for _ in range(4)]
    async with anyio.create_task_group() as tasks:
        for scope in scopes:
            tasks.start_soon(wait_for_the_end, scope)
        await tools.call("list_panes")
        for scope in scopes[::2]:
            scope.cancel()
        await tools.call("write_pane", pane=pane, text="exit 7")
    assert [row["exit"] for row in ended] == ["code 7"] * 2
