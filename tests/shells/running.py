"""Real shells on real terminals for `run_command`: private homes, panes of a host in this process, bounded waits."""

import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from session_core.api.requests import OpenPane, RunCommand
from session_core.api.results import CommandRun
from session_core.errors import SessionCoreError
from session_core.host.handlers import run_command
from session_core.host.host import Host
from session_core.host.live_pane import LivePane
from session_core.model.changes import Change
from session_core.model.outcomes import Outcome
from session_core.model.status import Shell

from ..host.waiting import BOUND_S

LONG_S = 600.0
"""The time of a call that must be over before it: `BOUND_S` ends the test first."""
SHELLS = ("bash", "zsh", "fish")


def _in_shells(*names: str) -> pytest.MarkDecorator:
    cases = []
    for name in names:
        missing = pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
        cases.append(pytest.param(name, marks=missing))
    return pytest.mark.parametrize("name", cases)


each_shell, posix_shell = _in_shells(*SHELLS), _in_shells("bash", "zsh")
RC_FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}


class TellingHost(Host):
    """A host that says when something has come, and keeps the output."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.output = b""
        self.keeps_output = True
        self.news = anyio.Event()
        self.subscribe(self._changes)

    def printed(self, pane: LivePane, data: bytes) -> None:
        super().printed(pane, data)
        if self.keeps_output:
            self.output += data
        self._tell()

    def _changes(self, _: list[Change]) -> None:
        self._tell()

    def _tell(self) -> None:
        self.news.set()
        self.news = anyio.Event()


@dataclass(frozen=True, slots=True)
class Runner:
    """A pane, and `run_command` in it."""

    host: TellingHost
    live: LivePane

    async def run(self, command: str, *, timeout_s: float = LONG_S, max_bytes: int = 4000) -> CommandRun:
        """Run a command, however it ends."""
        request = RunCommand(
            pane=self.live.pane, command=command, timeout_s=timeout_s, max_bytes=max_bytes, author="test"
        )
        with anyio.fail_after(2 * BOUND_S):
            return await run_command(self.host, request)

    async def output(self, command: str, *, code: int | None = 0, max_bytes: int = 4000) -> str:
        """Run a command that ends with this code, and return its output."""
        ran = await self.run(command, max_bytes=max_bytes)
        assert (ran.outcome, ran.exit_code) == (Outcome.SETTLED, code), (ran, self.host.output[-3000:])
        return ran.output

    async def refused(self, command: str, *, timeout_s: float = LONG_S) -> SessionCoreError:
        """Run a command that is refused, and return the error."""
        with pytest.raises(SessionCoreError) as caught:
            await self.run(command, timeout_s=timeout_s)
        return caught.value

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once something holds, looking anew whenever the pane has changed or put something out."""
        with anyio.move_on_after(BOUND_S):
            while not holds():
                await self.host.news.wait()
            return
        raise AssertionError(f"not in {BOUND_S} s: {self.live.status(look=True)}\n{self.host.output[-3000:]!r}")

    async def at_prompt(self) -> None:
        """Return once the shell is at its prompt."""
        await self.until(lambda: self.live.model.shell is Shell.PROMPT)

    async def busy(self) -> None:
        """Return once the shell runs a command."""
        await self.until(lambda: self.live.model.shell is Shell.COMMAND)

    async def sees(self, text: str) -> None:
        """Return once the host's panes have put out `text`."""
        await self.until(lambda: text.encode() in self.host.output)

    def keys(self, text: str) -> None:
        """Have a person type."""
        self.live.typed(text.encode(), "ada")

    @property
    def lines(self) -> list[str | None]:
        """The line of each command of the shell."""
        return [command.line for command in self.live.model.commands]


@asynccontextmanager
async def hosting(home: Path) -> AsyncIterator[TellingHost]:
    """A host in this process, whose panes are closed at last."""
    host = TellingHost(str(home))
    try:
        yield host
    finally:
        await host.close_all()


def open_in(host: TellingHost, command: Sequence[str], home: Path, **environment: str) -> Runner:
    """Open a pane with a private home."""
    settings = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HISTFILE": "/dev/null"}
    request = OpenPane(command=list(command), folder=str(home), environment=settings | environment)
    return Runner(host, host.open(request))


@asynccontextmanager
async def opened(command: Sequence[str], home: Path, **environment: str) -> AsyncIterator[Runner]:
    """Open a command in a pane of its own host."""
    async with hosting(home) as host:
        yield open_in(host, command, home, **environment)


@asynccontextmanager
async def shell(name: str, home: Path, rc: str = "", **environment: str) -> AsyncIterator[Runner]:
    """Open a shell with this start file; it has not come to its prompt yet."""
    path = home / RC_FILES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rc)
    async with opened([name], home, **environment) as runner:
        yield runner
