"""Text for a program, made ready for its terminal: literal, harmless, and pasted where the program asked for it.

ESC, control characters and paste markers inside the text are removed and counted; a line end of any form is one.
Text of several lines goes as one bracketed paste where mode 2004 is on; elsewhere each line would be submitted
on its own, which the caller must ask for. Line ends at the end of a text that is submitted anyway are dropped,
so that nothing is submitted twice. Source of the paste rules: xterm's ctlseqs, bracketed paste mode.
"""

import re
from dataclasses import dataclass

from session_core.errors import Code, SessionCoreError

CANONICAL_BYTES = 4095
"""Longest line, with its end, that a terminal in canonical mode hands to its program (Linux N_TTY, POSIX MAX_CANON)."""

_MARKER = re.compile("(?:\x1b\\[|\x9b)20[01]~")
_LINE_END = re.compile("\r\n|\r")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"


@dataclass(frozen=True, slots=True)
class Composed:
    """Bytes to write. `removed` counts characters and markers left out; `pasted` says that they are a paste."""

    data: bytes
    removed: int
    pasted: bool


def compose(text: str, *, submit: bool, bracketed: bool, by_line: bool, completes: bool = False) -> Composed:
    """Make `text` ready. Raises SessionCoreError: `multiline` where lines would be submitted one by one.

    A program that `completes` what was typed takes a tab for its key, so that a line with one is pasted too.
    """
    clean, markers = _MARKER.subn("", text)
    clean = _LINE_END.sub("\n", clean)
    clean, controls = _CONTROL.subn("", clean)
    if submit:
        clean = clean.rstrip("\n")
    removed = markers + controls
    if bracketed and ("\n" in clean or (completes and "\t" in clean)):
        return Composed(_PASTE_BEGIN + _encode(clean.replace("\n", "\r")) + _PASTE_END, removed, True)
    if "\n" in clean and not by_line:
        raise SessionCoreError(
            Code.MULTILINE,
            "The text has several lines and the program takes no paste: each line would be submitted by itself.",
            'Send one line, or say multiline="lines" if that is what you want. Nothing was typed.',
        )
    return Composed(_encode(clean.replace("\n", "\r")), removed, False)


def check_line_lengths(data: bytes, before: int = 0) -> None:
    """Check that a terminal in canonical mode can hold every line of `data`, after `before` bytes of its first.

    Raises SessionCoreError with `terminal_line_too_long`: the terminal would cut the line without a word.
    """
    first, *others = (len(line) for line in re.split(rb"[\r\n]", data))
    longest = max([before + first, *others])
    if longest >= CANONICAL_BYTES:
        raise SessionCoreError(
            Code.TERMINAL_LINE_TOO_LONG,
            f"A line of {longest} bytes does not fit: this program reads whole lines of at most "
            f"{CANONICAL_BYTES - 1} bytes.",
            "Send shorter lines, or put the text in a file and name the file. Nothing was typed.",
        )


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise SessionCoreError(
            Code.BAD_REQUEST, "The text holds half of a character pair.", "Send well-formed Unicode."
        ) from error
