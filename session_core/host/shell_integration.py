"""How a shell is started so that it sends prompt marks, without a change to any file of its user.

bash gets a start file of ours, zsh a ZDOTDIR and fish a data folder; each script of `shell/` undoes that at once
and lets the shell read the user's own files from where they are. The marks carry a nonce, so that a program's
output does not pass for the shell's. Integrated is a plain interactive shell alone: a script, a command, or any
option but those of `_Shell.plain` leaves the shell as it was asked for.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

SCRIPTS = Path(__file__).parent / "shell"
OFF = "PANEBRIDGE_SHELL_INTEGRATION"
"""A caller's environment variable: `0` leaves the shells that it opens alone."""
NONCE = "PANEBRIDGE_SHELL_NONCE"
_DATA_FOLDERS = "/usr/local/share:/usr/share"
"""What an unset XDG_DATA_DIRS means (XDG Base Directory Specification)."""


@dataclass(frozen=True, slots=True)
class Start:
    """What to start instead, and the environment variables to add."""

    argv: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Shell:
    script: str
    plain: re.Pattern[str]
    """Options that leave it a plain interactive shell; `login` are those of them that make a login shell."""
    login: re.Pattern[str]


_CLUSTER = r"-[il]+"
_LOGIN = re.compile(r"-i*l[il]*|--login")
_SHELLS = {
    "bash": _Shell("integration.bash", re.compile(f"{_CLUSTER}|--login"), _LOGIN),
    "zsh": _Shell("zsh/.zshenv", re.compile(f"{_CLUSTER}|--login|--interactive"), _LOGIN),
    "fish": _Shell("fish/fish/vendor_conf.d/panebridge.fish", re.compile(f"{_CLUSTER}|--login|--interactive"), _LOGIN),
}


def integrated(argv: Sequence[str], environment: Mapping[str, str], scripts: Path, nonce: str) -> Start | None:
    """Return how to start `argv` with prompt marks; None if it is to be started as it is. Pure."""
    dashed, name = _name(argv[0])
    shell = _SHELLS.get(name)
    if shell is None or not all(shell.plain.fullmatch(option) for option in argv[1:]):
        return None
    login = dashed or any(shell.login.fullmatch(option) for option in argv[1:])
    match name:
        case "bash":
            return _bash(argv, scripts, nonce, login=login)
        case "zsh":
            return _zsh(argv, environment, scripts, nonce)
    return _fish(argv, environment, scripts, nonce)


def readable(argv: Sequence[str], scripts: Path) -> bool:
    """Whether the script for this shell can be read."""
    shell = _SHELLS.get(_name(argv[0])[1])
    return shell is not None and os.access(scripts / shell.script, os.R_OK)


def _name(program: str) -> tuple[bool, str]:
    """Return whether the program is called as a login shell, and its name."""
    name = PurePath(program).name
    return name.startswith("-"), name.removeprefix("-")


def _bash(argv: Sequence[str], scripts: Path, nonce: str, *, login: bool) -> Start:
    # A login bash reads no --rcfile, so the script does what a login would have done.
    program = str(PurePath(argv[0]).with_name("bash"))
    options = [option for option in argv[1:] if not _LOGIN.fullmatch(option)]
    environment = {NONCE: nonce} | ({"PANEBRIDGE_BASH_LOGIN": "1"} if login else {})
    return Start((program, "--rcfile", str(scripts / "integration.bash"), *options), environment)


def _zsh(argv: Sequence[str], environment: Mapping[str, str], scripts: Path, nonce: str) -> Start:
    added = {NONCE: nonce, "ZDOTDIR": str(scripts / "zsh")}
    if "ZDOTDIR" in environment:
        added["PANEBRIDGE_ZDOTDIR"] = environment["ZDOTDIR"]
    return Start(tuple(argv), added)


def _fish(argv: Sequence[str], environment: Mapping[str, str], scripts: Path, nonce: str) -> Start:
    # An empty XDG_DATA_DIRS means the same as none.
    folders = environment.get("XDG_DATA_DIRS") or _DATA_FOLDERS
    added = {NONCE: nonce, "XDG_DATA_DIRS": f"{scripts / 'fish'}:{folders}"}
    if "XDG_DATA_DIRS" in environment:
        added["PANEBRIDGE_XDG_DATA_DIRS"] = environment["XDG_DATA_DIRS"]
    return Start(tuple(argv), added)
