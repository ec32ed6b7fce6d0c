"""Whatever ends the attachment, the terminal is as it was before."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Client, HostLost, connect

from ..host.hosts import RunningHost, private_folder, start_host
from ..host.processes import kill_all_of
from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, process_gone, reported, status_eventually
from ..writes.panes import logger
from .terminals import attached, unread

pytestmark = pytest.mark.anyio

_EVERYTHING = (
    r"\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?2031h\x1b[?2048h\x1b[?1h\x1b="
    r"\x1b[>11u\x1b[3;6r\x1b[?25l\x1b[31mREADY"
)


async def test_after_the_detach_key(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_EVERYTHING)
    async with attached(host, tmp_path, program.pane) as person:
        assert person.screen.alternate
        person.type(b"\x1c")
        assert await person.left() == 0
        person.assert_restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_after_a_signal_to_end(core: Client, host: RunningHost, tmp_path: Path, number: signal.Signals) -> None:
    program = await logger(core, tmp_path, modes=_EVERYTHING)
    async with attached(host, tmp_path, program.pane) as person:
        person.send_signal(number)
        await person.left()
        person.assert_restored()
        assert number.name in person.said
        assert "Traceback" not in person.said
    assert (await core.read_status(program.pane)).life == "running"


async def test_after_the_end_of_the_program(core: Client, host: RunningHost, tmp_path: Path) -> None:
    source = f'tty.setraw(0)\nsay("{_EVERYTHING}")\nready()\nwhile b"x" not in os.read(0, 9): pass\nsys.exit(3)'
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with attached(host, tmp_path, pane) as person:
        person.type(b"xyz")
        await person.left()
        person.assert_restored()
        assert person.said == f"panebridge: exited 3 ({pane})\n"


async def test_after_the_pane_was_closed(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_EVERYTHING)
    async with attached(host, tmp_path, program.pane) as person:
        await core.close_pane(program.pane)
        await person.left()
        person.assert_restored()
        assert program.pane in person.said
        assert "Traceback" not in person.said


@pytest.mark.parametrize("typing", [False, True], ids=["at_rest", "while_typing"])
@pytest.mark.slow
async def test_after_the_host_was_killed_for_good(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, typing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANEBRIDGE_RECONNECT_S", "0.3")
    folder = private_folder(tmp_path_factory)
    own = await anyio.to_thread.run_sync(start_host, folder)
    try:
        async with connect(folder=str(folder), start=False) as client:
            program = await logger(client, tmp_path, modes=_EVERYTHING)
            async with attached(own, tmp_path, program.pane) as person:
                if typing:
                    # The host is stopped first, so that a call of the terminal is open when it dies.
                    os.kill(own.pid, signal.SIGSTOP)
                    person.type(b"x")
                    await eventually(lambda: unread(person.slave) == 0)
                os.kill(own.pid, signal.SIGKILL)
                await person.left()
                person.assert_restored()
                assert "host" in person.said
                assert "Traceback" not in person.said
    except HostLost:
        pass
    finally:
        await process_gone(own.pid)
        await anyio.to_thread.run_sync(kill_all_of, str(folder))


async def test_a_terminal_that_hangs_up_ends_the_attachment_and_nothing_else(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=_EVERYTHING)
    async with attached(host, tmp_path, program.pane, size=(90, 25)) as person:
        person.type(b"\x0c")
        await status_eventually(core, program.pane, lambda status: status.columns == 90)
        person.look_away()
        os.close(person.slave)
        os.close(person.master)
        with anyio.fail_after(BOUND_S):
            await process_gone(person.attached.pid)
        person.master, person.slave = os.openpty()
    assert (await core.read_status(program.pane)).life == "running"


async def test_a_terminal_that_is_stuck_holds_up_neither_the_program_nor_its_own_end(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = r"""
        tty.setraw(0)
        say("READY")
        ready()
        os.read(0, 1)
        for number in range(20000):
            say(f"line {number:06} " + "-" * 60 + "\r\n")
        say("the end")
        ready("flooded")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with attached(host, tmp_path, pane) as person:
        person.type(b"\x0c")
        person.look_away()
        await reported(core, pane, "flooded")
        person.look()
        await person.shows("the end")
        await person.text_is((await core.read_pane(pane)).text)
        person.type(b"\x1c")
        assert await person.left() == 0
        person.assert_restored()
