"""What the system says about processes."""

import contextlib
import os
import select
from pathlib import Path

import psutil

from .waiting import BOUND_S, eventually


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def children(pid: int) -> list[psutil.Process]:
    """Return a process's children, zombies included."""
    return psutil.Process(pid).children()


def field(status: str, name: str) -> str:
    """Return one field of a text in the format of /proc/PID/status."""
    lines = (line.split(":", 1) for line in status.splitlines())
    return next(value.strip() for key, value in lines if key == name)


def own_field(name: str) -> str:
    """Return one field of this process's own status."""
    return field(Path("/proc/self/status").read_text(), name)


def state_letter(pid: int) -> str:
    """Return the state letter of a process."""
    return field(Path(f"/proc/{pid}/status").read_text(), "State")[0]


async def stopped(pid: int) -> None:
    """Return once a process is stopped by a signal."""
    await eventually(lambda: state_letter(pid) == "T")


def memory(pid: int) -> int:
    """Return how many bytes of memory a process has that are its own (without what it has mapped of files)."""
    return int(field(Path(f"/proc/{pid}/status").read_text(), "RssAnon").split()[0]) * 1024


def terminals(pid: int) -> int:
    """Return how many terminals a process holds."""
    return sum(path.resolve().name == "ptmx" for path in Path(f"/proc/{pid}/fd").iterdir())


def running_for(folder: str) -> list[psutil.Process]:
    """Return the keeper, the host and the bridge of a folder, the keeper first."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and folder in process.cmdline():
                found.append(process)
    return sorted(found, key=_is_kept)


def _is_kept(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return "session_core.keeper" not in process.cmdline()
    return True


def kill_all_of(folder: str) -> None:
    """Kill what runs for a folder, the keeper first, until nothing is left: each would start the others anew."""
    while left := running_for(folder):
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        for process in left:
            _wait_for_end(process.pid)


def _wait_for_end(pid: int) -> None:
    """Return once a process has ended; who must collect it may be slow."""
    with contextlib.suppress(ProcessLookupError):
        watch = os.pidfd_open(pid)
        try:
            select.select([watch], [], [], BOUND_S)
        finally:
            os.close(watch)
