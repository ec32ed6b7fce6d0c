"""Waits that go on as tasks: raw JSON-RPC of the tasks extension through the real shim."""

import os
import signal
from collections.abc import AsyncIterator

import pytest

from session_core import connect

from .calls import Json, Tools
from .place import Place
from .programs import report
from .raw_shim import TASKS, RawShim, end_of, raw_shim, task_of
from .waiting import process_gone

pytestmark = pytest.mark.anyio

_UNKNOWN = "there-is-no-such-task"


@pytest.fixture
async def shim(place: Place) -> AsyncIterator[RawShim]:
    """A client whose every request declares the extension."""
    async with raw_shim(place, capabilities=TASKS) as client:
        await client.begin()
        yield client


async def _asleep(tools: Tools) -> str:
    """Open a puppet that works, and return its pane."""
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    return pane


async def test_a_wait_that_goes_on_is_a_task_that_ends_with_the_result_of_the_call(shim: RawShim, tools: Tools) -> None:
    pane = await _asleep(tools)
    seed = await shim.result("tools/call", name="wait_idle", arguments={"panes": [pane], "timeout_s": 60})
    assert (seed["resultType"], seed["status"]) == ("task", "working")
    assert seed["ttlMs"] > 60_000
    assert seed["pollIntervalMs"] > 0
    assert seed["createdAt"].endswith("Z")
    found = await shim.result("tasks/get", taskId=seed["taskId"])
    assert (found["resultType"], found["status"]) == ("complete", "working")
    assert found["statusMessage"].startswith("waiting for 1 pane, ")
    assert "result" not in found
    await tools.tell(pane, report("done", "built"))
    found = await end_of(shim, seed["taskId"])
    assert (found["resultType"], found["status"]) == ("complete", "completed")
    assert found["createdAt"] == seed["createdAt"] <= found["lastUpdatedAt"]
    result = found["result"]
    assert (result["isError"], result["structuredContent"]["outcome"]) == (False, "settled")
    assert result["structuredContent"]["panes"][0]["msg"] == "built"
    assert result["content"][0]["text"]
    assert await end_of(shim, seed["taskId"]) == found


async def test_what_is_over_at_once_is_answered_at_once(shim: RawShim, tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("done", "long ago"))
    assert (await shim.call("wait_idle", panes=[pane], timeout_s=60))["panes"][0]["msg"] == "long ago"
    await tools.tell(pane, report("working"))
    assert (await shim.call("wait_idle", panes=[pane], timeout_s=0))["outcome"] == "checkin"
    refused = await shim.result("tools/call", name="wait_idle", arguments={"panes": ["nobody"], "timeout_s": 60})
    assert refused["isError"]
    assert refused["content"][0]["text"].startswith("no_such_pane: ")


async def test_only_the_request_that_declares_the_extension_is_answered_with_a_task(place: Place, tools: Tools) -> None:
    pane = await _asleep(tools)
    async with raw_shim(place) as shim:
        await shim.begin()
        shim.capabilities = TASKS
        await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
        shim.capabilities = {"extensions": {"io.modelcontextprotocol/ui": {}}}
        assert (await shim.call("wait_idle", panes=[pane], timeout_s=0.01))["outcome"] == "checkin"


async def test_an_older_client_is_never_answered_with_a_task_and_has_no_task_methods(
    place: Place, tools: Tools
) -> None:
    pane = await _asleep(tools)
    async with raw_shim(place, "legacy", capabilities=TASKS) as shim:
        await shim.begin()
        assert "extensions" not in shim.greeting["capabilities"]
        assert (await shim.call("wait_idle", panes=[pane], timeout_s=0.01))["outcome"] == "checkin"
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            assert (await shim.error(method, taskId=_UNKNOWN))["code"] == -32601


async def test_discovery_offers_the_extension(shim: RawShim) -> None:
    assert shim.greeting["capabilities"]["extensions"] == TASKS["extensions"]


