"""The keeper is replaced by itself, or killed and followed by another: panes, host and clients go on."""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from session_core import ExitStatus, Outcome, Until, WaitResult
from session_core.launch import ask_keeper, dial_or_start, upgrade_processes

from ..host.waiting import eventually, exit_of
from .place import Place, freed, kill, lines_of, shows
from .programs import counting, then

pytestmark = pytest.mark.anyio


async def _upgraded(place: Place) -> dict[str, dict[str, object]]:
    answer = await anyio.to_thread.run_sync(upgrade_processes, place.folder)
    assert answer is not None
    assert answer["ok"], answer
    after: dict[str, dict[str, object]] = answer["after"]
    return after


async def test_an_upgrade_replaces_keeper_and_host_while_panes_print(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        panes = [(await core.open_pane(counting(go))).pane for _ in range(3)]
        for pane in panes:
            await shows(core, pane, "line 5")
        before = place.status()
        after = await _upgraded(place)
    assert after["keeper"]["pid"] == before["keeper"]["pid"]
    assert after["host"]["pid"] != before["host"]["pid"]
    async with place.core() as core:
        for pane in panes:
            newest = (await lines_of(core, pane))[-1]
            await shows(core, pane, f"line {int(newest[5:]) + 5}")
        go.touch()
        for pane in panes:
            assert await exit_of(core, pane) == ExitStatus(code=7)
            shown = [int(line[5:]) for line in await lines_of(core, pane)]
            assert shown == list(range(shown[0], shown[-1] + 1))


async def test_a_wait_that_is_open_goes_on_over_an_upgrade(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(then(go, "exit 6"))).pane
        await shows(core, pane, "waits")
        before = core.greeting.pid
        async with anyio.create_task_group() as tasks:
            opened = anyio.Event()
            results: list[WaitResult] = []

            async def wait() -> None:
                results.append(await core.wait([pane], until=Until.EXITED, timeout_s=60, stands=lambda _: opened.set()))

            tasks.start_soon(wait)
            await opened.wait()
            await _upgraded(place)
            go.touch()
        assert (results[0].outcome, results[0].panes[0].exit) == (Outcome.EXITED, ExitStatus(code=6))
        assert core.greeting.pid != before


@pytest.mark.slow
async def test_after_an_upgrade_the_keeper_still_learns_how_programs_end(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(then(go, "exit 6"))).pane
        await shows(core, pane, "waits")
    for _ in range(2):
        await _upgraded(place)
    async with place.core() as core:
        await kill(core.greeting.pid)
    go.touch()
    async with place.core() as core:
        assert await exit_of(core, pane) == ExitStatus(code=6)


@pytest.mark.slow
async def test_an_upgrade_to_a_python_that_cannot_run_the_keeper_changes_nothing(place: Place, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
    broken.chmod(0o755)
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["cat"])).pane
        before = place.status()
        for executable, why in ((str(broken), "it is broken"), (str(tmp_path / "none"), "No such file")):
            answer = ask_keeper(place.folder, {"ask": "upgrade", "executable": executable})
            assert answer is not None
            assert not answer["ok"]
            assert why in answer["why"]
        assert place.status() == before
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]


async def test_an_upgrade_where_nothing_runs_says_so(place: Place) -> None:
    assert upgrade_processes(place.folder) is None
    assert os.listdir(place.folder) == []


async def test_a_killed_keeper_is_followed_by_another_that_restarts_a_killed_host(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(then(go, "exit 5"))).pane
        await shows(core, pane, "waits")
        first = place.pid("keeper")
        await kill(first)
        await eventually(lambda: _held(place) == 1)
        assert place.pid("keeper") != first
        assert (await core.read_status(pane)).life == "running"
        host = core.greeting.pid
        await kill(host)
    async with place.core() as core:
        assert core.greeting.pid != host
        go.touch()
        # Nobody is the parent of both the old host's programs and the new keeper: how they end is not known.
        assert await exit_of(core, pane) == ExitStatus()


def _held(place: Place) -> int:
    answer = ask_keeper(place.folder, {"ask": "status"})
    return answer["held"] if answer and "host" in answer else -1


@pytest.mark.slow
async def test_a_program_of_a_living_host_ends_with_its_true_status_after_the_keeper_was_killed(
    place: Place, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(then(go, "exit 5"))).pane
        await shows(core, pane, "waits")
        await kill(place.pid("keeper"))
        go.touch()
        assert await exit_of(core, pane) == ExitStatus(code=5)
        opened = (await core.open_pane(["sh", "-c", "exit 4"])).pane
        assert await exit_of(core, opened) == ExitStatus(code=4)


@pytest.mark.slow
async def test_keepers_that_are_killed_one_after_the_other_leave_one(place: Place) -> None:
    async with place.core(start=True) as core:
        pane = await core.open_pane(["cat"])
        for _ in range(3):
            killed = place.pid("keeper")
            await kill(killed)
            await eventually(lambda: _held(place) == 1)
        assert [process.cmdline()[3] for process in place.processes()].count("session_core.keeper") == 1
        await core.close_pane(pane.pane)
        assert place.status()["held"] == 0
        assert pane.occupant is not None
        await freed(pane.occupant.pid)


@pytest.mark.slow
async def test_an_upgrade_takes_the_python_of_whoever_asks(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other-python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    async with place.core(start=True):
        pass
    answer = ask_keeper(place.folder, {"ask": "upgrade", "executable": str(other)}, timeout_s=30)
    assert answer is not None
    assert answer["ok"], answer
    async with place.core() as core:
        pane = (await core.open_pane(["cat"])).pane
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]


@pytest.mark.slow
async def test_what_is_not_older_is_not_replaced_and_several_who_ask_at_once_get_one_answer(place: Place) -> None:
    async with place.core(start=True):
        before = place.status()
    for version in ("0.0.9", before["host"]["version"]):
        answer = upgrade_processes(place.folder, older_than=version)
        assert answer is not None
        assert answer["after"].items() <= before.items()
    answers: list[Any] = []

    def ask() -> None:
        answers.append(upgrade_processes(place.folder, older_than="99.0"))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(anyio.to_thread.run_sync, ask)
    assert len(answers) == 5
    assert all(answer["ok"] for answer in answers)
    assert place.status()["host"]["pid"] != before["host"]["pid"]


@pytest.mark.slow
async def test_host_and_bridge_go_on_under_a_new_keeper_with_the_users_limit_of_files(place: Place) -> None:
    async with place.core(start=True) as core:
        await anyio.to_thread.run_sync(lambda: dial_or_start(place.folder, "bridge", "mcp_bridge").close())
        before = place.status()
        await kill(place.pid("keeper"))
        await eventually(lambda: {"host", "bridge"} <= set(_status(place)))
        for name in ("host", "bridge"):
            assert place.pid(name) == before[name]["pid"]
        await kill(core.greeting.pid)
    async with place.core() as core:
        pane = (await core.open_pane(["sh", "-c", "ulimit -n"])).pane
        await exit_of(core, pane)
        assert (await lines_of(core, pane)) == [str(resource.getrlimit(resource.RLIMIT_NOFILE)[0])]


def _status(place: Place) -> dict[str, Any]:
    return ask_keeper(place.folder, {"ask": "status"}) or {}
