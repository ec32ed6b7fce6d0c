"""How long after a program's word a waiting client has it: at the core, at the bridge and at an MCP client."""

import base64
import os
import pty
import sys
import time
import tty
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp.client.stdio import get_default_environment
from mcp.server.stdio import stdio_server

from mcp_bridge.main import SocketText
from session_core import Client, connect
from tests.bench.places import PANEBRIDGE, private_folder
from tests.bench.table import Row, spread

ROUNDS = 200
MCP_ROUNDS = 100
JOBS = 60
PANES = (1, 50, 200)
BOUND_S = 10.0
# A line is a turn; its end names the line. CLOCK_MONOTONIC is one clock for all processes of a machine.
_REPORTER = r"""
import base64, os, sys, time
out = open(sys.argv[1], "w", buffering=1)
def report(body):
    os.write(1, b"\x1b]7501;" + body + b"\x07")
report(b"state=idle:app=bench")
for line in sys.stdin:
    time.sleep(0.003)
    report(b"state=working:app=bench")
    time.sleep(0.003)
    body = b"state=done:app=bench:msg=" + base64.b64encode(line.strip().encode())
    out.write(f"{time.monotonic_ns()}\n")
    report(body)
"""
_IDLE = ["sh", "-c", r"printf '\033]7501;state=idle\007'; exec sleep 600"]
_MARKS = {"PS1": r"\[\e]133;A\a\]$ ", "PS0": r"\e]133;C\a", "HISTFILE": "/dev/null"}

Turn = Callable[[str], Awaitable[str | None]]


def measure() -> list[Row]:
    """The bare limit is the wake-up of a reader of the program's terminal in the same loop."""
    with private_folder() as folder:
        return anyio.run(_measure, folder)


async def _measure(folder: str) -> list[Row]:
    bare = spread("", "", await _bare(folder)).median
    rows, early = [], 0
    shim = StdioServerParameters(
        command=PANEBRIDGE, args=["mcp"], env=get_default_environment() | {"PANEBRIDGE_DIR": folder}
    )
    async with McpClient(shim) as stdio, _at_bridge(folder) as direct, connect(folder=folder) as core:
        pane, descriptor = await _reporter(core, folder)
        clients: dict[str, tuple[int, Turn]] = {
            "core client": (ROUNDS, lambda text: _turn_at_core(core, pane, text)),
            "bridge": (MCP_ROUNDS, lambda text: _turn_at_mcp(direct, pane, text)),
            "stdio MCP client": (MCP_ROUNDS, lambda text: _turn_at_mcp(stdio, pane, text)),
        }
        opened, asked = 1, 0
        for count in PANES:
            for _ in range(count - opened):
                await core.open_pane(_IDLE, environment={"PATH": os.environ["PATH"]})
            opened = count
            for name, (rounds, turn) in clients.items():
                times, wrong = await _turns(turn, rounds, descriptor)
                early, asked = early + wrong, asked + rounds
                aim = "< 1.5 / < 4" if name == "core client" else ""
                rows.append(spread(f"report to wait, {name}, {count} panes", "ms", times, aim=aim, bare=bare))
        os.close(descriptor)
        jobs = await _jobs(core, folder)
    return [
        *rows,
        spread("end of a job at a shell to wait, core client", "ms", jobs, aim="< 3", bare=bare),
        Row(what=f"early answers of {asked} writes", unit="answers", median=early, aim="0"),
    ]


async def _reporter(core: Client, folder: str) -> tuple[str, int]:
    reported = Path(folder, "reported")
    pane = (await core.open_pane([sys.executable, "-ISc", _REPORTER, str(reported)])).pane
    descriptor = os.open(reported, os.O_RDWR)
    await core.wait([pane], timeout_s=BOUND_S)
    return pane, descriptor


