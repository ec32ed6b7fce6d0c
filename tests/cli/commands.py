"""The `panebridge` command in a runtime folder of a test module's own, run like any other program."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from session_core import PaneStatus, Until, connect

PANEBRIDGE = str(Path(sys.executable).parent / "panebridge")
BOUND_S = 15.0
"""Longest time that a command may take before a test fails; no test depends on it otherwise."""
_LOOK_S = 0.05

_SAY = r"printf '\033]7501;{body}\033\\'; exec cat"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """What a command printed for a program."""
        return json.loads(self.out)

    @property
    def mistake(self) -> str:
        """The one line that a command says about a mistake."""
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("panebridge: ")
        return line.removeprefix("panebridge: ")


@dataclass(frozen=True, slots=True)
class Panebridge:
    """Runs commands for one runtime folder."""

    folder: str

    def environment(self, **more: str) -> dict[str, str]:
        """Return this process's environment, pointed at the folder, with `more` set."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PANEBRIDGE_")}
        return kept | {"PANEBRIDGE_DIR": self.folder} | more

    def __call__(self, *words: str, stdin: str = "", cwd: str | None = None, **more: str) -> Ended:
        """Run one command to its end."""
        ended = subprocess.run(
            [PANEBRIDGE, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=2 * BOUND_S,
            check=False,
            cwd=cwd,
            env=self.environment(**more),
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def json(self, *words: str) -> Any:
        """Run one command with `--json`; return what it printed, which works."""
        ended = self(words[0], "--json", *words[1:])
        assert (ended.code, ended.err) == (0, "")
        return ended.value

    # Panes that a test only needs to be there are opened and looked at without the command: it is slower.

    def open(self, *command: str, name: str | None = None) -> str:
        """Open a pane and return its id."""
        return anyio.run(self._open, command, name)

    def declare(self, body: str, *, records: int = 1, name: str | None = None) -> str:
        """Open a pane whose program declares `body` and stays; return its id once it has its `records`."""
        pane = self.open("sh", "-c", _SAY.format(body=body), name=name)
        self.status_when(pane, lambda status: len(status.records) == records)
        return pane

    def status_when(self, pane: str, holds: Callable[[PaneStatus], bool]) -> PaneStatus:
        """Return the first status of a pane that `holds`, looking anew after every turn, and often for all else."""
        return anyio.run(self._status_when, pane, holds)

    def type(self, pane: str, data: bytes) -> None:
        """Let a person type in a pane."""
        anyio.run(self._type, pane, data)

    async def _type(self, pane: str, data: bytes) -> None:
        async with connect(folder=self.folder, start=False) as core:
            await core.send_keystrokes(pane, data, person="ann")

    def text_when(self, pane: str, part: str) -> str:
        """Return what a pane shows once it shows `part`."""
        return anyio.run(self._text_when, pane, part)

    async def _text_when(self, pane: str, part: str) -> str:
        async with connect(folder=self.folder, start=False) as core:
            with anyio.fail_after(BOUND_S):
                while part not in (text := (await core.read_pane(pane)).text):
                    pass
        return text

    async def _open(self, command: Sequence[str], name: str | None) -> str:
        async with connect(folder=self.folder) as core:
            return (await core.open_pane(command, name=name, environment=self.environment())).pane

    async def _status_when(self, pane: str, holds: Callable[[PaneStatus], bool]) -> PaneStatus:
        async with connect(folder=self.folder, start=False) as core:
            with anyio.fail_after(BOUND_S):
                while not holds(status := await core.read_status(pane)):
                    await core.wait([pane], until=Until.CHANGE, since=status.revision, timeout_s=_LOOK_S)
        return status
