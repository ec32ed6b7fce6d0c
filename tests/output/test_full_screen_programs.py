"""Real full-screen programs: readable while they run, and the shell's screen whole when they have ended."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from session_core import Client, PaneText, What

from ..host.waiting import process_gone
from ..writes.panes import shell
from .showing import read_when

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Program:
    """A command, what it shows at first, keys for it and what it shows then, and the keys that end it."""

    command: str
    sign: str
    keys: bytes
    then: str
    quits: bytes


_PROGRAMS = {
    "vim": Program("vim -u NONE -i NONE -n lines", "line 1\nline 2", b"GA added\x1b", "line 300 added", b":q!\r"),
    "less": Program("less -c lines", "line 1\nline 2", b"G", "line 300", b"q"),
    "nano": Program("nano -I lines", "line 1\nline 2", b"typed ", "typed line 1", b"\x18n"),
    "htop": Program("htop -C", "PID", b"\x1bOP", "h", b"qq"),
    "git": Program("git log --format='commit <%s>'", "commit <number 40>", b"G", "commit <number 1>", b"q"),
}


@pytest.fixture(params=_PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    program: str = request.param
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of lines, which is a repository with commits."""
    (tmp_path / "lines").write_text("".join(f"line {number}\n" for number in range(1, 301)))
    if shutil.which("git"):
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        commits = "".join(
            f"commit refs/heads/log\ncommitter Ada <a@b.c> {number} +0000\ndata <<END\nnumber {number}\nEND\n\n"
            for number in range(1, 41)
        )
        subprocess.run(["git", "-C", tmp_path, "fast-import", "--quiet"], input=commits.encode(), check=True)
        subprocess.run(["git", "-C", tmp_path, "symbolic-ref", "HEAD", "refs/heads/log"], check=True)
    return tmp_path


async def _at_prompt(core: Client, folder: Path) -> tuple[str, str]:
    """Open a shell whose screen has something on it; return the pane and that screen."""
    pane = await shell(core, LESS="R", PAGER="less", TERM="xterm-256color", GIT_CONFIG_GLOBAL="/dev/null")
    await _type(core, pane, f" cd {folder}; clear; echo main screen\r".encode())
    read = await read_when(core, pane, lambda read: read.text == "main screen\n$")
    return pane, read.text


async def _type(core: Client, pane: str, data: bytes) -> None:
    await core.send_keystrokes(pane, data)


async def _started(core: Client, pane: str, program: Program) -> PaneText:
    await _type(core, pane, program.command.encode() + b"\r")
    return await read_when(core, pane, lambda read: read.alternate and program.sign in read.text)


def _is_whole(read: PaneText, before: str, program: Program) -> bool:
    """Whether the main screen is back, with the command and a new prompt."""
    return not read.alternate and read.text.startswith(f"{before} {program.command}\n") and read.text.endswith("$")


async def test_its_picture_is_read_while_it_runs_and_the_shells_screen_is_whole_after_it(
    core: Client, folder: Path, name: str
) -> None:
    program = _PROGRAMS[name]
    pane, before = await _at_prompt(core, folder)
    picture = await _started(core, pane, program)
    assert "main screen" not in picture.text
    await _type(core, pane, program.keys)
    await read_when(core, pane, lambda read: read.alternate and program.then in read.text)
    await _type(core, pane, program.quits)
    await read_when(core, pane, lambda read: _is_whole(read, before, program))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_when_it_is_killed_the_shells_screen_comes_back_whole(
    core: Client, folder: Path, name: str, number: signal.Signals
) -> None:
    program = _PROGRAMS[name]
    pane, before = await _at_prompt(core, folder)
    await _started(core, pane, program)
    status = await core.read_status(pane)
    assert status.occupant is not None
    os.killpg(os.getpgid(status.occupant.pid), number)
    await process_gone(status.occupant.pid)
    await _type(core, pane, b" stty sane; echo alive-$((40 + 2))\r")
    read = await read_when(core, pane, lambda read: "alive-42" in read.text)
    if read.alternate:
        # Nobody leaves the alternate screen for a program that could not, and a terminal does not know.
        await _type(core, pane, b" printf '\\033[?1049l'; echo back\r")
        read = await read_when(core, pane, lambda read: not read.alternate and "back\n$" in read.text)
    assert program.sign not in read.text
    # One of them scrolls the main screen as it goes.
    lines = await core.read_pane(pane, what=What.TAIL, lines=200)
    assert lines.text.startswith(f"{before} {program.command}\n")


async def test_a_line_editor_is_read_back_as_it_is_edited(core: Client, tmp_path: Path) -> None:
    script = tmp_path / "repl.py"
    script.write_text(
        "from prompt_toolkit import PromptSession\n"
        "from prompt_toolkit.completion import WordCompleter\n"
        "session = PromptSession(completer=WordCompleter(['alpha', 'alphabet']), bottom_toolbar='toolbar')\n"
        "while True:\n"
        "    try:\n"
        "        print('got', session.prompt('> '))\n"
        "    except EOFError:\n"
        "        break\n"
    )
    pane, before = await _at_prompt(core, tmp_path)
    await _type(core, pane, f"{sys.executable} repl.py\r".encode())
    await read_when(core, pane, lambda read: read.text.endswith("toolbar"))
    await _type(core, pane, b"alp\t")
    await read_when(core, pane, lambda read: "alphabet" in read.text)
    await _type(core, pane, b"\x15word \xe4\xb8\xad\r")
    await read_when(core, pane, lambda read: "got word 中\n>" in read.text)
    await _type(core, pane, b"\x04")
    read = await read_when(core, pane, lambda read: read.text.endswith("$"))
    assert read.text.startswith(before)
    assert "toolbar" not in read.text
