"""One pane as the core knows it: life, records, prompt marks, occupant, and the changes of each.

`take` applies one event of the program's output, in stream order; the other methods apply what the host
observed. Each returns the changes it made, newest last. `standing` is what a wait looks at.
A prompt mark on the alternate screen is ignored: it is not the shell's (OSC 7501 section 4). The host clears
`alternate` where the program that switched to it is gone.
It is long because one event may touch every part, and the turn that it makes is judged over all of them.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from session_core.model.changes import Cause, Change, ChangeLog, Revisions, Subject
from session_core.model.commands import Commands
from session_core.model.draft import Draft
from session_core.model.labels import Labels
from session_core.model.last_key import KeyKind, last_key
from session_core.model.mark_check import MarkCheck, MarkStanding
from session_core.model.pane_status import pane_status
from session_core.model.records import ROOT, Record, RecordStore
from session_core.model.rollup import leading
from session_core.model.status import (
    Acknowledgement,
    ExitStatus,
    Life,
    Observed,
    Occupant,
    PaneStatus,
    RecordView,
    Shell,
    Signal,
)
from session_core.model.turns import RESTING, Turn, Turns
from session_core.protocol.events import Meaning
from session_core.protocol.host_events import Folder, Notification, Progress, Title
from session_core.protocol.program_status import Clear, Query, Report
from session_core.protocol.scanner import AlternateScreen, FullReset
from session_core.protocol.shell_marks import Mark, ShellMark, shell_folder

LEDGER_ENTRIES = 64

_NEXT_LIFE = {
    Life.STARTING: {Life.RUNNING, Life.EXITED, Life.LOST},
    Life.RUNNING: {Life.EXITED, Life.LOST},
    Life.EXITED: {Life.STARTING},
    Life.LOST: {Life.STARTING},
}
_TURN_CAUSES = frozenset(
    (Cause.REPORT, Cause.CLEAR, Cause.PROMPT, Cause.COMMAND, Cause.PROGRAM_END, Cause.EXIT, Cause.RESET)
)
_ACTIVE = frozenset(("working", "blocked", "done", "error", Shell.COMMAND.value))
_TURN_SUBJECTS = frozenset((Subject.RECORD, Subject.SHELL, Subject.LIFE))
_WITHOUT_REPORT = frozenset((Cause.PROMPT, Cause.PROGRAM_END, Cause.EXIT))


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneSpec:
    """What a pane was opened with; `key` is the caller's idempotency key."""

    pane: str
    name: str | None
    command: tuple[str, ...]
    columns: int
    rows: int
    folder: str = "/"
    shell_integration: bool = True
    key: str | None = None


Footing = tuple[Life, int, Observed, Signal, str | None, bool]
"""What the answer of a wait depends on: while it is the same, only a newer revision or time can end one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a pane stands for a wait: its life, its state, and the newest change that belongs to a turn.

    A change that a person's acknowledgement made belongs to no turn.
    """

    life: Life
    state: Observed
    turn_revision: int
    cause: Cause | None


