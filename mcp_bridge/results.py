"""What a model gets: lean JSON in which absent fields are left out, the same as structure and as text.

Some clients show a model only the structured content, others only the text, so both say the same. Text of a
program stands in fields of its own and is cut; it is never part of a sentence of ours.
"""

import json
import time
from typing import Any

import mcp.types as types

from session_core import (
    Closed,
    Command,
    CommandRun,
    HeldWrites,
    Life,
    Observed,
    Outcome,
    PaneList,
    PaneOutcome,
    PaneStatus,
    PaneText,
    RecordView,
    Signal,
    State,
    Ticket,
    WaitResult,
    What,
    WriteReceipt,
)

Json = dict[str, Any]

LIST_MSG_CHARACTERS = 80


def succeed(value: Json) -> types.CallToolResult:
    """Wrap a result."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=compact(value))], structured_content=value)


def compact(value: Json) -> str:
    """Write JSON in as few characters as it takes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fail(text: str) -> types.CallToolResult:
    """Wrap an error that the model can act on."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def lean(**fields: Any) -> Json:
    """Return the fields that say something: None, empty and False are left out."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], False)}


def exit_text(status: PaneStatus | PaneOutcome | Closed | CommandRun) -> str | None:
    """How the program ended, in one word: a code, a signal's name, or `unknown`."""
    if status.exit is None:
        return None
    if status.exit.code is None and status.exit.signal is None:
        return "unknown"
    return status.exit.signal or f"code {status.exit.code}"


def pane_row(status: PaneStatus) -> Json:
    """One pane in a list: as short as it can be said."""
    lead = status.lead
    exited = status.life.over
    return lean(
        pane=status.pane,
        name=status.name,
        tags=list(status.tags),
        program=status.occupant.name if status.occupant else status.command[0].rpartition("/")[2],
        state=status.state.value,
        kind=lead.kind.value if lead and lead.kind else None,
        msg=_cut(lead.msg) if lead and lead.state.value != "working" else None,
        answers=lead.revision if lead and lead.state is State.BLOCKED else None,
        exit="lost" if status.life is Life.LOST else exit_text(status),
        signal=None if exited or status.signal is Signal.DECLARED else status.signal.value,
    )


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= LIST_MSG_CHARACTERS:
        return text
    return text[: LIST_MSG_CHARACTERS - 1] + "…"


def pane_list(found: PaneList) -> Json:
    """Every pane and the revision to wait from."""
    return {"panes": [pane_row(status) for status in found.panes], "revision": found.revision}


def record(view: RecordView) -> Json:
    """One record; the root has no id."""
    return lean(
        id=view.id,
        state=view.state.value,
        app=view.app,
        kind=view.kind.value if view.kind else None,
        title=view.title,
        msg=view.msg,
        revision=view.revision,
        age_s=_age(view.at),
    ) | ({"progress": view.progress} if view.progress is not None else {})


def _age(then: float) -> float:
    return round(max(time.time() - then, 0.0), 1)


def pane_status(status: PaneStatus) -> Json:
    """All that is known of a pane."""
    draft, notice, occupant = status.draft, status.notice, status.occupant
    return lean(
        pane=status.pane,
        name=status.name,
        tags=list(status.tags),
        program=occupant.name if occupant else None,
        pid=occupant.pid if occupant else None,
        command=list(status.command),
        folder=status.folder,
        title=status.title,
        life=status.life.value,
        exit=exit_text(status),
        state=status.state.value,
        state_age_s=_age(status.state_at),
        signal=status.signal.value,
        root=status.root.value if status.root else None,
        records=[record(view) for view in status.records],
        shell=status.shell.value if status.shell else None,
        notice=lean(title=notice.title, body=notice.body, age_s=_age(notice.at)) if notice else None,
        acknowledged=[
            lean(by=seen.by, age_s=_age(seen.at), records=list(seen.records)) for seen in status.acknowledged
        ],
        draft=lean(characters=draft.characters, age_s=_age(draft.at)) if draft else None,
        keystroke_age_s=_age(status.keystroke_at) if status.keystroke_at else None,
        output_age_s=_age(status.output_at) if status.output_at else None,
        held_by_others=status.held_by_others,
        not_durable=status.not_durable,
        last_command=command(status.last_command) if status.last_command else None,
        rejected_reports=status.rejected_reports or None,
        forged_marks=status.forged_marks or None,
        size=[status.columns, status.rows],
        revision=status.revision,
    ) | _numbers(last_exit_code=status.last_exit_code, progress_bar=status.progress_bar)


def command(found: Command) -> Json:
    """A command of the pane's shell; without an end it still runs."""
    return lean(
        line=_cut(found.line),
        folder=found.folder,
        running=found.end is None,
        age_s=_age(found.finished_at or found.started_at),
    ) | _numbers(number=found.number, exit_code=found.exit_code, begin=found.begin, end=found.end)


def _numbers(**fields: int | None) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def wait_result(result: WaitResult) -> Json:
    """How a wait ended, with its evidence for each pane."""
    return {
        "outcome": result.outcome.value,
        "panes": [_outcome(outcome) for outcome in result.panes],
        "revision": result.revision,
        "waited_s": result.waited_s,
    } | ({} if result.started is None else {"started": result.started})


