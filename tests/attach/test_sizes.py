"""The size of a pane: who typed last leads, attaching changes nothing, and leaving gives the size back."""

from pathlib import Path

import pytest

from session_core import Client

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import eventually, reported, status_eventually
from ..writes.panes import Logged, logger
from .viewers import viewer

pytestmark = pytest.mark.anyio

_KEY = b"\x0c"


async def _size(core: Client, program: Logged) -> tuple[int, int]:
    status = await core.read_status(program.pane)
    read = await core.read_pane(program.pane)
    assert (read.columns, read.rows) == (status.columns, status.rows)
    return status.columns, status.rows


async def test_attaching_alone_changes_nothing_with_and_without_a_size(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    before = await core.read_status(program.pane)
    async with viewer(host, program.pane, size=(65, 35)) as one, viewer(host, program.pane):
        await one.viewing.resize(66, 36)
        await one.send(b"\x1b[I\x1b[24;80R\x1b[<35;32;46M")
        status = await core.read_status(program.pane)
        assert (status.columns, status.rows, status.revision) == (120, 40, before.revision)
        assert one.screens == []


async def test_who_types_leads_and_leaving_gives_the_size_back(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane, size=(160, 40)) as one:
        await one.send(_KEY)
        assert await _size(core, program) == (160, 40)
        async with viewer(host, program.pane, size=(65, 35)) as two:
            assert await _size(core, program) == (160, 40)
            await two.send(_KEY)
            assert await _size(core, program) == (65, 35)
            await one.viewing.resize(150, 45)
            assert await _size(core, program) == (65, 35)
            await two.viewing.resize(70, 30)
            assert await _size(core, program) == (70, 30)
        await status_eventually(core, program.pane, lambda status: (status.columns, status.rows) == (150, 45))
        async with viewer(host, program.pane) as sizeless:
            await sizeless.send(_KEY)
            assert await _size(core, program) == (150, 45)
    assert await _size(core, program) == (150, 45)


async def test_a_paste_leads_as_typing_does(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane, size=(90, 30)) as one:
        await one.send(b"\x1b[200~text\x1b[201~")
        assert await _size(core, program) == (90, 30)


async def test_a_read_only_viewer_never_leads(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane, size=(65, 35), read_only=True) as watching:
        await watching.send(_KEY)
        await watching.viewing.resize(66, 36)
        assert await _size(core, program) == (120, 40)


async def test_each_viewer_gets_the_screen_anew_at_each_size(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes="word " * 20)
    async with viewer(host, program.pane, size=(50, 20)) as one, viewer(host, program.pane) as two:
        await one.send(_KEY)
        await eventually(lambda: len(one.screens) == len(two.screens) == 1)
        assert [(screen.columns, screen.rows) for screen in two.screens] == [(50, 20)]
        await two.text_is((await core.read_pane(program.pane)).text)


async def test_two_who_alternate_end_at_the_size_of_the_last_without_a_loop(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane, size=(160, 40)) as one, viewer(host, program.pane, size=(65, 35)) as two:
        for _ in range(20):
            await one.send(_KEY)
            await two.send(_KEY)
        assert await _size(core, program) == (65, 35)
        changes = (await core.read_status(program.pane)).changes
        await eventually(lambda: len(one.screens) == 40)
        assert (await core.read_status(program.pane)).changes == changes


async def test_a_resize_by_a_tool_holds_until_the_leaders_terminal_changes(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    async with viewer(host, program.pane, size=(90, 30)) as one:
        await one.send(_KEY)
        await core.set_pane(program.pane, columns=100, rows=20)
        await one.send(_KEY)
        assert await _size(core, program) == (100, 20)
        await one.viewing.resize(91, 31)
        assert await _size(core, program) == (91, 31)


async def test_the_program_is_told_once_of_each_size_that_is_new(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = r"""
        def changed(*_):
            size = os.get_terminal_size(0)
            log.write(f"{size.columns}x{size.lines}\n")
        log = open(sys.argv[1], "a", buffering=1)
        signal.signal(signal.SIGWINCH, changed)
        ready()
        while True:
            signal.pause()
    """
    path = tmp_path / "sizes"
    pane = (await core.open_pane(python(tmp_path, source, str(path)))).pane
    await reported(core, pane)
    async with viewer(host, pane, size=(90, 30)) as one:
        for keys in range(1, 4):
            await one.send(_KEY * keys)
        await eventually(lambda: path.read_text() == "90x30\n")
        await one.viewing.resize(90, 30)
        await one.viewing.resize(80, 24)
        await eventually(lambda: path.read_text() == "90x30\n80x24\n")
