"""What the system says about processes."""

import os
from pathlib import Path

import psutil

from .waiting import eventually


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