async def _turns(turn: Turn, rounds: int, descriptor: int) -> tuple[list[float], int]:
    """Return how long after its end each turn was told, and how many were told before it."""
    times, early = [], 0
    for number in range(rounds):
        said = await turn(f"turn {number}")
        answered = time.monotonic_ns()
        early += said != f"turn {number}"
        times.append((answered - int(os.read(descriptor, 64))) / 1e6)
    return times, early


async def _turn_at_core(core: Client, pane: str, text: str) -> str | None:
    receipt = await core.write_pane(pane, text, submit=True)
    ended = await core.wait([pane], since=receipt.ticket.id, timeout_s=BOUND_S)
    record = ended.panes[0].record
    return record.msg if record else None


async def _turn_at_mcp(client: McpClient, pane: str, text: str) -> str | None:
    ticket = cast(Any, await client.call_tool("write_pane", {"pane": pane, "text": text})).structured_content
    ended = cast(Any, await client.call_tool("wait_idle", {"panes": [pane], "since": ticket["ticket"]}))
    return cast("str | None", ended.structured_content["panes"][0].get("msg"))


def _at_bridge(folder: str) -> McpClient:
    """An MCP client on the bridge's own socket, without a shim."""

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        async with await anyio.connect_unix(f"{folder}/bridge.sock") as stream:
            await stream.send(b'{"panebridge": 1, "version": "bench", "folder": "/"}\n')
            files = cast(Any, SocketText(stream))
            async with stdio_server(files, files) as streams:
                yield streams
                # The bridge hangs up in turn, which ends the reader here.
                await stream.send_eof()

    return McpClient(cast(Any, transport()))


async def _jobs(core: Client, folder: str) -> list[float]:
    """A job ends when the writing end of its input is closed; then the shell prints its prompt."""
    environment = dict(os.environ) | _MARKS
    pane = (await core.open_pane(["bash", "--norc", "--noprofile", "-i"], environment=environment)).pane
    await core.wait([pane], timeout_s=BOUND_S)
    path = f"{folder}/job"
    os.mkfifo(path)
    times = []
    for _ in range(JOBS):
        descriptor = os.open(path, os.O_RDWR)
        receipt = await core.write_pane(pane, f"cat {path}", submit=True)
        await _runs(core, pane, "cat")
        async with anyio.create_task_group() as tasks:
            answered: list[int] = []

            async def wait(since: str = receipt.ticket.id, answered: list[int] = answered) -> None:
                await core.wait([pane], since=since, timeout_s=BOUND_S)
                answered.append(time.monotonic_ns())

            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await core.list_panes()
            began = time.monotonic_ns()
            os.close(descriptor)
        times.append((answered[0] - began) / 1e6)
    return times


async def _runs(core: Client, pane: str, program: str) -> None:
    with anyio.fail_after(BOUND_S):
        while True:
            occupant = (await core.read_status(pane)).occupant
            if occupant and occupant.name == program:
                return


async def _bare(folder: str) -> list[float]:
    """The same program on a terminal of our own, and nothing between its word and the loop."""
    reported = Path(folder, "reported")
    os.mkfifo(reported)
    descriptor = os.open(reported, os.O_RDWR)
    master, slave = pty.openpty()
    tty.setraw(master)
    command = [sys.executable, "-ISc", _REPORTER, str(reported)]
    async with await anyio.open_process(command, stdin=slave, stdout=slave, stderr=None) as process:
        os.close(slave)
        times = []
        await _read_until(master, b"idle")
        for number in range(ROUNDS):
            os.write(master, f"{number}\n".encode())
            await _read_until(master, base64.b64encode(str(number).encode()))
            times.append((time.monotonic_ns() - int(os.read(descriptor, 64))) / 1e6)
        process.kill()
    os.close(master)
    os.close(descriptor)
    return times


async def _read_until(descriptor: int, wanted: bytes) -> None:
    seen = b""
    with anyio.fail_after(BOUND_S):
        while wanted not in seen:
            await anyio.wait_readable(descriptor)
            seen += os.read(descriptor, 4096)
