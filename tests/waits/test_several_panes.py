"""Several panes in one wait, parts of one program, calls that are given up, and words that nobody knows."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, Mode, Observed, Outcome, State

from ..host.waiting import BOUND_S, status_when
from .programs import Puppet, message, open_puppet, strings
from .waiting import answer, look, settled_open, told, waiting

pytestmark = pytest.mark.anyio


async def _idle(core: Client, puppet: Puppet) -> None:
    puppet.report("state=idle")
    await answer(core, puppet.pane)


async def test_a_ticket_counts_for_the_other_panes_from_the_same_moment(core: Client, tmp_path: Path) -> None:
    with strings(tmp_path, "1") as one, strings(tmp_path, "2") as two:
        first, second = [await open_puppet(core, tmp_path, made) for made in (one, two)]
        panes = [first.pane, second.pane]
        for puppet in (first, second):
            await _idle(core, puppet)
        ticket = (await core.write_pane(first.pane, "go", submit=True)).ticket.id
        assert (await core.wait(panes, since=ticket, timeout_s=0)).outcome is Outcome.CHECKIN
        async with (
            waiting(core, panes, since=ticket) as some,
            waiting(core, panes, since=ticket, mode=Mode.ALL) as all_,
        ):
            second.report("state=working", "state=done")
            await answer(core, second.pane, since=ticket)
            first.report("state=working", "state=error")
    assert told(some[0])[1] == (Outcome.SETTLED, Observed.DONE)
    assert told(all_[0]) == [(Outcome.SETTLED, Observed.ERROR), (Outcome.SETTLED, Observed.DONE)]


async def test_a_write_without_a_reaction_ends_a_wait_for_any_but_not_for_all(core: Client, tmp_path: Path) -> None:
    with strings(tmp_path, "1") as one, strings(tmp_path, "2") as two:
        first, second = [await open_puppet(core, tmp_path, made) for made in (one, two)]
        panes = [first.pane, second.pane]
        await _idle(core, first)
        second.report("state=working")
        ticket = (await core.write_pane(first.pane, "go", submit=True)).ticket.id
        some = await core.wait(panes, since=ticket, start_grace_s=0.05, timeout_s=BOUND_S)
        async with waiting(core, panes, since=ticket, start_grace_s=0.05, mode=Mode.ALL) as results:
            await settled_open(core)
            second.report("state=done")
    assert [one.outcome for one in some.panes] == [Outcome.NOT_STARTED, Outcome.CHECKIN]
    assert [one.outcome for one in results[0].panes] == [Outcome.NOT_STARTED, Outcome.SETTLED]


async def test_all_goes_on_over_several_calls_and_takes_no_rest_from_before_for_an_answer(
    core: Client, tmp_path: Path
) -> None:
    with strings(tmp_path, "1") as one, strings(tmp_path, "2") as two:
        first, second = [await open_puppet(core, tmp_path, made) for made in (one, two)]
        panes = [first.pane, second.pane]
        for _ in range(40):
            first.report("state=working", "state=done")
        first.report("state=working:" + message("the last"))
        await status_when(core, first.pane, lambda status: bool(status.lead and status.lead.msg == "the last"))
        await _idle(core, second)
        half = await core.wait(panes, mode=Mode.ALL, timeout_s=0)
        assert told(half) == [(Outcome.CHECKIN, Observed.WORKING), (Outcome.SETTLED, Observed.IDLE)]
        again = await core.wait(panes, mode=Mode.ALL, since=half.revision, timeout_s=0)
        assert told(again) == [(Outcome.CHECKIN, Observed.WORKING), (Outcome.SETTLED, Observed.IDLE)]
        first.report("state=done")
        whole = await core.wait(panes, mode=Mode.ALL, since=again.revision, timeout_s=BOUND_S)
    assert told(whole) == [(Outcome.SETTLED, Observed.DONE), (Outcome.SETTLED, Observed.IDLE)]


async def test_a_finished_part_does_not_finish_the_whole(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane]) as results:
        puppet.report("state=working:app=agent", "state=working:id=t1", "state=done:id=t1:" + message("Run tests?"))
        status = await status_when(core, puppet.pane, lambda status: len(status.records) == 2)
        await status_when(core, puppet.pane, lambda status: status.records[1].state == State.DONE)
        looked = await look(core, puppet.pane, since=status.revision)
        assert (looked.outcome, looked.state) == (Outcome.CHECKIN, Observed.WORKING)
        assert looked.record is not None
        assert looked.record.id == ""
        puppet.report("state=done")
    assert (results[0].outcome, results[0].panes[0].state) == (Outcome.SETTLED, Observed.DONE)


async def test_a_finished_whole_with_a_part_at_work_is_not_at_rest(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working", "state=working:id=t1", "state=done")
    status = await status_when(core, puppet.pane, lambda status: status.root == State.DONE)
    assert (await look(core, puppet.pane)).outcome is Outcome.CHECKIN
    puppet.report("state=clear:id=t1")
    outcome = await answer(core, puppet.pane, since=status.revision)
    assert (outcome.outcome, outcome.state) == (Outcome.SETTLED, Observed.DONE)


async def test_words_that_nobody_knows_end_no_wait(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working")
    since = (await status_when(core, puppet.pane, lambda status: status.state == "working")).revision
    puppet.report("state=napping", "STATE=idle", "state=Idle", "state=working:progress=101:id=after")
    status = await status_when(core, puppet.pane, lambda status: len(status.records) == 2)
    looked = await look(core, puppet.pane, since=since)
    assert (looked.outcome, looked.state, status.root) == (Outcome.CHECKIN, Observed.WORKING, State.WORKING)
    assert status.records[1].progress is None
    puppet.report("state=blocked:kind=coffee")
    outcome = await answer(core, puppet.pane, since=since)
    assert outcome.record is not None
    assert (outcome.outcome, outcome.record.kind) == (Outcome.BLOCKED, None)


@pytest.mark.parametrize("by", ["ticket", "revision"])
async def test_what_came_after_a_client_gave_up_is_the_next_answer_to_the_same_question(
    core: Client, tmp_path: Path, strings: tuple[str, int], by: str
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    await _idle(core, puppet)
    ticket = (await core.write_pane(puppet.pane, "go", submit=True)).ticket
    since: int | str = ticket.id if by == "ticket" else ticket.revision
    puppet.report("state=working")
    with anyio.move_on_after(0.05) as given_up:
        await core.wait([puppet.pane], since=since, timeout_s=BOUND_S)
    assert given_up.cancelled_caught
    puppet.report("state=done:" + message("late"), "state=idle")
    await status_when(core, puppet.pane, lambda status: status.state == "idle")
    outcome = await look(core, puppet.pane, since=since)
    assert outcome.record is not None
    assert (outcome.outcome, outcome.state, outcome.record.msg) == (Outcome.SETTLED, Observed.DONE, "late")
    assert outcome.now is Observed.IDLE
