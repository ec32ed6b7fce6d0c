"""A real host process for each module, and a client of it for each test, which leaves no pane behind."""

from collections.abc import AsyncIterator, Iterator

import anyio
import pytest

from session_core import Client, connect

from .hosts import RunningHost, private_folder, start_host, stop_host
from .waiting import BOUND_S


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The host and its client are written for asyncio."""
    return "asyncio"


@pytest.fixture(scope="module")
def engine() -> str:
    """The screen engine of the host; a module may choose another."""
    return "auto"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Iterator[RunningHost]:
    """A host in a private folder, started on demand and ended in order."""
    folder = private_folder(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANEBRIDGE_DIR", str(folder))
        patch.setenv("PANEBRIDGE_ENGINE", engine)
        running = start_host(folder)
        try:
            yield running
        finally:
            stop_host(folder, running.pid)


@pytest.fixture
async def core(host: RunningHost) -> AsyncIterator[Client]:
    """A client of the module's host, which has no panes before and after the test."""
    async with connect() as client:
        yield client
    async with connect() as client:
        with anyio.fail_after(BOUND_S):
            await _close_all(client)


async def _close_all(client: Client) -> None:
    async with anyio.create_task_group() as tasks:
        for pane in (await client.list_panes()).panes:
            tasks.start_soon(client.close_pane, pane.pane)
