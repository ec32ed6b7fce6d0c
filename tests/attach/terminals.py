"""A person's terminal: a real one, whose screen is an engine's, with `panebridge attach` on it."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from session_core.screen import open_screen

from ..host.hosts import RunningHost
from ..host.waiting import eventually

_CONTROLLING = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
_MODES = (1, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004, 2026, 2031, 2048)


class Terminal:
    """A terminal that answers queries as real ones do; `attached` is the process on it."""

    def __init__(self, host: RunningHost, arguments: Sequence[str], columns: int, rows: int, errors: Path) -> None:
        self.screen = open_screen(columns, rows)
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        termios.tcsetwinsize(self.master, (rows, columns))
        self.modes_before = termios.tcgetattr(self.slave)
        self.errors = errors
        command = [sys.executable, "-m", "mcp_bridge.command", *arguments]
        with errors.open("wb") as stderr:
            self.attached = subprocess.Popen(
                [sys.executable, "-IS", "-c", _CONTROLLING, *command],
                stdin=self.slave,
                stdout=self.slave,
                stderr=stderr,
                start_new_session=True,
                env=os.environ | {"PANEBRIDGE_DIR": str(host.folder), "TERM": "xterm-256color"},
            )
        self._loop = asyncio.get_running_loop()
        self.look()

    def look(self) -> None:
        """Show what comes from now on."""
        self._loop.add_reader(self.master, self._show)

    def look_away(self) -> None:
        """Take nothing more, as a terminal that is stuck."""
        self._loop.remove_reader(self.master)

    def _show(self) -> None:
        answers = self.screen.feed(os.read(self.master, 65536))
        if answers:
            self.type(answers)

    def type(self, data: bytes) -> None:
        """Type, or paste; at most what the terminal can hold."""
        assert os.write(self.master, data) == len(data)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        self.screen.resize(columns, rows)
        termios.tcsetwinsize(self.master, (rows, columns))

    def send_signal(self, number: signal.Signals) -> None:
        """Send the process on this terminal a signal."""
        os.kill(self.attached.pid, number)

    async def shows(self, text: str) -> None:
        """Return once `text` is on the screen."""
        await eventually(lambda: text in self.screen.text())

    async def text_is(self, text: str) -> None:
        """Return once the screen shows this and nothing else."""
        await eventually(lambda: self.screen.text() == text)

    async def left(self) -> int:
        """Return the exit code of the process on this terminal, once it has ended and all was shown."""
        await eventually(lambda: self.attached.poll() is not None)
        try:
            while True:
                self._show()
        except BlockingIOError:
            pass
        return self.attached.wait()

    def assert_restored(self) -> None:
        """Fail unless the terminal is as it was."""
        assert termios.tcgetattr(self.slave) == self.modes_before
        assert [number for number in _MODES if self.screen.mode(number)] == []
        assert (self.screen.alternate, self.screen.kitty_flags, self.screen.cursor.visible) == (False, 0, True)

    @property
    def said(self) -> str:
        """What the process said on its standard error."""
        return self.errors.read_text()

    def close(self) -> None:
        """End the process and the terminal."""
        self._loop.remove_reader(self.master)
        self.attached.kill()
        self.attached.wait()
        self.screen.close()
        os.close(self.master)
        os.close(self.slave)


def unread(slave: int) -> int:
    """Return how many bytes the process on a terminal has not read."""
    return int.from_bytes(fcntl.ioctl(slave, termios.FIONREAD, bytes(4)), sys.byteorder)


@asynccontextmanager
async def terminal(
    host: RunningHost, folder: Path, *arguments: str, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[Terminal]:
    """Run a command on a terminal of its own until the context ends."""
    one = Terminal(host, arguments, *size, folder / "stderr")
    try:
        yield one
    finally:
        one.close()


@asynccontextmanager
async def attached(
    host: RunningHost, folder: Path, pane: str, *options: str, size: tuple[int, int] = (100, 30), sign: str = ""
) -> AsyncIterator[Terminal]:
    """Attach a terminal to a pane, and go on once it shows `sign`."""
    async with terminal(host, folder, "attach", *options, pane, size=size) as one:
        await one.shows(sign or "READY")
        yield one
