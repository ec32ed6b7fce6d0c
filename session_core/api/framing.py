"""Lines out of a byte stream, bounded: a line over the limit is an error, never a growing buffer."""

LINE_BYTES = 8 * 1024 * 1024
"""Longest line that either side accepts, without its newline."""


class LineTooLong(Exception):
    """The peer sent more than `LINE_BYTES` without a newline; the connection cannot go on."""


class LineFramer:
    """Incremental splitter; blank lines are skipped."""

    __slots__ = ("_limit", "_parts", "_size")

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._limit = limit

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes and return the lines that they complete, without their newlines.

        Raises LineTooLong once an unfinished line outgrows the limit.
        """
        *lines, rest = data.split(b"\n")
        if lines and self._parts:
            lines[0] = b"".join((*self._parts, lines[0]))
            self._parts, self._size = [], 0
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
        if self._size > self._limit or any(len(line) > self._limit for line in lines):
            raise LineTooLong
        return [line for line in lines if line.strip()]
