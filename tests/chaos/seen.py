"""What everybody saw during a run: the input of the checks afterwards."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from session_core import Change, ExitStatus, WaitResult

from .streamer import first_turn, piece, turn


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane of the run, what it runs, and how that ends."""

    pane: str
    pid: int
    name: str
    mode: str
    file: Path
    ends: ExitStatus

    def kept(self, kind: str) -> list[list[str]]:
        """Return what the program has kept of one kind, in words."""
        lines = (line.split(" ") for line in self.file.read_text().splitlines())
        return [words[1:] for words in lines if words[0] == kind]

    @property
    def lines(self) -> list[bytes]:
        """The lines that the program has read."""
        return [bytes.fromhex(line) for (line,) in self.kept("line")]

    @property
    def pieces(self) -> int:
        """How many pieces the program has printed."""
        ((count,),) = self.kept("end")
        return int(count)

    @property
    def printed(self) -> bytes:
        """All that the program has printed."""
        if self.mode == "stream":
            return b"".join(piece(self.name, number) for number in range(self.pieces))
        return first_turn() + b"".join(turn(line) for line in self.lines)


@dataclass(slots=True)
class Write:
    """One thing that was typed into a pane, `text` and Enter, and what its caller was told.

    `status` is the last that was told of its ticket; a keystroke has none, and `told` says whether it was answered.
    """

    pane: str
    author: str
    text: str
    key: str
    ticket: str | None = None
    status: str | None = None
    refused: str | None = None
    told: bool = False


@dataclass(slots=True)
class Waited:
    """One wait that was answered: since when, what for, and by what."""

    pane: str
    since: int
    result: WaitResult


@dataclass(slots=True)
class Seen:
    """Everything. `run` begins every key of this run; `faults` are what was seen to be wrong."""

    run: str
    panes: dict[str, Pane] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    writes: list[Write] = field(default_factory=list)
    acknowledged: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    waited: list[Waited] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    subscribed: bool = False
    unseen_ends: bool = False
    faults: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def is_end(self, found: ExitStatus | None, expected: ExitStatus) -> bool:
        """Whether a program's end was told rightly; `unseen_ends`: nobody may have seen it, which is then said."""
        return found == expected or (self.unseen_ends and found == ExitStatus())

    def fault(self, text: str) -> None:
        """Note what is wrong."""
        self.faults.append(text)
