"""The end of a pane's own process: seen without polling, told once, and brought about where a pane is closed.

A process that an earlier host has started is no child of this one: its parent, the keeper, tells how it ended, and
where nobody does in `TOLD_S` that stays unknown.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable

import anyio

from session_core.crash_points import reached
from session_core.host.occupant import session_members
from session_core.host.process_watch import ProcessWatch, gone
from session_core.host.pty import Pty
from session_core.model.status import ExitStatus

TOLD_S = 1.0
"""How long after the end of a process, that is no child of this host, its exit may be told."""
STAGE_S = 1.0
"""How long the processes of a closed pane have after each signal."""


class PaneProcess:
    """The process on a terminal. `ended` is called once, when it is known that it has ended."""

    def __init__(self, pty: Pty, ended: Callable[[], None]) -> None:
        self._pty = pty
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._watch: ProcessWatch | None = None
        self._ended_at: float | None = None
        self.over = anyio.Event()
        """Set once its end has been told to everybody."""

    def follow(self) -> None:
        """Begin to watch it; it may have ended already."""
        if self._pty.exit is None:
            with contextlib.suppress(ProcessLookupError):
                self._watch = ProcessWatch(self._pty.pid, self._gone)
                return
        self._loop.call_soon(self._gone)

    def _gone(self) -> None:
        if self._pty.reap() is not None:
            self._seen()
        else:
            self._loop.call_later(TOLD_S, self.told, ExitStatus())

    def told(self, exit: ExitStatus) -> None:
        """Its parent says how it ended."""
        self._pty.ended(exit)
        self._seen()

    def _seen(self) -> None:
        if self._ended_at is None:
            reached("exit_seen")
            self._ended_at = time.time()
            self._ended()

    async def end(self) -> None:
        """End every process of its session.

        SIGHUP, then SIGTERM, then SIGKILL to each process group, each with `STAGE_S` to be gone; a stopped
        process is continued so that it can act. Programs that left the session are not touched, nor is anything
        where the terminal is gone since before this host: the number may be another session's by now.
        """
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            groups = session_members(self._pty.pid, self._ended_at) if self._pty.was_open else {}
            if not groups and self._pty.exit is not None:
                break
            for group in groups:
                _signal_group(group, number)
            await gone({pid for members in groups.values() for pid in members}, STAGE_S)
        with anyio.move_on_after(STAGE_S):
            await self.over.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        os.killpg(group, signal.SIGCONT)
