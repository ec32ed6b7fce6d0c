"""What the panes of these tests print, and reads that go on from where the one before ended."""

from pathlib import Path

import anyio

from session_core import Client, PaneText, What

from ..host.programs import python
from ..host.waiting import BOUND_S, reported

READ_BYTES = 256 * 1024
NUMBERED = """
    count, held = int(sys.argv[1]), b""
    for number in range(1, count + 1):
        held += b"%d\\xe2\\x94\\x82\\x1b[1;38;5;%dm\\xf0\\x9f\\x99\\x82\\x1b[0m\\r\\n" % (number, number % 256)
        if len(held) > 3000:
            cut = len(held) - number % 37
            say(held[:cut])
            held = held[cut:]
    say(held + b"LAST\\r\\n")
    ready()
    rest()
"""
"""Prints so many numbered lines with wide characters and colours, in pieces that are cut anywhere.

20,000 of them are no more than one answer takes.
"""


def numbered(count: int) -> list[str]:
    """The lines of `NUMBERED` as they are read."""
    return [*(f"{number}│🙂" for number in range(1, count + 1)), "LAST"]


async def opened(
    core: Client, folder: Path, source: str, *arguments: str, sign: str = "ready", columns: int = 80, rows: int = 24
) -> str:
    """Open a pane with a Python program and return it once that has reported under `sign`."""
    command = python(folder, source, *arguments)
    pane = (await core.open_pane(command, columns=columns, rows=rows)).pane
    await reported(core, pane, sign)
    return pane


async def printed(core: Client, folder: Path, text: str | bytes, *, columns: int = 80, rows: int = 24) -> str:
    """Open a pane whose program has printed `text` and stays."""
    return await opened(core, folder, f"say({text!r})\nready()\nrest()", columns=columns, rows=rows)


async def read_on(core: Client, pane: str, offset: int = 0) -> PaneText:
    """Read what came since an offset, as much as one answer takes."""
    return await core.read_pane(pane, what=What.SINCE, offset=offset, max_bytes=READ_BYTES)


async def read_until(core: Client, pane: str, part: str, offset: int = 0) -> list[PaneText]:
    """Read on until `part` has come, each read from the end of the one before."""
    reads: list[PaneText] = []
    text = ""
    with anyio.fail_after(3 * BOUND_S):
        while part not in text:
            reads.append(await read_on(core, pane, reads[-1].end if reads else offset))
            text += reads[-1].text
    return reads


async def shown_when(core: Client, pane: str, part: str) -> PaneText:
    """Return the screen once it shows `part`."""
    with anyio.fail_after(BOUND_S):
        while part not in (shown := await core.read_pane(pane)).text:
            pass
    return shown
