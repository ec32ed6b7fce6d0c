"""The commands that a pane's shell was given: the newest `KEPT_COMMANDS`, with where their output stands.

A command begins with mark C and ends with D. At most one is open, and it is the newest: a second C, a prompt
without D, or the end of the pane's process closes it with an unknown exit code; a D without C is nothing.
Line and folder are claims of the shell, harmless and cut. Deliberately absent: the output itself.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from session_core.protocol.shell_marks import Mark, ShellMark, command_line

KEPT_COMMANDS = 64
"""Commands kept for each pane; the oldest goes, and numbers show how many there were."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `number` counts from 1 in its pane.

    Its own output stands at `begin` to `end`, absolute offsets in the pane's output. `line` and `folder` are None
    where unknown; `end`, `exit_code` and `finished_at` while it runs, `exit_code` also where nobody told it.
    `revision` is the pane's newest at its begin, and at its end once it has ended. Times are epoch seconds.
    """

    number: int
    line: str | None
    folder: str | None
    exit_code: int | None
    begin: int
    end: int | None
    started_at: float
    finished_at: float | None
    revision: int


class Commands:
    """The commands of one pane, oldest first; `total` counts all of them."""

    __slots__ = ("_kept", "total")

    def __init__(self) -> None:
        self._kept: deque[Command] = deque(maxlen=KEPT_COMMANDS)
        self.total = 0

    def __iter__(self) -> Iterator[Command]:
        return iter(self._kept)

    def __reversed__(self) -> Iterator[Command]:
        return reversed(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def newest(self) -> Command | None:
        """The newest command, which may be running."""
        return self._kept[-1] if self._kept else None

    def restore(self, commands: Iterable[Command], total: int) -> None:
        """Go on after these commands."""
        self._kept.extend(commands)
        self.total = total

    def take(self, mark: ShellMark, begin: int, end: int, folder: str | None, now: float, revision: int) -> None:
        """Apply a mark of the shell that stands at output bytes `begin` to `end`."""
        match mark.mark:
            case Mark.OUTPUT:
                self.close(begin, now, revision)
                self.total += 1
                line = command_line(mark)
                self._kept.append(Command(self.total, line, folder, None, end, None, now, None, revision))
            case Mark.FINISHED:
                self.close(begin, now, revision, mark.exit_code)
            case Mark.PROMPT:
                self.close(begin, now, revision)

    def close(self, end: int, now: float, revision: int, exit_code: int | None = None) -> None:
        """End the command that is open, if there is one; its output ends at `end`."""
        newest = self.newest
        if newest is not None and newest.end is None:
            self._kept[-1] = replace(newest, end=end, exit_code=exit_code, finished_at=now, revision=revision)
