"""Starting a host on demand: exactly one, whoever asks and whatever was left behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from session_core import Code, HostLost, connect, sockets
from session_core.sockets import listen

from .hosts import LEFT, left_in, private_folder, start_host, stop_host
from .processes import kill_all_of, own_field
from .waiting import BOUND_S, exit_of

pytestmark = pytest.mark.anyio

_ASK = """
import json, sys
from session_core import dial_or_start
connection = dial_or_start(sys.argv[1], "host", "session_core.host")
lines = connection.makefile("rwb")
def call(number, method, **params):
    lines.write(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\\n")
    lines.flush()
    return json.loads(lines.readline())["result"]
greeting = call(1, "hello", protocol=1, client="test")
pane = call(2, "open_pane", command=["sleep", "1000"])
print(json.dumps([greeting["pid"], greeting["epoch"], pane["pane"]]))
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder without a host; one that a test leaves behind is stopped."""
    folder = private_folder(tmp_path_factory)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
    yield folder
    with contextlib.suppress(HostLost):
        stop_host(folder)
    # A host that a killed asker has started may come up only now.
    kill_all_of(str(folder))


def test_twenty_processes_at_once_start_one_host(folder: Path) -> None:
    command = [sys.executable, "-c", _ASK, str(folder)]
    asking = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(20)]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in asking]
    assert len({(pid, epoch) for pid, epoch, _ in answers}) == 1
    assert len({pane for _, _, pane in answers}) == 20
    assert anyio.run(_panes) == {pane for _, _, pane in answers}
    assert left_in(folder) == sorted([*LEFT, "host.sock", "keeper.sock"])


async def _panes() -> set[str]:
    async with connect(start=False) as core:
        return {pane.pane for pane in (await core.list_panes()).panes}


async def test_many_clients_of_one_process_start_one_host(folder: Path) -> None:
    pids = []

    async def ask() -> None:
        async with connect() as core:
            pids.append(core.greeting.pid)

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(ask)
    assert len(pids) == 10
    assert len(set(pids)) == 1


@pytest.mark.parametrize(
    "sign",
    [
        "keeper.start",
        "host.sock",
        *(
            pytest.param(sign, marks=pytest.mark.slow)
            for sign in ("keeper.lock", "keeper.sock", "host.log", "host.lock")
        ),
    ],
)
def test_an_asker_that_is_killed_while_it_starts_a_host_stops_nobody_else(folder: Path, sign: str) -> None:
    command = [sys.executable, "-c", _ASK, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as asking:
        while asking.poll() is None and not (folder / sign).exists():
            pass
        asking.kill()
    pids = {start_host(folder).pid for _ in range(2)}
    assert len(pids) == 1


async def test_after_a_kill_a_new_host_goes_on_with_the_panes_at_the_same_socket(folder: Path) -> None:
    async with connect(reconnect_s=0) as core:
        first = core.greeting
        pane = (await core.open_pane(["sleep", "1000"])).pane
        os.kill(first.pid, signal.SIGKILL)
        with anyio.fail_after(BOUND_S):
            await core.lost.wait()
        with pytest.raises(HostLost) as raised:
            await core.list_panes()
        assert raised.value.code is Code.HOST_GONE
    assert "host.sock" in os.listdir(folder)
    async with connect(start=False) as core:
        assert core.greeting.pid != first.pid
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]


def _occupy(place: Path, kind: str) -> None:
    if kind == "file":
        place.write_text("mine")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("elsewhere")


def _occupant(place: Path) -> str:
    if place.is_symlink():
        return "link"
    if place.is_dir():
        return "folder"
    return "file" if place.read_text() == "mine" else "another file"


@pytest.mark.parametrize("socket", ["host.sock", "keeper.sock"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
async def test_something_else_in_the_sockets_place_is_an_error_that_leaves_it_alone(
    folder: Path, kind: str, socket: str
) -> None:
    place = folder / socket
    _occupy(place, kind)
    with pytest.raises(HostLost) as raised:
        async with connect():
            pytest.fail("there is no socket to listen on")
    assert raised.value.code is Code.HOST_UNREACHABLE
    assert str(place) in str(raised.value)
    assert _occupant(place) == kind
    assert "Traceback" not in (folder / "keeper.log").read_text()


async def test_without_leave_to_start_a_missing_host_is_an_error(folder: Path) -> None:
    with pytest.raises(HostLost) as raised:
        async with connect(start=False):
            pytest.fail("there is no host")
    assert raised.value.code is Code.HOST_UNREACHABLE
    assert str(folder) in str(raised.value)
    assert os.listdir(folder) == []


async def test_a_second_host_for_a_folder_gives_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with connect() as core:
        monkeypatch.setattr(sockets, "TAKE_OVER_S", 0.1)
        assert await anyio.to_thread.run_sync(listen, str(folder), "host") is None
        assert (await core.list_panes()).panes == ()


@pytest.mark.parametrize("umask", [0, 0o027, 0o077])
async def test_the_socket_is_private_and_panes_have_the_users_umask(folder: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        host = await anyio.to_thread.run_sync(start_host, folder)
        expected = own_field("Umask")
    finally:
        os.umask(before)
    assert os.stat(host.socket).st_mode & 0o777 == 0o600
    async with connect() as core:
        pane = (await core.open_pane(["sh", "-c", "grep Umask /proc/self/status"])).pane
        await exit_of(core, pane)
        assert (await core.read_pane(pane)).text.split() == ["Umask:", expected]
