"""Programs with line editors of their own get a text of three lines as one message, a hundred times of a hundred."""

import json
import os
import sys
from pathlib import Path
from typing import Literal

import anyio
import pytest

from session_core import Cause, ChangeBatch, Client, Outcome, connect
from session_core.model.changes import Subject

from ..host.hosts import RunningHost
from ..host.waiting import BOUND_S, eventually, status_when
from .panes import shell

pytestmark = pytest.mark.anyio

_TIMES = 100

_PROMPT_TOOLKIT = r"""
import json, os, sys
from prompt_toolkit import PromptSession

def report(state):
    os.write(1, f"\x1b]7501;state={state}\x1b\\".encode())

def rendered(_):
    if log.pop("fresh", False):
        report("idle")

log = {}
session = PromptSession()
session.app.after_render.add_handler(rendered)
with open(sys.argv[1], "a", buffering=1) as messages:
    while True:
        log["fresh"] = True
        text = session.prompt("> ")
        report("working")
        messages.write(json.dumps(text) + "\n")
"""

_PYTHON_START = r"""
import json, readline, sys
sys.ps1 = "\x01\x1b]133;A\x07\x02>>> "
sys.ps2 = "CONTINUED "
messages = open({path!r}, "a", buffering=1)
def pastes():
    readline.parse_and_bind("set enable-bracketed-paste on")
def take(text):
    print(json.dumps(text), file=messages)
"""


async def test_prompt_toolkit(core: Client, tmp_path: Path) -> None:
    program, path = tmp_path / "reader.py", tmp_path / "messages"
    program.write_text(_PROMPT_TOOLKIT)
    pane = (await core.open_pane([sys.executable, "-I", str(program), str(path)])).pane
    await status_when(core, pane, lambda status: status.state == "idle")
    for number in range(_TIMES):
        receipt = await core.write_pane(pane, f"one {number}\ntwo\nthree", submit=True, wait_s=BOUND_S)
        assert receipt.wait is not None
        assert (receipt.ticket.pasted, receipt.started, receipt.wait.outcome) == (True, True, Outcome.SETTLED)
    messages = [json.loads(line) for line in path.read_text().splitlines()]
    assert messages == [f"one {number}\ntwo\nthree" for number in range(_TIMES)]


@pytest.mark.parametrize("by_line", [False, True], ids=["pasted", "by_line"])
@pytest.mark.slow
async def test_an_interactive_python(core: Client, tmp_path: Path, by_line: bool) -> None:
    start, path = tmp_path / "start.py", tmp_path / "messages"
    start.write_text(_PYTHON_START.format(path=str(path)))
    environment = os.environ | {"INPUTRC": "/dev/null", "PYTHON_BASIC_REPL": "1"}
    pane = (await core.open_pane([sys.executable, "-q", "-i", str(start)], environment=environment)).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    if not by_line:
        await core.write_pane(pane, "pastes()", submit=True, wait_s=BOUND_S)
    for number in range(_TIMES):
        text = f'take("""one {number}\ntwo\nthree""")'
        multiline: Literal["paste", "lines"] = "lines" if by_line else "paste"
        receipt = await core.write_pane(pane, text, submit=True, multiline=multiline, wait_s=BOUND_S)
        assert receipt.wait is not None
        assert (receipt.ticket.pasted, receipt.wait.outcome) == (not by_line, Outcome.SETTLED)
    messages = [json.loads(line) for line in path.read_text().splitlines()]
    assert messages == [f"one {number}\ntwo\nthree" for number in range(_TIMES)]
    assert ("CONTINUED" in (await core.read_pane(pane)).text) is by_line


async def test_bash(core: Client, host: RunningHost, tmp_path: Path) -> None:
    path = tmp_path / "messages"
    prompts: list[int] = []

    async def count_prompts(other: Client) -> None:
        async for news in other.changes():
            assert isinstance(news, ChangeBatch)
            prompts.extend(
                change.revision
                for change in news.changes
                if change.subject is Subject.SHELL and change.cause is Cause.PROMPT
            )

    pane = await shell(core, PS2="CONTINUED ")
    async with connect(folder=str(host.folder), start=False) as other, anyio.create_task_group() as tasks:
        tasks.start_soon(count_prompts, other)
        await anyio.wait_all_tasks_blocked()
        for number in range(_TIMES):
            text = f"echo one {number} >> {path}\necho two >> {path}\necho three >> {path}"
            receipt = await core.write_pane(pane, text, submit=True, wait_s=BOUND_S)
            assert receipt.wait is not None
            assert (receipt.ticket.pasted, receipt.started, receipt.wait.outcome) == (True, True, Outcome.SETTLED)
        await eventually(lambda: len(prompts) >= _TIMES)
        tasks.cancel_scope.cancel()
    assert path.read_text() == "".join(f"one {number}\ntwo\nthree\n" for number in range(_TIMES))
    assert len(prompts) == _TIMES
