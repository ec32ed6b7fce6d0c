"""A held write is written once, also where the look at who is in front is what changes."""

import os
import signal
from pathlib import Path

import pytest

from session_core import Client

from ..host.waiting import eventually, exit_of, status_eventually
from .panes import shell, typing

pytestmark = pytest.mark.anyio


def _foreground_name(process: int) -> str:
    group = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[5]
    try:
        return Path(f"/proc/{group}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


async def test_another_program_came_to_the_front_while_the_write_was_held(core: Client, tmp_path: Path) -> None:
    pane, got = await shell(core), tmp_path / "got"
    bash = (await core.read_status(pane)).occupant
    assert bash is not None
    await core.write_pane(pane, f"sleep 1000; cat > {got}; exit", submit=True)
    status = await status_eventually(
        core, pane, lambda status: status.occupant is not None and status.occupant.name == "sleep"
    )
    assert status.occupant is not None
    await typing(core, pane, b"per")
    await core.write_pane(pane, "first", submit=True, on_draft="hold")
    await core.write_pane(pane, "second", submit=True, on_draft="hold")
    os.kill(status.occupant.pid, signal.SIGTERM)
    await eventually(lambda: _foreground_name(bash.pid) == "cat")
    await core.send_keystrokes(pane, b"son\r")
    await eventually(lambda: got.read_text().count("\n") >= 3)
    await core.send_keys(pane, ["C-d"])
    assert (await exit_of(core, pane)).code == 0
    assert got.read_text().splitlines() == ["person", "first", "second"]
