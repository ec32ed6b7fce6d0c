"""Each supervisor of the examples, started as its user starts it: what it prints, and that it leaves no pane behind."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from session_core import connect

from ..bridge.place import Place

pytestmark = pytest.mark.anyio

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BOUND_S = 30.0
TOLD = {
    "core_supervisor.py": {
        "summarise the changes: settled done Finished: summarise the changes",
        "deploy the site: blocked blocked Run deploy to production?",
        "deploy the site: settled done Finished: deploy the site",
        "run and fail: settled error Failed: run and fail",
        "read the log: settled done Finished: read the log",
        "exit: exited unknown",
    },
    "supervisor.py": {
        "writer: settled done Finished: summarise the changes",
        "deployer: blocked blocked Run deploy to production?",
        "deployer: settled done Finished: deploy the site",
        "tester: settled error Failed: run and fail",
    },
    "pydantic_ai_supervisor.py": {"The site is deployed."},
}


@pytest.mark.parametrize("name", TOLD)
async def test_it_runs_by_itself_and_says_what_became_of_each_task(place: Place, name: str) -> None:
    with anyio.fail_after(BOUND_S):
        ended = await anyio.run_process(
            [sys.executable, str(EXAMPLES / name)], env=place.environment(), check=False, stderr=subprocess.PIPE
        )
    assert (ended.returncode, ended.stderr) == (0, b"")
    lines = ended.stdout.decode().splitlines()
    if name == "pydantic_ai_supervisor.py":
        assert [line.partition(":")[0] for line in lines[:-1]] == [
            "open_pane",
            "wait_idle",
            "write_pane",
            "write_pane",
            "close_pane",
        ]
        lines = lines[-1:]
    assert sorted(lines) == sorted(TOLD[name])
    async with connect(folder=place.folder, start=False) as core:
        assert (await core.list_panes()).panes == ()
