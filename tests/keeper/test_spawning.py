"""A program never runs whose terminal nobody but the host has."""

import contextlib
import os
import signal
import sys
from pathlib import Path

import anyio
import psutil
import pytest

from session_core import Client, ExitStatus, HostLost
from session_core.host.pty import Pty

from ..host.waiting import BOUND_S, eventually, exit_of
from .place import Place, ended, freed, kill

pytestmark = pytest.mark.anyio

_DIES_BEFORE_IT_HOLDS = """
import os, signal, sys
from session_core.host.pty import Pty
def hold(pid, fd):
    os.write(1, str(pid).encode())
    os.kill(os.getpid(), signal.SIGKILL)
Pty.spawn(["/bin/sh", "-c", "touch " + sys.argv[1]], folder="/", environment={"PATH": "/bin:/usr/bin"},
          columns=80, rows=24, hold=hold)
"""


async def test_a_program_whose_host_dies_before_anybody_else_has_its_terminal_is_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    command = [sys.executable, "-c", _DIES_BEFORE_IT_HOLDS, str(marker)]
    with anyio.fail_after(BOUND_S):
        done = await anyio.run_process(command, check=False)
    assert done.returncode == -signal.SIGKILL
    await ended(int(done.stdout))
    assert not marker.exists()


async def test_a_program_whose_host_dies_before_the_keeper_has_answered_is_run_by_the_next_host_alone(
    place: Place, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    async with place.core(start=True) as core:
        keeper, host = place.pid("keeper"), core.greeting.pid
        os.kill(keeper, signal.SIGSTOP)
        children = _children(host)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_try_to_open, core, ["sh", "-c", f"echo run >> {marker}"])
            await eventually(lambda: _children(host) != children)
            (child,) = _children(host) - children
            await kill(host)
            await ended(child)
            os.kill(keeper, signal.SIGCONT)
    async with place.core() as core:
        await freed(child)
        (status,) = (await core.list_panes()).panes
        assert await exit_of(core, status.pane) == ExitStatus(code=0)
    assert marker.read_text() == "run\n"


async def _try_to_open(core: Client, command: list[str]) -> None:
    with contextlib.suppress(HostLost):
        await core.open_pane(command)


def _children(pid: int) -> set[int]:
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.slow
async def test_while_the_keeper_is_stopped_programs_start_all_the_same_and_it_holds_them_later(place: Place) -> None:
    async with place.core(start=True) as core:
        keeper = place.pid("keeper")
        os.kill(keeper, signal.SIGSTOP)
        try:
            panes = [(await core.open_pane(["cat"])).pane for _ in range(3)]
        finally:
            os.kill(keeper, signal.SIGCONT)
        await eventually(lambda: place.status()["held"] == 3)
        await kill(core.greeting.pid)
    async with place.core() as core:
        assert [status.pane for status in (await core.list_panes()).panes] == panes


@pytest.mark.slow
async def test_a_program_that_cannot_be_executed_is_held_by_nobody(place: Place, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    async with place.core(start=True) as core:
        with pytest.raises(Exception, match="could not be started"):
            await core.open_pane([str(broken)])
        assert place.status()["held"] == 0
        assert _children(core.greeting.pid) == set()


async def test_an_end_that_was_seen_is_there_for_the_next_parent_until_it_is_collected() -> None:
    pty = Pty.spawn(["/bin/sh", "-c", "exit 3"], folder="/", environment={}, columns=80, rows=24)
    await ended(pty.pid)
    assert pty.reap() == ExitStatus(code=3)
    assert psutil.Process(pty.pid).status() == psutil.STATUS_ZOMBIE
    pty.collect()
    pty.collect()
    assert not psutil.pid_exists(pty.pid)
    pty.close()


async def test_a_program_has_its_terminal_and_nothing_else_open(place: Place) -> None:
    async with place.core(start=True) as core:
        await core.open_pane(["cat"])
        await kill(core.greeting.pid)
    async with place.core() as core:
        pane = (await core.open_pane(["sh", "-c", "exec ls -l /proc/self/fd"])).pane
        await exit_of(core, pane)
        shown = (await core.read_pane(pane)).text.splitlines()
        links = [line.split(" -> ") for line in shown if " -> " in line]
        assert sorted(left.split()[-1] for left, _ in links) == ["0", "1", "2", "3"]
        assert {right.partition("/fd")[0] for _, right in links} - {"/proc/self"} != set()
        assert sum(right.startswith("/dev/pts/") for _, right in links) == 3
