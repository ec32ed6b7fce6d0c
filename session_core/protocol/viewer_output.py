"""Output as a person's own terminal may see it: without writes to, or reads of, the clipboard (OSC 52).

A pane's program has no business with the clipboard of whoever looks at it. Prompt marks (OSC 133) of a pane whose
marks are signed are left out as well, since they carry its nonce. An empty ST takes the place of such a sequence,
and everything else passes unchanged.
Held back is only the start of an opener at the end of a chunk, at most five bytes.
"""

import re

_CLIPBOARD, _MARK = b"\x1b]52;", b"\x1b]133;"
_ST = b"\x1b\\"
_END = re.compile(rb"[\x07\x18\x1a\x1b]")
_ESC, _BACKSLASH = 0x1B, 0x5C


class ViewerFilter:
    """Incremental; any chunking gives the same output. With `marks` off, prompt marks are left out."""

    __slots__ = ("_carry", "_dropping", "_openers", "_search")

    def __init__(self, *, marks: bool = True) -> None:
        self._openers = (_CLIPBOARD,) if marks else (_CLIPBOARD, _MARK)
        self._search = re.compile(b"|".join(map(re.escape, self._openers))).search
        self._carry = b""
        self._dropping = False

    def feed(self, data: bytes) -> bytes:
        """Take output and return what may be shown."""
        if not self._carry and not self._dropping and b"\x1b" not in data:
            return data
        data, self._carry = self._carry + data, b""
        shown: list[bytes] = []
        position = 0
        while position < len(data):
            position = self._drop(data, position) if self._dropping else self._pass_on(data, position, shown)
        return b"".join(shown)

    def _pass_on(self, data: bytes, position: int, shown: list[bytes]) -> int:
        found = self._search(data, position)
        if found:
            # What stood before it must not grow together with what comes after it: an ST ends it.
            shown.append(data[position : found.start()] + _ST)
            self._dropping = True
            return found.end()
        kept = min(max(_overlap(data, opener) for opener in self._openers), len(data) - position)
        self._carry = data[len(data) - kept :]
        shown.append(data[position : len(data) - kept])
        return len(data)

    def _drop(self, data: bytes, position: int) -> int:
        found = _END.search(data, position)
        if found is None:
            return len(data)
        end = found.start()
        if data[end] != _ESC:
            self._dropping = False
            return end + 1
        if end + 1 == len(data):
            self._carry = data[end:]
            return len(data)
        self._dropping = False
        return end + 2 if data[end + 1] == _BACKSLASH else end


def _overlap(data: bytes, opener: bytes) -> int:
    """Return how many bytes at the end of `data` may begin `opener`."""
    return next(size for size in range(len(opener) - 1, -1, -1) if data.endswith(opener[:size]))
