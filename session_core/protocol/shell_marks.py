"""OSC 133, the prompt marks of shell integration: A prompt, B input, C output, D finished with exit code.

Secondary prompts (`k=s`, `k=c`, `k=r`) are told apart: they do not show that a program ended. Marks N and P
and unknown letters give nothing. Options are kept as text, bounded by the control string itself.
C may tell the command line: `cmdline_url` percent-encoded, or `cmdline` quoted as by the shells' `%q`.
Source: the FinalTerm marks as kitty, iTerm2 and VTE document them; `nonce` and `cwd` are our own scripts'.
"""

import re
import shlex
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import unquote

from session_core.protocol import limits
from session_core.protocol.text import disarm


class Mark(StrEnum):
    """Where in the prompt cycle the shell is."""

    PROMPT = "A"
    INPUT = "B"
    OUTPUT = "C"
    FINISHED = "D"


@dataclass(frozen=True, slots=True)
class ShellMark:
    """One mark. `primary` is False for a continuation prompt; `exit_code` belongs to FINISHED only."""

    mark: Mark
    primary: bool = True
    exit_code: int | None = None
    options: dict[str, str] = field(default_factory=dict)


_MARKS = {mark.value.encode(): mark for mark in Mark}
_PRIMARY_KINDS = (None, "i")
_BREAKS = re.compile(r"[\t\n\r]+")


def parse(body: bytes) -> ShellMark | None:
    """Read the bytes after `133;`; None for anything that is no mark of ours."""
    letter, *fields = body.split(b";")
    mark = _MARKS.get(letter)
    if mark is None:
        return None
    exit_code = _read_exit_code(fields) if mark is Mark.FINISHED else None
    options = _read_options(fields)
    return ShellMark(mark, options.get("k") in _PRIMARY_KINDS, exit_code, options)


def _read_options(fields: list[bytes]) -> dict[str, str]:
    pairs = (field.decode(errors="replace").partition("=") for field in fields)
    return {key: value for key, equals, value in pairs if equals and key}


def _read_exit_code(fields: list[bytes]) -> int | None:
    code = fields[0] if fields else b""
    digits = code.removeprefix(b"-")
    return int(code) if digits.isdigit() and len(digits) <= 10 else None


def command_line(mark: ShellMark) -> str | None:
    """Return the command line that a mark tells, harmless and cut, in one line; None if it tells none."""
    line = _told_line(mark.options)
    return _shown_line(line) if line else None


def line_as_told(typed: str) -> str | None:
    """Return what `command_line` gives for a line that was typed at a shell with our own scripts, which cut it."""
    return _shown_line(typed[: limits.SHOWN_LINE_CHARACTERS])


def _shown_line(line: str) -> str | None:
    return disarm(_BREAKS.sub(" ", line), limits.SHOWN_LINE_CHARACTERS) or None


def shell_folder(mark: ShellMark) -> str | None:
    """Return the working folder that a mark tells, harmless and cut; None if it tells none."""
    path = unquote(mark.options.get("cwd", ""), errors="replace")
    return disarm(path, limits.SHOWN_PATH_CHARACTERS) if path.startswith("/") else None


def _told_line(options: dict[str, str]) -> str | None:
    encoded = options.get("cmdline_url")
    if encoded is not None:
        return unquote(encoded, errors="replace")
    quoted = options.get("cmdline")
    # `$'...'` is a language of its own, and a quoted `;` has split the option.
    if quoted is None or "$'" in quoted:
        return None
    try:
        words = shlex.split(quoted)
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None
