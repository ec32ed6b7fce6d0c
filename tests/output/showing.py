"""Panes whose program says given bytes, piece by piece, and reads of what they show."""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from session_core import Client, PaneText

from ..host.programs import python
from ..host.waiting import BOUND_S, reported

MOST_BYTES = 100_000
_LOOK_S = 0.01

_SAYS = r"""
    # Says each argument, and what follows a "-" only after a key; reports how many it has said.
    tty.setraw(0)
    said = 0
    for piece in sys.argv[1:]:
        if piece == "-":
            report(f"state=idle:id=said{said}")
            os.read(0, 1)
        else:
            say(bytes.fromhex(piece))
            said += 1
    report(f"state=idle:id=said{said}")
    rest()
"""
_KEY = b"\x07"


@dataclass(slots=True)
class Saying:
    """A pane whose program says pieces of output, each when it is told to."""

    core: Client
    pane: str
    said: int = 0

    async def say_on(self, pieces: int = 1) -> PaneText:
        """Have the program say the next piece, and return the screen after it."""
        if self.said:
            await self.core.send_keystrokes(self.pane, _KEY)
        self.said += pieces
        await reported(self.core, self.pane, f"said{self.said}")
        return await self.core.read_pane(self.pane)

    async def screen(self) -> str:
        """Return the text of the screen."""
        return (await self.core.read_pane(self.pane)).text


async def saying(core: Client, folder: Path, *steps: bytes, columns: int = 80, rows: int = 24) -> Saying:
    """Open a program that says the steps one by one, the first when it is told to, too."""
    arguments = [part for step in steps for part in ("-", step.hex())][1:]
    pane = (await core.open_pane(python(folder, _SAYS, *arguments), columns=columns, rows=rows)).pane
    return Saying(core, pane)


async def shown(core: Client, folder: Path, *pieces: bytes, columns: int = 80, rows: int = 24) -> PaneText:
    """Return the screen after a program has said the pieces, each with a write of its own."""
    command = python(folder, _SAYS, *map(bytes.hex, pieces))
    pane = (await core.open_pane(command, columns=columns, rows=rows)).pane
    await reported(core, pane, f"said{len(pieces)}")
    return await core.read_pane(pane, max_bytes=MOST_BYTES)


async def read_when(core: Client, pane: str, holds: Callable[[PaneText], bool]) -> PaneText:
    """Return the first read of the screen that `holds`."""
    return await until(lambda: core.read_pane(pane), holds)


async def until(read: Callable[[], Awaitable[PaneText]], holds: Callable[[PaneText], bool]) -> PaneText:
    """Read again and again, for a bounded time, until what is read `holds`."""
    reads: deque[PaneText] = deque(maxlen=1)
    try:
        with anyio.fail_after(BOUND_S):
            while not reads or not holds(reads[-1]):
                await anyio.sleep(_LOOK_S if reads else 0)
                reads.append(await read())
    except TimeoutError:
        raise AssertionError(f"still {reads}") from None
    return reads[-1]
