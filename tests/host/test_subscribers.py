"""Changes as a subscriber gets them: each once and in order, or a gap that says so."""

from pathlib import Path

import anyio
import pytest

from session_core import ChangeBatch, Client, Gap, OutputNews, connect
from session_core.news import NEWS

from .hosts import RunningHost
from .programs import python
from .waiting import BOUND_S, exit_of, reported
from .wire import wire

pytestmark = pytest.mark.anyio

_FLOOD = """
    for number in range(int(sys.argv[1])):
        report(f"state=working:id=a{number % 250}:progress={number % 101}")
    ready()
    rest()
"""


async def test_a_subscriber_gets_every_change_once_and_in_order(core: Client, host: RunningHost) -> None:
    script = r"printf '\033]7501;state=working\033\\\033]7501;state=done\033\\'"
    async with wire(host.socket) as connection:
        greeting = (await connection.call("subscribe"))["result"]
        pane = (await core.open_pane(["sh", "-c", script])).pane
        await exit_of(core, pane)
        await core.close_pane(pane)
        last = (await core.list_panes()).revision
        revisions: list[int] = []
        seen: list[tuple[str, str | None, str | None]] = []
        while not revisions or revisions[-1] < last:
            message = await connection.receive()
            assert message["method"] == "changes"
            for change in message["params"]["changes"]:
                assert change["pane"] == pane
                revisions.append(change["revision"])
                if change["subject"] in ("record", "life"):
                    seen.append((change["cause"], change["before"], change["after"]))
    assert revisions == sorted(set(revisions))
    assert revisions[0] > greeting["revision"]
    assert seen == [
        ("open", "starting", "running"),
        ("report", None, "working"),
        ("report", "working", "done"),
        ("exit", "running", "exited"),
        ("close", "exited", None),
    ]


async def test_two_subscribers_get_the_same(core: Client, host: RunningHost) -> None:
    async with wire(host.socket) as first, wire(host.socket) as second:
        for connection in (first, second):
            await connection.call("subscribe")
            await connection.call("subscribe")
        pane = (await core.open_pane(["true"])).pane
        await exit_of(core, pane)
        last = (await core.read_status(pane)).revision
        batches = []
        for connection in (first, second):
            news = [await connection.receive()]
            while news[-1]["params"]["changes"][-1]["revision"] < last:
                news.append(await connection.receive())
            batches.append(news)
    assert batches[0] == batches[1]


async def test_a_subscriber_that_does_not_read_gets_a_gap_and_holds_up_nobody(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    async with wire(host.socket) as lazy:
        await lazy.call("subscribe")
        pane = (await core.open_pane(python(tmp_path, _FLOOD, "20000"))).pane
        await reported(core, pane)
        current = (await core.list_panes()).revision
        revisions: list[int] = []
        while (message := await lazy.receive())["method"] == "changes":
            revisions += [change["revision"] for change in message["params"]["changes"]]
        assert message["method"] == "gap"
        assert revisions == sorted(set(revisions))
        assert revisions[-1] < current <= message["params"]["revision"]
        await core.close_pane(pane)
        assert (await lazy.receive())["params"]["changes"][0]["revision"] > message["params"]["revision"]


async def test_a_reader_of_changes_that_is_behind_gets_a_gap_and_then_what_is_new(core: Client, tmp_path: Path) -> None:
    async with connect() as behind:
        news = behind.changes()
        first: list[ChangeBatch | Gap | OutputNews] = []

        async def subscribe() -> None:
            first.append(await anext(news))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(subscribe)
            await anyio.wait_all_tasks_blocked()
            await behind.list_panes()
            pane = (await core.open_pane(python(tmp_path, _FLOOD, str(NEWS + 500)))).pane
        assert isinstance(first[0], ChangeBatch)
        last = (await reported(core, pane)).revision
        await behind.list_panes()
        gaps = 0
        with anyio.fail_after(BOUND_S):
            async for batch in news:
                gaps += isinstance(batch, Gap)
                if isinstance(batch, ChangeBatch) and batch.changes[-1].revision >= last:
                    break
        assert gaps == 1


async def test_a_client_that_does_not_read_its_answers_is_dropped_and_the_others_are_served(
    core: Client, host: RunningHost
) -> None:
    await core.open_pane(["sh", "-c", "sleep 1000", "x" * 100_000])
    async with wire(host.socket) as greedy:
        lines = [greedy.request("list_panes") for _ in range(400)]
        with anyio.move_on_after(BOUND_S):
            await greedy.send(b"".join(lines))
        assert len((await core.list_panes()).panes) == 1
        await greedy.ended()
    assert len((await core.list_panes()).panes) == 1
