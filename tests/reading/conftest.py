"""A real host for each module, with the settings that the module names, and a client for each test."""

from collections.abc import Iterator

import pytest

from ..host.conftest import anyio_backend, core
from ..host.hosts import RunningHost, private_folder, start_host, stop_host

__all__ = ["anyio_backend", "core", "host", "settings"]


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """The host's environment, besides its folder."""
    return {}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, str]) -> Iterator[RunningHost]:
    """A host in a private folder, started on demand and ended in order."""
    folder = private_folder(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PANEBRIDGE_DIR": str(folder), **settings}.items():
            patch.setenv(name, value)
        running = start_host(folder)
        try:
            yield running
        finally:
            stop_host(folder, running.pid)
