"""Who is in the foreground of a pane."""

import os
import shutil
from pathlib import Path

import psutil
import pytest

from session_core import Client

from .programs import PROMPT, READY, python
from .waiting import eventually, exit_of, process_gone, reported, status_when

pytestmark = pytest.mark.anyio

_BASH = ["bash", "--norc", "--noprofile", "-i"]


async def test_the_foreground_program_is_the_occupant_and_then_the_shell_is_again(core: Client, tmp_path: Path) -> None:
    command = python(tmp_path, "ready('up')\nsys.stdin.readline()", name="worker.py")
    pane = (await core.open_pane(_BASH, environment=os.environ | {"PS1": PROMPT})).pane
    shell = (await status_when(core, pane, lambda status: status.shell == "prompt")).occupant
    assert shell is not None
    assert shell.name == "bash"
    await core.write_pane(pane, " ".join(command), submit=True)
    worker = (await reported(core, pane, "up")).occupant
    assert worker is not None
    assert (worker.name, os.getpgid(worker.pid)) == ("worker", worker.pid)
    assert worker.started == pytest.approx(psutil.Process(worker.pid).create_time())
    await core.write_pane(pane, "", submit=True)
    await process_gone(worker.pid)
    await status_when(core, pane, lambda status: status.occupant == shell)


async def test_a_program_that_becomes_another_is_named_anew_when_it_is_asked_for(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["sh", "-c", f"printf '{READY}'; read line; printf '{READY}'; exec cat"])).pane
    before = (await reported(core, pane)).occupant
    assert before is not None
    assert before.name == "sh"
    await core.send_keystrokes(pane, b"\n")
    await _runs(before.pid, "cat")
    after = (await core.read_status(pane)).occupant
    assert after is not None
    assert (after.pid, after.name) == (before.pid, "cat")


async def _runs(pid: int, name: str) -> None:
    await eventually(lambda: psutil.Process(pid).name() == name)


async def test_a_name_that_is_no_text_harms_nobody(core: Client, tmp_path: Path) -> None:
    sleep = shutil.which("sleep")
    assert sleep is not None
    shutil.copy(sleep, tmp_path / os.fsdecode(b"caf\xe9"))
    script = rf'exec "$(printf "{tmp_path}/caf\351")" 1000'
    pane = (await core.open_pane(["sh", "-c", script])).pane
    occupant = (await core.read_status(pane)).occupant
    assert occupant is not None
    await _runs(occupant.pid, "caf\udce9")
    occupant = (await core.read_status(pane)).occupant
    assert occupant is not None
    assert occupant.name.startswith("caf")
    assert [status.pane for status in (await core.list_panes()).panes] == [pane]


async def test_an_ended_pane_has_no_occupant(core: Client) -> None:
    pane = (await core.open_pane(["true"])).pane
    await exit_of(core, pane)
    assert (await core.read_status(pane)).occupant is None
