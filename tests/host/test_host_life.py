"""The host process belongs to no login, no folder and no client."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import session_core.link
from session_core import Code, HostLost, NoSuchPane, SessionCoreError, connect

from .hosts import LEFT, RunningHost, left_in, private_folder, start_host, stop_host
from .processes import children, field, stopped
from .waiting import BOUND_S, eventually, exit_of, process_gone

pytestmark = pytest.mark.anyio

_START = """
import sys
from session_core import dial_or_start
dial_or_start(sys.argv[1], "host", "session_core.host")
"""


@pytest.fixture
def host(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHost]:
    """A host of this test's own; it may be gone at the end."""
    folder = private_folder(tmp_path_factory)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
    running = start_host(folder)
    yield running
    try:
        stop_host(folder, running.pid)
    except HostLost:
        return


async def test_a_stopped_host_does_not_answer_is_not_replaced_and_goes_on(
    host: RunningHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect() as core:
        pane = (await core.open_pane(["sleep", "1000"])).pane
    os.kill(host.pid, signal.SIGSTOP)
    try:
        await stopped(host.pid)
        monkeypatch.setattr(session_core.link, "HELLO_S", 0.2)
        with pytest.raises(HostLost) as raised:
            async with connect():
                pytest.fail("a stopped host cannot answer")
        assert raised.value.code is Code.HOST_UNREACHABLE
        assert "does not answer" in str(raised.value)
    finally:
        os.kill(host.pid, signal.SIGCONT)
    monkeypatch.undo()
    async with connect(folder=str(host.folder), start=False) as core:
        assert core.greeting.pid == host.pid
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]


async def test_a_call_that_is_cancelled_in_the_middle_of_its_line_harms_no_other_call(
    host: RunningHost,
) -> None:
    async with connect() as core:
        pane = (await core.open_pane(["sleep", "1000"])).pane
        os.kill(host.pid, signal.SIGSTOP)
        try:
            await stopped(host.pid)
            listed: list[str] = []

            async def ask() -> None:
                listed.extend(status.pane for status in (await core.list_panes()).panes)

            with anyio.fail_after(BOUND_S):
                async with anyio.create_task_group() as tasks:
                    async with anyio.create_task_group() as inner:
                        inner.start_soon(core.write_pane, pane, "x" * 1_000_000)
                        await anyio.wait_all_tasks_blocked()
                        tasks.start_soon(ask)
                        await anyio.wait_all_tasks_blocked()
                        inner.cancel_scope.cancel()
                    os.kill(host.pid, signal.SIGCONT)
        finally:
            os.kill(host.pid, signal.SIGCONT)
        assert listed == [pane]


def test_the_host_outlives_its_starter_and_the_folder_it_was_started_from(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    folder = private_folder(tmp_path_factory)
    away = tmp_path / "away"
    away.mkdir()
    subprocess.run([sys.executable, "-c", _START, str(folder)], cwd=away, check=True, timeout=30)
    shutil.rmtree(away)
    pid = anyio.run(_works, str(folder))
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    stop_host(folder, pid)


async def _works(folder: str) -> int:
    async with connect(folder=folder, start=False) as core:
        pane = (await core.open_pane(["sh", "-c", "exit 5"])).pane
        assert (await exit_of(core, pane)).code == 5
        return core.greeting.pid


async def test_the_host_has_no_terminal_and_a_session_of_its_own(host: RunningHost) -> None:
    assert os.getsid(host.pid) not in (os.getsid(0), 0)
    status = await anyio.Path(f"/proc/{host.pid}/status").read_text()
    assert int(field(status, "PPid")) != os.getpid()
    stat = (await anyio.Path(f"/proc/{host.pid}/stat").read_text()).rpartition(")")[2].split()
    assert stat[4] == "0"
    assert children(host.pid) == []


async def test_a_hangup_does_not_end_the_host(host: RunningHost) -> None:
    os.kill(host.pid, signal.SIGHUP)
    async with connect(start=False) as core:
        assert core.greeting.pid == host.pid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_to_end_ends_the_host_in_order(host: RunningHost, number: signal.Signals) -> None:
    async with connect() as core:
        pane = await core.open_pane(["sleep", "1000"])
        os.kill(host.pid, number)
        with anyio.fail_after(BOUND_S):
            await core.lost.wait()
    await process_gone(host.pid)
    assert pane.occupant is not None
    await process_gone(pane.occupant.pid)
    await eventually(lambda: left_in(host.folder) == LEFT)
    assert host.log == ""


async def test_a_call_that_is_open_when_the_host_is_killed_for_good_says_that_it_went_away(host: RunningHost) -> None:
    async with connect(start=False, reconnect_s=0.2) as core:
        pane = (await core.open_pane(["sleep", "1000"])).pane
        errors: list[Code] = []

        async def wait() -> None:
            with pytest.raises(HostLost) as raised:
                await core.wait([pane], timeout_s=3600)
            errors.append(raised.value.code)

        with anyio.fail_after(BOUND_S):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(wait)
                await core.list_panes()
                os.kill(host.pid, signal.SIGKILL)
    assert errors == [Code.HOST_GONE] * 3


async def test_what_a_callers_block_raises_leaves_connect_as_it_is(host: RunningHost) -> None:
    with pytest.raises(ZeroDivisionError):
        async with connect():
            raise ZeroDivisionError
    with pytest.raises(SessionCoreError) as raised:
        async with connect() as core:
            await core.read_status("p404")
    assert raised.value.code is Code.NO_SUCH_PANE
    assert isinstance(raised.value, NoSuchPane)
