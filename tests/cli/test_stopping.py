"""`stop` and `demo`: what is left behind is nothing."""

import tempfile
from pathlib import Path

import anyio
import psutil
from mcp import Client, StdioServerParameters

from .commands import BOUND_S, PANEBRIDGE, Panebridge


def _demo_folders() -> set[str]:
    return {path.name for path in Path("/tmp").glob("panebridge-demo-*")}


def _running_in(folder: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if any(word.startswith(folder) for word in process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


async def _open_over_mcp(panebridge: Panebridge) -> None:
    shim = StdioServerParameters(command=PANEBRIDGE, args=["mcp"], env=panebridge.environment())
    with anyio.fail_after(BOUND_S):
        async with Client(shim) as client:
            await client.call_tool("open_pane", {"command": ["cat"]})


def test_stop_ends_the_keeper_the_bridge_the_host_and_every_pane(panebridge: Panebridge) -> None:
    anyio.run(_open_over_mcp, panebridge)
    pid = panebridge.json("ls")["panes"][0]["occupant"]["pid"]
    assert len(_running_in(panebridge.folder)) == 3
    ended = panebridge("stop")
    assert (ended.code, ended.out, ended.err) == (0, "Stopped.\n", "")
    assert _running_in(panebridge.folder) == []
    assert not psutil.pid_exists(pid)
    assert panebridge("stop").out == "Nothing was running.\n"
    # Ids are never used again, also not by the next host.
    assert panebridge("run", "--", "cat").out == "p2\n"


def test_the_demonstration_ends_well_and_leaves_nothing_behind(panebridge: Panebridge) -> None:
    before = _demo_folders()
    ended = panebridge("demo", "--pace", "0.01")
    assert (ended.code, ended.err) == (0, "")
    for step in ("open_pane", "wait_idle -> blocked", "wait_idle -> settled, done", "close_pane"):
        assert step in ended.out
    assert ended.out.rstrip().splitlines()[-1].startswith("Everything was cleaned up.")
    assert _demo_folders() == before
    assert _running_in(f"{tempfile.gettempdir()}/panebridge-demo-") == []
