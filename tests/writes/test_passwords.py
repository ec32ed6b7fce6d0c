"""Where a program reads without echo, a text must be marked secret, and a secret is kept nowhere."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, connect

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import reported
from .panes import lines_when, refusal, typing

pytestmark = pytest.mark.anyio

_SECRET = "hunter2-correct-horse"

_LOGIN = r"""
    # Asks for a password as getpass does, and keeps what it was given; then reads lines with echo.
    mode = termios.tcgetattr(0)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSADRAIN, mode)
    say("Password: ")
    report("state=idle:id=asks")
    given = sys.stdin.readline()
    mode[3] |= termios.ECHO
    termios.tcsetattr(0, termios.TCSADRAIN, mode)
    open(sys.argv[1], "w").write(given)
    report("state=idle:id=in")
    rest()
"""


async def _login(core: Client, tmp_path: Path) -> tuple[str, Path]:
    given = tmp_path / "given"
    pane = (await core.open_pane(python(tmp_path, _LOGIN, str(given)))).pane
    await reported(core, pane, "asks")
    return pane, given


async def test_a_text_that_is_not_marked_secret_is_refused(core: Client, tmp_path: Path) -> None:
    pane, given = await _login(core, tmp_path)
    for call in (
        core.write_pane(pane, "echo hi", submit=True),
        core.send_keys(pane, ["Enter"]),
        core.write_pane(pane, "echo hi", submit=True, when="settled"),
    ):
        error = await refusal(call)
        assert error.code is Code.PASSWORD
        assert "secret" in error.next_step
    assert not given.exists()
    await core.write_pane(pane, _SECRET, submit=True, secret=True)
    await reported(core, pane, "in")
    assert given.read_text() == _SECRET + "\n"


async def test_a_person_types_a_password_without_being_asked_for_more(core: Client, tmp_path: Path) -> None:
    pane, given = await _login(core, tmp_path)
    await core.send_keystrokes(pane, b"typed\r")
    await reported(core, pane, "in")
    assert given.read_text() == "typed\n"


async def test_raw_mode_without_echo_is_no_password(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, "tty.setraw(0)\nready()\nrest()"))).pane
    await reported(core, pane)
    assert (await core.write_pane(pane, "x")).ticket.status is Delivery.DELIVERED


def _files_with(folder: Path, needle: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert folder / "host.log" in files
    return [str(path) for path in files if needle.encode() in path.read_bytes()]


async def test_a_secret_is_in_no_file_and_no_answer(core: Client, host: RunningHost, tmp_path: Path) -> None:
    pane, given = await _login(core, tmp_path)
    seen: list[object] = []

    async def follow(other: Client) -> None:
        async for news in other.changes():
            seen.append(news)

    async with connect(folder=str(host.folder), start=False) as other, anyio.create_task_group() as tasks:
        tasks.start_soon(follow, other)
        await anyio.wait_all_tasks_blocked()
        await typing(core, pane, b"oops")
        held = await core.write_pane(pane, _SECRET, submit=True, secret=True, on_draft="hold", key="login")
        seen += [held, await core.held_writes(pane), await core.read_status(pane)]
        await core.send_keystrokes(pane, b"\x15")
        await reported(core, pane, "in")
        again = await core.write_pane(pane, _SECRET, submit=True, secret=True, key="login")
        assert again.ticket.id == held.ticket.id
        failures = (
            core.write_pane(pane, _SECRET, secret=True, if_state="working"),
            core.write_pane(pane, _SECRET * 1000, secret=True),
            core.write_pane(pane, _SECRET + "\n" + _SECRET, secret=True),
            core.write_pane(pane, _SECRET + "\ud800", secret=True),
            core.write_pane(pane, _SECRET, secret=True, answers=1),
        )
        seen += [str(await refusal(call)) for call in failures]
        waited = await core.wait([pane], since=held.ticket.id, timeout_s=0)
        seen += [again, waited, await core.list_panes(), await core.read_status(pane)]
        tasks.cancel_scope.cancel()
    assert given.read_text() == _SECRET + "\n"
    assert len(seen) > 10
    assert not [answer for answer in seen if _SECRET in repr(answer)]
    assert _SECRET not in (await core.read_pane(pane, lines=1000)).text
    assert _files_with(host.folder, _SECRET) == []


async def test_a_held_text_waits_until_the_password_was_asked_for(core: Client, tmp_path: Path) -> None:
    source = r"""
        # Keeps lines; at a signal it switches echo off, at the next one on again, and only prints a word then.
        log = open(sys.argv[1], "a", buffering=1)
        mode = termios.tcgetattr(0)
        def switch(*_):
            mode[3] ^= termios.ECHO
            termios.tcsetattr(0, termios.TCSADRAIN, mode)
            if mode[3] & termios.ECHO:
                say("welcome")
            else:
                ready("asks")
        signal.signal(signal.SIGUSR1, switch)
        open(sys.argv[2], "w").write(str(os.getpid()))
        ready()
        while True:
            log.write(os.read(0, 100).decode())
    """
    path, process = tmp_path / "lines", tmp_path / "pid"
    pane = (await core.open_pane(python(tmp_path, source, str(path), str(process)))).pane
    await reported(core, pane)
    await typing(core, pane, b"per")
    held = (await core.write_pane(pane, "tool", submit=True, on_draft="hold")).ticket
    os.kill(int(process.read_text()), signal.SIGUSR1)
    await reported(core, pane, "asks")
    await core.send_keystrokes(pane, b"son\r")
    await lines_when(path, 1)
    assert [ticket.id for ticket in (await core.held_writes(pane)).tickets] == [held.id]
    os.kill(int(process.read_text()), signal.SIGUSR1)
    assert await lines_when(path, 2) == ["person", "tool"]
