"""A real host for each module, and for each test a proxy before it, with a client behind that."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from session_core import Client, connect

from ..host.conftest import anyio_backend, core, engine, host
from ..host.hosts import RunningHost
from .cutting import Proxy, proxy_before

__all__ = ["anyio_backend", "core", "engine", "host"]


@pytest.fixture
async def proxy(host: RunningHost, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Proxy]:
    """A proxy before the module's host, in a folder of its own."""
    folder = tmp_path_factory.mktemp("p")
    folder.chmod(0o700)
    async with proxy_before(host.socket, Path(folder)) as one:
        yield one


@pytest.fixture
async def cut(proxy: Proxy, core: Client) -> AsyncIterator[Client]:
    """A client whose connections the proxy cuts; `core` is one that nobody cuts."""
    async with connect(folder=str(proxy.folder), start=False) as client:
        yield client
