"""Where in a pane's output things happened: changes by their revision, turns, and what was on the alternate screen.

Offsets are absolute output bytes. The last `ENTRIES` changes, `SPANS` turns, `SCREENS` alternate screens and `SIZES`
sizes are known.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ENTRIES = 256
SPANS = 16
SCREENS = 64


SIZES = 64


@dataclass(frozen=True, slots=True)
class SizeChange:
    """From `offset` on the output is for a terminal of this size."""

    offset: int
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Span:
    """Output from `begin` to `end`, which is None while it goes on."""

    begin: int
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """What an index knows beside the offsets of changes."""

    turns: tuple[Span, ...] = ()
    screens: tuple[Span, ...] = ()
    sizes: tuple[SizeChange, ...] = ()


class OutputIndex:
    """The index of one pane; `note` is called with each change, `switch` with each switch of the screen, in order."""

    __slots__ = ("_changes", "_places", "_screens", "_sizes", "_spans")

    def __init__(self) -> None:
        self._changes: deque[tuple[int, int]] = deque(maxlen=ENTRIES)
        self._spans: deque[Span] = deque(maxlen=SPANS)
        self._screens: deque[Span] = deque(maxlen=SCREENS)
        self._sizes: deque[SizeChange] = deque(maxlen=SIZES)
        self._places: Places | None = Places()

    def note(self, revision: int, begin: int, end: int, *, active: bool) -> None:
        """The change of `revision` came with the output bytes `begin` to `end`; `active`: the pane is at work now."""
        self._changes.append((revision, end))
        going_on = self._spans and self._spans[-1].end is None
        if active and not going_on:
            self._spans.append(Span(end))
        elif going_on and not active:
            self._spans[-1] = Span(self._spans[-1].begin, begin)
        else:
            return
        self._places = None

    def switch(self, begin: int, end: int, *, alternate: bool) -> None:
        """The output bytes `begin` to `end` switched to the alternate screen, or back."""
        shown = bool(self._screens) and self._screens[-1].end is None
        if alternate and not shown:
            self._screens.append(Span(end))
        elif shown and not alternate:
            self._screens[-1] = Span(self._screens[-1].begin, begin)
        else:
            return
        self._places = None

    def resized(self, offset: int, columns: int, rows: int) -> None:
        """Output from `offset` on is for another size."""
        self._sizes.append(SizeChange(offset, columns, rows))
        self._places = None

    @property
    def places(self) -> Places:
        """What is known beside the offsets of changes; the same object until that changes."""
        if self._places is None:
            self._places = Places(tuple(self._spans), tuple(self._screens), tuple(self._sizes))
        return self._places

    def __reversed__(self) -> Iterator[tuple[int, int]]:
        """Yield revision and offset of each known change, the newest first."""
        return reversed(self._changes)

    def restore(self, changes: Iterable[tuple[int, int]], places: Places) -> None:
        """Know what another index knew: revision and offset of changes, oldest first, and its places."""
        self._changes.extend(changes)
        self._spans.extend(places.turns)
        self._screens.extend(places.screens)
        self._sizes.extend(places.sizes)
        self._places = places

    def alternate_at(self, offset: int) -> Span | None:
        """Return the alternate screen to which output at `offset` belongs, None for the main screen."""
        for span in reversed(self._screens):
            if span.begin <= offset:
                return span if span.end is None or offset < span.end else None
        return None

    def since(self, revision: int) -> int:
        """Return the offset from which output may be newer than `revision`; 0 where that is no longer known."""
        return next((offset for known, offset in reversed(self._changes) if known <= revision), 0)

    @property
    def turn(self) -> Span | None:
        """The last turn, which may be going on."""
        return self._spans[-1] if self._spans else None
