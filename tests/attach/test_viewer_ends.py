"""How a viewer's time on a pane ends: the program's end, the pane's, its own, or that of its client."""

import os
import signal
import sys
from pathlib import Path

import pytest

from session_core import Client, Code, ExitStatus, connect

from ..host.hosts import RunningHost, running
from ..host.programs import python
from ..host.waiting import eventually, exit_of, reported, status_eventually
from ..writes.panes import logger, refusal
from .viewers import viewer

pytestmark = pytest.mark.anyio


async def test_the_end_of_the_program_is_the_last_news_after_all_its_output(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = 'tty.setraw(0)\nready()\nos.read(0, 1)\nsay("last words" * 1000 + "end")\nsys.exit(3)'
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with viewer(host, pane) as one, viewer(host, pane, read_only=True) as two:
        await one.send(b"x")
        await eventually(lambda: one.ended is not None and two.ended is not None)
        assert one.ended is not None
        assert one.ended.exit == ExitStatus(code=3)
        assert one.output.endswith(b"end")
        assert one.output == two.output
        assert (await refusal(one.send(b"x"))).code is Code.NO_SUCH_VIEWER
        assert (await refusal(one.viewing.resize(80, 24))).code is Code.NO_SUCH_VIEWER


async def test_closing_the_pane_tells_its_viewers(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane) as one:
        await core.close_pane(program.pane)
        await eventually(lambda: one.ended is not None)
        assert one.ended is not None
        assert one.ended.exit == ExitStatus(signal="SIGHUP")


async def test_a_pane_that_has_ended_or_does_not_exist_cannot_be_attached_to(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = (await core.open_pane(["sh", "-c", "exit 0"])).pane
    await exit_of(core, pane)
    async with connect(folder=str(host.folder), start=False) as client:
        for name, code in ((pane, Code.PANE_EXITED), ("nowhere", Code.NO_SUCH_PANE)):
            attaching = client.attach(name)
            assert (await refusal(attaching.__aenter__())).code is code


async def test_detaching_ends_nothing_in_the_pane(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    for number in range(5):
        async with viewer(host, program.pane) as one:
            await one.send(b"%d" % number)
    status = await core.read_status(program.pane)
    assert status.life == "running"
    await program.got(b"01234")


_CLIENT = """
import anyio, sys
from session_core import connect

async def main():
    async with connect(folder=sys.argv[1], start=False) as client:
        async with client.attach(sys.argv[2], columns=65, rows=35, person="lost") as viewing:
            await viewing.send_input(b"\\x0c")
            open(sys.argv[3], "w").write("attached")
            await anyio.sleep_forever()

anyio.run(main)
"""


async def test_a_client_that_is_killed_is_detached_and_the_size_goes_back(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    sign = tmp_path / "attached"
    async with viewer(host, program.pane, size=(90, 30)) as one:
        await one.send(b"\x0c")
        with running([sys.executable, "-c", _CLIENT, str(host.folder), program.pane, str(sign)]) as process:
            await eventually(lambda: sign.exists() and sign.read_text() == "attached")
            assert (await core.read_status(program.pane)).columns == 65
            os.kill(process.pid, signal.SIGKILL)
            await status_eventually(core, program.pane, lambda status: status.columns == 90)


async def test_a_hundred_viewers_may_attach_and_one_more_is_refused(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    async with connect(folder=str(host.folder), start=False) as client:
        attachments = [client.attach(program.pane) for _ in range(100)]
        for attachment in attachments:
            await attachment.__aenter__()
        assert (await refusal(client.attach(program.pane).__aenter__())).code is Code.LIMIT_REACHED
        for attachment in attachments:
            await attachment.__aexit__(None, None, None)
        async with client.attach(program.pane):
            pass
