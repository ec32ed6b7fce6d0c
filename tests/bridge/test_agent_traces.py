"""What real agents sent, played in a real terminal: read_status says what the list of reports says."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .calls import Json, Tools

pytestmark = pytest.mark.anyio

_FILE = Path(__file__).parent.parent / "data" / "agent_traces.json"
_RUNS: dict[str, list[str]] = {
    run["run"]: bodies
    for run in json.loads(_FILE.read_text(encoding="utf-8"))["runs"]
    if (bodies := [event[2] for event in run["events"] if event[1] == "report"])
}
_BELL_AGENTS = ("claude",)

# Reads a step's number from its unechoed input, and writes that step's sequence and then a visible mark.
_PLAYER = r"""
import json, os, sys, termios, tty
tty.setraw(0, termios.TCSANOW)
steps, end = json.load(open(sys.argv[1])), sys.argv[2].encode().decode("unicode_escape")
rest = b""
while data := os.read(0, 4096):
    *lines, rest = (rest + data).replace(b"\n", b"\r").split(b"\r")
    for line in lines:
        step = int(line)
        os.write(1, f"\x1b]7501;{steps[step]}{end}[step {step} is shown]\r\n".encode())
"""


class Reading:
    """The plainest reading of a list of reports: the last one under each id counts."""

    def __init__(self) -> None:
        self.records: dict[str, Json] = {}

    def take(self, body: str) -> None:
        """Read one more report."""
        fields: Json = dict(pair.split("=", 1) for pair in body.split(":"))
        identity = fields.pop("id", "")
        if fields["state"] == "clear":
            for key in [key for key in self.records if identity in ("", key)]:
                del self.records[key]
            return
        for key in ("msg", "title"):
            if key in fields:
                fields[key] = base64.b64decode(fields[key]).decode()
        self.records[identity] = fields


def _shown(status: Json) -> dict[str, Json]:
    kept = ("state", "app", "kind", "msg", "title", "progress")
    return {
        record.get("id", ""): {key: record[key] for key in kept if key in record}
        for record in status.get("records", [])
    }


def _player(folder: Path, run: str) -> list[str]:
    (folder / "player.py").write_text(_PLAYER)
    (folder / "steps.json").write_text(json.dumps(_RUNS[run]))
    end = r"\x07" if run.startswith(_BELL_AGENTS) else r"\x1b\\"
    return [sys.executable, "-IS", str(folder / "player.py"), str(folder / "steps.json"), end]


def test_the_runs_are_those_of_three_agents() -> None:
    assert {run.partition("-")[0] for run in _RUNS} == {"claude", "codex", "pi"}
    assert len(_RUNS) == 21


@pytest.mark.parametrize("run", _RUNS)
@pytest.mark.slow
async def test_after_each_report_of_an_agent_the_status_says_what_it_declared(
    tools: Tools, tmp_path: Path, run: str
) -> None:
    pane = await tools.open(_player(tmp_path, run))
    reading = Reading()
    for step, body in enumerate(_RUNS[run]):
        # The list names the question, if the agent has one, and the player is told its next step as the answer.
        await tools.write(pane, str(step), answers=(await tools.row(pane)).get("answers", 0))
        await tools.text_when(pane, f"[step {step} is shown]")
        reading.take(body)
        status = await tools.call("read_status", pane=pane)
        root: Any = reading.records.get("", {})
        assert _shown(status) == reading.records
        assert (status.get("root"), status["signal"]) == (root.get("state"), "declared")
    assert reading.records == {}
    assert (status["state"], status.get("rejected_reports")) == ("unknown", None)
