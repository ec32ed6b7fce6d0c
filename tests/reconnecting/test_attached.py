"""A person's terminal while the host is away: it stays, says so, keeps what is typed, and is painted anew."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from session_core import Client, Until
from session_core.cli.attach import AWAY_BYTES

from ..attach.terminals import Terminal, attached, unread
from ..attach.viewers import viewer
from ..host.hosts import RunningHost
from ..host.waiting import eventually
from ..writes.panes import Logged, logger, shell
from .cutting import Proxy, Where, anywhere

pytestmark = pytest.mark.anyio


@pytest.fixture
def away(proxy: Proxy, host: RunningHost) -> RunningHost:
    """The host as it is behind the proxy."""
    return RunningHost(proxy.folder, host.pid)


@pytest.fixture
async def program(core: Client, tmp_path: Path) -> Logged:
    """A program that logs what it reads."""
    return await logger(core, tmp_path, modes="READY", then="AGAIN")


@pytest.fixture
async def person(away: RunningHost, tmp_path: Path, program: Logged) -> AsyncIterator[Terminal]:
    """A terminal on that program."""
    async with attached(away, tmp_path, program.pane) as one:
        yield one


@pytest.mark.slow
async def test_a_moment_without_the_host_is_not_seen(core: Client, proxy: Proxy, person: Terminal) -> None:
    proxy.cut()
    pane = (await core.list_panes()).panes[0].pane
    await core.send_keystrokes(pane, b"\x07")
    await person.shows("AGAIN")
    await person.text_is((await core.read_pane(pane)).text)


async def test_a_longer_time_is_told_and_then_the_screen_is_right(
    core: Client, proxy: Proxy, person: Terminal, program: Logged
) -> None:
    proxy.hold()
    proxy.cut()
    await person.shows("the host is away")
    await core.send_keystrokes(program.pane, b"\x07")
    proxy.go_on()
    await person.shows("AGAIN")
    await person.text_is((await core.read_pane(program.pane)).text)


async def test_what_is_typed_meanwhile_is_typed_once_and_in_order(
    proxy: Proxy, person: Terminal, program: Logged
) -> None:
    person.type(b"a")
    await program.got(b"a")
    proxy.hold()
    proxy.cut()
    await person.shows("the host is away")
    for key in (b"b", b"c", b"d"):
        person.type(key)
    await eventually(lambda: unread(person.slave) == 0)
    proxy.go_on()
    await program.got(b"abcd")
    person.type(b"e")
    await program.got(b"abcde")


@anywhere
async def test_a_key_whose_call_is_cut_is_typed_once(
    proxy: Proxy, person: Terminal, program: Logged, where: Where
) -> None:
    proxy.plan("viewer_input", where)
    person.type(b"x")
    await eventually(lambda: proxy.cuts == 1)
    await program.got(b"x")
    person.type(b"y")
    await program.got(b"xy")


@pytest.mark.slow
async def test_more_than_is_kept_rings_the_bell_and_is_not_typed(
    proxy: Proxy, person: Terminal, program: Logged
) -> None:
    proxy.hold()
    proxy.cut()
    await person.shows("the host is away")
    person.type(b"a")
    await eventually(lambda: unread(person.slave) == 0)
    person.type(b"z" * 4000)
    await eventually(lambda: unread(person.slave) == 0)
    person.type(b"y" * 1000)
    await eventually(lambda: unread(person.slave) == 0)
    proxy.go_on()
    typed = await program.got_bytes(4001)
    assert typed.startswith(b"a" + b"z" * 4000)
    assert len(typed) <= AWAY_BYTES


@pytest.mark.slow
async def test_the_detach_key_works_without_the_host(proxy: Proxy, person: Terminal) -> None:
    proxy.hold()
    proxy.cut()
    await person.shows("the host is away")
    person.type(b"\x1c")
    assert await person.left() == 0
    person.assert_restored()


@pytest.mark.slow
async def test_a_program_that_ended_meanwhile_ends_the_attachment_with_its_exit_code(
    core: Client, proxy: Proxy, away: RunningHost, tmp_path: Path
) -> None:
    pane = await shell(core, PS1=r"\[\e]133;A\a\]READY ")
    async with attached(away, tmp_path, pane) as person:
        proxy.hold()
        proxy.cut()
        await core.write_pane(pane, "exit 3", submit=True)
        await core.wait([pane], until=Until.EXITED)
        proxy.go_on()
        await person.left()
        person.assert_restored()
        assert person.said == f"panebridge: exited 3 ({pane})\n"


async def test_a_host_that_has_lost_its_memory_ends_the_attachment(proxy: Proxy, person: Terminal) -> None:
    proxy.other_epoch()
    proxy.cut()
    assert await person.left() == 1
    person.assert_restored()
    assert "the host is gone" in person.said


@pytest.mark.slow
async def test_a_size_that_the_window_got_meanwhile_counts_once_the_person_types(
    core: Client, proxy: Proxy, away: RunningHost, program: Logged
) -> None:
    async with viewer(away, program.pane, size=(90, 30)) as one:
        proxy.hold()
        proxy.cut()
        await eventually(lambda: one.breaks == 1)
        proxy.go_on()
        await one.viewing.resize(70, 20)
        await one.send(b"x")
        await program.got(b"x")
        assert (await core.read_status(program.pane)).columns == 70
