"""fastmcp's client, a Python client of another make."""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from tests.bridge.calls import Tools
from tests.bridge.place import Place
from tests.bridge.programs import report
from tests.bridge.waiting import BOUND_S

pytest.importorskip("fastmcp", reason="fastmcp is not installed")

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["auto", "legacy"])
async def client(request: pytest.FixtureRequest, place: Place) -> AsyncIterator[Client[Any]]:
    """A connected client of each era of the protocol."""
    server = place.server()
    transport = StdioTransport(server.command, server.args, env=server.env, keep_alive=False)
    with anyio.fail_after(2 * BOUND_S):
        async with Client(transport, mode=request.param) as connected:
            yield connected


async def test_it_lists_and_calls_the_tools(client: Client[Any], tools: Tools) -> None:
    pane = await tools.puppet()
    assert "wait_idle" in {tool.name for tool in await client.list_tools()}
    listed = await client.call_tool("list_panes", {})
    assert listed.structured_content == await tools.call("list_panes")
    await tools.tell(pane, report("done", "built"))
    ended = await client.call_tool("wait_idle", {"panes": [pane], "timeout_s": BOUND_S})
    assert ended.structured_content is not None
    assert ended.structured_content["panes"][0]["msg"] == "built"


async def test_it_gets_the_words_of_an_error(client: Client[Any]) -> None:
    with pytest.raises(ToolError) as refused:
        await client.call_tool("read_status", {"pane": "nobody"})
    assert str(refused.value).startswith("no_such_pane: There is no pane 'nobody'. ")


async def test_it_waits_for_a_whole_turn(client: Client[Any], tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    written = await client.call_tool("write_pane", {"pane": pane, "text": report("done", "turned"), "wait_s": BOUND_S})
    assert written.structured_content is not None
    assert written.structured_content["wait"]["panes"][0]["msg"] == "turned"


async def test_it_reads_the_resources(client: Client[Any], tools: Tools) -> None:
    pane = await tools.puppet(name="Worker")
    await tools.write(pane, "say hello")
    await tools.text_when(pane, "hello")
    assert [str(resource.uri) for resource in await client.list_resources()] == ["panes://", f"pane://{pane}/status"]
    assert len(await client.list_resource_templates()) == 2
    for reference in (pane, "Worker"):
        (status,) = await client.read_resource(f"pane://{reference}/status")
        assert json.loads(getattr(status, "text", ""))["name"] == "Worker"
    (screen,) = await client.read_resource(f"pane://{pane}/screen")
    assert "hello" in getattr(screen, "text", "")
    (panes,) = await client.read_resource("panes://")
    assert json.loads(getattr(panes, "text", ""))["panes"][0]["pane"] == pane
