"""One pseudo-terminal and the process on it: the only importer of ptyprocess, termios and fcntl.

The descriptor is non-blocking and closed on exec; the child leads its own session and process group, has
default signal dispositions and only its terminal open. Whoever is to hold the terminal too has it before the
program is executed: the child waits for a byte, and ends if the host dies first. Nothing else here waits: reads
and writes take what is there, and the end of the process is seen once its watch has fired.
"""

import contextlib
import errno
import fcntl
import os
import resource
import signal
import struct
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import BufferedRWPair, FileIO
from typing import ClassVar, cast

from ptyprocess import PtyProcess

from session_core.errors import Code, SessionCoreError
from session_core.keeper.ends import signal_name
from session_core.model.status import ExitStatus

SPAWN_DESCRIPTORS = 8
"""Descriptors that must be free for one more pane."""
_CALLERS_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)
"""The limit before the host raises its own: programs get it back."""
# Numbers of the systems' headers; the termios module does not have them.
_TIOCGPTN, _TIOCPTYGNAME = 0x80045430, 0x40807453
_LOST = (errno.EIO, errno.EBADF)
_CAN_LOOK = hasattr(os, "waitid")
NOT_BEGUN = 126
"""Exit code of a process whose host died before it could execute its program."""

Hold = Callable[[int, int], None]
"""Gets a process and its terminal's descriptor, which stays the host's own."""


class Pty:
    """A process on a terminal of its own: a child of this host, or one of a host before it (`adopt`)."""

    def __init__(self, pid: int, terminal: FileIO | BufferedRWPair, fd: int, *, is_child: bool) -> None:
        self.pid = pid
        self.fd = fd
        self.exit: ExitStatus | None = None
        self.is_child = is_child
        self.closed = False
        """Whether the descriptor has been given back."""
        self.was_open = True
        """Whether this host has ever had the terminal."""
        self._terminal = terminal
        self._collected = not is_child
        os.set_blocking(fd, False)

    @classmethod
    def spawn(
        cls,
        argv: Sequence[str],
        *,
        folder: str,
        environment: Mapping[str, str],
        columns: int,
        rows: int,
        hold: Hold = lambda pid, fd: None,
    ) -> "Pty":
        """Start `argv`; `argv[0]` must be a path. Returns once the program has been executed.

        `hold` gets the process and its terminal before that. Raises SessionCoreError with `spawn_failed`, naming
        the system's reason, and leaves nothing behind (what `hold` did is the caller's to undo).
        """
        try:
            _check_room()
            process = _spawn(list(argv), folder, dict(environment), (rows, columns), hold)
        except (OSError, ValueError) as error:
            _Process.abandon()
            raise SessionCoreError(
                Code.SPAWN_FAILED,
                f"{argv[0]} could not be started: {error}.",
                "Check the program, its interpreter line and the host's limits on processes and files.",
            ) from error
        _Process.newest = None
        # Else ptyprocess would end it together with its own object.
        process.closed = True
        return cls(process.pid, process.fileobj, process.fd, is_child=True)

    @classmethod
    def adopt(cls, pid: int, fd: int, exit: ExitStatus | None) -> "Pty":
        """Go on with a process that an earlier host started, and with its terminal; `exit` if it has ended.

        How it ends is learned from others (`ended`), since it is no child of this host.
        """
        pty = cls(pid, FileIO(fd, "r+"), fd, is_child=False)
        pty.exit = exit
        return pty

    @classmethod
    def gone(cls, pid: int, exit: ExitStatus | None) -> "Pty":
        """Stand for a terminal that is no more."""
        fd = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        pty = cls(pid, FileIO(fd, "r+"), fd, is_child=False)
        pty.exit = exit
        pty.close()
        pty.was_open = False
        return pty

    def read_into(self, buffers: Sequence[memoryview]) -> int | None:
        """Read what the program has written; 0 if nothing is there now, None once its end is reached."""
        try:
            count = os.readv(self.fd, buffers)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in _LOST:
                return None
            raise
        return count or None

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
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        rows, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(self.fd, termios.TIOCGWINSZ, bytes(8)))
        return columns, rows

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
        """Return how the process ended; None while it runs, and, if it is no child, until `ended` was called.

        A child stays a zombie, which its next parent can reap, until `collect`.
        """
        if self.exit is None and self.is_child:
            self.exit = _look(self.pid)
            self._collected = self.exit is not None and not _CAN_LOOK
        return self.exit

    def ended(self, exit: ExitStatus) -> None:
        """Somebody else has learned how the process ended; the first word counts."""
        if self.exit is None:
            self.exit = exit

    def collect(self) -> None:
        """Let the system forget a child that has ended. Idempotent."""
        if not self._collected and self.exit is not None:
            self._collected = True
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)

    def close(self) -> None:
        """Give the descriptor back. Idempotent. The process is left to its own end."""
        if not self.closed:
            # PtyProcess.close would sleep and kill; its file object owns the descriptor.
            with contextlib.suppress(OSError):
                self._terminal.close()
            self.closed = True


class _Process(PtyProcess):  # type: ignore[misc]
    """A process that is known from its fork on: one whose exec fails is reaped, its descriptor given back."""

    newest: ClassVar["_Process | None"] = None
    hold: ClassVar[Hold]
    go: ClassVar[int]

    def __init__(self, pid: int, fd: int) -> None:
        super().__init__(pid, fd)
        _Process.newest = self
        _Process.hold(pid, fd)
        os.write(_Process.go, b"!")

    @classmethod
    def abandon(cls) -> None:
        """Clean up after a failed `spawn`; its process is at its end."""
        process, cls.newest = cls.newest, None
        if process is not None:
            process.fileobj.close()
            process.closed = True
            os.waitpid(process.pid, 0)


def _spawn(argv: list[str], folder: str, environment: dict[str, str], size: tuple[int, int], hold: Hold) -> _Process:
    waiting, _Process.go = os.pipe()
    _Process.hold = staticmethod(hold)
    prepare = partial(_prepare, folder, waiting)
    try:
        process = _Process.spawn(argv, env=environment, preexec_fn=prepare, dimensions=size, pass_fds=(waiting,))
        return cast(_Process, process)
    finally:
        os.close(waiting)
        os.close(_Process.go)


def _check_room() -> None:
    """Raise OSError unless a pane's descriptors are free: ptyprocess loses two where the fork fails."""
    held: list[int] = []
    try:
        while len(held) < SPAWN_DESCRIPTORS:
            held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    finally:
        for descriptor in held:
            os.close(descriptor)


def _prepare(folder: str, waiting: int) -> None:
    """Runs in the child. Only what fails in here, or at the exec, is told to the host by ptyprocess."""
    if not os.read(waiting, 1):
        # The host died before anybody else had the terminal.
        os._exit(NOT_BEGUN)
    resource.setrlimit(resource.RLIMIT_NOFILE, _CALLERS_FILES)
    os.chdir(folder)
    _restore_signals()


def _restore_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _look(pid: int) -> ExitStatus | None:
    """Return how a child ended, None while it runs; where the system can, it stays to be looked at again."""
    if not _CAN_LOOK:
        found, status = os.waitpid(pid, os.WNOHANG)
        return _exit_status(os.waitstatus_to_exitcode(status)) if found else None
    seen = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if seen is None:
        return None
    return _exit_status(seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status)


def _exit_status(code: int) -> ExitStatus:
    return ExitStatus(code=code) if code >= 0 else ExitStatus(signal=signal_name(-code))
