"""Finds a text in what a pane shows, but only where it is new and no echo.

A `TextWatch` is shown the lines of the screen (soft-wrapped rows joined) after each piece of output and compares
each with the lines before: a match that was there already is old, however it has moved since. A match inside a text
that was written to the pane is its echo, also where a box or the right edge has broken it over several rows.
The caller shows pieces small enough (`piece_limits`) that no line can come and go unseen.
Deliberately absent: patterns. A needle is literal, so no program's output can make a search slow.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from session_core.protocol.text import disarm

NEEDLE_CHARACTERS = 1000
LINE_CHARACTERS = 300
"""Characters of the matched line in an answer, the match among them."""
ECHO_CHARACTERS = 100
"""How far back from its match an echo is compared: the beginning of a longer text may have left the screen."""
SMALL_ROWS = 6
"""On fewer rows, output is always shown line by line."""
ECHO_LINES = 40
"""Lines from a match on in which the rest of an echo is looked for."""

_UNSEEN = re.compile(r"[\s|\u2500-\u259f]+")


@dataclass(frozen=True, slots=True)
class TextMatch:
    """The matched line, harmless and cut, and where it was: `row` counts the screen's lines from its top, from 0,
    `column` characters into the line; `offset` output bytes of the pane had been read."""

    line: str
    row: int
    column: int
    offset: int


def echoes(written: str) -> tuple[str, ...]:
    """Return the lines of an injected text as `TextWatch` wants them."""
    return tuple(filter(None, map(_squash, written.splitlines())))


class TextWatch:
    """One search in one pane. `written` are the `echoes` of what was written there; it may grow meanwhile.

    `earlier` are those that had been written before the search began, and that `before` may show. The main screen is
    remembered while the alternate one is shown: what comes back into sight is old.
    """

    def __init__(
        self,
        needle: str,
        before: Sequence[str] | None,
        written: Iterable[str] = (),
        earlier: Iterable[str] = (),
        *,
        alternate: bool = False,
    ) -> None:
        """Begin where the screen showed `before`; None where that is not known."""
        self.needle = needle
        self._written = written
        self._echoed: Counter[str] = Counter()
        self._known: dict[bool, Counter[str]] = {}
        self._alternate = alternate
        if before is not None:
            self.settle(before, alternate=alternate)
        for row, line in enumerate(before or ()):
            for end in self._ends(line):
                self._is_echo(before or (), row, end, earlier)

    @property
    def careful(self) -> bool:
        """Whether a match is on the screen, so that a new one could come while it goes: show each line alone."""
        return bool(self._known.get(self._alternate))

    def settle(self, lines: Sequence[str], *, alternate: bool = False) -> None:
        """Take what a screen shows as old."""
        self._known[alternate] = self._keys(lines)

    def forget(self) -> None:
        """The screens have another size: what they show is not known."""
        self._known.clear()

    def look(
        self, screen: Sequence[str], offset: int, lines: Sequence[str] | None = None, *, alternate: bool = False
    ) -> TextMatch | None:
        """Take the screen as it is now; return the first match that is new and no echo.

        `lines` are those of the screen after what has left it at the top since the last look.
        """
        if alternate and not self._alternate:
            self._known[True] = Counter()
        self._alternate = alternate
        lines = screen if lines is None else lines
        known, keys = self._known.get(alternate), self._keys(lines)
        self._known[alternate] = keys if lines is screen else self._keys(screen)
        found = self._first(lines, keys - known, known, offset) if known is not None and keys - known else None
        return found and replace(found, row=max(0, found.row - len(lines) + len(screen)))

    def _keys(self, lines: Sequence[str]) -> Counter[str]:
        """Each match by its line up to its end: what is added behind it later changes nothing."""
        return Counter(line[:end] for line in lines if self.needle in line for end in self._ends(line))

    def _ends(self, line: str) -> Iterable[int]:
        position = line.find(self.needle)
        while position >= 0:
            yield position + len(self.needle)
            position = line.find(self.needle, position + 1)

    def _first(self, lines: Sequence[str], new: Counter[str], known: Counter[str], offset: int) -> TextMatch | None:
        old = known.copy()
        for row, line in enumerate(lines):
            for end in self._ends(line):
                key = line[:end]
                if old[key]:
                    # Of equal ones, the newer are further down.
                    old[key] -= 1
                elif not new[key] or (row == 0 and _was_cut(key, known)):
                    continue
                elif not self._is_echo(lines, row, end, self._written):
                    return _match(line, row, end - len(self.needle), end, offset)
        return None

    def _is_echo(self, lines: Sequence[str], row: int, end: int, written: Iterable[str]) -> bool:
        """Whether what is shown up to the end of a match is what was written up to there; half an echo is one, too."""
        needle = _squash(self.needle)
        if not needle:
            return False
        shown, after = _up_to(lines, row, end), _squash("".join((lines[row][end:], *lines[row + 1 : row + ECHO_LINES])))
        for text, times in Counter(written).items():
            found = text.find(needle)
            while found >= 0:
                upto = found + len(needle)
                if shown.endswith(text[max(0, upto - ECHO_CHARACTERS) : upto]):
                    # A text that begins with the needle looks like any output of it: its echo goes on like the text,
                    # maybe not to its end yet, or else it comes first, and once for each time that it was written.
                    rest = text[upto:]
                    goes_on = rest and after and (after.startswith(rest) or rest.startswith(after))
                    if found or goes_on or self._echoed[text] < times:
                        self._echoed[text] += 1
                        return True
                found = text.find(needle, found + 1)
        return False


def _was_cut(key: str, known: Iterable[str]) -> bool:
    """Whether the top line is the rest of one whose beginning has left the screen."""
    return any(old.endswith(key) and old != key for old in known)


def _match(line: str, row: int, begin: int, end: int, offset: int) -> TextMatch:
    first = max(0, min(begin, end - LINE_CHARACTERS, len(line) - LINE_CHARACTERS))
    return TextMatch(disarm(line[first : first + LINE_CHARACTERS], LINE_CHARACTERS), row, begin, offset)


def _up_to(lines: Sequence[str], row: int, end: int) -> str:
    """Return what is shown up to there, as far back as an echo is compared."""
    shown = _squash(lines[row][:end])
    while row and len(shown) < ECHO_CHARACTERS:
        row -= 1
        shown = _squash(lines[row]) + shown
    return shown


def _squash(text: str) -> str:
    """The text without what wraps and frames it: blanks and box drawing."""
    return _UNSEEN.sub("", text)


def go_on(before: Sequence[str], lines: Sequence[str], begin: int = 0) -> bool:
    """Whether `lines` from `begin` on are those before, of which the last may have grown since.

    The first one may have lost its beginning before.
    """
    known = before[:-1]
    return (
        any(known)
        and len(lines) - begin >= len(known)
        and lines[begin].endswith(known[0])
        and all(map(str.__eq__, lines[begin + 1 : begin + len(known)], known[1:]))
    )


def where_on(before: Sequence[str], lines: Sequence[str]) -> int | None:
    """Return from where `lines` go on after those before, the last such place; None if they do not.

    Where a scrollback is full, no row number tells it.
    """
    return next((begin for begin in range(len(lines) - 1, -1, -1) if go_on(before, lines, begin)), None)


def piece_limits(columns: int, rows: int, *, careful: bool) -> tuple[int, int]:
    """Return how many line feeds and how many bytes of output may be shown at once.

    Little enough that a line printed first is whole on the screen still, with all that wraps. No line feed while a
    match is on the screen: a new one comes before the line feed that pushes the old one off.
    """
    return (0, columns) if careful or rows < SMALL_ROWS else (rows // 3, columns * rows // 3)


def pieces(data: bytes, line_feeds: int, size: int) -> Iterator[bytes]:
    """Cut output after so many line feeds or bytes, whichever comes first; with none, before and after each."""
    begin = 0
    while begin < len(data):
        end = _cut(data, begin, line_feeds, min(begin + size, len(data)))
        yield data[begin:end]
        begin = end


def _cut(data: bytes, begin: int, line_feeds: int, limit: int) -> int:
    if not line_feeds:
        end = data.find(b"\n", begin, limit)
        return begin + 1 if end == begin else end if end > 0 else limit
    end = begin
    for _ in range(line_feeds):
        found = data.find(b"\n", end, limit) + 1
        if not found:
            # Rather between two lines than within one.
            return limit if limit == len(data) or end == begin else end
        end = found
    return end
