"""The processes of one runtime folder, as the keeper tells them, and what the system says of them."""

import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import psutil

from session_core import Client, HostLost, What, connect
from session_core.api.requests import READ_BYTES
from session_core.launch import ask_keeper

from ..host.processes import kill_all_of, running_for
from ..host.waiting import BOUND_S, eventually


@dataclass(frozen=True, slots=True)
class Place:
    """One folder."""

    folder: str

    @property
    def path(self) -> Path:
        """The folder, as a path."""
        return Path(self.folder)

    @property
    def keeper_log(self) -> str:
        """What the keeper has logged."""
        log = self.path / "keeper.log"
        return log.read_text() if log.exists() else ""

    def status(self) -> dict[str, Any]:
        """What the keeper says."""
        answer = ask_keeper(self.folder, {"ask": "status"})
        assert answer is not None
        return answer

    def pid(self, name: str) -> int:
        """The process called `name`."""
        pid: int = self.status()[name]["pid"]
        return pid

    def processes(self) -> list[psutil.Process]:
        """Every process of ours that runs for this folder."""
        return running_for(self.folder)

    def end(self) -> None:
        """Kill whatever is left."""
        kill_all_of(self.folder)

    @asynccontextmanager
    async def core(self, *, start: bool = False) -> AsyncIterator[Client]:
        """A client; where a host dies while it greets, the next one is dialled."""
        deadline = anyio.current_time() + 2 * BOUND_S
        async with AsyncExitStack() as stack:
            while True:
                try:
                    client = await stack.enter_async_context(connect(folder=self.folder, start=start))
                    break
                except HostLost:
                    if anyio.current_time() > deadline:
                        raise
                    await anyio.sleep(0.01)
            yield client


async def kill(pid: int) -> None:
    """Kill a process, and return once it has ended."""
    watch = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    await _fired(watch)


async def ended(pid: int) -> None:
    """Return once a process has ended; it may still be a zombie."""
    with contextlib.suppress(ProcessLookupError):
        await _fired(os.pidfd_open(pid))


async def _fired(watch: int) -> None:
    try:
        with anyio.fail_after(BOUND_S):
            await anyio.wait_readable(watch)
    finally:
        os.close(watch)


async def freed(pid: int) -> None:
    """Return once a process has ended and somebody has collected it."""
    await eventually(lambda: not psutil.pid_exists(pid))


async def lines_of(core: Client, pane: str) -> list[str]:
    """Return the lines of a pane, those that have scrolled away too."""
    return (await core.read_pane(pane, what=What.TAIL, lines=10_000, max_bytes=READ_BYTES)).text.splitlines()


async def shows(core: Client, pane: str, line: str) -> list[str]:
    """Return the lines of a pane once one of them is `line`."""
    with anyio.fail_after(BOUND_S):
        while line not in (lines := await lines_of(core, pane)):  # noqa: ASYNC110 - this needs no wait of the host's
            await anyio.sleep(0.01)
    return lines


def raw(folder: str, name: str) -> socket.socket:
    """Connect to a socket of the folder."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(BOUND_S)
    connection.connect(os.path.join(folder, f"{name}.sock"))
    return connection
