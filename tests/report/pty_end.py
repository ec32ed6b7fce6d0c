"""The terminal's side of a pseudo-terminal: reads until something is there, bounded, never sleeping."""

import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import ptyprocess

from session_core.protocol.events import EventStream
from session_core.protocol.program_status import Clear, Query, Rejected, Report

ROOT = Path(__file__).parents[2]
LIMIT_S = 5.0
_END = b"<end>"

Said = Report | Clear | Query | Rejected


def statuses(output: bytes) -> list[Said]:
    """Every OSC 7501 sequence in `output`, in order."""
    events = EventStream().feed(output)
    return [event.meaning for event in events if isinstance(event.meaning, Said)]


class Output:
    """What came out of a master descriptor."""

    def __init__(self, master: int) -> None:
        self.master = master
        self.seen = b""

    def read_until(self, wanted: bytes, after: int = 0) -> int:
        """Read until `wanted` was seen past `after` and return where it ends; fails after `LIMIT_S`."""
        deadline = time.monotonic() + LIMIT_S
        while (found := self.seen.find(wanted, after)) < 0:
            if not self._read_some(max(0.0, deadline - time.monotonic())):
                raise AssertionError(f"{wanted!r} did not come; got {self.seen[after:]!r}")
        return found + len(wanted)

    def read_all(self) -> bytes:
        """Read until the last program has closed the terminal."""
        while self._read_some(LIMIT_S):
            pass
        return self.seen

    def _read_some(self, wait_s: float) -> bool:
        if not select.select([self.master], [], [], wait_s)[0]:
            return False
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # Linux: EIO once the other end is closed.
            return False
        self.seen += chunk
        return bool(chunk)


class PtyEnd:
    """A pseudo-terminal whose program end, `slave`, is used by the test itself."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self._output = Output(self.master)
        self._taken = 0

    @property
    def path(self) -> str:
        """The device of the program end."""
        return os.ttyname(self.slave)

    @property
    def device(self) -> int:
        """The device number of the program end."""
        return os.fstat(self.slave).st_rdev

    @property
    def output(self) -> bytes:
        """All that was read so far."""
        return self._output.seen

    def take(self) -> bytes:
        """All that was written since the last call."""
        os.write(self.slave, _END)
        return self.read_until(_END).removesuffix(_END)

    def said(self) -> list[Said]:
        """The sequences that were written since the last call."""
        return statuses(self.take())

    def said_while(self, busy: Callable[[], bool]) -> list[Said]:
        """The sequences that are written until `busy` no longer holds; keeps the terminal flowing."""
        output = b""
        while busy():
            output += self.take()
        return statuses(output + self.take())

    def stop(self) -> None:
        """Take no more output, as after Ctrl-S; `slave` is non-blocking afterwards."""
        os.set_blocking(self.slave, False)
        termios.tcflow(self.slave, termios.TCOOFF)

    def go_on(self) -> None:
        """Take output again."""
        termios.tcflow(self.slave, termios.TCOON)

    def read_until(self, last: bytes) -> bytes:
        """Read until `last` came; everything since the last call."""
        end = self._output.read_until(last, self._taken)
        taken = self._output.seen[self._taken : end]
        self._taken = end
        return taken

    def hang_up(self) -> None:
        """Close the terminal's side."""
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        """Close what is open."""
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)


class Program:
    """A program of its own in a pseudo-terminal that is its controlling one; killed at the end of `with`."""

    def __init__(self, arguments: list[str], variables: dict[str, str] | None = None) -> None:
        environ = os.environ | {"PYTHONPATH": str(ROOT)} | (variables or {})
        self._child = ptyprocess.PtyProcess.spawn([sys.executable, *arguments], cwd=str(ROOT), env=environ)
        self.output = Output(self._child.fd)
        self._position = 0

    def wait_for(self, wanted: bytes) -> None:
        """Wait until `wanted` came after what was waited for before."""
        self._position = self.output.read_until(wanted, self._position)

    def enter(self, text: bytes) -> None:
        """Type as a person does."""
        self._child.write(text)

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        os.kill(self._child.pid, number)

    def said(self) -> list[Said]:
        """Every sequence so far."""
        return statuses(self.output.seen)

    def end(self) -> tuple[list[Said], int | None]:
        """Read to the end; every sequence, and the exit code (None: killed by a signal)."""
        self.output.read_all()
        self._child.wait()
        return self.said(), self._child.exitstatus

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.close(force=True)