class PaneModel:
    """The pure state of one pane. Its program is the `generation`-th, whose output begins at offset `begin`.

    `heard_at` is when the pane was opened or last printed, on the clock of waits (`output_at` is in epoch seconds).
    `updating`: a synchronized update has begun and is not whole yet. `job` names the command that runs in the
    foreground of a shell, as far as somebody has looked, and `job_seen` is the pane's revision when that was first
    seen; `key` is the kind of the last key of a person.
    """

    def __init__(
        self, spec: PaneSpec, revisions: Revisions, now: float, nonce: str | None = None, *, opened: bool = True
    ) -> None:
        self.spec = spec
        self.generation = 1
        self.begin = 0
        self.commands = Commands()
        self.marks = MarkCheck(nonce)
        self._span = (0, 0)
        self.log = ChangeLog(spec.pane, revisions)
        self.records = RecordStore(self.log)
        self.labels = Labels(self.log, spec.name)
        self.life = Life.STARTING
        self.exit: ExitStatus | None = None
        self.shell: Shell | None = None
        self.last_exit_code: int | None = None
        self.occupant: Occupant | None = None
        self.draft = Draft()
        self.output_at: float | None = None
        self.active_revision = 0
        self.ledger: deque[Acknowledgement] = deque(maxlen=LEDGER_ENTRIES)
        self.alternate = False
        self.columns, self.rows = spec.columns, spec.rows
        self.held_by_others = False
        self._declarers: set[int | None] = set()
        self._leads_of: tuple[int, bool] = (-1, False)
        self._found: tuple[Record | None, Record | None] = (None, None)
        self.turns = Turns()
        self.heard_at = 0.0
        self.updating = False
        self.job: str | None = None
        self.job_seen = 0
        self.key: KeyKind | None = None
        self._job_group: int | None = None
        self._seen = Observed.UNKNOWN
        self._led_by: tuple[str, int] | None = None
        self._led_at = 0
        self.state_at = now
        if opened:
            self.log.add(Subject.LIFE, Cause.OPEN, now, after=self.life.value)

    # ---- what the host observed

    def live(self, life: Life, now: float, exit_status: ExitStatus | None = None) -> list[Change]:
        """Move to the next life; the end of the process also ends its unfinished records.

        Raises ValueError on a step that no process can take.
        """
        if life not in _NEXT_LIFE[self.life]:
            raise ValueError(f"a pane cannot go from {self.life} to {life}")
        before, self.life = self.life, life
        cause = Cause.EXIT if life.over else Cause.OPEN
        changes = self.records.end(Cause.EXIT, now) if life.over else []
        if life.over:
            self.exit, self.shell = exit_status, None
            self._declarers.clear()
        changes.append(self.log.add(Subject.LIFE, cause, now, before=before.value, after=life.value))
        return self._noted(changes)

    def reopened(self, offset: int, nonce: str | None) -> None:
        """The pane, which is over, gets another program, whose output begins at `offset`."""
        self.generation += 1
        self.begin = offset
        self.marks = MarkCheck(nonce)
        self.exit = self.last_exit_code = self.job = self._job_group = None
        self.alternate = self.held_by_others = False
        self.output_at = None
        self.draft = Draft()

    def program_ended(self, group: int, now: float) -> list[Change]:
        """A reporting process group is gone: what it left unfinished goes with it."""
        signal = self.signal
        changes = self.records.end(Cause.PROGRAM_END, now, group)
        self._declarers.discard(group)
        if self._job_group == group:
            self.job, self._job_group = None, None
            changes.append(self.log.add(Subject.OCCUPANT, Cause.PROGRAM_END, now))
        return self._noted(changes + self._signal_change(signal, Cause.PROGRAM_END, now))

    def job_runs(self, group: int, name: str) -> None:
        """The shell of this pane has a command in the foreground; `program_ended` or `job_stopped` tells its end."""
        if group != self._job_group:
            self.job_seen = self.log.revision
        self.job, self._job_group = name, group

    def job_stopped(self, now: float) -> list[Change]:
        """The shell of this pane is in the foreground again, though its command has not ended."""
        if self.job is None:
            return []
        self.job, self._job_group = None, None
        return [self.log.add(Subject.OCCUPANT, Cause.OUTPUT, now)]

    def typed(self, data: bytes, by: str, now: float, *, paste: bool) -> list[Change]:
        """A person typed or pasted: what had finished has been seen, and the draft is another."""
        had = self.draft.view is not None
        self.key = KeyKind.PASTE if paste else last_key(data)
        if paste:
            self.draft.pasted(data, now)
        else:
            self.draft.typed(data, now)
        changes = self.acknowledge(by, now)
        has = self.draft.view is not None
        if has is not had:
            after = "typed" if has else None
            changes.append(self.log.add(Subject.DRAFT, Cause.KEYSTROKE, now, after=after))
        return changes

    def acknowledge(self, by: str, now: float) -> list[Change]:
        """A person typed in the pane, or said so: `done` and `error` have been seen."""
        changes = self.records.acknowledge(now)
        if changes:
            seen = tuple(change.record or ROOT for change in changes)
            self.ledger.append(Acknowledgement(by, now, seen))
        return self._noted(changes)

    def resized(self, columns: int, rows: int, now: float) -> list[Change]:
        """The pane has a new size."""
        if (columns, rows) == (self.columns, self.rows):
            return []
        self.columns, self.rows = columns, rows
        return [self.log.add(Subject.SIZE, Cause.REQUEST, now)]

    def occupied(self, occupant: Occupant | None, now: float) -> list[Change]:
        """The foreground program was looked up."""
        if occupant == self.occupant:
            return []
        self.occupant = occupant
        return [self.log.add(Subject.OCCUPANT, Cause.OUTPUT, now)]

    # ---- what the program said

    def take(self, meaning: Meaning, group: int | None, now: float, *, begin: int = 0, end: int = 0) -> list[Change]:
        """Apply one event; `group` is the foreground process group, None where unknown.

        `begin` and `end` are the offsets of its sequence in the pane's output.
        After the pane's process has ended nothing is applied: what still comes is left over from others.
        """
        apply = _APPLY.get(type(meaning))
        if apply is None or self.life.over:
            return []
        self._span = (begin, end)
        signal, state, since = self.signal, self.state, self.state_at
        changes, cause = apply(self, meaning, group, now)
        changes = self._noted(changes + self._signal_change(signal, cause, now))
        return changes + self._draft_change(state, since, now)

    def _draft_change(self, before: Observed, since: float, now: float) -> list[Change]:
        """A program that begins a turn, or goes on after a question, has read the keys as its submit or answer."""
        if before is Observed.BLOCKED:
            ended = self.state is not before and self.draft.end(since)
        else:
            ended = before in RESTING and self.state is Observed.WORKING and self.draft.end()
        return [self.log.add(Subject.DRAFT, Cause.REPORT, now, before="typed")] if ended else []

    def _take_report(self, report: Report, group: int | None, now: float) -> tuple[list[Change], Cause]:
        self._declarers.add(group)
        return self.records.apply(report, group, now), Cause.REPORT

    def _take_clear(self, clear: Clear, group: int | None, now: float) -> tuple[list[Change], Cause]:
        self._declarers.add(group)
        return self.records.clear(clear.id, now), Cause.CLEAR

    def _take_query(self, _: Query, group: int | None, __: float) -> tuple[list[Change], Cause]:
        self._declarers.add(group)
        return [], Cause.QUERY

    def _take_reset(self, _: FullReset, __: int | None, now: float) -> tuple[list[Change], Cause]:
        self.alternate = False
        return self.records.end(Cause.RESET, now), Cause.RESET

    def _take_screen(self, switch: AlternateScreen, _: int | None, __: float) -> tuple[list[Change], Cause]:
        self.alternate = switch.active
        return [], Cause.OUTPUT

    def _take_mark(self, mark: ShellMark, _: int | None, now: float) -> tuple[list[Change], Cause]:
        standing = self.marks.judge(mark)
        # A mark of the pane's own shell counts on any screen: a killed program has left the alternate one behind.
        if standing is MarkStanding.FORGED or not mark.primary or (self.alternate and standing is MarkStanding.PLAIN):
            return [], Cause.OUTPUT
        folder = shell_folder(mark) if standing is MarkStanding.AUTHENTIC else None
        moved = self.labels.moved(folder, now) if folder else []
        changes, cause = self._step(mark, now)
        self.commands.take(mark, *self._span, self.labels.folder, now, self.log.revision)
        return moved + changes, cause

    def _step(self, mark: ShellMark, now: float) -> tuple[list[Change], Cause]:
        match mark.mark:
            case Mark.PROMPT:
                self._declarers.clear()
                return self.records.end(Cause.PROMPT, now) + self._shell(Shell.PROMPT, now), Cause.PROMPT
            case Mark.OUTPUT:
                return self._shell(Shell.COMMAND, now), Cause.COMMAND
            case Mark.FINISHED:
                self.last_exit_code = mark.exit_code
                shell = self.shell.value if self.shell else None
                return [self.log.add(Subject.SHELL, Cause.OUTPUT, now, before=shell, after=shell)], Cause.OUTPUT
        return [], Cause.OUTPUT

    def _shell(self, phase: Shell, now: float) -> list[Change]:
        before, self.shell = self.shell, phase
        if phase is Shell.COMMAND and before is phase:
            return []
        cause = Cause.PROMPT if phase is Shell.PROMPT else Cause.COMMAND
        before_word = before.value if before else None
        return [self.log.add(Subject.SHELL, cause, now, before=before_word, after=phase.value)]

    def _take_label(
        self, event: Title | Folder | Notification | Progress, _: int | None, now: float
    ) -> tuple[list[Change], Cause]:
        return self.labels.take(event, now), Cause.OUTPUT

    def _signal_change(self, before: Signal, cause: Cause, now: float) -> list[Change]:
        after = self.signal
        if after is before:
            return []
        return [self.log.add(Subject.SIGNAL, cause, now, before=before.value, after=after.value)]

    def _noted(self, changes: list[Change]) -> list[Change]:
        if not changes:
            return changes
        turn: Change | None = None
        unfinished = False
        for change in changes:
            if change.subject in _TURN_SUBJECTS:
                self.state_at = change.at
            elif change.subject is not Subject.SIGNAL or change.cause is not Cause.PROGRAM_END:
                continue
            if change.cause in _TURN_CAUSES:
                turn = change
            if change.after in _ACTIVE and change.cause in (Cause.REPORT, Cause.COMMAND):
                self.active_revision = change.revision
            left = change.subject is Subject.RECORD and change.before in ("working", "blocked")
            unfinished = unfinished or (left and change.cause in _WITHOUT_REPORT)
        before, self._seen = self._seen, self._waited_state()
        lead = self._speaker()
        led_by = (lead.report.id, lead.revision) if lead else None
        if (led_by, before) != (self._led_by, self._seen):
            self._led_by, self._led_at = led_by, changes[-1].revision
        if turn:
            self.turns.add(
                Turn(
                    revision=turn.revision,
                    at=turn.at,
                    before=before,
                    state=self._seen,
                    cause=turn.cause,
                    record=self.waited_lead,
                    led_at=self._led_at,
                    unfinished=unfinished,
                )
            )
        return changes

    # ---- what a reader sees

    @property
    def signal(self) -> Signal:
        """How much a wait can know."""
        if self._declarers:
            return Signal.DECLARED
        return Signal.PROMPT if self.shell else Signal.NONE

    @property
    def state(self) -> Observed:
        """The roll-up of the records; where there are none, the prompt marks; else unknown."""
        lead = self._leads()[0]
        if lead:
            return Observed(lead.report.state.value)
        return self._observed()

    def _observed(self) -> Observed:
        match self.shell:
            case Shell.PROMPT:
                return Observed.IDLE
            case Shell.COMMAND:
                return Observed.WORKING
        return Observed.UNKNOWN

    @property
    def standing(self) -> Standing:
        """Where the pane stands for a wait."""
        turn = self.turns.newest
        return Standing(self.life, self._waited_state(), turn.revision if turn else 0, turn.cause if turn else None)

    @property
    def footing(self) -> Footing:
        """How the pane stands in short; a program that goes on working keeps it."""
        return self.life, self.turns.added, self._seen, self.signal, self.job, self.output_at is None

    def _waited_state(self) -> Observed:
        """At a shell's signal, the shell decides, and while a program declares, a record of one that lives."""
        if self.signal is Signal.NONE:
            return self.state
        lead = self._speaker() if self._declarers else None
        return Observed(lead.report.state.value) if lead else self._observed()

    def _speaker(self) -> Record | None:
        """The record that a wait hears: while a program declares, one of a program that lives.

        An older `done` stays for a person to see, and says nothing of the program that runs now.
        """
        return self._leads()[1]

    def _leads(self) -> tuple[Record | None, Record | None]:
        """The record that speaks for the pane, and the one that a wait hears; looked for once a change."""
        declared = bool(self._declarers)
        if self._leads_of != (self.records.version, declared):
            self._leads_of = (self.records.version, declared)
            lead = leading(self.records)
            living = leading(record for record in self.records if not record.ended) if declared else lead
            self._found = (lead, living)
        return self._found

    @property
    def waited_lead(self) -> RecordView | None:
        """The record that speaks for the pane to a wait."""
        lead = self._speaker()
        return self.records.view(lead) if lead else None

    def status(
        self, rejected_reports: int = 0, *, not_durable: bool = False, engine_failed: bool = False
    ) -> PaneStatus:
        """Everything that a reader sees."""
        return pane_status(self, rejected_reports, not_durable=not_durable, engine_failed=engine_failed)

    @property
    def lead(self) -> RecordView | None:
        """The record that speaks for the pane."""
        lead = self._leads()[0]
        return self.records.view(lead) if lead else None


_APPLY: dict[type[Any], Callable[[PaneModel, Any, int | None, float], tuple[list[Change], Cause]]] = {
    Report: PaneModel._take_report,
    Clear: PaneModel._take_clear,
    Query: PaneModel._take_query,
    FullReset: PaneModel._take_reset,
    AlternateScreen: PaneModel._take_screen,
    ShellMark: PaneModel._take_mark,
    Title: PaneModel._take_label,
    Folder: PaneModel._take_label,
    Notification: PaneModel._take_label,
    Progress: PaneModel._take_label,
}
