"""`panebridge attach`: a person's own terminal on a pane.

The terminal is raw while attached and put back on every way out: the detach key, the end of the pane, SIGTERM,
SIGHUP, a lost host. Its bytes go to the host unsorted; the host tells keystrokes from the terminal's own reports.
The detach key is looked for only outside a paste. While the host is away, the terminal stays as it is, with a line
that says so once it lasts; what is typed is kept, at most `AWAY_BYTES`, beyond which the bell rings and nothing is, and
sent once the screen has been painted anew. The only importer of termios and tty besides `host.pty`.
"""

import base64
import os
import signal
import sys
import termios
import tty
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from signal import Signals

import anyio
import click
from anyio.abc import TaskGroup

from session_core.api.requests import SIZE
from session_core.api.results import ViewerEnded, ViewerScreen
from session_core.cli.exits import Exit
from session_core.cli.printing import exit_text
from session_core.client import Client
from session_core.errors import Code, SessionCoreError
from session_core.viewing import Disconnected, Viewing

_READ_BYTES = 65536
_OFF = (5, 9, 45, 69, 1049, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031, 2048, 1)
_RESTORE = (
    b"\x1b[!p"
    + b"".join(b"\x1b[?%dl" % mode for mode in _OFF)
    + b"\x1b>\x1b[<9u\x1b[?7h\x1b[?25h\x1b[m\x1b[0 q\x1b[r\x1b[999;1H"
)
"""Ends what a program may have switched on in the viewer's terminal: screens, mouse, paste, keyboard, margins."""
_CLEAR = b"\x1b[H\x1b[2J"
_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_UNSENT_READS = 64
"""Reads of the keyboard kept while the host does not answer; then the terminal's own queue holds the rest."""
AWAY_BYTES = 4096
"""Typed bytes kept while the host is away."""
AWAY_S = 0.5
"""How long the host may be away before the person is told."""
_AWAY = b"\x18\x1b7\x0f\x1b(B\x1b[?6l\x1b[4l\x1b[1;1H\x1b[0;7m%s\x1b[0m\x1b8"
"""A line at the top, whatever was being drawn: the next thing that is drawn is the whole screen."""
_LAST_INPUT_S = 1.0
"""Longest time that a detaching person waits for what was typed before the detach key to reach the host."""


async def attach_terminal(core: Client, pane: str, read_only: bool, detach_key: str, who: str) -> Exit:
    """Attach the process's terminal to `pane` until the person detaches or the pane ends."""
    _detach_byte(detach_key)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SessionCoreError(
            Code.BAD_REQUEST, "attach needs a terminal on stdin and stdout.", "Use `panebridge read` in a script."
        )
    columns, rows = _terminal_size()
    async with core.attach(pane, columns=columns, rows=rows, person=who, read_only=read_only) as viewing:
        # Signals are heeded before the terminal is raw: one that came earlier would leave it so.
        with (
            anyio.open_signal_receiver(signal.SIGWINCH) as sizes,
            anyio.open_signal_receiver(*_ENDING_SIGNALS) as endings,
            _raw_terminal(),
        ):
            session = _Session(viewing, detach_key, sizes, endings)
            await session.run()
    click.echo(f"panebridge: {session.ending} ({viewing.attached.pane})", err=True)
    return session.exit


def _detach_byte(name: str) -> bytes:
    letter = name.removeprefix("C-")
    if len(letter) != 1 or letter == name or not "@" <= letter.upper() <= "_":
        raise SessionCoreError(
            Code.UNKNOWN_KEY, f"{name!r} cannot be the detach key.", "Use C- and one of a-z \\ ] ^ _."
        )
    return bytes([ord(letter.upper()) & 0x1F])


@contextmanager
def _raw_terminal() -> Iterator[None]:
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)
    try:
        yield
    finally:
        # A terminal that has hung up has nothing to restore.
        with suppress(OSError, termios.error):
            _write(_RESTORE + b"\r\n")
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def _terminal_size() -> tuple[int, int]:
    columns, rows = os.get_terminal_size(0)
    return min(max(columns, 2), SIZE), min(max(rows, 2), SIZE)


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


