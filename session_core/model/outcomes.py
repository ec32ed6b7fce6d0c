"""What a wait is for and how it ended: the value types that travel to the wire unchanged."""

from dataclasses import dataclass
from enum import StrEnum

from session_core.model.changes import Cause
from session_core.model.last_key import KeyKind
from session_core.model.status import ExitStatus, Observed, RecordView
from session_core.model.text_watch import TextMatch
from session_core.model.tickets import Started

QUIET_S = 2.0
"""How long a pane that declares nothing must have been silent."""
START_GRACE_S = 10.0
"""How long after a write its program has to show any reaction."""


class Until(StrEnum):
    """What a wait is for. A pane that is blocked also ends SETTLED; one that has exited ends every wait."""

    SETTLED = "settled"
    BLOCKED = "blocked"
    EXITED = "exited"
    CHANGE = "change"
    TEXT = "text"
    QUIET = "quiet"


class Mode(StrEnum):
    """Whether one pane is enough."""

    ANY = "any"
    ALL = "all"


class Outcome(StrEnum):
    """How a wait ended, for the whole wait and for each of its panes.

    QUIET is a guess from silence. NOT_STARTED: no reaction to the write within the grace. OCCUPANT_CHANGED: the
    program that declared its state is gone, and nobody else declares one. LOST: the program is gone, and nobody saw
    how it ended. CHECKIN: time is up, nothing is lost.
    """

    SETTLED = "settled"
    BLOCKED = "blocked"
    EXITED = "exited"
    LOST = "lost"
    CHANGED = "changed"
    TEXT = "text"
    QUIET = "quiet"
    NOT_STARTED = "not_started"
    OCCUPANT_CHANGED = "occupant_changed"
    CLOSED = "closed"
    CHECKIN = "checkin"
    NOT_DELIVERED = "not_delivered"
    RESYNC = "resync"


@dataclass(frozen=True, slots=True)
class SinceWrite:
    """The write that a wait follows: to which pane, whether its program was at work already or had shown nothing yet,
    and when (on the clock of the wait) it was written."""

    pane: str
    queued: bool
    early: bool
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitSpec:
    """What to wait for; `since` is a revision of an earlier answer, `write` the injected write that it belongs to.

    `stood` is the revision at which a wait began that goes on: what has happened after it counts.
    """

    panes: tuple[str, ...]
    until: Until = Until.SETTLED
    mode: Mode = Mode.ANY
    since: int | None = None
    write: SinceWrite | None = None
    quiet_s: float = QUIET_S
    start_grace_s: float = START_GRACE_S
    stood: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneOutcome:
    """How one pane stood when the wait ended; CHECKIN where it had no news.

    `state`, `cause`, `revision` and `record` are those of the turn that ended the wait, or of the last one; `now` is
    the present state where it is another. `went` are the states that it went through since, the newest last.
    `unfinished`: a program that had declared to be at work is gone without a final report. `quiet_s` is for how
    long nothing was printed, and `job` names the command that runs in the foreground of a shell that declares nothing.
    `key_at`, `key` and `output_at` tell the last key of a person, of which kind, and the last output (epoch seconds).
    """

    pane: str
    outcome: Outcome
    state: Observed
    cause: Cause | None
    revision: int
    record: RecordView | None = None
    exit: ExitStatus | None = None
    now: Observed | None = None
    went: tuple[Observed, ...] = ()
    unfinished: bool = False
    quiet_s: float | None = None
    job: str | None = None
    match: TextMatch | None = None
    key_at: float | None = None
    key: KeyKind | None = None
    output_at: float | None = None


@dataclass(frozen=True, slots=True)
class WaitResult:
    """The end of a wait. `revision` is the `since` of the next call; `waited_s` is in seconds.

    `started` belongs to a wait since a ticket: whether the program began to act on that write.
    """

    outcome: Outcome
    panes: tuple[PaneOutcome, ...]
    revision: int
    waited_s: float
    started: Started = None