async def test_a_task_that_is_over_is_not_changed_by_cancelling_it(shim: RawShim, tools: Tools) -> None:
    pane = await _asleep(tools)
    task = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
    await tools.tell(pane, report("done"))
    ended = await end_of(shim, task)
    await shim.result("tasks/cancel", taskId=task)
    assert await shim.result("tasks/get", taskId=task) == ended


async def test_another_connection_gets_the_end_of_a_task_whose_client_died(place: Place, tools: Tools) -> None:
    pane = await _asleep(tools)
    async with raw_shim(place, capabilities=TASKS) as shim:
        await shim.begin()
        task = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
        shim.process.kill()
        await shim.exit_code()
    await tools.tell(pane, report("done", "nobody was there"))
    async with raw_shim(place, capabilities=TASKS) as other:
        await other.begin()
        found = await end_of(other, task)
    assert found["result"]["structuredContent"]["panes"][0]["msg"] == "nobody was there"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
async def test_an_unknown_task_and_a_request_that_does_not_declare_the_extension_are_told_apart(
    shim: RawShim, method: str
) -> None:
    error = await shim.error(method, taskId=_UNKNOWN, inputResponses={})
    assert error["code"] == -32602
    assert "wait_idle" in error["message"]
    assert (await shim.error(method))["code"] == -32602
    shim.capabilities = {}
    error = await shim.error(method, taskId=_UNKNOWN)
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": TASKS})


async def test_input_that_nobody_asked_for_is_acknowledged_and_changes_nothing(shim: RawShim, tools: Tools) -> None:
    task = await task_of(shim, "wait_idle", panes=[await _asleep(tools)], timeout_s=60)
    answer = await shim.result("tasks/update", taskId=task, inputResponses={"name": {"action": "accept"}})
    assert answer["resultType"] == "complete"
    assert (await shim.result("tasks/get", taskId=task))["status"] == "working"


@pytest.mark.parametrize(("tool", "what"), [("write_pane", {"text": "say xyzzy"}), ("send_keys", {"keys": ["x"]})])
async def test_a_write_that_waits_writes_once_and_its_task_ends_with_its_receipt(
    shim: RawShim, tools: Tools, tool: str, what: Json
) -> None:
    pane = await _asleep(tools)
    task = await task_of(shim, tool, pane=pane, wait_s=60, **what)
    if tool == "send_keys":
        await tools.write(pane, "")
        await tools.tell(pane, report("done"))
    else:
        assert (await tools.text_when(pane, "xyzzy")).count("xyzzy") == 1
        await tools.tell(pane, report("done"))
        assert (await tools.text_when(pane, "xyzzy")).count("xyzzy") == 1
    receipt = (await end_of(shim, task))["result"]["structuredContent"]
    assert (receipt["pane"], receipt["status"]) == (pane, "delivered")
    assert (receipt["started"], receipt["wait"]["outcome"]) == ("queued_on_running_turn", "settled")


async def test_the_receipt_of_a_write_that_was_held_says_that_it_was_delivered(shim: RawShim, tools: Tools) -> None:
    pane = await _asleep(tools)
    task = await task_of(shim, "write_pane", pane=pane, text=report("done", "second"), when="settled", wait_s=60)
    assert (await tools.call("read_status", pane=pane))["held"]
    await tools.tell(pane, report("done", "first"))
    receipt = (await end_of(shim, task))["result"]["structuredContent"]
    assert (receipt["status"], receipt["wait"]["panes"][0]["msg"]) == ("delivered", "second")


async def test_a_task_outlives_the_host_that_it_waits_at(shim: RawShim, place: Place, tools: Tools) -> None:
    pane = await _asleep(tools)
    task = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
    host = place.host
    os.kill(host, signal.SIGKILL)
    await process_gone(host)
    await tools.call("list_panes")
    await tools.call("close_pane", pane=pane)
    found = await end_of(shim, task)
    assert found["status"] == "completed"
    assert found["result"]["structuredContent"]["panes"][0]["outcome"] in ("exited", "closed")


