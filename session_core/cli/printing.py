"""What the commands print: JSON for programs, aligned text for people. Program text comes in harmless."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import click
from pydantic import TypeAdapter

from session_core.api.results import Audit, AuditEntry, HeldWrites, PaneList
from session_core.model.commands import Command
from session_core.model.outcomes import Outcome, PaneOutcome, WaitResult
from session_core.model.status import ExitStatus, Life, PaneStatus, RecordView
from session_core.protocol.program_status import State

AUDIT_COLUMNS = 60
"""How much of a written text a table shows."""


def show(value: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print `value`, as JSON or as `text` says."""
    click.echo(TypeAdapter(type(value)).dump_json(value).decode() if as_json else text())


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def pane_table(found: PaneList) -> str:
    """All panes, one a line."""
    if not found.panes:
        return "No panes. Open one: panebridge run -- CMD"
    head = ("PANE", "NAME", "STATE", "SIGNAL", "PROGRAM", "AGE", "MESSAGE")
    rows: list[tuple[str, ...]] = [head, *map(_pane_row, found.panes)]
    if any(status.tags for status in found.panes):
        tags = ["TAGS", *(" ".join(status.tags) for status in found.panes)]
        rows = [(*row[:2], tag, *row[2:]) for row, tag in zip(rows, tags, strict=True)]
    return _table(rows)


def held_table(found: HeldWrites) -> str:
    """The held writes of a pane."""
    if not found.tickets:
        return "Nothing is held."
    rows = [(ticket.id, ticket.reason or "", ticket.author, age_text(ticket.at)) for ticket in found.tickets]
    return _table([("TICKET", "BECAUSE", "AUTHOR", "AGE"), *rows])


def audit_table(found: Audit) -> str:
    """Injected writes."""
    if not found.entries:
        return "Nothing was written."
    rows = [
        (entry.ticket, age_text(entry.at), entry.pane, entry.author, str(entry.bytes), _audited(entry))
        for entry in found.entries
    ]
    return _table([("TICKET", "AGE", "PANE", "AUTHOR", "BYTES", "TEXT"), *rows])


def _audited(entry: AuditEntry) -> str:
    return "(secret)" if entry.text is None else entry.text[:AUDIT_COLUMNS]


def _pane_row(status: PaneStatus) -> tuple[str, ...]:
    lead = status.lead
    program = status.occupant.name if status.occupant else status.command[0]
    return (
        status.pane,
        status.name or "",
        over_text(status) or status.state.value,
        status.signal.value,
        program,
        age_text(status.state_at),
        (lead.msg or lead.title or "")[:80] if lead else "",
    )


def over_text(status: PaneStatus) -> str:
    """What became of a pane's program; empty while it runs."""
    return "lost" if status.life is Life.LOST else exit_text(status.exit)


def exit_text(status: ExitStatus | None) -> str:
    """How a program ended; empty while it runs."""
    if status is None:
        return ""
    if status.signal:
        return f"killed by {status.signal}"
    return "ended, nobody knows how" if status.code is None else f"exited {status.code}"


def age_text(then: float) -> str:
    """How long ago, in the largest unit that says something."""
    seconds = int(max(time.time() - then, 0))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def status_text(status: PaneStatus) -> str:
    """One pane, a fact a line."""
    occupant, draft = status.occupant, status.draft
    facts = [
        ("pane", f"{status.pane} {status.name or ''}".strip()),
        ("tags", " ".join(status.tags)),
        ("state", f"{status.state.value} for {age_text(status.state_at)} (signal: {status.signal.value})"),
        ("program", f"{occupant.name} (pid {occupant.pid})" if occupant else over_text(status)),
        ("command", " ".join(status.command)),
        ("folder", status.folder or ""),
        ("title", status.title or ""),
        ("size", f"{status.columns}x{status.rows}"),
        ("revision", str(status.revision)),
        ("seen", "; ".join(f"by {seen.by}, {age_text(seen.at)} ago" for seen in status.acknowledged)),
        ("draft", f"{draft.characters} characters, {age_text(draft.at)} old" if draft else ""),
        ("note", "another process still holds the terminal" if status.held_by_others else ""),
        ("note", "not everything is on the disk, which is full or refuses" if status.not_durable else ""),
        ("note", "shown by the portable screen engine: the other one failed on it" if status.engine_failed else ""),
        ("note", f"started again, the {status.generation}. time" if status.generation > 1 else ""),
        ("note", f"start it again: panebridge reopen {status.pane}" if status.life is Life.LOST else ""),
        ("last run", _command_text(status.last_command) if status.last_command else ""),
        ("dropped", f"{status.rejected_reports} malformed reports" if status.rejected_reports else ""),
        ("ignored", f"{status.forged_marks} forged prompt marks" if status.forged_marks else ""),
    ]
    lines = [f"{name:<9} {fact}" for name, fact in facts if fact]
    return "\n".join([*lines, *(_record_line(view) for view in status.records)])


def _command_text(command: Command) -> str:
    if command.end is None:
        ended = "running"
    else:
        ended = "ended" if command.exit_code is None else f"exit code {command.exit_code}"
    return f"{command.line or '(unknown)'} ({ended})"


def _record_line(view: RecordView) -> str:
    parts = [
        view.state.value,
        f"({view.kind.value})" if view.kind else "",
        f"--answers {view.revision}" if view.state is State.BLOCKED else "",
        f"{view.progress} %" if view.progress is not None else "",
        view.app or "",
        view.title or "",
        view.msg or "",
    ]
    return f"  {view.id or '(root)':<16} {' '.join(part for part in parts if part)}"


def wait_text(result: WaitResult) -> str:
    """How a wait ended, a line a pane."""
    return "\n".join(map(_outcome_line, result.panes))


def _outcome_line(news: PaneOutcome) -> str:
    parts = [
        news.pane,
        news.outcome.value,
        exit_text(news.exit) or news.state.value,
        news.match.line if news.match else "",
        news.record.msg if news.record and news.record.msg else "",
        f"({', '.join(_because(news))})" if _because(news) else "",
    ]
    return "  ".join(part for part in parts if part)


def _because(news: PaneOutcome) -> list[str]:
    """What a person would ask next."""
    reasons = {
        Outcome.QUIET: f"silent for {news.quiet_s:.0f} s, a guess" if news.quiet_s is not None else "",
        Outcome.NOT_STARTED: "no reaction to the write",
        Outcome.OCCUPANT_CHANGED: "the program is gone",
        Outcome.RESYNC: "too much has happened since; look anew",
    }
    return [
        *filter(None, [reasons.get(news.outcome, "")]),
        *(["it ended without a final report"] if news.unfinished else []),
        *([f"now {news.now.value}"] if news.now else []),
        *([f"{news.job} runs"] if news.job else []),
    ]
