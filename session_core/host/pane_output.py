"""The way of one pane's output: from the terminal into the log, from there to its events, and to the screen.

Invariants: a byte is in the log before anything is made of it. `parsed` is where a reader that knows nothing goes on
after everything before it has had its effect. What the screen is given is marked in the log before and after, so that
bytes that kill the host are known to the next one; an answer of the terminal is marked before it goes out, so
that it is given once. Events come first, then the screen, cut only at status queries, so that every reply goes out in
stream order, and where a synchronized update begins or ends.
The screen of a host that goes on after another one is cold: it is painted from a checkpoint and the log, when
it is first looked at or when there is time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from session_core.crash_points import reached
from session_core.host.display import Display
from session_core.host.pane_text import PaneText
from session_core.host.pty import Pty
from session_core.model.output_index import OutputIndex
from session_core.protocol import program_status
from session_core.protocol.events import Event, EventStream, Statistics
from session_core.protocol.program_status import Query
from session_core.protocol.scanner import SynchronizedUpdate
from session_core.screen import ReadableScreen, ScreenEngine
from session_core.screen.plain import LOOK_BACK_BYTES, unfinished
from session_core.store.output_log import Mark, OutputLog

FULL_READ_BYTES, READS = 2048, 8
"""A read of a flood is so long at least (the kernel gives 4 KiB at most); so many are taken in one turn of the loop.

Each is parsed before the next read: meanwhile the kernel fills its buffer anew, which it can only once that is read.
"""
REPLAY_BYTES = 256 * 1024
"""What a cold screen is given at once."""

_FRAME = b"\x1b[?2026h"
# As plain numbers: these are noted at every read of a flood.
_PARSED, _SHOWN, _SHOWING = int(Mark.PARSED), int(Mark.SHOWN), int(Mark.SHOWING)
_GROUND, _KILLED = int(Mark.GROUND), int(Mark.KILLED)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What paints the screen as it was at output offset `offset`, in a terminal of this size."""

    offset: int
    columns: int
    rows: int
    paint: bytes = b""


FindCheckpoint = Callable[[int, int], Checkpoint | None]
"""Returns the oldest checkpoint between two offsets, None if there is none."""


def _no_checkpoint(_: int, __: int) -> Checkpoint | None:
    return None


@dataclass(frozen=True, slots=True)
class _View:
    screen: ScreenEngine
    text: PaneText
    display: Display


