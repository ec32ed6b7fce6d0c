"""Program text made harmless: what may leave the core in a field that a person or a model reads.

Text from a program is data. Controls, bidirectional overrides and invisible formatting characters are
removed (OSC 7501 section 2 names the set), and the length is cut with an ellipsis. Nothing is interpreted.
A single joiner between two characters that it can join stays: emoji families and Persian words need it.
"""

import re

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_DISARMED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)


_LONE_JOINER = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]{2,}|[\u200c\u200d](?![^\x00-\x7f])"
)
_SGR = re.compile(r"(\x1b\[[0-9;:]*m)")
_IN_STYLED = re.compile(r"\x1b(?!\[[0-9;:]*m)|[\u200c\u200d]|(?!\x1b)" + _DISARMED.pattern)
_NUMBERED = re.compile(r"&#(\d{3,7});")


def has_controls(text: str) -> bool:
    """Whether `text` holds U+0000-001F, U+007F or U+0080-009F."""
    return _CONTROLS.search(text) is not None


def harmless(line: str) -> str:
    """Return one line of text without control and invisible formatting characters; everything else is as it was."""
    return _LONE_JOINER.sub("", _DISARMED.sub("", line)) if not line.isascii() or has_controls(line) else line


def harmless_styled(line: str) -> str:
    """Return one line with SGR sequences as `harmless` leaves it; the sequences stay, and no other does."""
    if not _IN_STYLED.search(line):
        return line
    pieces = _SGR.split(line)
    pieces[::2] = map(harmless, pieces[::2])
    return "".join(pieces)


def harmless_markup(line: str) -> str:
    """Return one line of HTML as `harmless` leaves it, also where its characters are written as numbers."""
    written = "".join(chr(min(int(number), 0x10FFFF)) for number in set(_NUMBERED.findall(line)))
    if _IN_STYLED.search(written):
        line = _NUMBERED.sub(lambda found: chr(min(int(found[1]), 0x10FFFF)), line)
    return harmless(line)


def disarm(text: str, limit: int) -> str:
    """Return `text` without control and invisible formatting characters, cut to `limit` (at least 1)."""
    clean = harmless(text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
