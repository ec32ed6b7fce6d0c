"""What the keeper runs: one process of each name, started on demand, given up loudly, ended without a trace."""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import anyio
import psutil
import pytest

from session_core import HostLost, stop_process
from session_core.launch import ask_keeper, dial_or_start
from session_core.sockets import try_lock

from ..host.processes import stopped
from ..host.waiting import BOUND_S, eventually
from .place import Place, ended, freed, kill, raw

pytestmark = pytest.mark.anyio

_CRASHES = """
import os, sys
sys.path[:] = {path!r}
from session_core.daemon import run_daemon
async def serve(process):
    process.say_ready()
    os.abort()
run_daemon("bridge", serve)
"""


@pytest.fixture
def crashing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that crashes as soon as it serves."""
    (tmp_path / "crashing.py").write_text(_CRASHES.format(path=sys.path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "crashing"


def _start(place: Place, name: str, module: str) -> None:
    dial_or_start(place.folder, name, module).close()


@pytest.mark.slow
async def test_a_process_that_crashes_again_and_again_is_given_up_loudly_and_started_anew_on_demand(
    place: Place, crashing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["cat"])).pane
        for number in range(1, 3):
            with contextlib.suppress(HostLost):
                await anyio.to_thread.run_sync(_start, place, "bridge", crashing)
            with anyio.fail_after(2 * BOUND_S):
                while place.keeper_log.count("given up") < number:  # noqa: ASYNC110 - nothing announces it
                    await anyio.sleep(0.05)
            assert place.status()["bridge"]["state"] == "absent"
            assert "bridge.sock" not in os.listdir(place.folder)
        assert "SIGABRT" in place.keeper_log
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]


@pytest.mark.slow
async def test_a_host_that_nobody_keeps_and_that_does_not_answer_is_not_robbed_of_its_place(place: Place) -> None:
    lock = os.open(place.path / "host.lock", os.O_RDWR | os.O_CREAT, 0o600)
    (place.path / "host.sock").touch()
    assert try_lock(lock)
    with pytest.raises(HostLost, match=r"has host\.lock"):
        await anyio.to_thread.run_sync(_start, place, "host", "session_core.host")
    os.close(lock)
    assert (place.path / "host.sock").exists()


@pytest.mark.slow
async def test_a_process_that_says_why_it_cannot_start_is_not_tried_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.core(start=True):
        pass
    monkeypatch.setenv("PANEBRIDGE_ENGINE", "none such")
    await anyio.to_thread.run_sync(stop_process, place.folder, "host")
    with pytest.raises(HostLost, match="none such"):
        await anyio.to_thread.run_sync(_start, place, "host", "session_core.host")
    monkeypatch.delenv("PANEBRIDGE_ENGINE")
    async with place.core(start=True) as core:
        assert (await core.list_panes()).panes == ()


async def test_a_stopped_host_is_not_taken_for_a_dead_one(place: Place) -> None:
    async with place.core(start=True) as core:
        os.kill(core.greeting.pid, signal.SIGSTOP)
        await stopped(core.greeting.pid)
        _start(place, "host", "session_core.host")
        assert place.status()["host"] == {
            "version": "0.1.0",
            "pid": core.greeting.pid,
            "state": "running",
            "restarts": 0,
        }
        os.kill(core.greeting.pid, signal.SIGCONT)
        assert (await core.list_panes()).panes == ()


async def test_stop_ends_everything_and_leaves_no_process_and_no_socket(place: Place) -> None:
    async with place.core(start=True) as core:
        opened = [await core.open_pane(["sh", "-c", "trap '' HUP; cat"]) for _ in range(3)]
        await anyio.to_thread.run_sync(_start, place, "bridge", "mcp_bridge")
    for name in ("bridge", "host"):
        assert await anyio.to_thread.run_sync(stop_process, place.folder, name)
        assert not await anyio.to_thread.run_sync(stop_process, place.folder, name)
    assert [name for name in os.listdir(place.folder) if name.endswith(".sock")] == []
    assert place.processes() == []
    for pane in opened:
        assert pane.occupant is not None
        await freed(pane.occupant.pid)


@pytest.mark.slow
async def test_stop_ends_the_programs_of_a_host_that_could_not_be_kept_alive(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.core(start=True) as core:
        pane = await core.open_pane(["sh", "-c", "trap '' HUP; while :; do sleep 0.1; done"])
        lock = place.path / "host.lock"
        lock.unlink()
        lock.mkdir()
        await kill(core.greeting.pid)
    await eventually(lambda: place.status()["host"]["state"] == "absent")
    assert place.status()["held"] == 1
    assert "again and again" not in place.keeper_log
    await anyio.to_thread.run_sync(stop_process, place.folder, "host")
    assert pane.occupant is not None
    await freed(pane.occupant.pid)
    await eventually(lambda: place.processes() == [])


@pytest.mark.slow
async def test_a_signal_to_end_the_keeper_ends_everything_in_order(place: Place) -> None:
    async with place.core(start=True) as core:
        pane = await core.open_pane(["cat"])
        keeper = place.pid("keeper")
        os.kill(keeper, signal.SIGTERM)
        await ended(keeper)
    assert pane.occupant is not None
    await freed(pane.occupant.pid)
    await eventually(lambda: place.processes() == [])
    assert [name for name in os.listdir(place.folder) if name.endswith(".sock")] == []


@pytest.mark.slow
async def test_who_asks_and_goes_away_is_answered_by_nobody_and_harms_nobody(place: Place) -> None:
    async with place.core(start=True) as core:
        request = {"ask": "start", "name": "bridge", "module": "mcp_bridge", "environment": dict(os.environ)}
        with raw(place.folder, "keeper") as asker:
            asker.sendall(json.dumps(request).encode() + b"\n")
        await eventually(lambda: place.status()["bridge"]["state"] == "running")
        assert (await core.list_panes()).panes == ()


async def test_what_the_keeper_does_not_understand_is_an_error_for_the_asker_alone(place: Place) -> None:
    async with place.core(start=True) as core:
        for request in (b"no json", b"[]", b'{"ask":"start"}', b'{"ask":"what"}', b"\x00" * 9):
            with raw(place.folder, "keeper") as asker:
                asker.sendall(request + b"\n")
                answer = asker.recv(4096)
            assert answer == b"" or json.loads(answer)["ok"] is False
        assert (await core.list_panes()).panes == ()
    assert "Traceback" not in place.keeper_log


async def test_no_process_but_host_and_bridge_is_run(place: Place) -> None:
    request = {"ask": "start", "name": "other", "module": "http.server", "environment": {}}
    answer = await anyio.to_thread.run_sync(lambda: ask_keeper(place.folder, request, start=True))
    assert answer == {"ok": False, "why": "the keeper runs no 'other'"}


@pytest.mark.slow
async def test_a_spare_takes_the_place_of_a_killed_host(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEBRIDGE_SPARE", "0.1")
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["cat"])).pane
        hosts = [core.greeting.pid]
        await eventually(lambda: len(_hosts(place)) == 2)
        (spare,) = set(_hosts(place)) - set(hosts)
        await kill(core.greeting.pid)
    async with place.core() as core:
        assert core.greeting.pid == spare
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]
    await anyio.to_thread.run_sync(stop_process, place.folder, "host")
    await eventually(lambda: place.processes() == [])


def _hosts(place: Place) -> list[int]:
    found = []
    for process in place.processes():
        with contextlib.suppress(psutil.Error):
            if "session_core.host" in process.cmdline():
                found.append(process.pid)
    return found
