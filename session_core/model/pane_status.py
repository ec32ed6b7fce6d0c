"""Everything that a reader sees of a pane, out of its model."""

from typing import TYPE_CHECKING

from session_core.model.records import ROOT
from session_core.model.status import PaneStatus

if TYPE_CHECKING:
    from session_core.model.pane import PaneModel

SHOWN_ACKNOWLEDGEMENTS = 5


def pane_status(
    pane: "PaneModel", rejected_reports: int, *, not_durable: bool, engine_failed: bool = False
) -> PaneStatus:
    """Return the status at this instant; the facts that the model does not have come with the call."""
    root = pane.records.get(ROOT)
    views = sorted(map(pane.records.view, pane.records), key=lambda view: view.id)
    labels, draft = pane.labels, pane.draft
    return PaneStatus(
        pane=pane.spec.pane,
        name=labels.name,
        command=pane.spec.command,
        life=pane.life,
        exit=pane.exit,
        state=pane.state,
        signal=pane.signal,
        root=root.report.state if root else None,
        records=tuple(views),
        shell=pane.shell,
        last_exit_code=pane.last_exit_code,
        title=labels.title or None,
        folder=labels.folder,
        progress_bar=labels.progress_bar,
        notice=labels.notice,
        occupant=pane.occupant,
        columns=pane.columns,
        rows=pane.rows,
        revision=pane.log.revision,
        state_at=pane.state_at,
        changes=pane.log.total,
        rejected_reports=rejected_reports,
        acknowledged=tuple(pane.ledger)[-SHOWN_ACKNOWLEDGEMENTS:],
        draft=draft.view,
        keystroke_at=draft.keystroke_at,
        keystroke=pane.key,
        output_at=pane.output_at,
        held_by_others=pane.held_by_others,
        forged_marks=pane.marks.forged,
        last_command=pane.commands.newest,
        tags=labels.tags,
        not_durable=not_durable,
        generation=pane.generation,
        engine_failed=engine_failed,
    )
