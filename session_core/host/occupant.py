"""Who runs in the foreground of a pane: pid, start time and a name that a person would use.

Looked up on demand (psutil), never polled. The start time tells a recycled pid from the old one. An
interpreter or launcher is named after the script it runs; code given by `-c`, `-e` or `-m` names nothing.
"""

import contextlib
import os
import re
from pathlib import PurePath

import psutil

from session_core.model.status import Occupant
from session_core.protocol.text import disarm

NAME_CHARACTERS = 64

_RUNNERS = frozenset(("npx", "bunx", "uvx", "pipx", "uv", "pnpm", "yarn", "npm"))
_INTERPRETERS = ("python", "pypy", "node", "nodejs", "bun", "deno", "ruby", "perl", "php", "tsx")
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "fish", "ksh"))
_SUBCOMMANDS = frozenset(("run", "exec", "x", "dlx", "tool"))
_CODE_CLUSTER = re.compile(r"-[A-VYZa-z][A-Za-z]*[cemnp]+")
_CODE_FLAGS = frozenset(("-c", "-e", "-m", "-p", "--eval", "--print", "--command", "-"))
_VALUE_FLAGS = frozenset(
    ("-W", "-X", "-r", "--require", "--import", "--loader", "--with", "--from", "--package", "--rcfile")
)
_SCRIPT_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".sh")
_PLAIN_NAMES = frozenset(("index", "main", "cli", "__main__", "bin", "app"))


def look_up(pid: int) -> Occupant | None:
    """Return who runs as `pid` now; None if nobody does, or if it cannot be read."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            name = program_name(process.name(), process.cmdline())
            return Occupant(pid, process.create_time(), disarm(name, NAME_CHARACTERS))
    except psutil.Error:
        return None


def session_members(session: int, started_before: float | None = None) -> dict[int, set[int]]:
    """Return the living processes of a session as process group → pids.

    `started_before` (seconds since the epoch) leaves out a later session that got the same number.
    """
    groups: dict[int, set[int]] = {}
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError, psutil.Error):
            if os.getsid(pid) == session and _lives(pid, started_before):
                groups.setdefault(os.getpgid(pid), set()).add(pid)
    return groups


def group_member(group: int) -> int | None:
    """Return one living process of a process group, None if there is none left."""
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError, psutil.Error):
            if os.getpgid(pid) == group and _lives(pid, None):
                return pid
    return None


def group_exists(group: int) -> bool:
    """Whether there is such a process group, also one whose end nobody has been told of yet."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return _lives(pid, None)
    except psutil.Error:
        return False


def _lives(pid: int, started_before: float | None) -> bool:
    process = psutil.Process(pid)
    in_time = started_before is None or process.create_time() < started_before
    return in_time and process.status() != psutil.STATUS_ZOMBIE


def program_name(kernel_name: str, argv: list[str]) -> str:
    """Choose a name from what the kernel calls the process and its arguments."""
    program = PurePath(argv[0]).name.removeprefix("-") if argv and argv[0] else kernel_name
    if _is_interpreter(program) or program in _RUNNERS or program in _SHELLS:
        return _script_name(program, argv[1:]) or program
    return program


def _is_interpreter(program: str) -> bool:
    return program.rstrip("0123456789.") in _INTERPRETERS


def _script_name(program: str, arguments: list[str]) -> str | None:
    rest = iter(arguments)
    for argument in rest:
        if argument in _CODE_FLAGS or (_is_interpreter(program) and _CODE_CLUSTER.fullmatch(argument)):
            return None
        if argument in _VALUE_FLAGS:
            next(rest, None)
        elif program in _SHELLS and argument.startswith("-") and argument.endswith("c"):
            return None
        elif argument.startswith("-") or (program in (*_RUNNERS, "bun", "deno") and argument in _SUBCOMMANDS):
            continue
        elif program in _RUNNERS and _is_interpreter(argument):
            return _script_name(argument, list(rest)) or argument
        else:
            return _plain(PurePath(argument))
    return None


def _plain(script: PurePath) -> str:
    stem = script.stem if script.suffix in _SCRIPT_ENDINGS else script.name
    if stem in _PLAIN_NAMES and script.parent.name not in ("", "."):
        return _plain_folder(script.parent)
    return stem


def _plain_folder(folder: PurePath) -> str:
    if folder.name in ("dist", "bin", "src", "lib", "build") and folder.parent.name:
        return folder.parent.name
    return folder.name
