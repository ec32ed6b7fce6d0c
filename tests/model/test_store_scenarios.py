"""Every store scenario of OSC 7501: each feed whole, all feeds joined, byte by byte, and in small reads.

Where the protocol leaves a choice, ours is written beside the scenario here.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from session_core.model.pane import PaneModel
from session_core.model.status import Life
from session_core.protocol import program_status
from session_core.protocol.events import EventStream
from session_core.protocol.program_status import Query

from .panes import PROMPT, feed, new_pane

_FILE = Path(__file__).parent.parent / "data" / "osc7501_vectors.json"
Scenario = dict[str, Any]
Cut = Callable[[list[bytes]], list[bytes]]

SCENARIOS: list[Scenario] = json.loads(_FILE.read_text(encoding="utf-8"))["store_scenarios"]
BY_NAME = {scenario["name"]: scenario for scenario in SCENARIOS}

IDLE_GOES = ("prompt-keeps-idle", "exit-keeps-idle")
"""`idle` is dropped at a prompt and at the exit: a shell at its prompt is no idle agent."""
ACKNOWLEDGED: dict[str, list[Scenario]] = {
    "dismiss-on-user-input": [
        {"id": "", "state": "idle"},
        {"id": "e", "state": "idle"},
        {"id": "w", "state": "working"},
    ],
}
"""Whose reporter lives is idle after its `done` was seen, so that its app still names the children."""
APART: dict[str, tuple[list[Scenario], int | None]] = {
    "osc94-maps-until-first-report": ([], 40),
    "osc94-stops-after-report": ([{"id": "", "state": "blocked", "kind": "auth"}], 40),
    "osc94-resumes-after-ris": ([], None),
    "osc94-state-4": ([], 30),
}
"""OSC 9;4 is kept apart from the records: what they hold, and what the progress bar shows."""


def _expected(scenario: Scenario) -> Scenario:
    name = scenario["name"]
    if name in IDLE_GOES:
        return {"expect_ids": scenario["other_reading"]["expect_ids"]}
    if name in ACKNOWLEDGED:
        return {"expect_records": ACKNOWLEDGED[name]}
    if name in APART:
        return {"expect_records": APART[name][0]}
    return scenario


def _pieces(step: Scenario) -> list[bytes]:
    if "feed_template" in step:
        numbers = range(step["from"], step["to"] + 1)
        return [step["feed_template"].replace("{n}", str(number)).encode() for number in numbers]
    return [step["feed"].encode()]


def _reads(scenario: Scenario, cut: Cut) -> Iterator[bytes | str]:
    """Yield the reads of a scenario, cut as asked, and the names of the events between them."""
    pieces: list[bytes] = []
    for step in scenario["events"]:
        if "event" not in step:
            pieces += _pieces(step)
            continue
        yield from cut(pieces)
        pieces = []
        yield step["event"]
    yield from cut(pieces)


def _run(scenario: Scenario, cut: Cut) -> tuple[PaneModel, list[bytes]]:
    policy = scenario.get("policy", "")
    pane = new_pane(capacity=int(policy.removeprefix("capacity=")) if "capacity" in policy else None)
    stream = EventStream()
    replies: list[bytes] = []
    for read in _reads(scenario, cut):
        if read == "process_exit":
            pane.live(Life.EXITED, 0.0)
        elif read == "dismiss":
            pane.acknowledge("ann", 0.0)
        else:
            assert isinstance(read, bytes)
            for event in stream.feed(read):
                pane.take(event.meaning, 1, 0.0)
                if isinstance(event.meaning, Query):
                    replies.append(program_status.reply(event.terminator))
    return pane, replies


def _described(pane: PaneModel) -> list[Scenario]:
    described = []
    for record in pane.records:
        fields = {key: value for key, value in asdict(record.report).items() if value is not None}
        app = pane.records.app_of(record.report.id)
        described.append({**fields, **({"effective_app": app} if app else {})})
    return sorted(described, key=lambda fields: str(fields["id"]))


def _check(scenario: Scenario, pane: PaneModel) -> None:
    expected = _expected(scenario)
    held = _described(pane)
    ids = [fields["id"] for fields in held]
    if "expect_records" in expected:
        assert held == sorted(expected["expect_records"], key=lambda fields: str(fields["id"]))
    if "expect_ids" in expected:
        assert ids == sorted(expected["expect_ids"])
    if "expect_count" in expected:
        assert len(held) == len(pane.records) == expected["expect_count"]
        assert set(expected["expect_present"]) <= set(ids)
        assert not set(expected["expect_absent"]) & set(ids)


def _in_reads_of(size: int) -> Cut:
    def cut(pieces: list[bytes]) -> list[bytes]:
        data = b"".join(pieces)
        return [data[at : at + size] for at in range(0, len(data), size)]

    return cut


def _in_two(at: int) -> Cut:
    return lambda pieces: [half for piece in pieces for half in (piece[:at], piece[at:])]


CUTS: dict[str, Cut] = {
    "each feed whole": lambda pieces: pieces,
    "all feeds in one read": lambda pieces: [b"".join(pieces)],
    "byte by byte": _in_reads_of(1),
    **{f"in reads of {size}": _in_reads_of(size) for size in (2, 3, 7, 19)},
}


def test_the_file_holds_all_scenarios_that_it_counts() -> None:
    counts = json.loads(_FILE.read_text(encoding="utf-8"))["format"]["counts"]
    assert len(SCENARIOS) == len(BY_NAME) == counts["store"] == 41
    assert {*IDLE_GOES, *ACKNOWLEDGED, *APART} <= set(BY_NAME)
    assert {name for name, scenario in BY_NAME.items() if scenario.get("optional")} == set(APART)
    assert all(any(key.startswith("expect_") for key in _expected(scenario)) for scenario in SCENARIOS)


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=list(BY_NAME))
def test_a_scenario_leaves_the_expected_records(scenario: Scenario, cut: Cut) -> None:
    pane, replies = _run(scenario, cut)
    _check(scenario, pane)
    if "expect_replies" in scenario:
        assert [reply.decode() for reply in replies] == scenario["expect_replies"]


@pytest.mark.parametrize("name", [name for name in BY_NAME if "expect_count" not in BY_NAME[name]])
def test_a_short_scenario_cut_in_two_at_any_position_leaves_the_expected_records(name: str) -> None:
    scenario = BY_NAME[name]
    longest = max(len(b"".join(_pieces(step))) for step in scenario["events"] if "event" not in step)
    for at in range(1, min(longest, 120)):
        pane, _ = _run(scenario, _in_two(at))
        _check(scenario, pane)


@pytest.mark.parametrize("name", APART)
def test_a_progress_sequence_shows_as_the_progress_bar_alone(name: str) -> None:
    pane, _ = _run(BY_NAME[name], CUTS["each feed whole"])
    assert pane.status().progress_bar == APART[name][1]


def test_an_acknowledged_record_goes_when_its_reporter_has_ended() -> None:
    scenario = BY_NAME["dismiss-on-user-input"]
    pane, _ = _run({"events": scenario["events"][:-1]}, CUTS["each feed whole"])
    feed(pane, PROMPT)
    pane.acknowledge("ann", 0.0)
    assert _described(pane) == []


def test_a_report_after_an_acknowledgement_is_news() -> None:
    pane, _ = _run(BY_NAME["dismiss-then-new-report-is-new"], CUTS["each feed whole"])
    last = [change for change in pane.log if change.record == ""][-2:]
    assert [(change.before, change.after) for change in last] == [("done", "idle"), ("idle", "error")]
