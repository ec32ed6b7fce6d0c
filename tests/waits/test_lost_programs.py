"""A program that is gone without a last word: the wait ends, and says that nothing was finished."""

import os
import shlex
import signal
from pathlib import Path

import pytest

from session_core import Cause, Client, Observed, Outcome

from ..host.waiting import reported, status_when
from .programs import Puppet, bash, puppet_command
from .waiting import answer, look, waiting

pytestmark = pytest.mark.anyio

_WORKING = "\x1b]7501;state=working:app=w\x1b\\\x1b]7501;state=done:id=ready\x1b\\"


async def _start(core: Client, pane: str, folder: Path, strings: tuple[str, int], hello: str = _WORKING) -> Puppet:
    """Have the shell of a pane run a puppet that works, with a part of it done."""
    command = puppet_command(folder, strings[0], raw=False, hello=hello)
    await core.write_pane(pane, shlex.join(command), submit=True)
    await reported(core, pane)
    return Puppet(pane, strings[1])


async def test_at_a_shell_with_prompt_marks_the_next_prompt_ends_the_wait(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    pane = await bash(core, marks=True)
    puppet = await _start(core, pane, tmp_path, strings)
    async with waiting(core, [pane]) as results:
        puppet.tell("kill")
    (outcome,) = results[0].panes
    assert (outcome.outcome, outcome.unfinished) == (Outcome.SETTLED, True)
    status = await status_when(core, pane, lambda status: status.shell == "prompt")
    assert [(record.id, record.state) for record in status.records] == [("ready", "done")]


_MARKING_SCRIPT = r"""
printf '\033]133;A\007prompt> \033]133;B\007'
read line
printf '\033]133;C\007'
"$@"
printf '\033]133;D;%s\007\033]133;A\007prompt> \033]133;B\007' $?
read line
"""


async def test_a_shell_that_prints_its_marks_itself_and_shares_its_process_group(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    command = ["sh", "-c", _MARKING_SCRIPT, "sh", *puppet_command(tmp_path, strings[0], raw=False, hello=_WORKING)]
    pane = (await core.open_pane(command)).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    receipt = await core.write_pane(pane, "run", submit=True)
    await reported(core, pane)
    async with waiting(core, [pane], since=receipt.ticket.id) as results:
        Puppet(pane, strings[1]).tell("kill")
    (outcome,) = results[0].panes
    assert (outcome.outcome, outcome.cause, outcome.unfinished) == (Outcome.SETTLED, Cause.PROMPT, True)
    assert (await core.read_status(pane)).last_exit_code == 128 + signal.SIGKILL


async def test_at_a_shell_without_marks_the_end_of_the_program_ends_the_wait(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    pane = await bash(core, marks=False)
    puppet = await _start(
        core, pane, tmp_path, strings, hello=_WORKING.replace("state=done:id=ready", "state=working:id=ready")
    )
    since = (await core.list_panes()).revision
    async with waiting(core, [pane]) as level, waiting(core, [pane], since=since) as edge:
        puppet.tell("kill")
    for results in (level, edge):
        (outcome,) = results[0].panes
        assert (outcome.outcome, outcome.unfinished) == (Outcome.OCCUPANT_CHANGED, True)
        assert (outcome.state, outcome.cause) == (Observed.UNKNOWN, Cause.PROGRAM_END)
    assert (await look(core, pane, since=since)).outcome is Outcome.OCCUPANT_CHANGED
    assert (await core.read_status(pane)).records == ()


async def test_a_program_that_ends_after_its_last_word_has_finished(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    pane = await bash(core, marks=True)
    puppet = await _start(core, pane, tmp_path, strings)
    async with waiting(core, [pane]) as results:
        puppet.report("state=done")
        puppet.tell("die 0")
    (outcome,) = results[0].panes
    assert (outcome.outcome, outcome.state, outcome.unfinished) == (Outcome.SETTLED, Observed.DONE, False)


async def test_the_end_of_the_pane_s_own_program_without_a_last_word_is_unfinished(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    pane = (await core.open_pane(puppet_command(tmp_path, strings[0], hello=_WORKING))).pane
    status = await reported(core, pane)
    assert status.occupant is not None
    os.kill(status.occupant.pid, signal.SIGKILL)
    outcome = await answer(core, pane)
    assert (outcome.outcome, outcome.unfinished) == (Outcome.EXITED, True)
    assert outcome.exit is not None
    assert outcome.exit.signal == "SIGKILL"
