"""What real agents sent, replayed: after every report the pane says what the list of reports says."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from session_core.model.pane import PaneModel
from session_core.model.status import Life, Observed, Signal
from session_core.protocol.events import EventStream

from .panes import new_pane, report, states

_FILE = Path(__file__).parent.parent / "data" / "agent_traces.json"
Fields = dict[str, str]

RUNS: dict[str, list[list[Any]]] = {
    run["run"]: run["events"] for run in json.loads(_FILE.read_text(encoding="utf-8"))["runs"]
}
REPORTING = [name for name, events in RUNS.items() if any(event[1] == "report" for event in events)]


class Reading:
    """The plainest reading of a list of reports: the last one of each id counts."""

    def __init__(self) -> None:
        self.records: dict[str, Fields] = {}

    def take(self, body: str) -> None:
        fields = dict(pair.split("=", 1) for pair in body.split(":"))
        identity = fields.pop("id", "")
        if fields["state"] == "clear":
            gone = [key for key in self.records if identity in ("", key)]
            for key in gone:
                del self.records[key]
            return
        for key in ("msg", "title"):
            if key in fields:
                fields[key] = base64.b64decode(fields[key]).decode()
        self.records[identity] = fields


def _shown(pane: PaneModel) -> dict[str, Fields]:
    views = pane.status().records
    keys = ("state", "app", "kind", "msg", "title", "progress")
    return {view.id: {key: str(value) for key in keys if (value := getattr(view, key)) is not None} for view in views}


def _replay(events: list[list[Any]]) -> tuple[PaneModel, int]:
    """Replay a run, check it after every report, and return the pane before its exit and the reports."""
    pane, reading, stream = new_pane(), Reading(), EventStream()
    reports = 0
    for at, what, *said in events:
        if what == "query":
            for event in stream.feed(said[0].encode()):
                pane.take(event.meaning, 1, at)
        elif what == "report":
            reports += 1
            reading.take(said[0])
            for event in stream.feed(report(said[0])):
                pane.take(event.meaning, 1, at)
        assert _shown(pane) == reading.records
        root = reading.records.get("")
        assert pane.status().root == (root["state"] if root else None)
    assert stream.statistics.reports == reports
    assert stream.statistics.rejected_reports == 0
    return pane, reports


def test_the_traces_hold_reports_of_three_agents() -> None:
    assert {name.split("-")[0] for name in REPORTING} == {"claude", "codex", "pi"}
    assert len(RUNS) == 23
    assert len(REPORTING) == 21


@pytest.mark.parametrize("run", RUNS)
def test_after_every_report_of_a_run_the_pane_says_what_the_list_says(run: str) -> None:
    _, reports = _replay(RUNS[run])
    assert reports == sum(event[1] == "report" for event in RUNS[run])


@pytest.mark.parametrize("run", RUNS)
def test_after_a_run_nothing_is_left_and_the_exit_adds_nothing(run: str) -> None:
    pane, _ = _replay(RUNS[run])
    assert states(pane) == {}
    assert pane.state is Observed.UNKNOWN
    pane.live(Life.EXITED, 100.0)
    assert pane.status().records == ()
    assert pane.signal is Signal.NONE


@pytest.mark.parametrize("run", REPORTING)
def test_a_run_cut_off_after_any_report_keeps_only_what_had_finished(run: str) -> None:
    reports = [event for event in RUNS[run] if event[1] == "report"]
    for length in range(1, len(reports) + 1):
        pane, _ = _replay(reports[:length])
        finished = {key: word for key, word in states(pane).items() if word in ("done", "error")}
        pane.live(Life.EXITED, 100.0)
        assert states(pane) == finished


@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_asks_or_reports_is_declared(run: str) -> None:
    asked = any(
        event[1] == "report" or (event[1] == "query" and event[2].startswith("\x1b]7501;?")) for event in RUNS[run]
    )
    pane, _ = _replay(RUNS[run])
    assert (pane.signal is Signal.DECLARED) == asked