class _Session:
    """One attachment: its pumps, until the first of them says why it is over."""

    def __init__(
        self, viewing: Viewing, detach_key: str, sizes: AsyncIterator[Signals], endings: AsyncIterator[Signals]
    ) -> None:
        self._viewing = viewing
        self._key_name, self._detach_key = detach_key, _detach_byte(detach_key)
        self._sizes = sizes
        self._endings = endings
        self._unsent, self._to_send = anyio.create_memory_object_stream[bytes](_UNSENT_READS)
        self._away: anyio.Event | None = None
        self._typed = b""
        self._in_paste = False
        self._tail = b""
        self.ending, self.exit = "the host is gone", Exit.ERROR

    async def run(self) -> None:
        """Pump until the end; then `ending` says why, and `exit` how that counts."""
        async with self._unsent, self._to_send, anyio.create_task_group() as tasks:
            for pump in (self._show, self._type, self._send, self._follow_size, self._heed_signals):
                tasks.start_soon(self._until_over, pump, tasks.cancel_scope)

    async def _until_over(self, pump: Callable[[], Awaitable[None]], scope: anyio.CancelScope) -> None:
        await pump()
        scope.cancel()

    async def _show(self) -> None:
        _write(_CLEAR + base64.b64decode(self._viewing.attached.data))
        async with anyio.create_task_group() as tasks:
            await self._show_news(tasks)
            tasks.cancel_scope.cancel()

    async def _show_news(self, tasks: TaskGroup) -> None:
        async for news in self._viewing.news():
            if isinstance(news, Disconnected):
                self._away = anyio.Event()
                tasks.start_soon(self._say_away, self._away)
                continue
            if isinstance(news, ViewerEnded):
                self.ending, self.exit = exit_text(news.exit) or "the pane was closed", Exit.OK
                return
            # A screen is painted on a fresh terminal: nothing of what was there may shine through.
            fresh = _RESTORE + _CLEAR if isinstance(news, ViewerScreen) else b""
            # A stuck terminal blocks here on purpose: the host then keeps the output for nobody.
            if self._away:
                self._away.set()
            await anyio.to_thread.run_sync(_write, fresh + base64.b64decode(news.data), abandon_on_cancel=True)
            while self._typed:
                typed, self._typed = self._typed, b""
                await self._unsent.send(typed)
            self._away = None

    async def _say_away(self, back: anyio.Event) -> None:
        """Tell a person who has waited for a moment; what they see is not what there is."""
        with anyio.move_on_after(AWAY_S):
            await back.wait()
        if not back.is_set():
            line = f" panebridge: the host is away, waiting for it ({self._key_name} leaves) "
            await anyio.to_thread.run_sync(_write, _AWAY % line[: _terminal_size()[0]].encode(), abandon_on_cancel=True)

    async def _type(self) -> None:
        # Read apart from the calls: the detach key works also while the host does not answer.
        while True:
            await anyio.wait_readable(0)
            try:
                data = os.read(0, _READ_BYTES)
            except OSError:
                data = b""
            if not data:
                self.ending = "the terminal hung up"
                return
            before, detaches = self._before_detach(data)
            if before and self._away:
                await self._keep(before)
            elif before:
                await self._unsent.send(before)
            if detaches:
                self.ending, self.exit = "detached", Exit.OK
                if not self._away:
                    self._unsent.close()
                    await anyio.sleep(_LAST_INPUT_S)
                return

    async def _keep(self, data: bytes) -> None:
        """Keep what is typed while the host is away, all of it or nothing."""
        if len(self._typed) + len(data) > AWAY_BYTES:
            await anyio.to_thread.run_sync(_write, b"\a", abandon_on_cancel=True)
        else:
            self._typed += data

    async def _send(self) -> None:
        """Send what was typed, in order; over once the detach key was typed and all before it is sent."""
        async for data in self._to_send:
            await self._tell(self._viewing.send_input(data))

    async def _tell(self, call: Awaitable[None]) -> None:
        """Make a call. What was not typed rings the bell; that pane or host is gone is told by `_show`."""
        try:
            await call
        except SessionCoreError as error:
            if error.code in (Code.QUEUE_FULL, Code.OUTCOME_UNKNOWN):
                await anyio.to_thread.run_sync(_write, b"\a", abandon_on_cancel=True)

    def _before_detach(self, data: bytes) -> tuple[bytes, bool]:
        """Return what comes before the detach key, and whether it is there, outside of a paste."""
        # A marker may be read in pieces; what was looked at before holds no whole one and no key.
        known = len(self._tail)
        looked = self._tail + data
        position = 0
        while True:
            marker = _PASTE_END if self._in_paste else _PASTE_BEGIN
            found = looked.find(marker, position)
            key = -1 if self._in_paste else looked.find(self._detach_key, max(position, known))
            if key >= 0 and (found < 0 or key < found):
                return data[: key - known], True
            if found < 0:
                break
            position, self._in_paste = found + len(marker), not self._in_paste
        self._tail = looked[position:][1 - len(_PASTE_END) :]
        return data, False

    async def _follow_size(self) -> None:
        async for _ in self._sizes:
            await self._tell(self._viewing.resize(*_terminal_size()))

    async def _heed_signals(self) -> None:
        async for number in self._endings:
            self.ending = f"ended by {number.name}"
            return
