"""Programs that run in the panes of these tests."""

import itertools
import sys
import textwrap
from pathlib import Path

READY = r"\033]7501;state=idle:id=ready\033\\"
"""For the format of a shell's printf: this program has come so far."""
PROMPT = r"\[\e]133;A\a\]$ "
"""A PS1 with a prompt mark."""

_PRELUDE = """\
import json, os, re, select, signal, sys, termios, time, tty

def say(text):
    data = text.encode() if isinstance(text, str) else text
    while data:
        data = data[os.write(1, data):]

def report(body):
    say("\\x1b]7501;" + body + "\\x1b\\\\")

def ready(name="ready"):
    report("state=idle:id=" + name)

def rest():
    while True:
        signal.pause()

"""
_numbers = itertools.count(1)


def python(folder: Path, source: str, *arguments: str, name: str = "") -> list[str]:
    """Write a Python program that has the prelude, and return its command."""
    path = folder / (name or f"program{next(_numbers)}.py")
    path.write_text(_PRELUDE + textwrap.dedent(source))
    return [sys.executable, "-IS", str(path), *arguments]


def executable(folder: Path, name: str, text: str) -> str:
    """Write a file that may be executed, and return its path."""
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)