class PaneOutput:
    """The output of one pane. `take_event` applies an event, `reply` sends an answer of the terminal to the program.

    `overdue` hears of a frame that was cut short, `open_screen` makes an engine for a size in columns and rows.
    The screen's output begins at offset `begin`.
    """

    def __init__(
        self,
        log: OutputLog,
        open_screen: Callable[[int, int], ScreenEngine],
        *,
        take_event: Callable[[Event], None],
        reply: Callable[[bytes], None],
        overdue: Callable[[], None],
        parsed: int = 0,
        counted: Statistics | None = None,
        index: OutputIndex | None = None,
        begin: int = 0,
    ) -> None:
        self.log = log
        self._begin = begin
        self.index = index or OutputIndex()
        self.parsed = parsed
        self._open_screen = open_screen
        self._take_event = take_event
        self._reply = reply
        self._overdue = overdue
        self._events = EventStream(parsed, counted)
        self._view: _View | None = None
        self._showing = 0
        self._unkept = False
        self._closed = False
        self._find_checkpoint: FindCheckpoint = _no_checkpoint

    @property
    def offset(self) -> int:
        """Output bytes read and parsed so far."""
        return self._events.offset

    @property
    def statistics(self) -> Statistics:
        """What was counted in the output so far."""
        return self._events.statistics

    # ---- in

    def read(self, pty: Pty) -> int | None:
        """Read what the terminal has now; 0 if there is nothing, None at its end."""
        count = self.log.take(pty.read_into)
        reached("output_noted")
        return count

    def parse(self) -> bytes:
        """Apply what the log has beyond `offset`, show it, and return it."""
        base, view = self._events.offset, self._view
        data = self.log.newest(base)
        events = self._events.feed(data)
        for event in events:
            self.parsed = event.end
            self._unkept = True
            self._take_event(event)
            reached("event_applied")
        self.parsed = self._events.unfinished
        if not self._unkept:
            self.log.note(_PARSED, self.parsed)
        if view is not None:
            self._show(view, base, data, events, ordinary=self._events.ordinary)
        return data

    def parsed_is_kept(self) -> None:
        """What the output had as effects up to `parsed` is in the journal."""
        self._unkept = False
        self.log.note(_PARSED, self.parsed)

    # ---- the screen

    @property
    def is_behind(self) -> bool:
        """Whether the screen lacks output: it is cold, or its engine has not parsed all of it."""
        return not self._closed and (self._view is None or self._view.screen.backlog > 0)

    def catch_up(self, size: int) -> None:
        """Paint a cold screen, or parse the oldest `size` bytes of what its engine has not."""
        if self._view is None:
            self._warm()
        elif not self._closed:
            self._view.screen.catch_up(size)

    @property
    def screen(self) -> ScreenEngine:
        """The screen with everything parsed so far; painted now if it is cold."""
        return self._warm().screen

    @property
    def shown(self) -> ReadableScreen:
        """The screen as readers see it: amid a frame the last whole one."""
        return self._warm().display.shown

    @property
    def text(self) -> PaneText:
        """The text waits of the pane."""
        return self._warm().text

    @property
    def updating(self) -> bool:
        """Whether a synchronized update has begun and is not shown yet."""
        return self._view is not None and self._view.display.updating

    def open(self, screen: ScreenEngine) -> None:
        """Begin with an empty screen."""
        self.index.resized(self.log.end, screen.size.columns, screen.size.rows)
        for mark in (_SHOWN, _GROUND):
            self.log.note(mark, self.log.end)
        self._use(screen)

    def close(self) -> None:
        """Show what is held and free the screen."""
        self._closed = True
        if self._view is not None:
            self._view.display.flush()
            self._view.screen.close()

    def flush(self) -> None:
        """Show what is held."""
        if self._view is not None:
            self._view.display.flush()

    def resize(self, columns: int, rows: int) -> bytes:
        """Give the screen a new size; return what the terminal says of that."""
        self.index.resized(self.log.mark(_SHOWN), columns, rows)
        if self._view is None:
            return b""
        reply = self._view.screen.resize(columns, rows)
        self._view.text.resized()
        self._view.display.resized()
        return reply

    @property
    def whole_offset(self) -> int:
        """Output bytes that readers see, without a character or sequence at their end that is not complete."""
        behind = self._view.display.behind if self._view else 0
        end = min(self._events.offset - behind, self._events.unfinished)
        return end - unfinished(self.log.read(end - LOOK_BACK_BYTES, end).data)

    @property
    def not_shown(self) -> bytes:
        """Output read so far that no picture of the screen has: an unfinished frame, or half a sequence."""
        tail = self.log.read(self.whole_offset).data
        return _FRAME + tail if self.updating else tail

    def checkpoint(self) -> Checkpoint | None:
        """Paint the screen as it is; None where it is cold, amid a frame, or behind its output."""
        if self._view is None or self.updating or self._view.screen.backlog:
            return None
        screen = self._view.screen
        return Checkpoint(self.whole_offset, screen.size.columns, screen.size.rows, screen.snapshot())

    # ---- showing

    def _use(self, screen: ScreenEngine) -> _View:
        text = PaneText(screen, lambda: self._events.offset)
        view = self._view = _View(screen, text, Display(screen, text, self._reply_to_shown, self._overdue))
        return view

    def _show(self, view: _View, base: int, data: bytes, events: Sequence[Event], *, ordinary: bool = False) -> None:
        shown = 0
        for event in events:
            meaning = event.meaning
            if not isinstance(meaning, (Query, SynchronizedUpdate)):
                continue
            end = event.end - base
            self._give(view, data[shown:end], event.end)
            shown = end
            if isinstance(meaning, SynchronizedUpdate):
                view.display.frame(begins=meaning.active)
            else:
                self._reply(program_status.reply(event.terminator))
        if shown:
            data = data[shown:]
        self._give(view, data, base + shown + len(data), ordinary=ordinary and not events)
        self.log.note(_GROUND, self.parsed)

    def _give(self, view: _View, data: bytes, end: int, *, ordinary: bool = False) -> None:
        if data:
            self._showing = end
            self.log.note(_SHOWING, end)
            reached("screen_feeding")
            view.display.show(data, ordinary=ordinary)
        self.log.note(_SHOWN, end)
        self.log.note(_SHOWING, 0)
        reached("screen_fed")

    def _reply_to_shown(self, data: bytes) -> None:
        self.log.note(_SHOWN, max(self._showing, self.log.mark(_SHOWN)))
        self._reply(data)

    # ---- after another host

    def warm_from(self, find_checkpoint: FindCheckpoint) -> None:
        """Stay cold until the screen is needed, and paint it then from what this finds."""
        self._find_checkpoint = find_checkpoint

    def _from_log(self, begin: int) -> Checkpoint:
        """What is known of the screen where the log begins: its size."""
        sizes = self.index.places.sizes
        known = [size for size in sizes if size.offset <= begin] or list(sizes[:1])
        return Checkpoint(begin, known[-1].columns, known[-1].rows)

    def _warm(self) -> _View:
        if self._view is not None:
            return self._view
        shown = min(self.log.mark(_SHOWN), self._events.offset)
        begin = max(self.log.begin, self._begin)
        # Where the log still has all that was shown, nothing is as good as that.
        found = self._find_checkpoint(begin, shown) if begin > self._begin else None
        start = found or self._from_log(begin)
        view = self._use(self._replayed(start, shown))
        data = self.log.read(shown, self._events.offset).data
        ground = min(self.log.mark(_GROUND), shown)
        scan = EventStream(ground)
        missed = scan.feed(self.log.read(ground, self._events.offset).data)
        self._show(view, shown, data, [event for event in missed if event.end > shown])
        self.log.note(_KILLED, 0)
        return view

    def _replayed(self, start: Checkpoint, shown: int) -> ScreenEngine:
        """Return a screen as it was when it had output up to `shown`; what it answers was answered then."""
        screen = self._open_screen(start.columns, start.rows)
        self.log.note(_SHOWING, max(shown, 1))
        screen.feed(start.paint)
        at = start.offset
        for size in self.index.places.sizes:
            if start.offset < size.offset <= shown:
                at = self._replay(screen, at, size.offset)
                screen.resize(size.columns, size.rows)
        self._replay(screen, at, shown)
        sizes = self.index.places.sizes
        if sizes:
            screen.resize(sizes[-1].columns, sizes[-1].rows)
        self.log.note(_SHOWING, 0)
        return screen

    def _replay(self, screen: ScreenEngine, begin: int, end: int) -> int:
        for at in range(begin, end, REPLAY_BYTES):
            screen.feed(self.log.read(at, min(at + REPLAY_BYTES, end)).data)
        return max(begin, end)
