"""A wait whose connection is cut goes on, and what happened meanwhile ends it as if it had never been cut."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from session_core import Client, Mode, Observed, Outcome, Until, WaitResult

from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, reported
from ..writes.panes import lines_when, turns
from .cutting import Proxy, Where

pytestmark = pytest.mark.anyio

_SAYS = r"""
    ready()
    for line in sys.stdin:
        say(line.encode().decode("unicode_escape"))
        report("state=idle:id=said")
"""
LONG_S = 600.0


@asynccontextmanager
async def _cut_off(proxy: Proxy, wait: Callable[[], Awaitable[WaitResult]]) -> AsyncIterator[list[WaitResult]]:
    """Begin a wait, and run the context while it is open in the host and its client has no connection."""
    results: list[WaitResult] = []

    async def run() -> None:
        results.append(await wait())

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            proxy.plan("wait", Where.OPEN)
            proxy.hold()
            tasks.start_soon(run)
            await eventually(lambda: proxy.cuts == 1)
            yield results
            proxy.go_on()


async def test_a_turn_that_came_and_went_is_found(cut: Client, core: Client, proxy: Proxy, tmp_path: Path) -> None:
    pane, lines = await turns(core, tmp_path)
    begun = (await core.write_pane(pane, "work", submit=True)).ticket
    await core.wait([pane], until=Until.CHANGE, since=begun.id, timeout_s=LONG_S)
    async with _cut_off(proxy, lambda: cut.wait([pane], timeout_s=LONG_S)) as results:
        await core.write_pane(pane, "it is done", submit=True)
        await core.write_pane(pane, "work again", submit=True)
        await lines_when(lines, 3)
    assert results[0].outcome is Outcome.SETTLED
    assert results[0].panes[0].state is Observed.DONE


@pytest.mark.parametrize("since", [False, True])
async def test_news_that_came_meanwhile_are_found(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, since: bool
) -> None:
    pane, _ = await turns(core, tmp_path)
    revision = (await core.list_panes()).revision if since else None
    wait = lambda: cut.wait([pane], until=Until.CHANGE, since=revision, timeout_s=LONG_S)  # noqa: E731
    async with _cut_off(proxy, wait) as results:
        ticket = (await core.write_pane(pane, "done", submit=True)).ticket
        await core.wait([pane], since=ticket.id, timeout_s=LONG_S)
    assert results[0].outcome is Outcome.CHANGED


async def test_the_turn_after_a_ticket_is_found(cut: Client, core: Client, proxy: Proxy, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    begun = (await core.write_pane(pane, "work", submit=True)).ticket
    await core.wait([pane], until=Until.CHANGE, since=begun.id, timeout_s=LONG_S)
    ticket = (await core.write_pane(pane, "more", submit=True)).ticket
    async with _cut_off(proxy, lambda: cut.wait([pane], since=ticket.id, timeout_s=LONG_S)) as results:
        await core.write_pane(pane, "error", submit=True)
        await core.wait([pane], timeout_s=LONG_S)
    assert results[0].outcome is Outcome.SETTLED
    assert (results[0].panes[0].state, results[0].started) == (Observed.ERROR, "queued_on_running_turn")


async def test_an_exit_that_came_meanwhile_is_found(cut: Client, core: Client, proxy: Proxy) -> None:
    pane = (await core.open_pane(["sh", "-c", "read line; exit 4"])).pane
    async with _cut_off(proxy, lambda: cut.wait([pane], until=Until.EXITED, timeout_s=LONG_S)) as results:
        await core.write_pane(pane, "", submit=True)
        await core.wait([pane], until=Until.EXITED)
    assert results[0].outcome is Outcome.EXITED


async def test_a_text_that_came_meanwhile_is_found_and_one_of_before_is_not(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    pane = (await core.open_pane(python(tmp_path, _SAYS))).pane
    await reported(core, pane)
    await core.write_pane(pane, r"\x57arm\n", submit=True)
    await reported(core, pane, "said")
    async with _cut_off(proxy, lambda: cut.wait([pane], text="Warm", timeout_s=LONG_S)) as results:
        assert not results
        ticket = (await core.write_pane(pane, r"\x57armer\n", submit=True)).ticket
        await core.wait([pane], text="armer", since=ticket.id, timeout_s=LONG_S)
    assert results[0].outcome is Outcome.TEXT
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == "Warmer"


async def test_a_wait_for_all_goes_on_for_those_that_are_not_through(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    first = (await core.open_pane(python(tmp_path, 'report("state=done")\nready()\nrest()'))).pane
    await reported(core, first)
    second = (await core.open_pane(["sleep", "1000"])).pane
    async with _cut_off(proxy, lambda: cut.wait([first, second], mode=Mode.ALL)) as results:
        await core.close_pane(second)
    assert [news.outcome for news in results[0].panes] == [Outcome.SETTLED, Outcome.CLOSED]


async def test_time_that_is_up_meanwhile_is_a_checkin_with_all_the_time_in_it(
    cut: Client, core: Client, proxy: Proxy
) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    async with _cut_off(proxy, lambda: cut.wait([pane], until=Until.EXITED, timeout_s=0.2)) as results:
        await anyio.sleep(0.3)
    assert results[0].outcome is Outcome.CHECKIN
    assert results[0].waited_s >= 0.3


async def test_a_wait_that_is_given_up_meanwhile_is_not_begun_again(cut: Client, core: Client, proxy: Proxy) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    async with anyio.create_task_group() as tasks:
        async with anyio.create_task_group() as waiting:
            proxy.plan("wait", Where.OPEN)
            proxy.hold()
            waiting.start_soon(lambda: cut.wait([pane], until=Until.EXITED, timeout_s=LONG_S))
            await eventually(lambda: proxy.cuts == 1)
            waiting.cancel_scope.cancel()
        proxy.go_on()
        tasks.start_soon(cut.list_panes)
    assert proxy.passed("wait") == 1


@pytest.mark.parametrize("text", [None, "never"])
async def test_a_wait_of_a_host_that_has_lost_its_memory_is_told_to_look_anew(
    cut: Client, core: Client, proxy: Proxy, text: str | None
) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    until = Until.TEXT if text else Until.EXITED
    async with _cut_off(proxy, lambda: cut.wait([pane], until=until, text=text, timeout_s=LONG_S)) as results:
        proxy.other_epoch()
    assert results[0].outcome is Outcome.RESYNC
