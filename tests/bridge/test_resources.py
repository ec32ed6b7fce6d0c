"""The panes as resources: what is listed, what a read returns, and how an unknown one is refused."""

import json
from typing import Any

import mcp.types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from .calls import Json, Tools
from .place import Place
from .programs import report
from .raw_shim import raw_shim

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ["auto", "legacy"])]


async def _text(client: Client, uri: str, kind: str) -> str:
    """Return the one text of a resource."""
    (content,) = (await client.read_resource(uri, cache_mode="bypass")).contents
    assert isinstance(content, types.TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, kind)
    return content.text


async def _json(client: Client, uri: str) -> Any:
    return json.loads(await _text(client, uri, "application/json"))


def _steady(value: Any) -> Any:
    """Leave out what grows older from one read to the next."""
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if isinstance(value, dict):
        return {name: _steady(inner) for name, inner in value.items() if not name.endswith("age_s")}
    return value


async def test_the_list_has_all_panes_and_one_status_a_pane(tools: Tools) -> None:
    first, second = await tools.open(["cat"]), await tools.open(["cat"], name="worker")
    listed = (await tools.client.list_resources(cache_mode="bypass")).resources
    assert [resource.uri for resource in listed] == ["panes://", f"pane://{first}/status", f"pane://{second}/status"]
    assert [resource.name for resource in listed] == ["panes", f"{first} status", "worker status"]
    assert {resource.mime_type for resource in listed} == {"application/json"}
    templates = (await tools.client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["pane://{pane}/status", "pane://{pane}/screen"]


async def test_a_resource_says_what_the_tool_of_the_same_thing_says(tools: Tools) -> None:
    pane = await tools.puppet(name="worker")
    await tools.tell(pane, report("blocked", "Run tests?", kind="question"))
    await tools.write(pane, "say xyzzy", answers=(await tools.row(pane))["answers"])
    await tools.text_when(pane, "xyzzy")
    assert await _json(tools.client, "panes://") == await tools.call("list_panes")
    for reference in (pane, "worker"):
        status = await _json(tools.client, f"pane://{reference}/status")
        assert _steady(status) == _steady(await tools.call("read_status", pane=pane))
        screen = await _text(tools.client, f"pane://{reference}/screen", "text/plain")
        assert screen == (await tools.call("read_pane", pane=pane))["text"]
        assert "xyzzy" in screen


async def test_an_unknown_resource_is_refused_with_its_uri_and_what_there_is(tools: Tools, era: str) -> None:
    pane = await tools.open(["cat"])
    for uri, text in (
        ("pane://nobody/status", f"panes: {pane}"),
        ("pane://p999/screen", f"panes: {pane}"),
        (f"pane://{pane}/mood", "pane://ID/screen"),
        (f"pane://{pane}/status/more", "pane://ID/screen"),
        ("pane://", "pane://ID/screen"),
        ("pane:///status", "pane://ID/screen"),
        ("file:///etc/passwd", "pane://ID/screen"),
        ("pane://../status", "pane://ID/screen"),
    ):
        with pytest.raises(MCPError) as refused:
            await tools.client.read_resource(uri)
        assert refused.value.code == (-32602 if era == "auto" else -32002)
        assert refused.value.data == {"uri": uri}
        assert text.lower() in refused.value.message.lower()
    assert await _json(tools.client, f"pane://{pane}/status")


async def test_a_read_only_client_has_the_same_resources(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.puppet()
    async with Client(place.server("--read-only"), mode=era) as client:
        listed = (await client.list_resources()).resources
        assert [resource.uri for resource in listed] == ["panes://", f"pane://{pane}/status"]
        assert (await _json(client, f"pane://{pane}/status"))["pane"] == pane


async def test_nothing_that_a_program_says_is_in_the_list(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working", "xyzzy msg", app="xyzzy-app", title="xyzzy title"))
    async with raw_shim(place, era) as shim:
        await shim.begin()
        assert shim.greeting["capabilities"]["resources"] == {"listChanged": True, "subscribe": True}
        for method in ("resources/list", "resources/templates/list"):
            await shim.result(method)
            assert b"xyzzy" not in shim.lines[-1]


async def test_a_client_may_keep_nothing_that_it_has_read(tools: Tools, era: str) -> None:
    pane = await tools.puppet()
    reads: list[Json] = []
    for state in ("working", "done"):
        await tools.tell(pane, report(state))
        (content,) = (await tools.client.read_resource(f"pane://{pane}/status")).contents
        assert isinstance(content, types.TextResourceContents)
        reads.append(json.loads(content.text))
    assert [read["state"] for read in reads] == ["working", "done"]
