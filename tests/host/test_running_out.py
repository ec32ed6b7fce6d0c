"""A host that runs out of descriptors refuses by name, leaves nothing behind, and lives on."""

import os
import resource
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, SessionCoreError, connect

from .hosts import RunningHost, private_folder, start_host, stop_host
from .processes import children, descriptors
from .programs import executable
from .waiting import exit_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def narrow(core: Client, host: RunningHost) -> AsyncIterator[Client]:
    """A client of a host that has room for a few panes only."""
    before = resource.prlimit(host.pid, resource.RLIMIT_NOFILE)
    await core.list_panes()
    highest = max(map(int, os.listdir(f"/proc/{host.pid}/fd")))
    resource.prlimit(host.pid, resource.RLIMIT_NOFILE, (highest + 20, before[1]))
    try:
        yield core
    finally:
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, before)


async def test_panes_beyond_the_limit_are_refused_and_leave_nothing(narrow: Client, host: RunningHost) -> None:
    opened = 0
    refused: list[SessionCoreError] = []
    for _ in range(12):
        try:
            await narrow.open_pane(["sleep", "1000"])
            opened += 1
        except SessionCoreError as error:
            refused.append(error)
    assert refused
    assert opened
    assert {error.code for error in refused} <= {Code.SPAWN_FAILED, Code.LIMIT_REACHED}
    assert all("open files" in error.message for error in refused)
    panes = (await narrow.list_panes()).panes
    assert len(panes) == opened == len(children(host.pid))


async def _tried(core: Client, command: list[str]) -> Code | None:
    try:
        pane = await core.open_pane(command)
    except SessionCoreError as error:
        return error.code
    await core.close_pane(pane.pane)
    return None


async def test_after_a_shortage_everything_is_as_before(core: Client, host: RunningHost, tmp_path: Path) -> None:
    await core.list_panes()
    before = descriptors(host.pid)
    limit = resource.prlimit(host.pid, resource.RLIMIT_NOFILE)
    broken = executable(tmp_path, "broken", "#!/no/such/interpreter\n")
    highest = max(map(int, os.listdir(f"/proc/{host.pid}/fd")))
    codes: set[Code | None] = set()
    for room in range(1, 8):
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, (highest + room, limit[1]))
        for command in (["true"], [broken]):
            codes.add(await _tried(core, command))
    resource.prlimit(host.pid, resource.RLIMIT_NOFILE, limit)
    assert codes <= {Code.SPAWN_FAILED, None}
    assert descriptors(host.pid) == before
    assert children(host.pid) == []
    pane = await core.open_pane(["sh", "-c", "exit 8"])
    assert (await exit_of(core, pane.pane)).code == 8


async def test_a_program_has_the_callers_limit_of_open_files(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(512, soft)
    folder = private_folder(tmp_path_factory)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        running = await anyio.to_thread.run_sync(start_host, folder)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    async with connect(folder=str(folder), start=False) as core:
        pane = (await core.open_pane(["sh", "-c", "ulimit -n"])).pane
        await exit_of(core, pane)
        text = (await core.read_pane(pane)).text
        await core.close_pane(pane)
    await anyio.to_thread.run_sync(stop_host, folder, running.pid)
    assert int(text) == wanted
