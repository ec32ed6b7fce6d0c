"""A killed host takes nothing with it: terminals, output and ends of programs reach the next one."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import ExitStatus, connect

from ..host.waiting import eventually, exit_of
from .place import Place, ended, freed, kill, lines_of, shows
from .programs import UNTIL, numbers, then

pytestmark = pytest.mark.anyio

ENDS = {
    "exit 0": ExitStatus(code=0),
    "exit 3": ExitStatus(code=3),
    "exit 255": ExitStatus(code=255),
    "kill -KILL $$": ExitStatus(signal="SIGKILL"),
    "kill -SEGV $$": ExitStatus(signal="SIGSEGV"),
}


async def test_three_panes_that_print_while_the_host_is_killed_lose_no_line(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        panes = [(await core.open_pane(numbers(go, 50, 1500))).pane for _ in range(3)]
        for pane in panes:
            await shows(core, pane, "waits")
        os.kill(core.greeting.pid, signal.SIGSTOP)
        go.touch()
        await kill(core.greeting.pid)
    async with place.core() as core:
        for pane in panes:
            assert await exit_of(core, pane) == ExitStatus(code=7)
            lines = await lines_of(core, pane)
            later = [line for line in lines if line.startswith("line ") and int(line[5:]) >= 50]
            assert later == [f"line {number}" for number in range(50, 1500)]


async def test_how_programs_ended_while_no_host_lived_is_known_to_the_next(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        opened = {how: await core.open_pane(then(go, how)) for how in ENDS}
        for pane in opened.values():
            await shows(core, pane.pane, "waits")
        keeper = place.pid("keeper")
        os.kill(keeper, signal.SIGSTOP)
        await kill(core.greeting.pid)
    go.touch()
    for pane in opened.values():
        assert pane.occupant is not None
        await ended(pane.occupant.pid)
    os.kill(keeper, signal.SIGCONT)
    async with place.core() as core:
        assert {how: await exit_of(core, pane.pane) for how, pane in opened.items()} == ENDS


@pytest.mark.slow
async def test_how_programs_end_that_an_earlier_host_started_is_known(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        panes = {how: (await core.open_pane(then(go, how))).pane for how in ENDS}
        for pane in panes.values():
            await shows(core, pane, "waits")
        await kill(core.greeting.pid)
    async with place.core() as core:
        await core.list_panes()
        go.touch()
        assert {how: await exit_of(core, pane) for how, pane in panes.items()} == ENDS


async def test_an_end_that_a_stopped_host_has_not_collected_is_known_to_the_next(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = await core.open_pane(then(go, "exit 9"))
        await shows(core, pane.pane, "waits")
        assert pane.occupant is not None
        os.kill(core.greeting.pid, signal.SIGSTOP)
        go.touch()
        await ended(pane.occupant.pid)
        await kill(core.greeting.pid)
    async with place.core() as core:
        assert await exit_of(core, pane.pane) == ExitStatus(code=9)
        await freed(pane.occupant.pid)


async def test_a_pane_of_an_earlier_host_takes_input_sizes_and_its_end(place: Place) -> None:
    async with place.core(start=True) as core:
        opened = await core.open_pane(["sh", "-c", "while read line; do stty size; echo got $line; done"])
        await kill(core.greeting.pid)
    async with place.core() as core:
        pane = opened.pane
        await core.set_pane(pane, columns=61, rows=17)
        await core.send_keystrokes(pane, b"hello\r")
        lines = await shows(core, pane, "got hello")
        assert "17 61" in lines
        assert (await core.close_pane(pane)).exit == ExitStatus(signal="SIGHUP")
        assert opened.occupant is not None
        await freed(opened.occupant.pid)
        assert place.status()["held"] == 0


@pytest.mark.slow
async def test_connections_are_made_while_a_killed_host_is_started_again(place: Place) -> None:
    async with place.core(start=True) as core:
        await core.open_pane(["cat"])
        keeper = place.pid("keeper")
        os.kill(keeper, signal.SIGSTOP)
        await kill(core.greeting.pid)
    async with anyio.create_task_group() as tasks:
        counts: list[int] = []

        async def ask() -> None:
            async with connect(folder=place.folder, start=False) as core:
                counts.append(len((await core.list_panes()).panes))

        for _ in range(5):
            tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        os.kill(keeper, signal.SIGCONT)
    assert counts == [1] * 5


@pytest.mark.slow
async def test_a_host_that_is_killed_many_times_in_a_row_is_there_each_time(place: Place) -> None:
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["cat"])).pane
    for number in range(4):
        async with place.core() as core:
            assert [status.pane for status in (await core.list_panes()).panes] == [pane]
            await kill(core.greeting.pid)
        await eventually(lambda number=number: place.status()["host"]["restarts"] > number)  # type: ignore[misc]
    assert "given up" not in place.keeper_log


@pytest.mark.slow
async def test_a_descendant_whose_parents_have_ended_is_collected(place: Place, tmp_path: Path) -> None:
    go, file = tmp_path / "go", tmp_path / "pid"
    orphan = f"(setsid sh -c 'echo $$ >{file}; {UNTIL.format(file=go)}' &)"
    async with place.core(start=True) as core:
        await exit_of(core, (await core.open_pane(["sh", "-c", f"{orphan}; sleep 0.1"])).pane)
    await eventually(lambda: file.exists() and file.read_text().strip() != "")
    pid = int(file.read_text())
    go.touch()
    await freed(pid)
