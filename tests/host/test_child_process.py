"""What a program finds when it begins: its terminal and nothing of the host's."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from session_core import Client

from .hosts import RunningHost
from .processes import field, own_field
from .programs import python
from .waiting import exit_of

pytestmark = pytest.mark.anyio

_LOOK = """
    fds = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            fds[name] = os.readlink("/proc/self/fd/" + name)
        except FileNotFoundError:
            pass
    found = {
        "fds": fds,
        "tty": os.ttyname(0),
        "pid": os.getpid(),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "group": os.getpgid(0),
        "foreground": os.tcgetpgrp(0),
        "controlling": os.fstat(os.open("/dev/tty", os.O_RDWR)).st_rdev != 0,
        "tty_number": int(open("/proc/self/stat").read().rpartition(")")[2].split()[4]),
        "device": os.stat(os.ttyname(0)).st_rdev,
        "status": open("/proc/self/status").read(),
        "size": list(os.get_terminal_size(0)),
        "folder": os.getcwd(),
    }
    json.dump(found, open(sys.argv[1], "w"))
"""


async def _look(core: Client, tmp_path: Path, **options: Any) -> dict[str, Any]:
    pane = await core.open_pane(python(tmp_path, _LOOK, str(tmp_path / "found")), **options)
    assert (await exit_of(core, pane.pane)).code == 0, (await core.read_pane(pane.pane)).text
    found: dict[str, Any] = json.loads((tmp_path / "found").read_text())
    return found


async def test_a_program_has_only_its_own_terminal_open(core: Client, tmp_path: Path) -> None:
    await core.open_pane(["sleep", "1000"])
    found = await _look(core, tmp_path)
    assert found["fds"] == dict.fromkeys("012", found["tty"])
    assert found["tty"].startswith("/dev/pts/")


async def test_a_program_leads_its_session_and_has_its_terminal_as_the_controlling_one(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    found = await _look(core, tmp_path)
    assert found["session"] == found["group"] == found["foreground"] == found["pid"]
    assert found["parent"] == host.pid
    assert found["controlling"]
    assert found["tty_number"] == found["device"]


OF_THE_C_LIBRARY = 1 << (32 - 1) | 1 << (33 - 1)
"""Signals that glibc keeps for its threads: it lets no program set them, and some test runners hand them on ignored."""


async def test_a_program_starts_with_default_signals(core: Client, tmp_path: Path) -> None:
    status = (await _look(core, tmp_path))["status"]
    # Python itself ignores SIGPIPE and SIGXFSZ, and catches SIGINT.
    by_python = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    assert int(field(status, "SigIgn"), 16) & ~(by_python | OF_THE_C_LIBRARY) == 0
    assert int(field(status, "SigBlk"), 16) == 0


async def test_a_shell_starts_with_no_signal_ignored_or_blocked(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "grep -E 'Sig(Ign|Blk)' /proc/self/status"])).pane
    await exit_of(core, pane)
    text = (await core.read_pane(pane)).text
    assert {int(field(text, name), 16) & ~OF_THE_C_LIBRARY for name in ("SigIgn", "SigBlk")} == {0}


async def test_a_program_has_the_umask_of_the_caller(core: Client, tmp_path: Path) -> None:
    status = (await _look(core, tmp_path))["status"]
    assert field(status, "Umask") == own_field("Umask")


async def test_a_program_has_the_folder_and_size_that_were_asked_for(core: Client, tmp_path: Path) -> None:
    found = await _look(core, tmp_path, folder=str(tmp_path), columns=77, rows=13)
    assert (found["folder"], found["size"]) == (str(tmp_path), [77, 13])


async def test_a_program_starts_in_the_folder_of_the_caller_by_default(
    core: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (await _look(core, tmp_path))["folder"] == os.getcwd()


async def test_the_interrupt_key_reaches_the_program(core: Client) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    await core.send_keystrokes(pane, b"\x03")
    assert (await exit_of(core, pane)).signal == "SIGINT"


async def test_the_end_of_file_key_reaches_the_program(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "cat; exit 4"])).pane
    await core.send_keystrokes(pane, b"\x04")
    assert (await exit_of(core, pane)).code == 4
