"""Many clients at once, on a folder where nothing runs yet."""

import anyio
import pytest
from mcp import Client

from session_core import connect

from .calls import Tools
from .place import Place
from .raw_shim import raw_shim
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio


async def test_ten_clients_at_once_start_one_bridge_and_one_host_and_see_the_same_panes(place: Place) -> None:
    opened: list[str] = []

    async def open_one(number: int) -> None:
        async with raw_shim(place, "auto" if number % 2 else "legacy") as shim:
            await shim.begin()
            opened.append((await shim.call("open_pane", command=["cat"]))["pane"])
            await shim.end_input()
            assert await shim.exit_code() == 0
            assert await shim.errors() == ""

    with anyio.fail_after(2 * BOUND_S):
        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(open_one, number)
    assert len(place.pids("mcp_bridge")) == 1
    assert len(place.pids("session_core.host")) == 1
    async with connect(folder=place.folder, start=False) as core:
        panes = [status.pane for status in (await core.list_panes()).panes]
    assert sorted(panes) == sorted(opened) == sorted({f"p{number}" for number in range(1, 11)})


async def test_ten_clients_are_served_at_once(place: Place) -> None:
    async with Client(place.server()) as client:
        pane = await Tools(client).puppet()
    ended: list[str] = []

    async def wait_for_it() -> None:
        async with raw_shim(place) as shim:
            await shim.begin()
            wait = await shim.open_wait(pane)
            ready.release()
            answer = await shim.answer(wait)
            ended.append(answer["result"]["structuredContent"]["panes"][0]["exit"])

    ready = anyio.Semaphore(0)
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(wait_for_it)
        for _ in range(10):
            await ready.acquire()
        async with Client(place.server()) as client:
            await Tools(client).call("write_pane", pane=pane, text="exit 7")
    assert ended == ["code 7"] * 10
