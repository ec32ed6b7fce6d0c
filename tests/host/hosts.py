"""Host processes of the tests: started on demand in private folders, ended by `stop` or by their pid."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from session_core import connect

from .waiting import BOUND_S


@dataclass(frozen=True, slots=True)
class RunningHost:
    """A host of a test's own."""

    folder: Path
    pid: int

    @property
    def socket(self) -> str:
        """Where it listens."""
        return str(self.folder / "host.sock")

    @property
    def log(self) -> str:
        """What it has logged."""
        return (self.folder / "host.log").read_text()


def private_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a new folder with a short path that only this user can enter."""
    folder = factory.mktemp("h")
    folder.chmod(0o700)
    return folder


def start_host(folder: Path) -> RunningHost:
    """Start a host on demand, as a first client does."""
    return RunningHost(folder, anyio.run(_start, str(folder)))


def stop_host(folder: Path, pid: int | None = None) -> None:
    """End the host of a folder if there is one, by `stop` or else by its pid."""
    try:
        anyio.run(_stop, str(folder))
    except BaseException:
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        raise


def left_in(folder: Path) -> list[str]:
    """Return what processes that have all ended leave in their folder."""
    return [name for name in sorted(os.listdir(folder)) if name != "keeper.log"]


LEFT = ["host.lock", "host.log", "keeper.lock", "keeper.start", "state"]
"""What a folder holds once everything in it was stopped, as `left_in` tells it."""


async def _start(folder: str) -> int:
    with anyio.fail_after(BOUND_S):
        async with connect(folder=folder) as core:
            return core.greeting.pid


async def _stop(folder: str) -> None:
    with anyio.fail_after(BOUND_S):
        async with connect(folder=folder, start=False) as core:
            await core.stop()


@contextmanager
def running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process and end it by its pid."""
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()