async def test_tasks_go_on_at_the_next_bridge_and_those_that_were_over_stay_so(
    shim: RawShim, place: Place, tools: Tools
) -> None:
    pane = await _asleep(tools)
    waits = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
    writes = await task_of(shim, "write_pane", pane=pane, text="say hello", wait_s=60)
    over = await task_of(shim, "wait_idle", panes=[pane], until="exited", timeout_s=0.2)
    cancelled = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
    await shim.result("tasks/cancel", taskId=cancelled)
    before = await end_of(shim, over)
    bridge = place.bridge
    os.kill(bridge, signal.SIGKILL)
    await process_gone(bridge)
    async with connect(folder=place.folder) as core:
        await core.write_pane(pane, report("done", "built"), submit=True)
        await core.write_pane(pane, report("working"), submit=True)
    assert (await shim.result("tasks/get", taskId=over))["result"] == before["result"]
    assert (await shim.result("tasks/get", taskId=cancelled))["status"] == "cancelled"
    found = (await end_of(shim, waits))["result"]["structuredContent"]
    assert (found["outcome"], found["panes"][0]["msg"]) == ("settled", "built")
    receipt = (await end_of(shim, writes))["result"]["structuredContent"]
    assert (receipt["status"], receipt["wait"]["outcome"]) == ("delivered", "settled")


async def test_while_too_many_tasks_are_at_work_a_wait_is_answered_like_any_other(shim: RawShim, tools: Tools) -> None:
    pane = await _asleep(tools)
    tasks = [await task_of(shim, "wait_idle", panes=[pane], until="exited", timeout_s=60) for _ in range(256)]
    assert (await shim.call("wait_idle", panes=[pane], timeout_s=0.01))["outcome"] == "checkin"
    written = await shim.call("write_pane", pane=pane, text="say once", wait_s=0.01)
    assert (written["status"], written["wait"]["outcome"]) == ("delivered", "checkin")
    assert (await tools.text_when(pane, "once")).count("once") == 1
    await shim.result("tasks/cancel", taskId=tasks[3])
    newest = await task_of(shim, "wait_idle", panes=[pane], timeout_s=60)
    assert (await shim.error("tasks/get", taskId=tasks[3]))["code"] == -32602
    assert len({*tasks, newest}) == 257
    await tools.write(pane, "exit 0")
    assert (await end_of(shim, newest))["status"] == "completed"


async def test_a_stream_tells_the_end_of_the_tasks_that_it_asks_for(shim: RawShim, tools: Tools) -> None:
    pane = await _asleep(tools)
    ended, waiting, other = [await task_of(shim, "wait_idle", panes=[pane], timeout_s=60) for _ in range(3)]
    await shim.result("tasks/cancel", taskId=ended)
    stream = await shim.request("subscriptions/listen", notifications={"taskIds": [ended, waiting, _UNKNOWN]})
    confirmed = await shim.message()
    assert confirmed["method"] == "notifications/subscriptions/acknowledged"
    assert confirmed["params"]["notifications"]["taskIds"] == [ended, waiting]
    told = (await shim.message())["params"]
    assert (told["taskId"], told["status"]) == (ended, "cancelled")
    await tools.tell(pane, report("done", "told"))
    notice = await shim.message()
    assert notice["method"] == "notifications/tasks"
    assert notice["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": stream}
    assert (notice["params"]["taskId"], notice["params"]["status"]) == (waiting, "completed")
    assert notice["params"]["result"] == (await end_of(shim, waiting))["result"]
    assert (await end_of(shim, other))["status"] == "completed"
    shim.capabilities = {}
    refused = await shim.error("subscriptions/listen", notifications={"taskIds": [waiting]})
    assert (refused["code"], refused["data"]) == (-32021, {"requiredCapabilities": TASKS})
