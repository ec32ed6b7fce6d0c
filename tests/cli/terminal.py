"""A person's terminal: a command that runs in one, what is typed there, and what it shows."""

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .commands import BOUND_S, PANEBRIDGE, Panebridge

_READ_BYTES = 65536


class PersonTerminal:
    """A terminal with one command in it; all that it has shown is in `shown`."""

    def __init__(self, fd: int, process: subprocess.Popen[bytes], mode: list[Any]) -> None:
        self.process = process
        self.shown = b""
        self._fd = fd
        self._mode = mode

    def type(self, data: bytes) -> None:
        """Press keys."""
        os.write(self._fd, data)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, and tell the command as a terminal's owner does."""
        set_size(self._fd, columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def shows(self, part: bytes) -> bytes:
        """Return once `part` has been shown; all up to its end is then forgotten, and returned."""
        deadline = time.monotonic() + BOUND_S
        while part not in self.shown:
            self._read(deadline - time.monotonic())
        seen, _, self.shown = self.shown.partition(part)
        return seen + part

    def _read(self, timeout_s: float) -> None:
        ready, _, _ = select.select([self._fd], [], [], max(timeout_s, 0))
        assert ready, f"not shown in time; shown so far: {self.shown!r}"
        self.shown += os.read(self._fd, _READ_BYTES)

    def ends(self) -> int:
        """Wait for the end of the command, taking what it still shows; return its exit code."""
        watch = os.pidfd_open(self.process.pid)
        try:
            ended: list[int] = []
            while not ended:
                ready, _, _ = select.select([watch, self._fd], [], [], BOUND_S)
                assert ready, f"no end; shown so far: {self.shown!r}"
                if self._fd in ready:
                    self.shown += os.read(self._fd, _READ_BYTES)
                else:
                    ended = ready
        finally:
            os.close(watch)
        return self.process.wait(BOUND_S)

    @property
    def as_before(self) -> bool:
        """Whether the terminal's mode is the one from before the command."""
        return termios.tcgetattr(self._fd) == self._mode


def set_size(fd: int, columns: int, rows: int) -> None:
    """Set the size of a terminal."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextmanager
def person_terminal(
    panebridge: Panebridge, words: Sequence[str], *, columns: int = 100, rows: int = 30
) -> Iterator[PersonTerminal]:
    """Run a command in a terminal of its own; it is killed at the end if it has not ended by itself."""
    outer, inner = os.openpty()
    set_size(outer, columns, rows)
    mode = termios.tcgetattr(outer)
    process = subprocess.Popen(
        [PANEBRIDGE, *words],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
        env=panebridge.environment(),
    )
    try:
        yield PersonTerminal(outer, process, mode)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(BOUND_S)
        os.close(outer)
        os.close(inner)
