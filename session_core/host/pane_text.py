"""Text waits on one pane: shows its output to the watches in pieces small enough that no line comes and goes unseen.

Owns the marks, which tell what the screen showed before each of the last injected writes, so that a wait that
begins later still finds what came in between; and the written texts, whose echo is no output.
Without a watch a chunk goes to the screen whole.
"""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from session_core.model.text_watch import TextMatch, TextWatch, echoes, go_on, piece_limits, pieces, where_on
from session_core.screen import ScreenEngine

MARKS = 16
"""Writes and waits of a pane from which a text wait can still begin."""
WRITTEN = 200_000
"""Bytes of a write, and characters of all kept lines, whose echo is known as one; the newest count."""

_SWITCH = re.compile(rb"\x1b\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*[hl]")
"""To the alternate screen or back."""
_MARKERS = re.compile(rb"\x1b\[20[01]~")

Found = Callable[[TextMatch], None]


@dataclass(frozen=True, slots=True)
class ScreenMark:
    """What the screen showed at one moment; `row` is where it began in scrollback and screen.

    `written` had been written before. `main` is what the main screen showed below the alternate one, as far as that is
    known; `match` is what a wait that began there has found already, and has not told.
    """

    row: int
    alternate: bool
    lines: Sequence[str]
    written: tuple[str, ...]
    main: "ScreenMark | None" = None
    match: TextMatch | None = None


class PaneText:
    """The marks and watches of one pane. `offset` tells how many output bytes have been read."""

    def __init__(self, screen: ScreenEngine, offset: Callable[[], int]) -> None:
        self._screen = screen
        self._offset = offset
        self._written: deque[str] = deque()
        self._written_size = 0
        self._marks: deque[tuple[int, str | None, ScreenMark]] = deque(maxlen=MARKS)
        self._begun: dict[int, ScreenMark] = {}
        self._watches: dict[TextWatch, Found] = {}
        self._main: ScreenMark | None = None
        self._seen = self.mark()

    def note_write(self, ticket: str, revision: int, data: bytes) -> None:
        """Text is about to be written: what is shown now is old, and the text itself an echo."""
        self._marks.append((revision, ticket, self.mark()))
        text = _MARKERS.sub(b"", data[-WRITTEN:]).decode(errors="replace")
        for line in echoes(text):
            self._written.append(line)
            self._written_size += len(line)
        while self._written_size > WRITTEN and len(self._written) > 1:
            self._written_size -= len(self._written.popleft())

    def mark(self) -> ScreenMark:
        """What the screen shows now."""
        screen = self._screen
        row = screen.row_count - screen.size.rows
        alternate = screen.alternate
        return ScreenMark(row, alternate, screen.lines(row), tuple(self._written), self._main if alternate else None)

    def keep(self, revision: int, mark: ScreenMark) -> None:
        """Keep a mark under a revision that is newer than any before; the oldest mark goes."""
        self._marks.append((revision, None, mark))

    def marked(self, key: int | str) -> ScreenMark | None:
        """Return the mark of this ticket, or the first of this revision or a newer one."""
        for revision, ticket, mark in self._marks:
            if key == ticket or (isinstance(key, int) and revision >= key):
                return mark
        return None

    def keep_begun(self, wait: int, mark: ScreenMark) -> None:
        """Keep where a wait began, in case it goes on on another connection; the oldest goes."""
        self._begun[wait] = mark
        if len(self._begun) > MARKS:
            del self._begun[next(iter(self._begun))]

    def begun(self, wait: int) -> ScreenMark | None:
        """Return where a wait began."""
        return self._begun.get(wait)

    # ---- watches

    def watch(self, needle: str, mark: ScreenMark, found: Found) -> Callable[[], None]:
        """Call `found` once, at once or later, with the first match that came since `mark`; return how to stop."""
        watch = TextWatch(needle, mark.lines, self._written, mark.written, alternate=mark.alternate)
        match = mark.match or self._look_back(watch, mark)
        if match is not None:
            found(match)
        else:
            self._watches[watch] = found
        return partial(self._forget, watch)

    def _look_back(self, watch: TextWatch, mark: ScreenMark) -> TextMatch | None:
        """Return what came since `mark`, and let the watch go on from what is shown now."""
        now, match = self.mark(), None
        self._seen = now
        then_main = mark.main if mark.alternate else mark
        now_main = now.main if now.alternate else now
        # Where both are the same, the alternate screen has been shown all the time.
        if then_main is not None and now_main is not None and then_main is not now_main:
            watch.settle(then_main.lines)
            lines = None if now.alternate else self._lines_since(then_main, now)
            match = watch.look(now_main.lines, self._offset(), lines)
        if now_main is not None:
            watch.settle(now_main.lines)
        if now.alternate and match is None:
            match = watch.look(now.lines, self._offset(), alternate=True)
        return match

    def _forget(self, watch: TextWatch) -> None:
        self._watches.pop(watch, None)

    def _lines_since(self, mark: ScreenMark, now: ScreenMark) -> Sequence[str]:
        if not now.row:
            return now.lines
        lines: Sequence[str] = self._screen.lines(mark.row)
        if go_on(mark.lines, lines):
            return lines
        # The top rows have gone meanwhile, or what was shown is drawn over.
        kept = self._screen.lines(0)
        begin = where_on(mark.lines, kept)
        if begin is not None:
            return kept[begin:]
        return lines if mark.row < now.row else now.lines

    def feed(self, data: bytes, *, ordinary: bool = False) -> bytes:
        """Show output on the screen and to the watches; return the screen's replies."""
        if ordinary and not self._watches:
            return self._screen.feed(data, ordinary=True)
        replies, begin = b"", 0
        for switch in _SWITCH.finditer(data):
            replies += self._feed(data[begin : switch.start()])
            if not self._screen.alternate:
                self._main = self.mark()
            replies += self._feed(switch[0])
            begin = switch.end()
        return replies + self._feed(data[begin:])

    def resized(self) -> None:
        """The screen has another size: lines that come into sight by that are old."""
        self._main = None
        now = self._seen = self.mark()
        for watch in self._watches:
            watch.forget()
            watch.settle(now.lines, alternate=now.alternate)

    def _feed(self, data: bytes) -> bytes:
        replies, size = b"", self._screen.size
        while data and self._watches:
            careful = any(watch.careful for watch in self._watches)
            piece = next(pieces(data, *piece_limits(size.columns, size.rows, careful=careful)))
            replies += self._screen.feed(piece)
            data = data[len(piece) :]
            self._look()
        return replies + (self._screen.feed(data) if data else b"")

    def _look(self) -> None:
        seen, now = self._seen, self.mark()
        self._seen = now
        lines = None
        if seen.row < now.row and not (seen.alternate or now.alternate):
            # What has left the screen since is old, or new and to be found.
            lines = self._screen.lines(seen.row)
        for watch, found in tuple(self._watches.items()):
            match = watch.look(now.lines, self._offset(), lines, alternate=now.alternate)
            if match:
                del self._watches[watch]
                found(match)
