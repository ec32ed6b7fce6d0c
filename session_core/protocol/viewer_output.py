"""Output as a person's own terminal may see it: without writes to, or reads of, the clipboard (OSC 52).

A pane's program has no business with the clipboard of whoever looks at it; an empty ST takes the place of such a
sequence, and everything else passes unchanged.
Held back is only the start of an opener at the end of a chunk, at most four bytes.
"""

import re

_OPENER = b"\x1b]52;"
_ST = b"\x1b\\"
_END = re.compile(rb"[\x07\x18\x1a\x1b]")
_ESC, _BACKSLASH = 0x1B, 0x5C


class ClipboardFilter:
    """Incremental; any chunking gives the same output."""

    __slots__ = ("_carry", "_dropping")

    def __init__(self) -> None:
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
        found = data.find(_OPENER, position)
        if found >= 0:
            # What stood before it must not grow together with what comes after it: an ST ends it.
            shown.append(data[position:found] + _ST)
            self._dropping = True
            return found + len(_OPENER)
        kept = next(size for size in range(len(_OPENER) - 1, -1, -1) if data.endswith(_OPENER[:size]))
        kept = min(kept, len(data) - position)
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
