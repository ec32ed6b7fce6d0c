"""Panes for the tests, driven by the bytes that a real program would send."""

from session_core.model.changes import Change, Revisions, Subject
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.records import RecordStore
from session_core.model.status import Life
from session_core.protocol.events import EventStream

PROMPT = b"\x1b]133;A\x07"
COMMAND = b"\x1b]133;C\x07"
QUERY = b"\x1b]7501;?\x07"
RESET = b"\x1bc"
ALTERNATE_ON = b"\x1b[?1049h"
ALTERNATE_OFF = b"\x1b[?1049l"


def new_pane(
    revisions: Revisions | None = None,
    *,
    pane: str = "p1",
    capacity: int | None = None,
    now: float = 0.0,
    nonce: str | None = None,
) -> PaneModel:
    """Return a pane whose process runs; `capacity` is of its record store, `nonce` its shell's."""
    spec = PaneSpec(pane=pane, name="work", command=("sh", "-c", "true"), columns=80, rows=24)
    model = PaneModel(spec, revisions or Revisions(), now, nonce)
    if capacity is not None:
        model.records = RecordStore(model.log, capacity)
    model.live(Life.RUNNING, now)
    return model


def report(body: str) -> bytes:
    """Return the sequence around `body`."""
    return b"\x1b]7501;" + body.encode() + b"\x1b\\"


def feed(model: PaneModel, data: bytes, *, group: int | None = 1, now: float = 0.0) -> list[Change]:
    """Apply `data`, whole sequences of the program of process group `group`."""
    return [change for event in EventStream().feed(data) for change in model.take(event.meaning, group, now)]


def declare(model: PaneModel, *bodies: str, group: int | None = 1, now: float = 0.0) -> list[Change]:
    """Apply one report for each of `bodies`."""
    return feed(model, b"".join(map(report, bodies)), group=group, now=now)


def states(model: PaneModel) -> dict[str, str]:
    """Return each record's state by its id."""
    return {record.report.id: record.report.state.value for record in model.records}


def of_records(changes: list[Change]) -> list[tuple[str | None, str | None, str | None]]:
    """Return id, before and after of each change of a record."""
    return [(change.record, change.before, change.after) for change in changes if change.subject is Subject.RECORD]
