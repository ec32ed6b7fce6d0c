"""The turns of one pane: each change of what its program does, with how the pane stood after it.

A wait that begins later is answered from here as if it had begun at its `since`. A run of turns that all leave the
pane working is one entry that keeps its newest revision. The last `TURNS` are kept; `forgotten` tells up to which
revision turns have gone, so that a `since` before it is known to be too old.
Deliberately absent: what is no turn, such as a title, a size, or an acknowledgement by a person.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from session_core.model.changes import Cause
from session_core.model.status import Observed, RecordView

TURNS = 64

ACTIVE = frozenset((Observed.WORKING, Observed.BLOCKED))
RESTING = frozenset((Observed.IDLE, Observed.DONE, Observed.ERROR))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, at `revision` and `at` (epoch seconds); `before` and `state` are what a wait sees.

    `record` is the one that speaks for the pane; it began to speak, or to say this, at `led_at`. `unfinished` says
    that a program that had declared to be working or blocked is gone without a final report.
    """

    revision: int
    at: float
    before: Observed
    state: Observed
    cause: Cause
    record: RecordView | None = None
    led_at: int
    unfinished: bool = False

    def asks(self, since: int) -> bool:
        """Whether it shows a question that was not the one at `since`: others may go on beside an open question."""
        return self.state is Observed.BLOCKED and self.led_at > since

    def ends_at_rest(self, since: int) -> bool:
        """Whether the program came to rest by this turn, rather than being at rest since before `since`."""
        if self.state not in RESTING:
            return False
        if self.before in ACTIVE or self.cause is Cause.PROMPT:
            return True
        if self.state is Observed.IDLE:
            # From `done` to `idle` is no turn: some programs say so as soon as the next prompt is typed.
            return self.before is Observed.UNKNOWN
        return self.record is not None and self.record.revision > since

    @property
    def lost_program(self) -> bool:
        """Whether the program that declared its state is gone, and nobody else says anything."""
        return self.cause is Cause.PROGRAM_END and self.state is Observed.UNKNOWN


class Turns:
    """The newest turns of one pane, oldest first; `added` counts all but those that went on with the one before."""

    __slots__ = ("_kept", "added", "forgotten")

    def __init__(self) -> None:
        self._kept: deque[Turn] = deque()
        self.added = 0
        self.forgotten = 0

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._kept)

    def __reversed__(self) -> Iterator[Turn]:
        return reversed(self._kept)

    @property
    def newest(self) -> Turn | None:
        """The last turn."""
        return self._kept[-1] if self._kept else None

    def add(self, turn: Turn) -> None:
        """Take the next turn."""
        last = self.newest
        if last and turn.state is last.state is Observed.WORKING:
            self._kept[-1] = replace(turn, before=last.before, unfinished=last.unfinished or turn.unfinished)
            return
        if last and last.unfinished and last.state is Observed.WORKING and turn.cause is Cause.PROMPT:
            # The end of the program was seen before the prompt of its shell.
            turn = replace(turn, unfinished=True)
        self._kept.append(turn)
        self.added += 1
        if len(self._kept) > TURNS:
            self.forgotten = self._kept.popleft().revision

    def restore(self, turns: Iterable[Turn], added: int, forgotten: int) -> None:
        """Go on after these turns."""
        self._kept.extend(turns)
        self.added, self.forgotten = added, forgotten

    def after(self, since: int) -> Iterator[Turn]:
        """Yield the turns whose revision is newer than `since`, oldest first."""
        return (turn for turn in self._kept if turn.revision > since)