def ticket(found: Ticket) -> Json:
    """An injected write as a model sees it."""
    return lean(
        ticket=found.id,
        pane=found.pane,
        status=found.status.value,
        reason=found.reason,
        removed=found.removed or None,
        pasted=found.pasted,
        early=found.early,
    ) | {"bytes": found.bytes, "revision": found.revision}


def held(found: HeldWrites) -> Json:
    """The writes that are held for a pane, the next one first; nothing where there are none."""
    rows = [lean(ticket=row.id, reason=row.reason, author=row.author, age_s=_age(row.at)) for row in found.tickets]
    return {"held": rows} if rows else {}


def receipt(found: WriteReceipt) -> Json:
    """What became of a write, and of the wait that belonged to it."""
    value = ticket(found.ticket) | {"started": found.started}
    return value | ({"wait": wait_result(found.wait)} if found.wait else {})


_COMMAND_BECAUSE = {
    Outcome.NOT_DELIVERED: "the shell did not come to its prompt; nothing was typed",
    Outcome.NOT_STARTED: "the shell began nothing, as with half a command or an error in it, and it was taken back",
}


def command_run(run: CommandRun) -> Json:
    """What a command printed, and how it ended."""
    value = lean(
        pane=run.pane,
        outcome=run.outcome.value,
        because=_COMMAND_BECAUSE.get(run.outcome),
        left_out=_left_out(run.left_out_lines, 0, run.left_out_bytes),
        folder=run.folder,
        exit=exit_text(run),
        ticket=run.ticket,
    )
    return value | {"output": run.output, "waited_s": run.waited_s} | _numbers(exit_code=run.exit_code)


def _outcome(outcome: PaneOutcome) -> Json:
    lead, match = outcome.record, outcome.match
    ended = outcome.outcome
    return lean(
        pane=outcome.pane,
        outcome=ended.value,
        state=outcome.state.value if ended is not Outcome.CLOSED else None,
        now=outcome.now.value if outcome.now else None,
        because=_because(outcome),
        cause=outcome.cause.value if outcome.cause else None,
        id=lead.id if lead else None,
        app=lead.app if lead else None,
        kind=lead.kind.value if lead and lead.kind else None,
        msg=lead.msg if lead else None,
        answers=lead.revision if lead and lead.state is State.BLOCKED else None,
        went=[state.value for state in outcome.went] if len(outcome.went) > 1 else None,
        match=lean(line=match.line, row=match.row, column=match.column, offset=match.offset) if match else None,
        job=outcome.job,
        exit=exit_text(outcome),
    ) | (_while_unsettled(outcome) if ended in (Outcome.CHECKIN, Outcome.QUIET, Outcome.NOT_STARTED) else {})


_BECAUSE = {
    Outcome.QUIET: "judged by silence alone: a guess, it may still be at work",
    Outcome.NOT_STARTED: "no reaction to the write: look at the screen",
    Outcome.OCCUPANT_CHANGED: "the program that declared its state has ended",
    Outcome.RESYNC: "too much has happened since then: read the status and wait from there",
}


def _because(outcome: PaneOutcome) -> str | None:
    if outcome.outcome is Outcome.CHECKIN and outcome.state is Observed.UNKNOWN:
        return "a command runs in the foreground" if outcome.job else "declares nothing, and its output has not paused"
    if outcome.unfinished and outcome.outcome in (Outcome.SETTLED, Outcome.OCCUPANT_CHANGED, Outcome.EXITED):
        return "the program ended without a final report"
    return _BECAUSE.get(outcome.outcome)


def _while_unsettled(outcome: PaneOutcome) -> Json:
    """What tells whether to wait on: the record's age, the last key of a person, the last output."""
    return lean(
        age_s=_age(outcome.record.at) if outcome.record else None,
        key=outcome.key.value if outcome.key else None,
        key_age_s=_age(outcome.key_at) if outcome.key_at else None,
        output_age_s=_age(outcome.output_at) if outcome.output_at else None,
    ) | ({"quiet_s": outcome.quiet_s} if outcome.outcome is Outcome.QUIET else {})


def pane_text(shown: PaneText) -> Json:
    """What a pane shows or has shown, and in words what was left out."""
    command = shown.command
    value = lean(
        pane=shown.pane,
        left_out=_left_out(shown.left_out_lines, shown.missed_bytes, shown.left_out_bytes, shown.skipped_bytes),
        alternate_screen=shown.alternate,
        because="amid a repaint; the screen is that before it" if shown.updating else None,
        title=shown.title,
        command=command.line if command else None,
        running=command.end is None if command else None,
    )
    value |= {"text": shown.text, "end": f"end:{shown.end}", "revision": shown.revision}
    if shown.what is What.SCREEN:
        value["cursor"] = [shown.cursor_column, shown.cursor_row]
    return value | _numbers(found=shown.found, exit_code=command.exit_code if command else None)


def _left_out(lines: int, lost: int, cut: int = 0, skipped: int = 0) -> str | None:
    words = [f"{lines} lines"] * bool(lines) + [f"{cut} bytes"] * bool(cut)
    gone = [f"{lost} bytes that are no longer kept"] * bool(lost)
    more = "; ask with `lines` or `max_bytes` for more" if words else ""
    before = [f"{' and '.join(words + gone)} before this{more}"] * bool(words or gone)
    missing = [f"{skipped} bytes that came too fast for the screen; ask with `since` for what is kept"] * bool(skipped)
    return "; ".join(before + missing) or None
