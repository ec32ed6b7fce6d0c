"""The processes that the keeper runs: how one is started, and what is known of it.

A process inherits one end of a socketpair, on which it gets its listening socket and is told to serve; it has a
session of its own, the user's limit of open files, the asker's environment, and the log of its name for stdout and
stderr. The keeper keeps a copy of the listening socket, so that connections wait in its backlog while nobody serves.
A spare has loaded its code and waits: the time until it serves is that of its work alone.
"""

import os
import resource
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from session_core.keeper.backoff import Deaths
from session_core.keeper.descriptors import Channel
from session_core.keeper.ends import End
from session_core.sockets import readiness

NAMES = ("host", "bridge")
SPARE = "PANEBRIDGE_SPARE"
"""In the environment: how many seconds a host serves before it gets a spare (some 30 MiB); 0 for none."""
SPARE_AFTER_S = 10.0
Limits = tuple[int, int]


class State(StrEnum):
    """Where a process stands. WAITING: it died, and is started again later. ENDING: it said that it ends."""

    ABSENT = "absent"
    STARTING = "starting"
    RUNNING = "running"
    ENDING = "ending"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Command:
    """What to run: `python -m module`, and in which environment."""

    module: str
    arguments: tuple[str, ...]
    environment: dict[str, str]

    @property
    def spare_after_s(self) -> float | None:
        """How long the process serves before a spare is made for it; None for never."""
        try:
            return float(self.environment.get(SPARE) or SPARE_AFTER_S) or None
        except ValueError:
            return SPARE_AFTER_S


@dataclass(frozen=True, slots=True)
class Process:
    """A process that waits until it is told to serve. It ends by itself when its connection does."""

    pid: int
    link: Channel
    command: Command


@dataclass(slots=True)
class Child:
    """One process by its name. `mine` says whether the keeper is its parent and so learns how it ends."""

    name: str
    command: Command
    state: State = State.ABSENT
    listener: socket.socket | None = None
    pid: int | None = None
    mine: bool = True
    pidfd: int | None = None
    link: Channel | None = None
    spare: Process | None = None
    version: str | None = None
    why: str | None = None
    served_since: float | None = None
    leaving: bool = False
    restarts: int = 0
    deaths: Deaths = field(default_factory=Deaths)
    last_end: End | None = None
    starters: list[Channel] = field(default_factory=list)
    stoppers: list[Channel] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        """Whether there is a process."""
        return self.pid is not None

    @property
    def is_wanted(self) -> bool:
        """Whether somebody asked for it, or a connection waits in its backlog."""
        if self.starters:
            return True
        return self.listener is not None and readiness(self.listener.fileno(), 0)[0]

    def spawn(self, folder: str, executable: str, limits: Limits) -> None:
        """Start the process, or let its spare serve. Raises OSError."""
        assert self.listener is not None
        if self.spare is None or self.spare.command != self.command:
            self.drop_spare()
            self.spare = _run(self.name, self.command, folder, executable, limits)
        self.pid, self.link, self.spare = self.spare.pid, self.spare.link, None
        self.link.send({"say": "serve"}, self.listener.fileno())
        self.state, self.mine, self.leaving = State.STARTING, True, False
        self.version = self.why = self.served_since = None

    def make_spare(self, folder: str, executable: str, limits: Limits) -> None:
        """Have a process wait that can serve at once. Raises OSError."""
        self.drop_spare()
        self.spare = _run(self.name, self.command, folder, executable, limits)

    def drop_spare(self) -> None:
        """End the spare, if there is one; it has nothing to lose."""
        if self.spare is not None:
            self.spare.link.close()
            self.spare = None

    def close_listener(self, path: str) -> None:
        """Let nobody connect any longer."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None
            if os.path.lexists(path):
                os.unlink(path)

    def saved(self) -> dict[str, Any]:
        """Return what a successor of the keeper needs; who asked for its start or its end is told nothing."""
        return {
            "name": self.name,
            "module": self.command.module,
            "arguments": self.command.arguments,
            "environment": self.command.environment,
            "state": self.state,
            "listener": None if self.listener is None else self.listener.fileno(),
            "pid": self.pid,
            "mine": self.mine,
            "pidfd": self.pidfd,
            "link": None if self.link is None else self.link.state(),
            "version": self.version,
            "served_since": self.served_since,
            "restarts": self.restarts,
            "crashes": self.deaths.crashes,
            "last_end": self.last_end,
        }

    @classmethod
    def resumed(cls, saved: dict[str, Any]) -> "Child":
        """Return the process that `saved` describes."""
        command = Command(saved["module"], tuple(saved["arguments"]), saved["environment"])
        child = cls(saved["name"], command, State(saved["state"]))
        child.listener = None if saved["listener"] is None else socket.socket(fileno=saved["listener"])
        child.link = None if saved["link"] is None else Channel.resumed(saved["link"])
        child.deaths = Deaths(saved["crashes"])
        for name in ("pid", "mine", "pidfd", "version", "served_since", "restarts", "last_end"):
            setattr(child, name, saved[name])
        return child


def _run(name: str, command: Command, folder: str, executable: str, limits: Limits) -> Process:
    ours, theirs = socket.socketpair()
    options = ["--folder", folder, "--keeper-fd", str(theirs.fileno()), *command.arguments]
    try:
        with theirs, open(os.path.join(folder, f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                [executable, "-P", "-m", command.module, *options],
                cwd="/",
                env=command.environment | {"PANEBRIDGE_DIR": folder},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                preexec_fn=partial(resource.setrlimit, resource.RLIMIT_NOFILE, limits),
            )
    except OSError:
        ours.close()
        raise
    # The keeper reaps every process itself; subprocess must not look for this one.
    process.returncode = 0
    return Process(process.pid, Channel(ours), command)


def become_subreaper() -> bool:
    """Become the parent of every orphan among one's descendants; False where the system has no such thing."""
    if sys.platform != "linux":
        return False
    import ctypes

    set_child_subreaper = 36
    return bool(ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0) == 0)
