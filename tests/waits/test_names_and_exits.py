"""A name that is used again: the second run inherits nothing, and who waited for the first has been told."""

from pathlib import Path

import pytest

from session_core import Client, Outcome, Until

from ..host.waiting import exit_of
from .programs import message, open_puppet
from .waiting import answer, look, waiting

pytestmark = pytest.mark.anyio

NAME = "worker"


async def test_a_second_run_under_the_same_name_shows_nothing_of_the_first(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    first = await open_puppet(core, tmp_path, strings, name=NAME)
    first.report("state=working", "state=done:" + message("the first run"))
    await answer(core, NAME)
    async with waiting(core, [NAME], until=Until.EXITED) as results:
        first.tell("die 0")
    assert (results[0].outcome, results[0].panes[0].pane) == (Outcome.EXITED, first.pane)
    second = (await core.open_pane(["sh", "-c", "exit 9"], name=NAME)).pane
    outcome = await answer(core, NAME)
    assert (outcome.pane, outcome.outcome, outcome.exit and outcome.exit.code) == (second, Outcome.EXITED, 9)
    assert (outcome.record, outcome.unfinished) == (None, False)
    status = await core.read_status(NAME)
    assert (status.pane, status.records, status.state) == (second, (), "unknown")
    assert (await look(core, first.pane)).exit != outcome.exit


async def test_who_waits_for_a_pane_that_is_closed_is_released_and_not_carried_over(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    first = await open_puppet(core, tmp_path, strings, name=NAME)
    first.report("state=working")
    async with (
        waiting(core, [NAME]) as settled,
        waiting(core, [NAME], text="never") as text,
        waiting(core, [NAME], until=Until.QUIET, quiet_s=1000) as quiet,
    ):
        await core.close_pane(NAME)
        second = (await core.open_pane(["sh", "-c", "exit 9"], name=NAME)).pane
        await exit_of(core, second)
    for results in (settled, text, quiet):
        assert results[0].panes[0].pane == first.pane
        assert results[0].outcome in (Outcome.EXITED, Outcome.CLOSED)


async def test_a_revision_of_the_first_run_ends_a_wait_for_the_second_by_the_second_s_own_end(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    first = await open_puppet(core, tmp_path, strings, name=NAME)
    first.report("state=working", "state=done")
    since = (await core.list_panes()).revision
    await core.close_pane(first.pane)
    await core.open_pane(["sh", "-c", "exit 9"], name=NAME)
    outcome = await answer(core, NAME, since=since)
    assert (outcome.outcome, outcome.exit and outcome.exit.code) == (Outcome.EXITED, 9)
