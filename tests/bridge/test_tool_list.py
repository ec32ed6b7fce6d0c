"""What a client is shown before it calls anything."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client

from .calls import Tools
from .place import Place
from .programs import report
from .raw_shim import raw_shim

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ["auto", "legacy"])]

READING = ["list_panes", "read_status", "read_pane", "wait_idle"]
ALL = [
    "list_panes",
    "read_status",
    "open_pane",
    "set_pane",
    "close_pane",
    "read_pane",
    "write_pane",
    "send_keys",
    "cancel_write",
    "run_command",
    "wait_idle",
]
HARMLESS = ["set_pane", "cancel_write"]
"""Changes something, but takes nothing away that a program has got."""

LIST_BYTES = 10_752
"""2,688 tokens at four bytes each."""
INSTRUCTION_CHARACTERS = 500


async def _listed(client: Client) -> list[dict[str, Any]]:
    result = await client.list_tools(cache_mode="bypass")
    return [tool.model_dump(by_alias=True, exclude_none=True) for tool in result.tools]


async def test_the_tools_come_always_in_the_same_order(place: Place, tools: Tools, era: str) -> None:
    listed = await _listed(tools.client)
    assert [tool["name"] for tool in listed] == ALL
    async with Client(place.server(), mode=era) as other:
        assert await _listed(other) == listed


async def test_every_tool_and_parameter_is_described(tools: Tools) -> None:
    for tool in await _listed(tools.client):
        assert tool["title"]
        assert tool["description"]
        for name, schema in tool["inputSchema"].get("properties", {}).items():
            assert schema.get("description"), f"{tool['name']}.{name}"


async def test_every_tool_says_what_it_may_do(tools: Tools) -> None:
    for tool in await _listed(tools.client):
        reads, harmless = tool["name"] in READING, tool["name"] in HARMLESS
        assert tool["annotations"] == {
            "readOnlyHint": reads,
            "destructiveHint": not reads and not harmless,
            "idempotentHint": reads or harmless,
            "openWorldHint": not reads,
        }


async def test_every_schema_is_valid_and_closed_where_arguments_go_in(tools: Tools) -> None:
    for tool in await _listed(tools.client):
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert set(tool["outputSchema"]["required"]) <= set(tool["outputSchema"]["properties"])


async def test_no_limit_is_listed_that_a_call_will_not_meet(tools: Tools) -> None:
    limits = {"minLength", "maxLength", "minItems", "maxItems", "minimum", "exclusiveMinimum", "pattern"}
    for tool in await _listed(tools.client):
        for name, schema in tool["inputSchema"].get("properties", {}).items():
            assert not limits & set(schema), f"{tool['name']}.{name}"


async def test_a_read_only_client_is_offered_only_the_tools_that_look_and_wait(
    place: Place, tools: Tools, era: str
) -> None:
    pane = await tools.open(["cat"])
    async with Client(place.server("--read-only"), mode=era) as client:
        watching = Tools(client)
        assert [tool["name"] for tool in await _listed(client)] == READING
        for name in set(ALL) - set(READING):
            assert (await watching.refusal(name, pane=pane)).startswith("unknown_tool: ")
        assert (await watching.row(pane))["program"] == "cat"


async def test_the_list_and_the_instructions_are_small(place: Place, era: str) -> None:
    async with raw_shim(place, era) as shim:
        await shim.begin()
        await shim.answer(await shim.request("tools/list"))
        assert len(shim.lines[-1]) < LIST_BYTES
        assert 0 < len(shim.greeting["instructions"]) < INSTRUCTION_CHARACTERS


async def test_nothing_that_a_program_says_gets_into_the_list_or_the_instructions(
    place: Place, tools: Tools, era: str
) -> None:
    pane = await tools.puppet(name="xyzzy-name")
    for line in (
        report("blocked", "xyzzy msg", app="xyzzy-app", kind="question", title="xyzzy title"),
        report("working", id="xyzzy-id"),
    ):
        await tools.tell(pane, line, answers=(await tools.row(pane)).get("answers", 0))
    await tools.write(pane, "say xyzzy said", answers=(await tools.row(pane))["answers"])
    await tools.text_when(pane, "xyzzy said")
    async with raw_shim(place, era) as shim:
        await shim.begin()
        await shim.answer(await shim.request("tools/list"))
        assert shim.lines
        assert "xyzzy" not in json.dumps([json.loads(line) for line in shim.lines])
