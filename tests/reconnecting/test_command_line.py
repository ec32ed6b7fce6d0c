"""Commands whose connection is cut end as if it had not been."""

import sys
from pathlib import Path

import anyio
import pytest

from session_core import Client

from ..host.waiting import BOUND_S, eventually
from ..writes.panes import shell, turns
from .cutting import Proxy, Where, anywhere

pytestmark = pytest.mark.anyio


async def _run(proxy: Proxy, *arguments: str) -> tuple[int, str]:
    environment = {"PANEBRIDGE_DIR": str(proxy.folder)}
    with anyio.fail_after(BOUND_S):
        ended = await anyio.run_process(
            [sys.executable, "-m", "mcp_bridge.command", *arguments], env=environment, check=False
        )
    return ended.returncode, ended.stdout.decode()


async def test_wait_ends_with_what_happened_meanwhile(core: Client, proxy: Proxy, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    ticket = (await core.write_pane(pane, "work", submit=True)).ticket
    codes: list[int] = []

    async def wait() -> None:
        codes.append((await _run(proxy, "wait", pane, "--since", ticket.id))[0])

    async with anyio.create_task_group() as tasks:
        proxy.plan("wait", Where.OPEN)
        tasks.start_soon(wait)
        await eventually(lambda: proxy.cuts == 1)
        await core.write_pane(pane, "it is done", submit=True)
    assert codes == [0]


@anywhere
async def test_exec_runs_its_command_once(core: Client, proxy: Proxy, tmp_path: Path, where: Where) -> None:
    pane = await shell(core)
    proxy.plan("run_command", where)
    _, output = await _run(proxy, "exec", pane, f"echo ran >> {tmp_path}/runs; echo out")
    assert output == "out\n"
    assert (tmp_path / "runs").read_text() == "ran\n"


async def test_send_and_read_do_what_they_say(core: Client, proxy: Proxy, tmp_path: Path) -> None:
    pane, lines = await turns(core, tmp_path)
    proxy.plan("write_pane", Where.AFTER)
    proxy.plan("read_status", Where.AMID)
    assert (await _run(proxy, "send", pane, "it is done"))[0] == 0
    assert (await _run(proxy, "status", pane))[0] == 0
    await core.wait([pane])
    assert lines.read_text() == "it is done\n"
    assert proxy.cuts == 2
