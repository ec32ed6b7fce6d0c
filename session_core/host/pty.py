"""One pseudo-terminal and the process on it: the only importer of ptyprocess, termios and fcntl.

The descriptor is non-blocking and closed on exec; the child leads its own session and process group, has
default signal dispositions and only its terminal open. Nothing here waits: reads and writes take what is
there, and the end of the process is reaped once its watch has fired.
"""

import contextlib
import errno
import fcntl
import os
import resource
import signal
import sys
import termios
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from ptyprocess import PtyProcess

from session_core.errors import Code, SessionCoreError
from session_core.model.status import ExitStatus

READ_BYTES = 65536
SPAWN_DESCRIPTORS = 8
"""Descriptors that must be free for one more pane."""
_CALLERS_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)
"""The limit before the host raises its own: programs get it back."""
# Numbers of the systems' headers; the termios module does not have them.
_TIOCGPTN, _TIOCPTYGNAME = 0x80045430, 0x40807453
_LOST = (errno.EIO, errno.EBADF)


class Pty:
    """A running process on a terminal of its own."""

    def __init__(self, process: PtyProcess) -> None:
        self._process = process
        self.pid: int = process.pid
        self.fd: int = process.fd
        self.exit: ExitStatus | None = None
        os.set_blocking(self.fd, False)

    @classmethod
    def spawn(
        cls, argv: Sequence[str], *, folder: str, environment: Mapping[str, str], columns: int, rows: int
    ) -> "Pty":
        """Start `argv`; `argv[0]` must be a path. Returns once the program has been executed.

        Raises SessionCoreError with `spawn_failed`, naming the system's reason, and leaves nothing behind.
        """
        try:
            _check_room()
            process = _Process.spawn(
                list(argv),
                env=dict(environment),
                preexec_fn=partial(_prepare, folder),
                dimensions=(rows, columns),
            )
        except (OSError, ValueError) as error:
            _Process.abandon()
            raise SessionCoreError(
                Code.SPAWN_FAILED,
                f"{argv[0]} could not be started: {error}.",
                "Check the program, its interpreter line and the host's limits on processes and files.",
            ) from error
        _Process._newest = None
        return cls(process)

    @property
    def closed(self) -> bool:
        """Whether the descriptor has been given back."""
        return bool(self._process.closed)

    def read(self) -> bytes | None:
        """Return what the program has written, b"" if nothing is there now, None once its end is reached."""
        try:
            data = os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno in _LOST:
                return None
            raise
        return data or None

    def write(self, data: memoryview) -> int:
        """Write what the terminal takes now; 0 if it is full. A terminal that has ended takes everything."""
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in _LOST:
                return len(data)
            raise

    def resize(self, columns: int, rows: int) -> None:
        """Set the size; the program is told by SIGWINCH if it changed."""
        if not self.closed:
            self._process.setwinsize(rows, columns)

    def unread(self) -> int:
        """Return how many written bytes the program has not read; in canonical mode, only whole lines count."""
        try:
            slave = os.open(self._slave_path(), os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            return 0
        try:
            return int.from_bytes(fcntl.ioctl(slave, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0
        finally:
            os.close(slave)

    def _slave_path(self) -> str:
        if sys.platform == "linux":
            number = fcntl.ioctl(self.fd, _TIOCGPTN, bytes(4))
            return f"/dev/pts/{int.from_bytes(number, sys.byteorder)}"
        return fcntl.ioctl(self.fd, _TIOCPTYGNAME, bytes(128)).partition(b"\0")[0].decode()

    def input_mode(self) -> tuple[bool, bool]:
        """Return whether the terminal hands over whole lines (canonical), and whether it echoes."""
        try:
            flags = termios.tcgetattr(self.fd)[3]
        except (OSError, termios.error):
            return False, True
        return bool(flags & termios.ICANON), bool(flags & termios.ECHO)

    def foreground_group(self) -> int | None:
        """Return the foreground process group of the terminal, None when there is none."""
        if self.closed:
            return None
        try:
            group = os.tcgetpgrp(self.fd)
        except OSError:
            return None
        return group if group > 0 else None

    def reap(self) -> ExitStatus | None:
        """Return how the process ended, collecting it on the first call; None while it runs."""
        if self.exit is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit = _exit_status(status)
        return self.exit

    def close(self) -> None:
        """Give the descriptor back. Idempotent. The process is left to its own end."""
        if not self._process.closed:
            # PtyProcess.close would sleep and kill; its file object owns the descriptor.
            with contextlib.suppress(OSError):
                self._process.fileobj.close()
            self._process.closed = True


class _Process(PtyProcess):  # type: ignore[misc]
    """A process that is known from its fork on: one whose exec fails is reaped, its descriptor given back."""

    _newest: ClassVar["_Process | None"] = None

    def __init__(self, pid: int, fd: int) -> None:
        super().__init__(pid, fd)
        _Process._newest = self

    @classmethod
    def abandon(cls) -> None:
        """Clean up after a failed `spawn`; its process is at its end."""
        process, cls._newest = cls._newest, None
        if process is not None:
            process.fileobj.close()
            process.closed = True
            os.waitpid(process.pid, 0)


def _check_room() -> None:
    """Raise OSError unless a pane's descriptors are free: ptyprocess loses two where the fork fails."""
    held: list[int] = []
    try:
        while len(held) < SPAWN_DESCRIPTORS:
            held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    finally:
        for descriptor in held:
            os.close(descriptor)


def _prepare(folder: str) -> None:
    """Runs in the child. Only what fails in here, or at the exec, is told to the host by ptyprocess."""
    resource.setrlimit(resource.RLIMIT_NOFILE, _CALLERS_FILES)
    os.chdir(folder)
    _restore_signals()


def _restore_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _exit_status(status: int) -> ExitStatus:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return ExitStatus(code=code)
    try:
        return ExitStatus(signal=signal.Signals(-code).name)
    except ValueError:
        return ExitStatus(signal=f"SIG{-code}")
