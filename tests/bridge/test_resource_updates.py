"""Updates of resources: told from the host's own changes, to those who asked, and at most one at a time."""

import json
import os
import signal
from collections.abc import Sequence

import anyio
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from mcp_bridge.feed import News, Subscriber

from .calls import Json, Tools
from .place import Place
from .programs import report
from .raw_shim import RawShim, raw_shim
from .waiting import BOUND_S, process_gone

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_eras = pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])

_UPDATED, _LIST = "notifications/resources/updated", "notifications/resources/list_changed"


class _Watcher:
    """A client that subscribes in the way of its era and hears of changes."""

    def __init__(self, shim: RawShim, era: str) -> None:
        self.shim = shim
        self._modern = era == "auto"

    async def subscribe(self, uris: Sequence[str], *, lists: bool = False) -> None:
        """Ask for updates of `uris`; an older client hears of the list in any case."""
        if self._modern:
            asked = {"resourceSubscriptions": list(uris), "resourcesListChanged": lists}
            await self.shim.request("subscriptions/listen", notifications=asked)
            assert (await self.shim.message())["method"] == "notifications/subscriptions/acknowledged"
            return
        for uri in uris:
            await self._own(await self.shim.request("resources/subscribe", uri=uri))
        if not uris:
            await self._own(await self.shim.request("resources/list"))

    async def _own(self, identity: int) -> Json:
        return await self.shim.message_when(lambda message: message.get("id") == identity)

    async def hears(self, *whats: str) -> None:
        """Return once an update of each of these resources, or of the `list`, has come."""
        missing = set(whats)
        with anyio.fail_after(BOUND_S):
            while missing:
                missing.discard(_said(await self.shim.message()) or "")

    async def call(self, tool: str, **arguments: object) -> None:
        """Call a tool among the updates."""
        answer = await self._own(await self.shim.start(tool, **arguments))
        assert not answer["result"]["isError"]

    def heard(self) -> list[str]:
        """All that it has heard so far."""
        return [said for line in self.shim.lines if (said := _said(json.loads(line)))]


def _said(message: Json) -> str | None:
    if message.get("method") == _LIST:
        return "list"
    return str(message["params"]["uri"]) if message.get("method") == _UPDATED else None


@_eras
async def test_what_a_pane_declares_updates_its_status_and_the_list_of_panes(
    place: Place, tools: Tools, era: str
) -> None:
    pane, other = await tools.puppet(name="worker"), await tools.puppet()
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe(["panes://", f"pane://{pane}/status", "pane://worker/status"])
        for state in ("working", "done"):
            await tools.tell(pane, report(state))
            await watcher.hears("panes://", f"pane://{pane}/status", "pane://worker/status")
        await tools.tell(other, report("working"))
        await watcher.hears("panes://")
        assert f"pane://{other}/status" not in watcher.heard()


@_eras
async def test_panes_that_come_and_go_change_the_list(place: Place, tools: Tools, era: str) -> None:
    await tools.open(["cat"])
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe([], lists=True)
        pane = await tools.open(["cat"])
        await watcher.hears("list")
        await tools.call("close_pane", pane=pane)
        await watcher.hears("list")
        assert set(watcher.heard()) == {"list"}


@_eras
async def test_subscriptions_go_on_at_the_next_bridge_and_what_may_have_been_missed_is_told(
    place: Place, tools: Tools, era: str
) -> None:
    pane = await tools.puppet()
    status = f"pane://{pane}/status"
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe([status])
        for state in ("working", "done"):
            bridge = place.bridge
            os.kill(bridge, signal.SIGKILL)
            await process_gone(bridge)
            await watcher.hears(status)
            await tools.tell(pane, report(state))
            await watcher.hears(status)
        acknowledged = [line for line in shim.lines if b"subscriptions/acknowledged" in line]
        assert len(acknowledged) == (1 if era == "auto" else 0)


@_eras
async def test_a_screen_is_updated_after_its_last_output(place: Place, tools: Tools, era: str) -> None:
    pane, other = await tools.puppet(), await tools.puppet()
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe([f"pane://{pane}/screen"])
        for number in range(3):
            await tools.write(other, "say nothing for you")
            await tools.write(pane, f"say line {number}")
            with anyio.fail_after(BOUND_S):
                while True:
                    await watcher.hears(f"pane://{pane}/screen")
                    if f"line {number}" in (await tools.call("read_pane", pane=pane))["text"]:
                        break
        assert set(watcher.heard()) == {f"pane://{pane}/screen"}


