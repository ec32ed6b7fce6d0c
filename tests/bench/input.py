"""What a write costs: until its echo can be read, how fast bytes go in, and whether it delays anybody else."""

import sys
import time
from collections.abc import Callable
from typing import Any

import anyio
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp.client.stdio import get_default_environment

from session_core import Client, connect
from tests.bench.places import PANEBRIDGE, private_folder
from tests.bench.table import Row, spread

ROUNDS = 200
FLOOD_BYTES = 900_000
# Echoes what it reads, or swallows it and says how much came.
_READER = """
import os, sys, tty
tty.setraw(0)
echo = sys.argv[1] == "echo"
os.write(1, b"READY\\r\\n")
total = 0
while data := os.read(0, 65536):
    total += len(data)
    if echo:
        os.write(1, data + b"\\r\\n")
    elif total >= int(sys.argv[1]):
        os.write(1, b"GOT-ALL\\r\\n")
        total = 0
"""
# Reads nothing for as long as the measurement runs.
_DEAF = "import time, tty; tty.setraw(0); print('READY', flush=True); time.sleep(600)"


def measure() -> list[Row]:
    """Figures at a client of the core and at an MCP client over stdio."""
    with private_folder() as folder:
        return anyio.run(_measure, folder)


async def _measure(folder: str) -> list[Row]:
    shim = StdioServerParameters(
        command=PANEBRIDGE, args=["mcp"], env=get_default_environment() | {"PANEBRIDGE_DIR": folder}
    )
    async with connect(folder=folder) as core, McpClient(shim) as client:
        echo = await _open(core, [sys.executable, "-c", _READER, "echo"])
        direct = [await _echo_at_core(core, echo, number) for number in range(ROUNDS)]
        mcp = [await _echo_at_mcp(client, echo, number) for number in range(ROUNDS)]
        raw = await _open(core, [sys.executable, "-c", _READER, str(FLOOD_BYTES)])
        rates = [await _flood(core, raw) for _ in range(5)]
        quiet = await _lists(core)
        deaf = await _open(core, [sys.executable, "-c", _DEAF])
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(core.write_pane, deaf, "x" * 90_000)
            busy = await _lists(core)
            tasks.cancel_scope.cancel()
    return [
        spread("write to echo readable, core client", "ms", direct, aim="< 2 / < 6"),
        spread("write to echo readable, MCP client", "ms", mcp, aim="< 2 / < 6"),
        spread("injected into a raw reader", "MB/s", rates),
        spread("list_panes beside 1.8 MB nobody reads", "ms", busy, aim="p95 < 10", bare=spread("", "", quiet).median),
    ]


async def _open(core: Client, command: list[str]) -> str:
    pane = (await core.open_pane(command)).pane
    await _until(lambda: core.read_pane(pane), lambda shown: "READY" in shown.text)
    return pane


async def _until(read: Callable[[], Any], found: Callable[[Any], bool]) -> None:
    with anyio.fail_after(10):
        while not found(await read()):
            pass


async def _echo_at_core(core: Client, pane: str, number: int) -> float:
    mark = f"<{number}c>"
    began = time.perf_counter()
    await core.write_pane(pane, mark)
    await _until(lambda: core.read_pane(pane), lambda shown: mark in shown.text)
    return (time.perf_counter() - began) * 1e3


async def _echo_at_mcp(client: McpClient, pane: str, number: int) -> float:
    mark = f"<{number}m>"
    began = time.perf_counter()
    await client.call_tool("write_pane", {"pane": pane, "text": mark, "submit": False})
    await _until(
        lambda: client.call_tool("read_pane", {"pane": pane}),
        lambda result: mark in result.structured_content["text"],
    )
    return (time.perf_counter() - began) * 1e3


async def _flood(core: Client, pane: str) -> float:
    before = (await core.read_pane(pane)).text.count("GOT-ALL")
    began = time.perf_counter()
    await core.write_pane(pane, "y" * FLOOD_BYTES)
    await _until(lambda: core.read_pane(pane), lambda shown: shown.text.count("GOT-ALL") > before)
    return FLOOD_BYTES / (time.perf_counter() - began) / 1e6


async def _lists(core: Client) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await core.list_panes()
        times.append((time.perf_counter() - began) * 1e3)
    return times
