"""A model's side of a connection: calls a tool and looks at everything that comes back."""

import json
from collections.abc import Sequence
from typing import Any

import anyio
import mcp.types as types
from mcp import Client

from .programs import puppet
from .waiting import BOUND_S

Json = dict[str, Any]


class Tools:
    """The tools of one connected client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def result(self, tool: str, **arguments: Any) -> types.CallToolResult:
        """Call a tool; its result has fitted the tool's own output schema, which the client checks."""
        with anyio.fail_after(BOUND_S):
            return await self.client.call_tool(tool, arguments)

    async def call(self, tool: str, **arguments: Any) -> Json:
        """Return the structured content of a call that works; the text says the same."""
        result = await self.result(tool, **arguments)
        assert not result.is_error, result.content
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert json.loads(content.text) == result.structured_content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def refusal(self, tool: str, **arguments: Any) -> str:
        """Return the text of a call that is refused."""
        result = await self.result(tool, **arguments)
        assert result.is_error
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return content.text

    async def open(self, command: Sequence[str], **arguments: Any) -> str:
        """Open a pane and return its id."""
        return str((await self.call("open_pane", command=list(command), **arguments))["pane"])

    async def puppet(self, **arguments: Any) -> str:
        """Open a puppet and return its pane once it listens."""
        pane = await self.open(puppet(), **arguments)
        with anyio.fail_after(BOUND_S):
            while (await self.call("read_status", pane=pane)).get("title") != "puppet":
                pass
        return pane

    async def wait(self, pane: str, **arguments: Any) -> Json:
        """Wait for one pane and return its row."""
        result = await self.call("wait_idle", panes=[pane], timeout_s=BOUND_S, **arguments)
        assert result["outcome"] == result["panes"][0]["outcome"]
        row: Json = result["panes"][0]
        return row

    async def write(self, pane: str, text: str, **arguments: Any) -> Json:
        """Write a line that is delivered at once, and return its receipt."""
        written = await self.call("write_pane", pane=pane, text=text, **arguments)
        assert written["status"] == "delivered"
        return written

    async def ask(self, pane: str, text: str, **arguments: Any) -> Json:
        """Write a line, wait for what it leads to, and return the pane's row."""
        written = await self.write(pane, text, **arguments)
        return await self.wait(pane, since=written["ticket"])

    async def tell(self, puppet: str, line: str, **arguments: Any) -> None:
        """Give a line to a puppet, and return once it has changed the pane."""
        written = await self.write(puppet, line, **arguments)
        await self.wait(puppet, until="change", since=written["revision"])

    async def text_when(self, pane: str, part: str) -> str:
        """Return the screen once it shows `part`."""
        with anyio.fail_after(BOUND_S):
            while part not in (text := str((await self.call("read_pane", pane=pane))["text"])):
                pass
        return text

    async def row(self, pane: str) -> Json:
        """Return the pane's row in the list."""
        panes: list[Json] = (await self.call("list_panes"))["panes"]
        return next(row for row in panes if row["pane"] == pane)
