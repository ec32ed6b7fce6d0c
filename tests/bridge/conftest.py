"""A bridge and a host for each module, and a connected client for each test, which leaves no pane behind."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator

import anyio
import pytest
from mcp import Client

from session_core import connect, stop_process

from .calls import Tools
from .place import Place
from .programs import puppet
from .waiting import BOUND_S


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The client, the bridge and the host are run on asyncio."""
    return "asyncio"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A private runtime folder; what was started in it is stopped at the end."""
    folder = tempfile.mkdtemp(prefix="pb-", dir="/tmp")
    try:
        yield Place(folder)
    finally:
        for name in ("bridge", "host"):
            stop_process(folder, name)
        shutil.rmtree(folder)


@pytest.fixture
def era() -> str:
    """How the client connects: `auto` is the stateless era of the protocol, `legacy` the handshake."""
    return "auto"


@pytest.fixture
async def tools(place: Place, era: str) -> AsyncIterator[Tools]:
    """A connected client."""
    async with Client(place.server(), mode=era) as client:
        yield Tools(client)
    await close_all(place)


@pytest.fixture
async def lasting_pane(place: Place) -> AsyncIterator[str]:
    """A pane that runs, and still does so after the test."""
    async with connect(folder=place.folder) as core:
        pane = (await core.open_pane(["cat"])).pane
        yield pane
        assert [status.pane for status in (await core.list_panes()).panes] == [pane]
        assert (await core.read_status(pane)).life == "running"
    await close_all(place)


@pytest.fixture
async def puppet_pane(place: Place) -> AsyncIterator[str]:
    """A puppet that listens, opened by no client of the test."""
    async with connect(folder=place.folder) as core:
        pane = (await core.open_pane(puppet())).pane
        with anyio.fail_after(BOUND_S):
            while (await core.read_status(pane)).title != "puppet":
                pass
        yield pane
    await close_all(place)


async def close_all(place: Place) -> None:
    """Close every pane of the host at once."""
    with anyio.fail_after(BOUND_S):
        async with connect(folder=place.folder) as core, anyio.create_task_group() as tasks:
            for pane in (await core.list_panes()).panes:
                tasks.start_soon(core.close_pane, pane.pane)
