"""`panebridge demo`: the main job on a real program, told as a timeline.

A real MCP client over stdio, the shim, the bridge, a host of its own in a private folder, and a program in a
real terminal that declares its turns. Nothing is left behind, whatever happens.
"""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import click
from mcp import Client, StdioServerParameters
from mcp.client.stdio import get_default_environment

from session_core import SessionCoreError, connect, stop_process

WAIT_S = 15
_PROGRAM = "declaring_program.py"


class DemoFailed(Exception):
    """A step did not end as it must."""


def run_demo(pace: float) -> int:
    """Run the demonstration; the exit code is 0 if every step ended as it must, else 1."""
    failure: Exception | None = None
    with _own_folder() as folder:
        try:
            anyio.run(_demonstrate, folder, pace)
        except* (DemoFailed, SessionCoreError) as group:
            failure = _first(group)
    if failure is not None:
        click.echo(f"panebridge demo: {failure}", err=True)
        return 1
    click.echo("Everything was cleaned up. Next: panebridge run -- your-program, and README.md for your client.")
    return 0


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


@contextlib.contextmanager
def _own_folder() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="panebridge-demo-", dir="/tmp")
    try:
        yield folder
    finally:
        for name in ("bridge", "host"):
            stop_process(folder, name)
        shutil.rmtree(folder)


def _program() -> str:
    here = Path(__file__).resolve().parent
    found = next((path for place in (here, here.parent) if (path := place / "examples" / _PROGRAM).exists()), None)
    if found is None:
        raise DemoFailed(f"the example program {_PROGRAM} is not installed; run the demo from a checkout")
    return str(found)


class Timeline:
    """Prints what happens, with seconds since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def say(self, who: str, what: str) -> None:
        """Print one line."""
        click.echo(f"{time.monotonic() - self._began:7.3f} s  {who:<8} {what}")


class Supervisor:
    """The MCP client's side: calls a tool and says so."""

    def __init__(self, client: Client, timeline: Timeline) -> None:
        self._client = client
        self._timeline = timeline

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured result."""
        result = await self._client.call_tool(tool, arguments)
        if result.is_error:
            raise DemoFailed(f"{tool} failed: {result.content}")
        return dict(result.structured_content)

    async def ask(self, pane: str, text: str, expected: str, **demands: Any) -> dict[str, Any]:
        """Write `text`, wait for what it leads to, and check the outcome."""
        said = " ".join([repr(text), *(f"{name}={value}" for name, value in demands.items())])
        self._timeline.say("tool", f"write_pane {said}")
        receipt = await self.call("write_pane", pane=pane, text=text, submit=True, **demands)
        return await self.wait(pane, expected, since=receipt["ticket"])

    async def wait(self, pane: str, expected: str, **arguments: Any) -> dict[str, Any]:
        """Wait for the pane and check the outcome."""
        result = await self.call("wait_idle", panes=[pane], timeout_s=WAIT_S, **arguments)
        row: dict[str, Any] = result["panes"][0]
        detail = " ".join(str(row[name]) for name in ("kind", "msg") if name in row)
        said = f"wait_idle -> {row['outcome']}, {row.get('state')} {detail}".rstrip()
        self._timeline.say("tool", f"{said} (after {result['waited_s']} s)")
        if row.get("state") != expected:
            raise DemoFailed(f"the pane should be {expected} now, and is {row.get('state')}")
        return row

    async def state(self, pane: str) -> str:
        """Return the pane's state as list_panes shows it."""
        rows = (await self.call("list_panes"))["panes"]
        return str(next(row["state"] for row in rows if row["pane"] == pane))


async def _demonstrate(folder: str, pace: float) -> None:
    os.environ["PANEBRIDGE_DIR"] = folder
    timeline = Timeline()
    shim = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mcp_bridge.command", "mcp"],
        env=get_default_environment() | {"PANEBRIDGE_DIR": folder},
    )
    async with Client(shim) as client:
        tools = (await client.list_tools()).tools
        timeline.say("client", f"connected over stdio; {len(tools)} tools: {', '.join(t.name for t in tools)}")
        supervisor = Supervisor(client, timeline)
        command = [sys.executable, _program(), "--pace", str(pace)]
        pane = (await supervisor.call("open_pane", command=command, name="worker"))["pane"]
        timeline.say("tool", f"open_pane -> {pane}")
        await supervisor.wait(pane, "idle")
        await supervisor.ask(pane, "summarise the changes", "done")
        blocked = await supervisor.ask(pane, "now deploy them", "blocked")
        timeline.say("model", f"reads the question ({blocked.get('msg')!r}) and decides to allow it")
        await supervisor.ask(pane, "y", "done", answers=blocked["answers"])
        await _who_ends_done(supervisor, timeline, pane)
        await supervisor.call("close_pane", pane=pane)
        timeline.say("tool", "close_pane")


async def _who_ends_done(supervisor: Supervisor, timeline: Timeline, pane: str) -> None:
    await supervisor.call("write_pane", pane=pane, text="#", submit=False)
    await supervisor.call("read_pane", pane=pane)
    state = await supervisor.state(pane)
    timeline.say("tool", f"wrote and read again: the pane is still {state}, since no person has typed")
    if state != "done":
        raise DemoFailed("a tool's write must not end `done`")
    async with connect(start=False, name="panebridge demo") as core:
        receipt = await core.send_keystrokes(pane, b"\x7f", person="you")
        timeline.say("person", f"presses a key: {len(receipt.acknowledged)} record acknowledged")
    state = await supervisor.state(pane)
    timeline.say("tool", f"list_panes -> {state}")
    if state != "idle":
        raise DemoFailed("a person's keystroke must end `done`")
