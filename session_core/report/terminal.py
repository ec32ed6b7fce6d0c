"""The write end of a terminal: whole sequences, in order, and never a failure that reaches the program.

A sequence is one write where the kernel takes it so. One that a stopped terminal does not take within
`WRITE_WAIT_S` is kept and goes out, whole, before the next; CAN ends what was already sent of it.
A descriptor that fails, or that became something else, is never written to again.
Deliberately absent: reading, terminal modes, and deciding what to write.
"""

import errno
import os
import select
import time
from collections import deque

WRITE_WAIT_S = 0.25
"""How long a call waits for a terminal that takes no output; later calls do not wait until it does again."""
HELD_SEQUENCES = 256
"""Sequences kept for a terminal that takes no output; the oldest is dropped for one more."""
_CAN = b"\x18"


class Terminal:
    """One terminal, given as an open descriptor or as a path such as `/dev/tty`.

    A descriptor stays the caller's; a path is opened for writing only and never becomes the controlling
    terminal. Raises OSError (ENOTTY) for what is no terminal, or as `open` does.
    `device` is its number, the same for every way to the same terminal; `broken` says that it is given up.
    """

    def __init__(self, place: int | str) -> None:
        self._opened = isinstance(place, str)
        self._fd = _open(place) if isinstance(place, str) else place
        if not os.isatty(self._fd):
            self.close()
            raise OSError(errno.ENOTTY, "not a terminal")
        self._rdev = os.fstat(self._fd).st_rdev
        self.device = self._rdev
        if place == "/dev/tty":
            self.device = _controlling_device() or self._rdev
        self.broken = False
        self._held: deque[bytes] = deque()
        self._draining = False
        self._cut = False
        self._stalled = False
        self._deadline = 0.0

    def write(self, sequence: bytes) -> None:
        """Write `sequence` after all that is held; waits at most `WRITE_WAIT_S`, raises nothing.

        A descriptor in blocking mode can wait longer if the terminal stops reading in the middle of one.
        """
        if self.broken:
            return
        if len(self._held) >= HELD_SEQUENCES:
            self._held.popleft()
        self._held.append(sequence)
        self.flush()

    def flush(self) -> None:
        """Write what is held. A call from a signal handler leaves it to the call that it interrupted."""
        if self._draining or self.broken:
            return
        self._draining = True
        self._deadline = time.monotonic() + (0 if self._stalled else WRITE_WAIT_S)
        try:
            while self._held and self._deliver(self._held[0]):
                self._held.popleft()
        except OSError:
            self.broken = True
            self._held.clear()
        finally:
            self._draining = False

    def close(self) -> None:
        """Close the descriptor if it was opened here; nothing is written after it."""
        self.broken = True
        if self._opened:
            self._opened = False
            os.close(self._fd)

    def _deliver(self, sequence: bytes) -> bool:
        # Another file may stand at the same number after a redirection.
        if os.fstat(self._fd).st_rdev != self._rdev:
            raise OSError(errno.ENOTTY, "the terminal is gone")
        rest = _CAN + sequence if self._cut else sequence
        refused = False
        while rest:
            wait_s = self._deadline - time.monotonic()
            if not self._is_writable(wait_s) or (refused and wait_s <= 0):
                self._stalled = True
                return False
            self._cut = True
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                refused = True
                continue
            if self._stalled:
                self._stalled = False
                self._deadline = time.monotonic() + WRITE_WAIT_S
        self._cut = False
        return True

    def _is_writable(self, wait_s: float) -> bool:
        try:
            return bool(select.select([], [self._fd], [], max(wait_s, 0))[1])
        except ValueError:  # select takes no descriptor above 1023; the write itself then decides.
            return True


def _open(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)


def _controlling_device() -> int | None:
    """The terminal behind `/dev/tty`, whose own number is the same for every terminal."""
    for fd in (0, 1, 2):
        try:
            os.tcgetpgrp(fd)  # Fails for all but the controlling terminal.
            return os.fstat(fd).st_rdev
        except OSError:
            continue
    try:
        with open("/proc/self/stat", errors="replace") as stat:
            return int(stat.read().rpartition(")")[2].split()[4]) or None
    except OSError:
        return None
