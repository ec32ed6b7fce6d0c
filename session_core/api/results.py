"""Results and notices of the core API that are no value types of the model itself. Sent unchanged."""

from dataclasses import dataclass

from session_core.api.requests import What
from session_core.model.changes import Change
from session_core.model.commands import Command
from session_core.model.outcomes import Outcome, WaitResult
from session_core.model.status import ExitStatus, PaneStatus
from session_core.model.tickets import Started, Ticket


@dataclass(frozen=True, slots=True)
class Greeting:
    """The host's side of `hello`. `epoch` names its revision counter: a new one means to read anew."""

    protocol: int
    version: str
    capabilities: tuple[str, ...]
    epoch: str
    revision: int
    pid: int


@dataclass(frozen=True, slots=True)
class PaneList:
    """Every pane, oldest first, at one revision."""

    panes: tuple[PaneStatus, ...]
    revision: int
    epoch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneText:
    """What a pane shows or has shown, harmless where it is plain text.

    `left_out_lines` came before `text` and did not fit, nor did `left_out_bytes` of its first line; `missed_bytes` were
    asked for and are no longer kept. `end` is the output offset up to which it was read: the `offset` of the next read,
    and the texts of reads that go on like that (SINCE) are put together as they are. `found` counts the lines with the
    pattern. `updating`: the program is amid a synchronized update, and the screen is that before it.
    `skipped_bytes` came too fast for the portable engine while nobody read: the screen lacks what they drew.
    """

    pane: str
    what: What
    text: str
    columns: int
    rows: int
    cursor_column: int
    cursor_row: int
    alternate: bool
    title: str | None
    left_out_lines: int
    missed_bytes: int
    end: int
    revision: int
    left_out_bytes: int = 0
    updating: bool = False
    found: int | None = None
    command: Command | None = None
    skipped_bytes: int = 0


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An injected write that was given to a terminal, at `at` (epoch seconds).

    `text` is what was written, harmless and cut; None for a secret one.
    """

    ticket: str
    at: float
    pane: str
    author: str
    bytes: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Audit:
    """Injected writes, oldest first."""

    entries: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True)
class WriteReceipt:
    """What became of an injected write: its ticket, whether the program began to act, and the wait's end.

    The ticket's id or `revision` is the `since` of a wait for what the write leads to.
    """

    ticket: Ticket
    started: Started
    wait: WaitResult | None = None


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that was run, and its own output as the newest lines of plain text.

    `outcome`: SETTLED when it has ended, EXITED when the shell has ended with it; CHECKIN while it still runs, which it
    goes on doing; NOT_DELIVERED when the shell did not come to its prompt in time, and NOT_STARTED when it showed no
    reaction: then nothing was run.
    `exit_code` is None where the shell did not tell it. `left_out_lines` and `left_out_bytes` came before `output`.
    """

    pane: str
    outcome: Outcome
    ticket: str | None
    exit_code: int | None
    output: str
    left_out_lines: int
    left_out_bytes: int
    folder: str | None
    exit: ExitStatus | None
    waited_s: float
    revision: int


@dataclass(frozen=True, slots=True)
class HeldWrites:
    """The writes that are held for a pane, the next one first."""

    tickets: tuple[Ticket, ...]


@dataclass(frozen=True, slots=True)
class Attached:
    """A viewer of a pane. `data` paints the present screen of this size, in base64."""

    viewer: int
    pane: str
    columns: int
    rows: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerOutput:
    """Output for a viewer's terminal, in base64."""

    viewer: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerScreen:
    """The screen anew: after another size, or for a viewer that was too slow. `data` paints it, in base64."""

    viewer: int
    columns: int
    rows: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerEnded:
    """The pane's program has exited, or the pane was closed; nothing more comes."""

    viewer: int
    exit: ExitStatus | None


@dataclass(frozen=True, slots=True)
class KeystrokeReceipt:
    """Which finished records the keystrokes acknowledged."""

    pane: str
    acknowledged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """How a closed pane's process ended."""

    pane: str
    exit: ExitStatus | None


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes that a subscriber had not seen, in order."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Changes up to `revision` were left out: a subscriber was too slow or away for too long. Read the status anew.

    With `resync` the host has come back without its memory: its revisions count anew, and older ones mean nothing.
    """

    revision: int
    resync: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """The wait of call `id` is open, and stands there: `stood` of a repeat."""

    id: int
    epoch: str
    revision: int
    offsets: dict[str, int]


@dataclass(frozen=True, slots=True)
class Stopping:
    """The host ends in order and ends its panes; nobody need look for it again."""


@dataclass(frozen=True, slots=True)
class OutputNews:
    """Panes that wrote something since they were named last; their screens may look different."""

    panes: tuple[str, ...]
