"""A pane that is at rest or blocked answers at once, and each way to rest is told apart from the others."""

from pathlib import Path

import pytest

from session_core import Client, Kind, Observed, Outcome, Signal, Until

from ..host.waiting import exit_of, status_when
from .programs import message, open_puppet, strings
from .waiting import answer, look, waiting

pytestmark = pytest.mark.anyio

_QUESTION = "state=blocked:kind=question:" + message("Run tests?")


@pytest.mark.parametrize("rest", ["idle", "done", "error"])
async def test_a_pane_that_came_to_rest_before_the_call_answers_at_once(
    core: Client, tmp_path: Path, strings: tuple[str, int], rest: str
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working", f"state={rest}:" + message("12 targets"))
    await status_when(core, puppet.pane, lambda status: status.state == rest)
    outcome = await look(core, puppet.pane)
    assert outcome.record is not None
    assert (outcome.outcome, outcome.state) == (Outcome.SETTLED, Observed(rest))
    assert outcome.record.msg == "12 targets"


async def test_a_question_ends_a_wait_for_rest_when_it_comes_and_when_it_was_there_before(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working")
    await status_when(core, puppet.pane, lambda status: status.state == "working")
    async with waiting(core, [puppet.pane]) as during:
        puppet.report(_QUESTION)
    after = await look(core, puppet.pane)
    for outcome in (during[0].panes[0], after):
        assert outcome.record is not None
        assert outcome.outcome is Outcome.BLOCKED
        assert (outcome.record.kind, outcome.record.msg) == (Kind.QUESTION, "Run tests?")


async def test_a_wait_for_the_exit_goes_on_through_a_question(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], until=Until.EXITED) as results:
        puppet.report("state=working", _QUESTION)
        await answer(core, puppet.pane, until=Until.BLOCKED)
        puppet.tell("die 3")
    assert results[0].outcome is Outcome.EXITED


async def test_a_question_that_was_answered_meanwhile_does_not_end_a_later_wait(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    since = (await core.list_panes()).revision
    puppet.report("state=working", _QUESTION, "state=working", "state=done")
    await status_when(core, puppet.pane, lambda status: status.state == "done")
    outcome = await look(core, puppet.pane, since=since)
    assert (outcome.outcome, outcome.state) == (Outcome.SETTLED, Observed.DONE)
    assert outcome.went == (Observed.WORKING, Observed.BLOCKED, Observed.WORKING, Observed.DONE)


async def test_never_reported_at_rest_finished_and_exited_are_four_answers(core: Client, tmp_path: Path) -> None:
    with (
        strings(tmp_path, "1") as first,
        strings(tmp_path, "2") as second,
        strings(tmp_path, "3") as third,
    ):
        silent = (await core.open_pane(["sleep", "1000"])).pane
        idle, done, exited = [await open_puppet(core, tmp_path, made) for made in (first, second, third)]
        idle.report("state=idle")
        done.report("state=working", "state=done:" + message("built"))
        exited.report("state=working")
        exited.tell("die 3")
        await exit_of(core, exited.pane)
        for puppet in (idle, done):
            await answer(core, puppet.pane)
        found = [await look(core, pane) for pane in (silent, idle.pane, done.pane, exited.pane)]
        listed = {status.pane: status for status in (await core.list_panes()).panes}
    assert [(one.outcome, one.state) for one in found] == [
        (Outcome.CHECKIN, Observed.UNKNOWN),
        (Outcome.SETTLED, Observed.IDLE),
        (Outcome.SETTLED, Observed.DONE),
        (Outcome.EXITED, Observed.UNKNOWN),
    ]
    assert listed[silent].signal is Signal.NONE
    assert [one.exit.code if one.exit else None for one in found] == [None, None, None, 3]
    assert found[3].unfinished
    assert found[2].record is not None
    assert found[2].record.msg == "built"
    assert listed[silent].changes < listed[idle.pane].changes < listed[done.pane].changes


async def test_a_finished_state_that_a_person_has_seen_is_rest_and_no_turn(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working", "state=done")
    since = (await status_when(core, puppet.pane, lambda status: status.state == "done")).revision
    await core.send_keystrokes(puppet.pane, b"k")
    assert (await look(core, puppet.pane)).state is Observed.IDLE
    assert (await look(core, puppet.pane, since=since)).outcome is Outcome.CHECKIN
