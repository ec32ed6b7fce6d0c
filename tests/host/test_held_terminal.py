"""A pane's process is gone while another process still holds its terminal."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Client

from .hosts import RunningHost
from .processes import descriptors, terminals
from .waiting import BOUND_S, eventually, exit_of, process_gone, status_eventually

pytestmark = pytest.mark.anyio


def _holder(tmp_path: Path) -> list[str]:
    return ["sh", "-c", f"trap '' HUP; sleep 1000 & echo $! > {tmp_path}/holder; echo main-done"]


async def test_the_exit_is_told_with_the_output_and_that_others_hold_the_terminal(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(_holder(tmp_path))).pane
    assert (await exit_of(core, pane)).code == 0
    status = await core.read_status(pane)
    assert (status.life, status.held_by_others) == ("exited", True)
    assert (await core.read_pane(pane)).text == "main-done"


async def test_closing_ends_the_holder_and_gives_the_terminal_back(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    before = descriptors(host.pid)
    pane = (await core.open_pane(_holder(tmp_path))).pane
    await exit_of(core, pane)
    holder = int((tmp_path / "holder").read_text())
    with anyio.fail_after(BOUND_S):
        assert (await core.close_pane(pane)).exit is not None
    await process_gone(holder)
    assert descriptors(host.pid) == before
    again = (await core.open_pane(["sh", "-c", "echo again"])).pane
    await exit_of(core, again)
    assert (await core.read_pane(again)).text == "again"


async def test_the_terminal_is_given_back_when_the_holder_ends_by_itself(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    before = terminals(host.pid)
    pane = (await core.open_pane(_holder(tmp_path))).pane
    await exit_of(core, pane)
    os.kill(int((tmp_path / "holder").read_text()), signal.SIGKILL)
    await status_eventually(core, pane, lambda status: not status.held_by_others)
    assert terminals(host.pid) == before
    assert (await core.read_pane(pane)).text == "main-done"


async def test_a_process_that_left_the_session_is_left_alone(core: Client, tmp_path: Path) -> None:
    script = f"setsid sh -c 'echo $$ > {tmp_path}/away; exec sleep 1000' & wait"
    pane = (await core.open_pane(["sh", "-c", script])).pane
    path = tmp_path / "away"
    await eventually(lambda: path.exists() and path.read_text() != "")
    away = int(path.read_text())
    await core.close_pane(pane)
    os.kill(away, 0)
    os.kill(away, signal.SIGKILL)
