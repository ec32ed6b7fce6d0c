"""A wait since the ticket of a write: never the state from before it, and an answer where nothing reacts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from session_core import Cause, Client, Observed, Outcome

from ..host.hosts import running
from ..host.programs import python
from ..host.waiting import BOUND_S, reported, status_eventually, status_when
from .programs import Puppet, bash, message, open_puppet
from .waiting import answer, shows, waiting

pytestmark = pytest.mark.anyio

WRITES = 50

_SLOW_STARTER = """
    # Reads a line, thinks before it says that it works, and ends with a `done` that names the line.
    import base64
    report("state=idle")
    ready()
    while True:
        line = sys.stdin.readline().strip()
        time.sleep(0.01)
        report("state=working")
        time.sleep(0.01)
        report("state=done:msg=" + base64.b64encode(line.encode()).decode())
"""


@pytest.fixture
def busy_machine() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes that take all they get."""
    loop = [sys.executable, "-ISc", "while True: pass"]
    with running(loop) as first, running(loop) as second:
        yield [first, second]


@pytest.mark.usefixtures("busy_machine")
async def test_a_wait_never_ends_before_the_end_that_belongs_to_its_write(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _SLOW_STARTER))).pane
    await reported(core, pane)
    told = []
    for number in range(WRITES):
        receipt = await core.write_pane(pane, f"turn {number}", submit=True)
        ended = await core.wait([pane], since=receipt.ticket.id, timeout_s=BOUND_S)
        record = ended.panes[0].record
        told.append((ended.outcome, ended.panes[0].state, ended.started, record and record.msg))
    assert told == [(Outcome.SETTLED, Observed.DONE, True, f"turn {number}") for number in range(WRITES)]


async def test_work_that_begins_and_ends_in_one_piece_of_output_is_a_whole_turn(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=done:" + message("before"))
    await answer(core, puppet.pane)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    async with waiting(core, [puppet.pane], since=receipt.ticket.id) as results:
        puppet.report("state=working", "state=done:" + message("after"))
    (outcome,) = results[0].panes
    assert outcome.record is not None
    assert (outcome.outcome, outcome.record.msg) == (Outcome.SETTLED, "after")
    assert (results[0].started, outcome.went) == (True, (Observed.WORKING, Observed.DONE))


@pytest.mark.parametrize("rest", ["idle", "done", "error"])
async def test_a_program_at_rest_that_shows_no_reaction_has_not_started(
    core: Client, tmp_path: Path, strings: tuple[str, int], rest: str
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report(f"state={rest}")
    await answer(core, puppet.pane)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    ended = await core.wait([puppet.pane], since=receipt.ticket.id, start_grace_s=0.1, timeout_s=BOUND_S)
    assert (ended.outcome, ended.panes[0].outcome) == (Outcome.NOT_STARTED, Outcome.NOT_STARTED)
    assert (ended.started, ended.panes[0].state) == (False, Observed(rest))


async def test_what_only_shows_the_text_again_has_not_started_and_its_later_end_is_still_told(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, raw=False)
    puppet.report("state=idle")
    await answer(core, puppet.pane)
    receipt = await core.write_pane(puppet.pane, "echoed", submit=True)
    await shows(core, puppet.pane, "echoed")
    early = await core.wait([puppet.pane], since=receipt.ticket.id, start_grace_s=0.1, timeout_s=BOUND_S)
    assert early.outcome is Outcome.NOT_STARTED
    puppet.report("state=working", "state=done")
    late = await core.wait([puppet.pane], since=receipt.ticket.id, timeout_s=BOUND_S)
    assert (late.outcome, late.started) == (Outcome.SETTLED, True)
    again = await core.wait([puppet.pane], since=early.revision, timeout_s=BOUND_S)
    assert (again.outcome, again.panes[0].state) == (Outcome.SETTLED, Observed.DONE)


async def test_a_program_that_works_when_the_grace_is_over_is_waited_for(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=idle")
    await answer(core, puppet.pane)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    puppet.report("state=working")
    await status_when(core, puppet.pane, lambda status: status.state == "working")
    looked = await core.wait([puppet.pane], since=receipt.ticket.id, start_grace_s=0.01, timeout_s=0.1)
    assert (looked.outcome, looked.started) == (Outcome.CHECKIN, True)


async def test_a_write_into_a_running_turn_is_told_as_queued_and_never_as_not_started(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working")
    await status_when(core, puppet.pane, lambda status: status.state == "working")
    receipt = await core.write_pane(puppet.pane, "and this", submit=True)
    looked = await core.wait([puppet.pane], since=receipt.ticket.id, start_grace_s=0.01, timeout_s=0.1)
    assert (looked.outcome, looked.started) == (Outcome.CHECKIN, "queued_on_running_turn")


async def test_a_write_before_the_program_is_up_is_not_answered_by_the_program_coming_up(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    command = python(tmp_path, 'open(sys.argv[1]).readline()\nreport("state=idle")\nready()\nrest()', strings[0])
    pane = (await core.open_pane(command)).pane
    receipt = await core.write_pane(pane, "", submit=False)
    Puppet(pane, strings[1]).tell("go")
    await reported(core, pane)
    looked = await core.wait([pane], since=receipt.ticket.id, timeout_s=0)
    assert looked.outcome is Outcome.CHECKIN


async def test_the_combined_call_never_answers_with_the_rest_from_before_it(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _SLOW_STARTER))).pane
    await reported(core, pane)
    for number in range(5):
        receipt = await core.write_pane(pane, f"turn {number}", submit=True, wait_s=BOUND_S)
        assert receipt.wait is not None
        record = receipt.wait.panes[0].record
        assert record is not None
        assert (receipt.wait.outcome, record.msg) == (Outcome.SETTLED, f"turn {number}")


async def test_two_clients_get_the_end_of_the_same_turn(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    with anyio.fail_after(BOUND_S):
        async with (
            waiting(core, [puppet.pane], since=receipt.ticket.id) as first,
            waiting(core, [puppet.pane], since=receipt.ticket.revision) as second,
        ):
            puppet.report("state=working", "state=done")
    assert [ended[0].outcome for ended in (first, second)] == [Outcome.SETTLED] * 2


async def test_a_command_in_a_shell_whose_marks_tell_prompts_alone_has_started(core: Client) -> None:
    pane = await bash(core, marks=True, PS0="")
    receipt = await core.write_pane(pane, "sleep 1000", submit=True)
    status = await status_eventually(
        core, pane, lambda status: bool(status.occupant and status.occupant.name == "sleep")
    )
    async with waiting(core, [pane], since=receipt.ticket.id, start_grace_s=0.05) as results:
        looked = await core.wait([pane], since=receipt.ticket.id, start_grace_s=0.05, timeout_s=0.2)
        assert (looked.outcome, results) == (Outcome.CHECKIN, [])
        assert status.occupant is not None
        os.kill(status.occupant.pid, signal.SIGTERM)
    assert (results[0].outcome, results[0].panes[0].cause) == (Outcome.SETTLED, Cause.PROMPT)
