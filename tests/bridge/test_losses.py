"""What a client sees when the bridge or the host is killed: an error for what was open, then it goes on."""

import json
import os
import signal

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from .calls import Json, Tools
from .place import Place
from .programs import report
from .raw_shim import RawShim, raw_shim
from .waiting import BOUND_S, process_gone

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", "legacy"])


async def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    await process_gone(pid)


@_eras
async def test_a_killed_bridge_is_an_error_of_the_open_calls_and_the_next_call_works(
    place: Place, era: str, lasting_pane: str
) -> None:
    async with raw_shim(place, era) as shim:
        await shim.begin()
        waits = [await shim.open_wait(lasting_pane) for _ in range(3)]
        before = place.bridge
        await _kill(before)
        for wait in waits:
            error = (await shim.answer(wait))["error"]
            assert error["code"] == -32000
            assert "read_status" in error["message"]
        assert [row["pane"] for row in (await shim.call("list_panes"))["panes"]] == [lasting_pane]
        assert place.bridge != before
        await shim.open_wait(lasting_pane)
        await shim.call("write_pane", pane=lasting_pane, text="hello")
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert await shim.rest() == b""
        answered = [json.loads(line)["id"] for line in shim.lines]
        assert len(answered) == len(set(answered))


async def test_a_call_that_was_given_up_is_not_answered_when_the_bridge_is_killed(
    place: Place, lasting_pane: str
) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        given_up, kept = await shim.open_wait(lasting_pane), await shim.open_wait(lasting_pane)
        params = {"requestId": given_up, "reason": "no longer wanted"}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        await shim.send(json.dumps(notice).encode())
        await shim.call("list_panes")
        await _kill(place.bridge)
        assert "error" in await shim.answer(kept)
        await shim.call("list_panes")


async def test_a_bridge_that_is_killed_again_and_again_is_met_again_each_time(place: Place, lasting_pane: str) -> None:
    async with Client(place.server(), mode="legacy") as client:
        tools = Tools(client)
        for _ in range(2):
            failures: list[MCPError] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_wait_and_fail, tools, lasting_pane, failures)
                await tools.call("list_panes")
                await _kill(place.bridge)
            assert [failure.code for failure in failures] == [-32000]
            assert (await tools.row(lasting_pane))["program"] == "cat"


async def _wait_and_fail(tools: Tools, pane: str, failures: list[MCPError]) -> None:
    try:
        await tools.call("wait_idle", panes=[pane], until="exited")
    except MCPError as error:
        failures.append(error)


async def test_a_bridge_that_cannot_be_started_is_an_error_of_each_call_until_it_can(
    place: Place, lasting_pane: str
) -> None:
    start_lock = anyio.Path(place.folder, "bridge.start")
    async with raw_shim(place) as shim:
        await shim.begin()
        await _kill(place.bridge)
        await start_lock.unlink()
        await start_lock.mkdir()
        try:
            for _ in range(2):
                assert (await shim.answer(await shim.start("list_panes")))["error"]["message"]
        finally:
            await start_lock.rmdir()
        assert [row["pane"] for row in (await shim.call("list_panes"))["panes"]] == [lasting_pane]


async def test_after_a_killed_host_reading_goes_on_by_itself(place: Place) -> None:
    async with Client(place.server()) as client:
        tools = Tools(client)
        pane = await tools.puppet()
        await tools.tell(pane, report("working"))
        await _kill(place.host)
        assert (await tools.call("list_panes"))["panes"] == []
        assert (await tools.refusal("read_status", pane=pane)).startswith("no_such_pane: ")


async def test_a_wait_that_was_open_at_the_end_of_its_host_is_told_that_its_pane_is_gone(place: Place) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        for _ in range(2):
            pane = (await shim.call("open_pane", command=["cat"]))["pane"]
            wait = await shim.open_wait(pane)
            await _kill(place.host)
            assert _refusal(await shim.answer(wait)).startswith("no_such_pane: ")


def _refusal(answer: Json) -> str:
    assert answer["result"]["isError"]
    return str(answer["result"]["content"][0]["text"])


async def test_a_write_that_was_open_at_the_end_of_its_host_is_an_error_and_is_not_repeated(
    place: Place,
) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        pane = (await shim.call("open_pane", command=["sleep", "1000"]))["pane"]
        # More than a terminal takes while its program does not read: the answer has to wait for it.
        write = await shim.start("write_pane", pane=pane, text="line\n" * 20_000, multiline="lines")
        await _reached(shim, pane)
        await _kill(place.host)
        text = _refusal(await shim.answer(write))
        assert text.startswith("host_gone: ")
        assert "before you repeat a write" in text
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
