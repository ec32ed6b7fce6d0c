"""What a reader sees of a pane: the value types that travel to the wire unchanged. Times are epoch seconds.

Every text of a program in here is already harmless and cut (`protocol.text.disarm`); absent means None.
"""

from dataclasses import dataclass
from enum import StrEnum

from session_core.model.commands import Command
from session_core.model.draft import DraftView
from session_core.model.last_key import KeyKind
from session_core.protocol.program_status import Kind, State


class Life(StrEnum):
    """Where a pane's own process stands. LOST: nobody saw how it ended, for the machine or the keeper went down."""

    STARTING = "starting"
    RUNNING = "running"
    EXITED = "exited"
    LOST = "lost"

    @property
    def over(self) -> bool:
        """Whether the process is no more."""
        return self in (Life.EXITED, Life.LOST)


class Signal(StrEnum):
    """How much a wait on this pane can know."""

    DECLARED = "declared"
    PROMPT = "prompt"
    NONE = "none"


class Shell(StrEnum):
    """What prompt marks say: at the prompt, or a command is running."""

    PROMPT = "prompt"
    COMMAND = "command"


class Observed(StrEnum):
    """The pane's state in one word; UNKNOWN where nobody declared anything and no prompt marks came."""

    IDLE = "idle"
    WORKING = "working"
    DONE = "done"
    BLOCKED = "blocked"
    ERROR = "error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How the pane's process ended: an exit code, or the name of the signal that ended it.

    Neither where nobody knows: the process outlived whoever could learn it.
    """

    code: int | None = None
    signal: str | None = None


@dataclass(frozen=True, slots=True)
class Occupant:
    """The foreground process group's leader. `started` is in seconds since the epoch."""

    pid: int
    started: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """One record as shown; `app` is that of the nearest ancestor; it has looked like this since `at`."""

    id: str
    state: State
    app: str | None
    kind: Kind | None
    progress: int | None
    title: str | None
    msg: str | None
    revision: int
    at: float


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Who ended which finished records, and when (seconds since the epoch)."""

    by: str
    at: float
    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """The newest message that a program sent for the person at the terminal (OSC 9, 777, 99)."""

    title: str
    body: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneStatus:
    """All that is known of one pane.

    `state` rolls up every record, or where there are none, the prompt marks; `root` is the root record's own
    state. `revision` is the pane's newest; it has stood like this since `state_at`.
    `acknowledged` are the newest of the ledger; `draft` is what a person has typed and not submitted, and
    `keystroke_at` and `output_at` tell the last key of a person and the last output, `keystroke` that key's kind.
    `progress_bar` is what OSC 9;4 shows in percent, and never part of the state. `held_by_others` says that
    the pane's process is gone while another one still holds its terminal. `last_command` is the newest that the
    shell was given; `forged_marks` counts prompt marks that somebody else sent in the shell's name. `tags` are words
    that a client gave the pane. `not_durable`: not everything is on the disk, for it is full or refuses, and would be
    lost with the host. `generation` counts the programs that the pane was opened with, one after the other.
    `engine_failed`: what the program has printed ended the native screen engine, and the portable one shows the pane.
    """

    pane: str
    name: str | None
    command: tuple[str, ...]
    life: Life
    exit: ExitStatus | None
    state: Observed
    signal: Signal
    root: State | None
    records: tuple[RecordView, ...]
    shell: Shell | None
    last_exit_code: int | None
    title: str | None
    folder: str | None
    progress_bar: int | None
    notice: Notice | None
    occupant: Occupant | None
    columns: int
    rows: int
    revision: int
    state_at: float
    changes: int
    rejected_reports: int
    acknowledged: tuple[Acknowledgement, ...]
    draft: DraftView | None
    keystroke_at: float | None
    keystroke: KeyKind | None = None
    output_at: float | None
    held_by_others: bool
    forged_marks: int
    last_command: Command | None
    tags: tuple[str, ...] = ()
    not_durable: bool = False
    generation: int = 1
    engine_failed: bool = False

    @property
    def lead(self) -> RecordView | None:
        """The record that speaks for the pane: of those in its state, the newest."""
        leading = (record for record in self.records if record.state.value == self.state.value)
        return max(leading, key=lambda record: record.revision, default=None)
