"""OSC 133, the prompt marks of shell integration: A prompt, B input, C output, D finished with exit code.

Secondary prompts (`k=s`, `k=c`, `k=r`) are told apart: they do not show that a program ended. Marks N and P
and unknown letters give nothing. Options are kept as text, bounded by the control string itself.
Source: the FinalTerm marks as kitty, iTerm2 and VTE document them.
"""

from dataclasses import dataclass, field
from enum import StrEnum


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
