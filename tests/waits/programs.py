"""The programs of these tests: a puppet that a fifo drives, and shells with and without prompt marks."""

import base64
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_core import Client

from ..host.programs import PROMPT, python
from ..host.waiting import reported, status_when
from .waiting import shows

MARKS = {"PS1": PROMPT, "PS0": r"\e]133;C\a"}
"""What makes bash print prompt marks."""

PLAIN_PROMPT = "$ "

_PUPPET = r"""
    # Does what the fifo says, a line each: `say TEXT` (with escapes), `flood TEXT` (5 MB of lines, it in the middle),
    # `die CODE`, `kill`. Says hello when it is there. What is written to it is read and thrown away.
    raw, hello = sys.argv[2] == "raw", sys.argv[3].encode().decode("unicode_escape")
    if raw:
        tty.setraw(0)
    if hello:
        say(hello)
    orders, rest = os.open(sys.argv[1], os.O_RDWR), b""
    while True:
        ready_ones = select.select([0, orders], [], [])[0]
        if 0 in ready_ones:
            os.read(0, 65536)
        if orders not in ready_ones:
            continue
        *lines, rest = (rest + os.read(orders, 65536)).split(b"\n")
        for line in lines:
            verb, _, text = line.decode().partition(" ")
            text = text.encode().decode("unicode_escape")
            if verb == "say":
                say(text)
            elif verb == "flood":
                filler = "".join(f"line {number} of the flood that goes past\r\n" for number in range(1000))
                say(filler * 65 + text + filler * 65)
            elif verb == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif verb == "die":
                os._exit(int(text))
"""


@dataclass(frozen=True, slots=True)
class Puppet:
    """A program that does what it is told, in a pane or started by the shell of one."""

    pane: str
    fifo: int

    def tell(self, line: str) -> None:
        """Have it do one thing."""
        os.write(self.fifo, line.encode() + b"\n")

    def say(self, text: str) -> None:
        """Have it print exactly this, in one write."""
        self.tell("say " + text.encode("unicode_escape").decode("ascii"))

    def report(self, *bodies: str) -> None:
        """Have it report, all in one write."""
        self.say("".join(f"\x1b]7501;{body}\x1b\\" for body in bodies))


@contextmanager
def strings(folder: Path, name: str = "strings") -> Iterator[tuple[str, int]]:
    """Make a fifo that stays open; yield its path and its writing end."""
    path = folder / name
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)
    try:
        yield str(path), descriptor
    finally:
        os.close(descriptor)


def puppet_command(folder: Path, fifo: str, *, raw: bool = True, hello: str = "") -> list[str]:
    """Return the command of a puppet; `hello` is what it says first."""
    return python(folder, _PUPPET, fifo, "raw" if raw else "cooked", hello.encode("unicode_escape").decode("ascii"))


READY = "\x1b]7501;state=idle:id=ready\x1b\\"


async def open_puppet(
    core: Client, folder: Path, strings: tuple[str, int], *, raw: bool = True, **opening: Any
) -> Puppet:
    """Open a puppet in a pane of its own, and drop the record with which it says that it is there."""
    command = puppet_command(folder, strings[0], raw=raw, hello=READY)
    pane = (await core.open_pane(command, **opening)).pane
    await reported(core, pane)
    puppet = Puppet(pane, strings[1])
    puppet.report("state=clear:id=ready")
    await status_when(core, pane, lambda status: not status.records)
    return puppet


def message(text: str) -> str:
    """Return the field of a report that carries a text."""
    return "msg=" + base64.b64encode(text.encode()).decode()


async def bash(core: Client, *, marks: bool, columns: int = 120, **environment: str) -> str:
    """Open an interactive bash; return its pane at the first prompt."""
    settings = {"PS1": PLAIN_PROMPT, "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"} | (MARKS if marks else {})
    command = ["bash", "--norc", "--noprofile", "-i"]
    pane = (await core.open_pane(command, environment=os.environ | settings | environment, columns=columns)).pane
    await shows(core, pane, "$")
    return pane