@_eras
async def test_much_output_is_few_updates(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.open(["sh", "-c", "stty -echo; echo ready; read go; seq 100000; echo over; exec cat"])
    await tools.text_when(pane, "ready")
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe([f"pane://{pane}/screen", f"pane://{pane}/status"])
        await tools.call("write_pane", pane=pane, text="", secret=True)
        await tools.text_when(pane, "over")
        await tools.call("close_pane", pane=pane)
        await watcher.hears(f"pane://{pane}/status")
        # 100,000 lines came in several hundred pieces.
        assert watcher.heard().count(f"pane://{pane}/screen") < 100


async def test_a_stream_confirms_what_exists_and_a_wrong_resource_is_refused_before(place: Place) -> None:
    wrong = ["file:///etc/passwd", "pane://p1/mood"]
    async with raw_shim(place) as shim:
        await shim.begin()
        await shim.request(
            "subscriptions/listen",
            notifications={
                "resourceSubscriptions": [*wrong, "panes://"],
                "resourcesListChanged": True,
                "promptsListChanged": True,
            },
        )
        confirmed = (await shim.message())["params"]["notifications"]
        assert confirmed == {"resourceSubscriptions": ["panes://"], "resourcesListChanged": True}
    async with raw_shim(place, "legacy") as shim:
        await shim.begin()
        for uri in wrong:
            error = await shim.error("resources/subscribe", uri=uri)
            assert (error["code"], error["data"]) == (-32002, {"uri": uri})


@_eras
async def test_who_asks_no_more_is_told_no_more(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.puppet()
    uri = f"pane://{pane}/status"
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe(["panes://"])
        stream = await shim.request("subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
        if era == "auto":
            await shim.message_when(lambda message: message.get("method", "").endswith("acknowledged"))
            await shim.notify("notifications/cancelled", requestId=stream)
        else:
            assert "error" in await shim.message_when(lambda message: message.get("id") == stream)
            await watcher.subscribe([uri])
            ended = await shim.request("resources/unsubscribe", uri=uri)
            await shim.message_when(lambda message: message.get("id") == ended)
        await watcher.call("list_panes")
        for state in ("working", "done"):
            await tools.tell(pane, report(state))
            await watcher.hears("panes://")
        assert uri not in watcher.heard()


@_eras
async def test_after_a_killed_host_updates_go_on(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.puppet(name="worker")
    async with raw_shim(place, era) as shim:
        await shim.begin()
        watcher = _Watcher(shim, era)
        await watcher.subscribe(["panes://", "pane://worker/status", "pane://worker/screen"], lists=True)
        host = place.host
        os.kill(host, signal.SIGKILL)
        await process_gone(host)
        await tools.tell(pane, report("working"))
        await watcher.hears("panes://", "pane://worker/status")
        await tools.write(pane, "say hello")
        await watcher.hears("pane://worker/screen")


@_eras
async def test_a_client_that_does_not_read_holds_up_no_other_and_is_told_less_often(
    place: Place, tools: Tools, era: str
) -> None:
    pane = await tools.open(["sh", "-c", "seq 10000 11500; echo over; exec cat"])
    declaring = await tools.puppet()
    await tools.text_when(pane, "over")
    uri = f"pane://{declaring}/status"
    async with raw_shim(place, era) as lazy, raw_shim(place, era) as shim:
        for client in (lazy, shim):
            await client.begin()
            await _Watcher(client, era).subscribe([uri])
        # More than all buffers on the way take.
        reads = [await lazy.start("read_pane", pane=pane, lines=2000) for _ in range(150)]
        watcher, changes = _Watcher(shim, era), 40
        for number in range(changes):
            await tools.tell(declaring, report("working", f"step {number}"))
            await watcher.hears(uri)
        behind = _Watcher(lazy, era)
        while reads or not behind.heard():
            identity = (await lazy.message()).get("id")
            if identity is not None:
                reads.remove(identity)
        assert behind.heard().count(uri) < changes


async def test_a_slow_client_is_behind_by_one_update_a_resource() -> None:
    status, screen, unasked = (ResourceUpdated(f"pane://{pane}/status") for pane in ("p1", "p2", "p3"))
    lists = ResourcesListChanged()
    subscriber = Subscriber([status, screen, lists])
    for _ in range(1000):
        subscriber.offer([status, lists, unasked])
    subscriber.offer([screen])
    heard: list[News] = [await subscriber.next() for _ in range(3)]
    assert heard == [status, lists, screen]
    with anyio.move_on_after(0) as nothing_left:
        await subscriber.next()
    assert nothing_left.cancelled_caught


async def test_the_stream_of_a_real_client_tells_it_to_read_again(place: Place, tools: Tools) -> None:
    pane = await tools.puppet()
    uri = f"pane://{pane}/status"
    async with (
        Client(place.server()) as client,
        client.listen(resources_list_changed=True, resource_subscriptions=[uri, "panes://"]) as stream,
    ):
        assert stream.honored.resource_subscriptions == [uri, "panes://"]
        await tools.tell(pane, report("done", "told"))
        with anyio.fail_after(BOUND_S):
            async for event in stream:
                if event == ResourceUpdated(uri):
                    break
        (content,) = (await client.read_resource(uri)).contents
        assert '"msg":"told"' in getattr(content, "text", "")
        await tools.call("close_pane", pane=pane)
        with anyio.fail_after(BOUND_S):
            async for event in stream:
                if event == ResourcesListChanged():
                    break
