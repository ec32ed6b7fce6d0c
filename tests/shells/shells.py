"""Real shells in private homes, in panes of a host whose whole output is kept."""

import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from session_core.api.requests import OpenPane
from session_core.host.host import Host
from session_core.host.live_pane import LivePane
from session_core.model.changes import Change
from session_core.model.commands import Command
from session_core.model.status import Life, Observed, Shell

from ..host.waiting import BOUND_S

SHELLS = ("bash", "zsh", "fish")
PRESS_AGAIN_S = 0.5
"""How long a person waits for the effect of a key before pressing it again."""
_NONCE = re.compile(rb"nonce=([0-9a-f]{32})[;\x07]")
_ESCAPES = re.compile(rb"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|\(.|[=>78])|\r(?!\n)")
_PROMPT = b"\x1b]133;A;nonce="

Told = tuple[str | None, int | None, bytes]
"""A command's line, exit code and output."""


class _KeepingHost(Host):
    """A host that keeps what it reads, and says when something has come."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.output = b""
        self.news = anyio.Event()
        self.subscribe(self._changes)

    def printed(self, pane: LivePane, data: bytes) -> None:
        self.output += data
        super().printed(pane, data)
        self._tell()

    def _changes(self, _: list[Change]) -> None:
        self._tell()

    def _tell(self) -> None:
        self.news.set()
        self.news = anyio.Event()


@dataclass(frozen=True, slots=True)
class RunningShell:
    """A shell in a pane."""

    host: _KeepingHost
    live: LivePane

    @property
    def output(self) -> bytes:
        """Everything that the pane has put out."""
        return self.host.output

    @property
    def commands(self) -> list[Command]:
        """The commands that are kept, oldest first."""
        return list(self.live.model.commands)

    @property
    def newest(self) -> Command:
        """The newest command."""
        return self.commands[-1]

    @property
    def lines(self) -> list[str | None]:
        """The line of each command."""
        return [command.line for command in self.commands]

    @property
    def prompts(self) -> int:
        """How many prompts the shell has announced."""
        return self.output.count(_PROMPT)

    @property
    def nonce(self) -> str:
        """The nonce in the shell's marks."""
        (nonce,) = set(_NONCE.findall(self.output))
        return str(nonce, "ascii")

    def output_of(self, command: Command) -> bytes:
        """What stands at the offsets of a command, as a person would see it: without escapes and lone returns."""
        assert command.end is not None
        return _ESCAPES.sub(b"", self.output[command.begin : command.end])

    def shown_after(self, command: Command) -> bytes:
        """What the shell has shown since the end of a command, in the same way."""
        assert command.end is not None
        return _ESCAPES.sub(b"", self.output[command.end :])

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once something holds, looking anew whenever the pane has changed or put something out."""
        with anyio.move_on_after(BOUND_S):
            while not holds():
                await self.host.news.wait()
            return
        raise AssertionError(f"not in {BOUND_S} s: {self.live.status(look=True)}\n{self.output[-3000:]!r}")

    async def sees(self, text: str) -> None:
        """Return once the pane has put out `text`."""
        await self.until(lambda: text.encode() in self.output)

    def keys(self, text: str) -> None:
        """Have a person type."""
        self.live.typed(text.encode(), "ada")

    async def interrupt(self, holds: Callable[[], bool]) -> None:
        """Press Ctrl-C until something holds: a shell that is just getting ready to read loses the key."""
        with anyio.move_on_after(BOUND_S):
            while not holds():
                self.keys("\x03")
                with anyio.move_on_after(PRESS_AGAIN_S):
                    await self.until(holds)

    async def begin(self, line: str) -> Command:
        """Type a command and return it once it runs."""
        before = self.live.model.commands.total
        self.keys(line + "\r")
        await self.until(lambda: self.live.model.commands.total > before)
        return self.newest

    async def at_prompt(self, commands: int) -> None:
        """Return once the shell has run this many commands and is at its prompt."""
        await self.until(
            lambda: (
                self.live.model.commands.total >= commands
                and self.newest.end is not None
                and self.live.model.shell is Shell.PROMPT
            )
        )

    async def run(self, line: str) -> Command:
        """Type a command and return it once the shell is at its prompt again."""
        before = self.live.model.commands.total
        self.keys(line + "\r")
        await self.at_prompt(before + 1)
        return self.newest

    async def text_of(self, line: str) -> str:
        """Type a command and return its output, its lines joined by one newline each."""
        command = await self.run(line)
        return self.output_of(command).decode().replace("\r\n", "\n")

    async def told(self, *lines: str) -> list[Told]:
        """Type commands, each at its prompt; return what is known of each."""
        commands = [await self.run(line) for line in lines]
        return [(command.line, command.exit_code, self.output_of(command)) for command in commands]

    async def prompted(self, count: int) -> None:
        """Return once the shell has announced this many prompts."""
        await self.until(lambda: self.prompts >= count)

    async def exited(self) -> None:
        """Return once the pane's process has ended."""
        await self.until(lambda: self.live.model.life is Life.EXITED)

    @property
    def occupant(self) -> str:
        """Which program is in the foreground now."""
        occupant = self.live.status(look=True).occupant
        return occupant.name if occupant else ""

    def is_working(self) -> bool:
        """Whether the pane's state is `working`."""
        return self.live.model.state is Observed.WORKING


@asynccontextmanager
async def opened(
    command: list[str], home: Path, environment: Mapping[str, str] | None = None
) -> AsyncIterator[RunningShell]:
    """Open a command in a pane of its own host, with a private home, and end it at last."""
    settings = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"} | dict(environment or {})
    host = _KeepingHost(str(home))
    request = OpenPane(command=command, folder=str(home), environment=settings)
    try:
        yield RunningShell(host, host.open(request))
    finally:
        await host.close_all()


@asynccontextmanager
async def shell(name: str, home: Path, *options: str, **environment: str) -> AsyncIterator[RunningShell]:
    """Open a shell and yield it at its first prompt."""
    async with opened([name, *options], home, environment) as running:
        await running.prompted(1)
        yield running


def missing(name: str) -> str | None:
    """Return why tests of a shell cannot run, None if they can."""
    return None if shutil.which(name) else f"{name} is not installed"


def write_files(home: Path, files: dict[str, str]) -> None:
    """Write the user's own files."""
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
