"""Tells when a process is gone, without polling: pidfd on Linux, kqueue elsewhere.

While a process is watched its pid cannot pass to another one unnoticed, since the watch ends with it.
"""

import asyncio
import contextlib
import os
import select
import sys
from collections.abc import Callable
from functools import partial

import anyio


class ProcessWatch:
    """One process; `ended` is called once, on the loop, when it is gone, unless `close` came first."""

    __slots__ = ("_ended", "_fd", "_loop", "pid")

    def __init__(self, pid: int, ended: Callable[[], None]) -> None:
        """Begin to watch. Raises ProcessLookupError if there is no such process now."""
        self.pid = pid
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._fd: int | None = _open(pid)
        self._loop.add_reader(self._fd, self._fire)

    def _fire(self) -> None:
        self.close()
        self._ended()

    def close(self) -> None:
        """Stop watching. Idempotent."""
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None


if sys.platform == "linux":

    def _open(pid: int) -> int:
        return os.pidfd_open(pid)

else:

    def _open(pid: int) -> int:
        queue = select.kqueue()
        event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        try:
            queue.control([event], 0)
        except OSError:
            queue.close()
            raise
        # The kqueue object closes its descriptor when collected, so the watch keeps one of its own.
        with contextlib.closing(queue):
            return os.dup(queue.fileno())


async def gone(pids: set[int], timeout_s: float) -> set[int]:
    """Wait until every process of `pids` is gone, at most `timeout_s`; return those that are left."""
    left = set(pids)
    changed = anyio.Event()

    def ended(pid: int) -> None:
        left.discard(pid)
        if not left:
            changed.set()

    watches = []
    for pid in pids:
        try:
            watches.append(ProcessWatch(pid, partial(ended, pid)))
        except ProcessLookupError:
            ended(pid)
    with anyio.move_on_after(timeout_s if left else 0):
        await changed.wait()
    for watch in watches:
        watch.close()
    return left
