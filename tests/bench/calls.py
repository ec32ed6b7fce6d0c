"""What a client waits for: a report's way to `wait_idle`, and `list_panes` with 20 panes."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import get_default_environment

from session_core import connect
from tests.bench.places import PANEBRIDGE, private_folder
from tests.bench.table import Row, spread

ROUNDS = 200
PANES = 20
# Reads a line, notes the time, reports. CLOCK_MONOTONIC is one clock for all processes of a machine.
_REPORTER = r"""
import sys, time
out = open(sys.argv[1], "w", buffering=1)
sys.stdout.write("\x1b]7501;state=idle:app=bench\x07"); sys.stdout.flush()
for line in sys.stdin:
    sys.stdout.write("\x1b]7501;state=working:app=bench\x07"); sys.stdout.flush()
    time.sleep(0.005)
    out.write(f"{time.monotonic_ns()}\n")
    sys.stdout.write("\x1b]7501;state=done:app=bench\x07"); sys.stdout.flush()
"""


def measure() -> list[Row]:
    """Both at an MCP client over stdio, and at a client of the core; the bare limit is an MCP `ping`."""
    with private_folder() as folder:
        return anyio.run(_measure, folder)


async def _measure(folder: str) -> list[Row]:
    shim = StdioServerParameters(
        command=PANEBRIDGE, args=["mcp"], env=get_default_environment() | {"PANEBRIDGE_DIR": folder}
    )
    async with Client(shim, mode="legacy") as client, connect(folder=folder) as core:
        ping = spread("", "", [await _timed(client.send_ping) for _ in range(ROUNDS)]).median
        reported = Path(folder, "reported")
        os.mkfifo(reported)
        status = await core.open_pane([sys.executable, "-c", _REPORTER, str(reported)])
        descriptor = os.open(reported, os.O_RDWR)
        await core.wait([status.pane], timeout_s=10)
        mcp = [await _report_to_mcp(client, status.pane, descriptor) for _ in range(ROUNDS)]
        direct = [await _report_to_core(core, status.pane, descriptor) for _ in range(ROUNDS)]
        os.close(descriptor)
        for _ in range(PANES - 1):
            await core.open_pane(["sleep", "600"])
        listed = await client.call_tool("list_panes", {})
        size = len(listed.content[0].text)  # type: ignore[union-attr]
        lists = [await _timed(lambda: client.call_tool("list_panes", {})) for _ in range(ROUNDS)]
        core_lists = [await _timed(core.list_panes) for _ in range(ROUNDS)]
    return [
        spread("report to wait_idle, MCP client", "ms", mcp, aim="< 2", bare=ping),
        spread("report to wait, core client", "ms", direct, bare=ping),
        spread(f"list_panes, {PANES} panes, MCP client", "ms", lists, aim="< 2", bare=ping),
        spread(f"list_panes, {PANES} panes, core client", "ms", core_lists, bare=ping),
        Row(what=f"list_panes, {PANES} panes", unit="bytes", median=size, aim="< 1500"),
    ]


async def _timed(call: Any) -> float:
    began = time.perf_counter()
    await call()
    return (time.perf_counter() - began) * 1e3


async def _report_to_mcp(client: Client, pane: str, descriptor: int) -> float:
    ticket = await client.call_tool("write_pane", {"pane": pane, "text": "go"})
    since = ticket.structured_content["revision"]
    result = await client.call_tool("wait_idle", {"panes": [pane], "since": since})
    answered = time.monotonic_ns()
    if result.structured_content["outcome"] != "settled":
        raise RuntimeError(f"the wait ended as {result.structured_content}")
    return (answered - int(os.read(descriptor, 64))) / 1e6


async def _report_to_core(core: Any, pane: str, descriptor: int) -> float:
    receipt = await core.write_pane(pane, "go", submit=True)
    await core.wait([pane], since=receipt.ticket.id)
    return (time.monotonic_ns() - int(os.read(descriptor, 64))) / 1e6
