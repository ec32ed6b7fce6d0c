"""Notices of output: which panes wrote something, for a subscriber that asked to be told."""

import anyio
import pytest

from session_core import Client, OutputNews, connect
from session_core.host.output_notices import OutputNotices

from .hosts import RunningHost
from .waiting import BOUND_S
from .wire import code, wire

pytestmark = pytest.mark.anyio

_ECHO = ["sh", "-c", "echo ready; exec cat"]


async def _shown(core: Client, pane: str, text: str) -> bool:
    return text in (await core.read_pane(pane)).text


async def _told(watching: Client, core: Client, pane: str, text: str) -> None:
    """Return once a notice names the pane and the screen shows `text` then."""
    with anyio.fail_after(BOUND_S):
        async for news in watching.changes():
            if isinstance(news, OutputNews) and pane in news.panes and await _shown(core, pane, text):
                return
    raise AssertionError(f"no notice came after {text!r} was shown")


async def test_after_every_output_a_notice_names_its_pane(core: Client) -> None:
    async with connect() as watching:
        await watching.watch_changes(output=True)
        panes = [(await core.open_pane(_ECHO)).pane for _ in range(2)]
        for pane in panes:
            await _told(watching, core, pane, "ready")
        for number in range(3):
            for pane in panes:
                await core.write_pane(pane, f"line {number}", submit=True)
                await _told(watching, core, pane, f"line {number}")


async def test_a_burst_is_told_once_at_its_start_and_once_after_its_end() -> None:
    told: list[tuple[str, ...]] = []
    again = anyio.Event()

    def take(panes: tuple[str, ...]) -> bool:
        told.append(panes)
        if len(told) == 2:
            again.set()
        return True

    notices = OutputNotices(take)
    for _ in range(1000):
        for pane in ("p1", "p2"):
            notices.wrote(pane)
    assert told == [("p1",)]
    with anyio.fail_after(BOUND_S):
        await again.wait()
    notices.close()
    assert told == [("p1",), ("p2", "p1")]


async def test_what_a_subscriber_does_not_take_is_told_again() -> None:
    offered: list[tuple[str, ...]] = []
    taken = anyio.Event()

    def take(panes: tuple[str, ...]) -> bool:
        offered.append(panes)
        if len(offered) == 2:
            taken.set()
        return taken.is_set()

    notices = OutputNotices(take)
    notices.wrote("p1")
    with anyio.fail_after(BOUND_S):
        await taken.wait()
    notices.close()
    assert offered == [("p1",), ("p1",)]


async def test_nobody_is_told_of_output_who_did_not_ask_or_asks_no_more(core: Client, host: RunningHost) -> None:
    async with wire(host.socket) as never, wire(host.socket) as no_more:
        await never.call("subscribe")
        await no_more.call("subscribe", output=True)
        await no_more.call("subscribe", output=False)
        pane = (await core.open_pane(["sh", "-c", "echo over; exec cat"])).pane
        while not await _shown(core, pane, "over"):
            pass
        await core.close_pane(pane)
        for connection in (never, no_more):
            methods = set()
            while True:
                message = await connection.receive()
                methods.add(message["method"])
                if message["params"]["changes"][-1]["cause"] == "close":
                    break
            assert methods == {"changes"}


async def test_a_ticket_says_what_became_of_its_write(core: Client, host: RunningHost) -> None:
    pane = (await core.open_pane(_ECHO)).pane
    written = (await core.write_pane(pane, "hi", submit=True)).ticket
    assert (await core.read_ticket(written.id)).status == "delivered"
    await core.close_pane(pane)
    assert (await core.read_ticket(written.id)).pane == pane
    async with wire(host.socket) as connection:
        assert code(await connection.call("read_ticket", ticket="t999999")) == "no_such_ticket"
