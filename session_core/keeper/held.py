"""The terminals that the keeper holds: one descriptor for each pane, its process, and how that ended."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from session_core.keeper.ends import UNKNOWN, End


@dataclass(slots=True)
class Held:
    """One pane. `started` is the process's start time in the system's own unit, "" where that is not known."""

    pane: str
    pid: int
    fd: int
    started: str
    end: End | None = None


class Terminals:
    """All that is held, by pane."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Held]:
        return iter(tuple(self._held.values()))

    def hold(self, pane: str, pid: int, fd: int) -> None:
        """Hold a pane's terminal; one that is held under this name already is replaced."""
        self.release(pane)
        self._held[pane] = Held(pane, pid, fd, _started(pid))

    def release(self, pane: str) -> None:
        """Give a terminal back and forget its pane."""
        held = self._held.pop(pane, None)
        if held is not None:
            os.close(held.fd)

    def taken(self, pane: str, end: End | None) -> None:
        """The host has reaped the process itself, and how it ended."""
        if pane in self._held and end is not None:
            self._held[pane].end = end

    def ended(self, pid: int, end: End) -> Held | None:
        """Note that a process ended; return what it was, if it was a pane's."""
        for held in self._held.values():
            if held.pid == pid and held.end is None:
                held.end = end
                return held
        return None

    def look(self) -> None:
        """Find the processes that ended without anybody learning how."""
        for held in self._held.values():
            if held.end is None and not _lives(held):
                held.end = UNKNOWN

    def state(self) -> list[dict[str, Any]]:
        """Return what a successor in this process needs."""
        return [
            {"pane": held.pane, "pid": held.pid, "fd": held.fd, "started": held.started, "end": held.end}
            for held in self._held.values()
        ]

    @classmethod
    def resumed(cls, state: list[dict[str, Any]]) -> "Terminals":
        """Return the terminals that `state` describes."""
        terminals = cls()
        terminals._held = {fields["pane"]: Held(**fields) for fields in state}
        return terminals


def _lives(held: Held) -> bool:
    try:
        os.kill(held.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _started(held.pid) == held.started


def _started(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # Field 22; the name of the program, which may hold anything, is field 2.
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
