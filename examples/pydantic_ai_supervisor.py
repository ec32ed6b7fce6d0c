"""A Pydantic AI agent with panebridge's tools; its model is a script here, so that it runs without an account.

    pip install 'pydantic-ai-slim[mcp]'
    python examples/pydantic_ai_supervisor.py

Put the name of a real model in place of `FunctionModel(play)`, such as `anthropic:claude-sonnet-5`, and it decides
itself. The tools are the same.
"""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

PROGRAM = [sys.executable, str(Path(__file__).with_name("declaring_program.py"))]
PANEBRIDGE = str(Path(sys.executable).with_name("panebridge"))


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Be the model: look at the last tool's result, and say what to do next."""
    last = messages[-1].parts[-1]
    if not isinstance(last, ToolReturnPart):
        return _call("open_pane", command=PROGRAM)
    result: Any = last.content
    print(f"{last.tool_name}: {result}")
    if last.tool_name == "open_pane":
        return _call("wait_idle", panes=[result["pane"]])
    if last.tool_name == "close_pane":
        return ModelResponse(parts=[TextPart("The site is deployed.")])
    waited = result["wait"] if last.tool_name == "write_pane" else result
    row = waited["panes"][0]
    if row["outcome"] == "checkin":
        return _call("wait_idle", panes=[row["pane"]], since=waited["revision"])
    if row["outcome"] == "blocked":
        return _call("write_pane", pane=row["pane"], text="y", answers=row["answers"], wait_s=45)
    if row["state"] in ("idle", "unknown"):
        return _call("write_pane", pane=row["pane"], text="deploy the site", wait_s=45)
    return _call("close_pane", pane=row["pane"])


def _call(tool: str, **arguments: Any) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(tool, arguments)])


async def main() -> None:
    """Give the agent one task."""
    panes = MCPToolset(StdioTransport(command=PANEBRIDGE, args=["mcp"], env=dict(os.environ)))
    agent = Agent(FunctionModel(play), toolsets=[panes])
    async with agent:
        print((await agent.run("Deploy the site with the program in a pane.")).output)


if __name__ == "__main__":
    anyio.run(main)
