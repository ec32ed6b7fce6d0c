"""Programs that run in the panes of these tests."""

import base64
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]

_PUPPET = r"""
import os, sys, termios, tty
tty.setraw(0, termios.TCSANOW)
os.write(1, b"\x1b]2;puppet\x07")
rest = b""
while data := os.read(0, 65536):
    *lines, rest = (rest + data).replace(b"\n", b"\r").split(b"\r")
    for line in lines:
        verb, _, said = line.partition(b" ")
        if verb == b"report":
            os.write(1, b"\x1b]7501;" + said + b"\x1b\\")
        elif verb == b"say":
            os.write(1, said + b"\r\n")
        elif verb == b"exit":
            sys.exit(int(said))
"""


def puppet() -> list[str]:
    """A program that does what it is told: `report BODY`, `say TEXT` or `exit CODE`, one a line.

    Its terminal's title is `puppet` once it listens and nothing is echoed any more.
    """
    return [sys.executable, "-IS", "-c", _PUPPET]


def declaring(pace: float = 0.0) -> list[str]:
    """The example program, which declares its turns like a coding agent."""
    return [sys.executable, str(_ROOT / "examples" / "declaring_program.py"), "--pace", str(pace)]


def report(state: str, msg: str | None = None, **fields: str) -> str:
    """Return the puppet's line for a report."""
    texts = {"msg": msg, "title": fields.pop("title", None)}
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items() if text is not None}
    pairs = {"state": state} | fields | encoded
    return "report " + ":".join(f"{key}={value}" for key, value in pairs.items())


def showing_input(*modes: str) -> list[str]:
    """A program that shows every byte it gets, as `cat -v` does, with these terminal modes set, such as `?2004`.

    It says `ready` once it reads and nothing is echoed any more.
    """
    switched = "".join(rf"\033[{mode}h" for mode in modes)
    return ["sh", "-c", f"stty raw -echo; printf '{switched}ready '; exec cat -v"]
