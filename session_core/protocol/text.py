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


def has_controls(text: str) -> bool:
    """Whether `text` holds U+0000-001F, U+007F or U+0080-009F."""
    return _CONTROLS.search(text) is not None


def disarm(text: str, limit: int) -> str:
    """Return `text` without control and invisible formatting characters, cut to `limit` (at least 1)."""
    clean = _LONE_JOINER.sub("", _DISARMED.sub("", text))
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
