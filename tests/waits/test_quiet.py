"""Silence is a guess and says so: it is no end of a command, and a clock on the screen is no work."""

import os
import signal
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from session_core import Client, Mode, Observed, Outcome, PaneStatus, Signal, Until

from ..host.programs import python
from ..host.waiting import status_eventually
from .programs import bash, open_puppet, strings
from .waiting import answer, look, shows, waiting

pytestmark = pytest.mark.anyio

QUIET_S = 0.1

_CLOCK = """
    # Redraws a clock; what the first argument says is reported first.
    if sys.argv[1]:
        report(sys.argv[1])
    tick = 0
    while True:
        say(f"\\r{tick}")
        tick += 1
        time.sleep(0.01)
"""


def _sleeps(status: PaneStatus) -> bool:
    return status.occupant is not None and status.occupant.name == "sleep"


async def test_silence_is_told_at_once_where_it_is_asked_for_and_names_the_job(core: Client) -> None:
    pane = await bash(core, marks=False)
    receipt = await core.write_pane(pane, "sleep 1000", submit=True)
    await status_eventually(core, pane, _sleeps)
    outcome = await answer(core, pane, until=Until.QUIET, since=receipt.ticket.id, quiet_s=QUIET_S)
    assert (outcome.outcome, outcome.job, outcome.state) == (Outcome.QUIET, "sleep", Observed.UNKNOWN)
    assert outcome.quiet_s is not None
    assert outcome.quiet_s >= QUIET_S


async def test_a_command_that_runs_silently_in_a_shell_is_not_over(core: Client) -> None:
    pane = await bash(core, marks=False)
    receipt = await core.write_pane(pane, "sleep 1000", submit=True)
    await status_eventually(core, pane, _sleeps)
    looked = await core.wait([pane], since=receipt.ticket.id, quiet_s=0.01, timeout_s=0.2)
    assert (looked.outcome, looked.panes[0].job) == (Outcome.CHECKIN, "sleep")


async def test_the_end_of_a_silent_command_is_what_a_wait_for_rest_ends_by(core: Client) -> None:
    pane = await bash(core, marks=False)
    receipt = await core.write_pane(pane, "sleep 1000", submit=True)
    job = await status_eventually(core, pane, _sleeps)
    assert job.occupant is not None
    async with waiting(core, [pane], since=receipt.ticket.id, quiet_s=QUIET_S) as results:
        with anyio.move_on_after(3 * QUIET_S):
            await core.wait([pane], until=Until.QUIET, quiet_s=2 * QUIET_S)
        assert not results
        os.kill(job.occupant.pid, signal.SIGTERM)
    (outcome,) = results[0].panes
    assert (outcome.outcome, outcome.job) == (Outcome.QUIET, None)
    assert "Terminated" in (await core.read_pane(pane)).text


async def test_a_command_that_a_person_has_stopped_is_no_longer_waited_for(core: Client) -> None:
    pane = await bash(core, marks=False)
    receipt = await core.write_pane(pane, "sleep 1000", submit=True)
    await status_eventually(core, pane, _sleeps)
    async with waiting(core, [pane], since=receipt.ticket.id, quiet_s=QUIET_S) as results:
        await core.send_keystrokes(pane, b"\x1a")
        await shows(core, pane, "Stopped")
    assert (results[0].outcome, results[0].panes[0].job) == (Outcome.QUIET, None)


async def test_a_clock_never_gets_quiet(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _CLOCK, ""))).pane
    await shows(core, pane, "1")
    for until in (Until.SETTLED, Until.QUIET):
        looked = await core.wait([pane], until=until, quiet_s=1.0, timeout_s=0.2)
        assert looked.outcome is Outcome.CHECKIN
        (outcome,) = looked.panes
        assert (outcome.state, outcome.job) == (Observed.UNKNOWN, None)
        assert outcome.output_at is not None


@pytest.mark.parametrize("state", ["idle", "done"])
async def test_a_program_that_is_at_rest_by_its_own_word_is_so_whatever_it_draws(
    core: Client, tmp_path: Path, state: str
) -> None:
    pane = (await core.open_pane(python(tmp_path, _CLOCK, f"state={state}"))).pane
    await shows(core, pane, "1")
    outcome = await look(core, pane)
    assert (outcome.outcome, outcome.state) == (Outcome.SETTLED, Observed(state))


async def test_a_program_that_works_by_its_own_word_is_never_quiet(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working")
    looked = await core.wait([puppet.pane], quiet_s=0.01, timeout_s=0.2)
    assert (looked.outcome, looked.panes[0].state) == (Outcome.CHECKIN, Observed.WORKING)


async def test_a_program_that_has_printed_nothing_yet_is_not_quiet(core: Client) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    looked = await core.wait([pane], quiet_s=0.01, timeout_s=0.2)
    assert (looked.outcome, looked.panes[0].output_at) == (Outcome.CHECKIN, None)


async def test_a_program_that_prints_for_the_first_time_and_then_nothing_more_is_quiet(
    core: Client, tmp_path: Path
) -> None:
    begin = tmp_path / "begin"
    os.mkfifo(begin)
    pane = (await core.open_pane(["sh", "-c", f"read line < {begin}; echo got; exec sleep 1000"])).pane
    async with waiting(core, [pane], quiet_s=QUIET_S, timeout_s=100) as results:
        await to_thread.run_sync(begin.write_text, "go\n")
    assert results[0].outcome is Outcome.QUIET


async def test_a_program_that_says_nothing_more_is_quiet_since_the_write(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "echo here; read line; echo got; exec sleep 1000"])).pane
    await shows(core, pane, "here")
    before = await answer(core, pane, quiet_s=QUIET_S)
    receipt = await core.write_pane(pane, "go", submit=True)
    after = await answer(core, pane, quiet_s=QUIET_S, since=receipt.ticket.id)
    assert [one.outcome for one in (before, after)] == [Outcome.QUIET] * 2
    assert after.output_at is not None
    assert after.output_at >= receipt.ticket.at
    assert (await core.read_status(pane)).signal is Signal.NONE


async def test_silence_of_all_panes_is_waited_for_in_each(core: Client, tmp_path: Path) -> None:
    with strings(tmp_path) as made:
        puppet = await open_puppet(core, tmp_path, made)
        quiet = (await core.open_pane(["sh", "-c", "echo here; exec sleep 1000"])).pane
        panes = [puppet.pane, quiet]
        ended = await core.wait(panes, until=Until.QUIET, mode=Mode.ALL, quiet_s=QUIET_S)
    assert [one.outcome for one in ended.panes] == [Outcome.QUIET] * 2
