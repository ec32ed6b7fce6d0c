"""What a client sees when the bridge or the host is killed: what was open is answered, and it goes on."""

import json
import os
import signal

import anyio
import pytest
from mcp import Client

from session_core import connect

from .calls import Tools
from .place import Place
from .programs import report
from .raw_shim import RawShim, raw_shim
from .waiting import BOUND_S, process_gone

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])


async def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    await process_gone(pid)


@_eras
async def test_calls_that_are_open_when_the_bridge_is_killed_are_answered_by_the_next_one(
    place: Place, era: str, puppet_pane: str
) -> None:
    async with raw_shim(place, era) as shim:
        await shim.begin()
        before = place.bridge
        waits = [await shim.start("wait_idle", panes=[puppet_pane], until="change") for _ in range(3)]
        await shim.call("list_panes")
        await _kill(before)
        await shim.call("set_pane", pane=puppet_pane, tags=["other"])
        assert place.bridge != before
        async with connect(folder=place.folder) as core:
            await core.write_pane(puppet_pane, report("done"), submit=True)
        answered = {(await shim.message())["id"] for _ in waits}
        assert answered == set(waits)
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert await shim.rest() == b""


async def test_a_change_between_two_bridges_ends_the_wait_that_was_open(place: Place, puppet_pane: str) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        wait = await shim.start("wait_idle", panes=[puppet_pane], until="change", timeout_s=BOUND_S)
        await shim.call("list_panes")
        bridge = place.bridge
        os.kill(shim.process.pid, signal.SIGSTOP)
        await _kill(bridge)
        async with connect(folder=place.folder) as core:
            await core.write_pane(puppet_pane, report("done"), submit=True)
            await core.wait([puppet_pane])
        os.kill(shim.process.pid, signal.SIGCONT)
        assert (await shim.answer(wait))["result"]["structuredContent"]["outcome"] == "changed"


@_eras
async def test_a_write_that_is_open_when_the_bridge_is_killed_is_written_once_and_answered(
    place: Place, era: str, puppet_pane: str
) -> None:
    async with raw_shim(place, era) as shim:
        await shim.begin()
        for number in range(2):
            async with connect(folder=place.folder) as core:
                since = (await core.list_panes()).revision
                write = await shim.start("write_pane", pane=puppet_pane, text=f"say line-{number}", wait_s=BOUND_S)
                await core.wait([puppet_pane], text=f"line-{number}", since=since, timeout_s=BOUND_S)
                await _kill(place.bridge)
                await core.write_pane(puppet_pane, report("done", f"turn {number}"), submit=True)
            receipt = (await shim.answer(write))["result"]["structuredContent"]
            assert (receipt["status"], receipt["wait"]["outcome"]) == ("delivered", "settled")
        last = await shim.call("write_pane", pane=puppet_pane, text="say end")
        await shim.call("wait_idle", panes=[puppet_pane], text="end", since=last["ticket"])
        text = (await shim.call("read_pane", pane=puppet_pane))["text"]
        assert text.split() == ["line-0", "line-1", "end"]


async def test_a_call_that_was_given_up_is_not_made_again_when_the_bridge_is_killed(
    place: Place, lasting_pane: str
) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        given_up, kept = await shim.open_wait(lasting_pane), await shim.start("wait_idle", panes=["p404"])
        params = {"requestId": given_up, "reason": "no longer wanted"}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        await shim.send(json.dumps(notice).encode())
        assert "result" in await shim.answer(kept)
        await _kill(place.bridge)
        await shim.call("list_panes")
        await shim.end_input()
        assert await shim.rest() == b""


@pytest.mark.slow
async def test_a_bridge_that_is_killed_again_and_again_is_met_again_each_time(place: Place, puppet_pane: str) -> None:
    async with Client(place.server(), mode="legacy") as client:
        tools = Tools(client)
        for number in range(2):
            await tools.tell(puppet_pane, report("working", f"turn {number}"))
            outcomes: list[str] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_wait, tools, puppet_pane, outcomes)
                await tools.call("list_panes")
                await _kill(place.bridge)
                await tools.tell(puppet_pane, report("done", f"turn {number}"))
            assert outcomes == ["settled"]


async def _wait(tools: Tools, pane: str, outcomes: list[str]) -> None:
    outcomes.append((await tools.call("wait_idle", panes=[pane], timeout_s=BOUND_S))["outcome"])


async def test_a_bridge_that_ends_in_order_is_not_started_again_for_what_was_open(
    place: Place, lasting_pane: str
) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        wait = await shim.open_wait(lasting_pane)
        bridge = place.bridge
        os.kill(bridge, signal.SIGTERM)
        assert (await shim.answer(wait))["error"]["code"] == -32000
        await process_gone(bridge)
        assert place.pids("mcp_bridge") == []
        await shim.call("list_panes")


async def test_a_bridge_that_cannot_be_started_is_an_error_of_each_call_until_it_can(
    place: Place, lasting_pane: str
) -> None:
    lock = anyio.Path(place.folder, "bridge.lock")
    async with raw_shim(place) as shim:
        await shim.begin()
        await lock.unlink()
        await lock.mkdir()
        try:
            await _kill(place.bridge)
            for _ in range(2):
                assert (await shim.answer(await shim.start("list_panes")))["error"]["message"]
        finally:
            await lock.rmdir()
        assert [row["pane"] for row in (await shim.call("list_panes"))["panes"]] == [lasting_pane]


async def test_after_a_killed_host_reading_goes_on_by_itself(place: Place) -> None:
    async with Client(place.server()) as client:
        tools = Tools(client)
        pane = await tools.puppet()
        await _kill(place.host)
        assert [row["pane"] for row in (await tools.call("list_panes"))["panes"]] == [pane]
        assert (await tools.call("read_status", pane=pane))["life"] == "running"
        await tools.call("close_pane", pane=pane)


async def test_a_wait_that_was_open_at_the_end_of_its_host_goes_on_with_the_next(place: Place) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        for _ in range(2):
            pane = (await shim.call("open_pane", command=["cat"]))["pane"]
            wait = await shim.open_wait(pane)
            await _kill(place.host)
            async with connect(folder=place.folder, start=False) as core:
                await core.close_pane(pane)
            answer = await shim.answer(wait)
            assert answer["result"]["structuredContent"]["panes"][0]["outcome"] in ("exited", "closed")


@pytest.mark.slow
async def test_a_write_that_was_open_at_the_end_of_its_host_goes_on_where_it_was(place: Place) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        pane = (await shim.call("open_pane", command=["sleep", "1000"]))["pane"]
        # More than a terminal takes while its program does not read: the answer has to wait for it.
        write = await shim.start("write_pane", pane=pane, text="line\n" * 20_000, multiline="lines")
        await _reached(shim, pane)
        await _kill(place.host)
        receipt = (await shim.answer(write))["result"]["structuredContent"]
        # The program still does not read.
        assert (receipt["status"], receipt["bytes"] < len("line\n") * 20_000) == ("unknown", True)
        opened = await shim.call("open_pane", command=["cat"])
        written = await shim.call("write_pane", pane=opened["pane"], text="hello")
        assert (written["status"], written["bytes"]) == ("delivered", len("hello") + 1)
        await shim.call("close_pane", pane=opened["pane"])


async def _reached(shim: RawShim, pane: str) -> None:
    """Return once the terminal of the pane shows what is being written to it."""
    text = ""
    with anyio.fail_after(BOUND_S):
        while "line" not in text:
            text = (await shim.call("read_pane", pane=pane))["text"]
