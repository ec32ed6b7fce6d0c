"""A runtime folder of each module's own; what the commands started in it is stopped at the end."""

import shutil
import tempfile
from collections.abc import Iterator

import anyio
import pytest

from session_core import connect, stop_process

from .commands import BOUND_S, Panebridge


@pytest.fixture(scope="module")
def panebridge() -> Iterator[Panebridge]:
    """The command."""
    folder = tempfile.mkdtemp(prefix="pb-", dir="/tmp")
    try:
        yield Panebridge(folder)
    finally:
        for name in ("bridge", "host"):
            stop_process(folder, name)
        shutil.rmtree(folder)


@pytest.fixture
def host(panebridge: Panebridge) -> Iterator[None]:
    """A host that runs, and has no panes before and after the test."""
    anyio.run(_without_panes, panebridge.folder)
    yield
    anyio.run(_without_panes, panebridge.folder)


async def _without_panes(folder: str) -> None:
    with anyio.fail_after(BOUND_S):
        async with connect(folder=folder) as core, anyio.create_task_group() as tasks:
            for pane in (await core.list_panes()).panes:
                tasks.start_soon(core.close_pane, pane.pane)
