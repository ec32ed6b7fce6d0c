"""The panes of these tests: one that logs each of its reads, one that takes turns, and a shell with prompt marks."""

import json
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path

from session_core import Client, PaneStatus, SessionCoreError

from ..host.programs import PROMPT, python
from ..host.waiting import eventually, reported, status_when

PASTES = r"\x1b[?2004h"
"""Asks for bracketed paste."""
GO_ON = b"\x07"
"""A key that leaves no draft, at which the logger says what it was told to say then."""

_LOGGER = r"""
    # Keeps each read, in raw mode; says its second argument at first and its third at a BEL.
    first, then = (text.encode().decode("unicode_escape") for text in sys.argv[2:4])
    tty.setraw(0)
    log = open(sys.argv[1], "a", buffering=1)
    say(first)
    ready()
    while True:
        got = os.read(0, 65536)
        kept = got.removesuffix(b"\a")
        log.write(kept.hex() + "\n" if kept else "")
        if kept != got:
            say(then)
            ready("then")
"""


@dataclass(frozen=True, slots=True)
class Logged:
    """A pane whose program logs what it reads."""

    pane: str
    path: Path

    @property
    def reads(self) -> list[bytes]:
        """What each read returned."""
        whole = self.path.read_text().rpartition("\n")[0]
        return [bytes.fromhex(line) for line in whole.splitlines()]

    @property
    def data(self) -> bytes:
        """All that was read."""
        return b"".join(self.reads)

    async def got(self, expected: bytes) -> None:
        """Return once all of `expected` was read; fail at once on any other byte."""

        def complete() -> bool:
            data = self.data
            assert expected.startswith(data), f"{data[-200:]!r} is not how {expected[-200:]!r} begins"
            return data == expected

        await eventually(complete)

    async def got_bytes(self, count: int) -> bytes:
        """Return what was read once it is that much."""
        await eventually(lambda: len(self.data) >= count)
        return self.data


async def logger(core: Client, folder: Path, *, modes: str = "", then: str = "") -> Logged:
    """Open a raw program that says `modes`, then logs each read, and says `then` at the key `GO_ON`."""
    path = folder / "reads"
    path.write_text("")
    pane = (await core.open_pane(python(folder, _LOGGER, str(path), modes, then))).pane
    await reported(core, pane)
    return Logged(pane, path)


async def go_on(core: Client, logged: Logged) -> None:
    """Have the logger say what it was told to say then."""
    await core.send_keystrokes(logged.pane, GO_ON)
    await reported(core, logged.pane, "then")


_TURNS = r"""
    # A line is a turn: it is kept, and its last word is the state after it; with any other word the turn goes on.
    log = open(sys.argv[1], "a", buffering=1)
    report("state=idle")
    ready()
    while True:
        line = sys.stdin.readline()
        report("state=working")
        log.write(line)
        word = line.split()[-1] if line.split() else ""
        if word in ("done", "error", "idle", "blocked"):
            report("state=" + word)
"""


async def turns(core: Client, folder: Path) -> tuple[str, Path]:
    """Open a program that takes a turn a line; return the pane, and the file of the lines."""
    path = folder / "lines"
    path.write_text("")
    pane = (await core.open_pane(python(folder, _TURNS, str(path)))).pane
    await reported(core, pane)
    return pane, path


async def lines_when(path: Path, count: int) -> list[str]:
    """Return the lines that a program has kept, once they are that many."""
    lines: list[str] = []

    def enough() -> bool:
        lines[:] = path.read_text().splitlines()
        return len(lines) >= count

    await eventually(enough)
    return lines


async def shell(core: Client, **environment: str) -> str:
    """Open an interactive bash with prompt marks; return its pane at the first prompt."""
    settings = {"PS1": PROMPT, "PS0": r"\e]133;C\a", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"}
    command = ["bash", "--norc", "--noprofile", "-i"]
    pane = (await core.open_pane(command, environment=os.environ | settings | environment)).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    return pane


async def typing(core: Client, pane: str, keys: bytes = b"half a sen") -> PaneStatus:
    """Have a person type without submitting; return the status that shows it."""
    await core.send_keystrokes(pane, keys, person="ada")
    status = await core.read_status(pane)
    assert status.draft is not None
    return status


async def refusal(call: Awaitable[object]) -> SessionCoreError:
    """Return the error with which a call is refused."""
    try:
        answer = await call
    except SessionCoreError as error:
        return error
    raise AssertionError(f"not refused, but {json.dumps(str(answer))}")
