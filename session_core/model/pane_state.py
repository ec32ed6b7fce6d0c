"""What a pane's model is made of, as values that can be written down and read back.

Invariant: a model that was revived from its state and history answers every later call as the captured one would have.
The state is small and written whole at each change; the history is what grows by entries, each written once. Absent:
the records' order is the state's, their content the history's. What only the terminal knows is not in here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from session_core.model.changes import Change, Revisions
from session_core.model.commands import Command
from session_core.model.draft import DraftState
from session_core.model.last_key import KeyKind
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.records import Record
from session_core.model.status import Acknowledgement, ExitStatus, Life, Notice, Observed, Occupant, Shell
from session_core.model.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneState:
    """The parts of a `PaneModel` that are no history; `heard_at` is left out, for clocks differ between boots."""

    spec: PaneSpec
    generation: int = 1
    begin: int = 0
    life: Life = Life.STARTING
    exit: ExitStatus | None = None
    shell: Shell | None = None
    last_exit_code: int | None = None
    occupant: Occupant | None = None
    draft: DraftState = field(default_factory=DraftState)
    output_at: float | None = None
    active_revision: int = 0
    acknowledged: tuple[Acknowledgement, ...] = ()
    alternate: bool = False
    columns: int
    rows: int
    held_by_others: bool = False
    declarers: tuple[int | None, ...] = ()
    job: str | None = None
    job_seen: int = 0
    job_group: int | None = None
    key: KeyKind | None = None
    seen: Observed = Observed.UNKNOWN
    led_by: tuple[str, int] | None = None
    led_at: int = 0
    state_at: float
    nonce: str | None = None
    signed: bool = False
    forged: int = 0
    name: str | None = None
    tags: tuple[str, ...] = ()
    title: str | None = None
    folder: str | None = None
    progress_bar: int | None = None
    notice: Notice | None = None
    changes: int = 0
    turns: int = 0
    forgotten: int = 0
    commands: int = 0
    records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaneHistory:
    """The entries that a pane's model keeps, each oldest first; `records` in any order."""

    changes: Iterable[Change] = ()
    turns: Iterable[Turn] = ()
    commands: Iterable[Command] = ()
    records: Iterable[Record] = ()


def capture(pane: PaneModel) -> PaneState:
    """Return the model's state as of now."""
    labels = pane.labels
    return PaneState(
        spec=pane.spec,
        generation=pane.generation,
        begin=pane.begin,
        life=pane.life,
        exit=pane.exit,
        shell=pane.shell,
        last_exit_code=pane.last_exit_code,
        occupant=pane.occupant,
        draft=pane.draft.state,
        output_at=pane.output_at,
        active_revision=pane.active_revision,
        acknowledged=tuple(pane.ledger),
        alternate=pane.alternate,
        columns=pane.columns,
        rows=pane.rows,
        held_by_others=pane.held_by_others,
        declarers=tuple(pane._declarers),
        job=pane.job,
        job_seen=pane.job_seen,
        job_group=pane._job_group,
        key=pane.key,
        seen=pane._seen,
        led_by=pane._led_by,
        led_at=pane._led_at,
        state_at=pane.state_at,
        nonce=pane.marks.nonce,
        signed=pane.marks.known,
        forged=pane.marks.forged,
        name=labels.name,
        tags=labels.tags,
        title=labels.title,
        folder=labels.folder,
        progress_bar=labels.progress_bar,
        notice=labels.notice,
        changes=pane.log.total,
        turns=pane.turns.added,
        forgotten=pane.turns.forgotten,
        commands=pane.commands.total,
        records=tuple(record.report.id for record in pane.records),
    )


def revive(state: PaneState, history: PaneHistory, revisions: Revisions, heard_at: float) -> PaneModel:
    """Return a model that stands where the captured one stood; `heard_at` is the time now on the clock of waits."""
    pane = PaneModel(state.spec, revisions, state.state_at, state.nonce, opened=False)
    pane.generation, pane.begin = state.generation, state.begin
    pane.life, pane.exit, pane.shell = state.life, state.exit, state.shell
    pane.last_exit_code, pane.occupant = state.last_exit_code, state.occupant
    pane.draft.state = state.draft
    pane.output_at, pane.active_revision = state.output_at, state.active_revision
    pane.ledger.extend(state.acknowledged)
    pane.alternate, pane.held_by_others = state.alternate, state.held_by_others
    pane.columns, pane.rows = state.columns, state.rows
    pane.job, pane.job_seen, pane._job_group = state.job, state.job_seen, state.job_group
    pane.key, pane._seen = state.key, state.seen
    pane._led_by, pane._led_at = state.led_by, state.led_at
    pane._declarers.update(state.declarers)
    pane.heard_at = heard_at
    pane.marks.known, pane.marks.forged = state.signed, state.forged
    labels = pane.labels
    labels.name, labels.tags, labels.title = state.name, state.tags, state.title
    labels.folder, labels.progress_bar, labels.notice = state.folder, state.progress_bar, state.notice
    pane.log.restore(history.changes, state.changes)
    pane.turns.restore(history.turns, state.turns, state.forgotten)
    pane.commands.restore(history.commands, state.commands)
    found = {record.report.id: record for record in history.records}
    pane.records.restore(found[name] for name in state.records if name in found)
    return pane
