"""A wait that its client gives up, in whatever way, is given up in the host, and no other call notices."""

import os
import signal

import pytest

from .place import Place
from .raw_shim import Json, RawShim, raw_shim
from .stand_in_host import stand_in_host

pytestmark = pytest.mark.anyio

_ENDED = {"outcome": "settled", "panes": [], "revision": 7, "waited_s": 0.5}


async def _cancel(shim: RawShim, call: int) -> None:
    await shim.notify("notifications/cancelled", requestId=call, reason="no longer wanted")


async def _end_input(shim: RawShim, _: int) -> None:
    await shim.end_input()


async def _terminate(shim: RawShim, _: int) -> None:
    os.kill(shim.process.pid, signal.SIGTERM)


async def _kill(shim: RawShim, _: int) -> None:
    os.kill(shim.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
@pytest.mark.parametrize("give_up", [_cancel, _end_input, _terminate, _kill])
@pytest.mark.parametrize(
    ("tool", "method", "arguments"),
    [
        ("wait_idle", "wait", {"panes": ["p1"], "timeout_s": 30}),
        ("write_pane", "write_pane", {"pane": "p1", "text": "hi", "wait_s": 30}),
        ("send_keys", "send_keys", {"pane": "p1", "keys": ["Enter"], "wait_s": 30}),
    ],
)
async def test_a_wait_is_freed_in_the_host_and_other_calls_go_on(
    place: Place, era: str, give_up: object, tool: str, method: str, arguments: Json
) -> None:
    assert callable(give_up)
    async with stand_in_host(place.folder) as host, raw_shim(place, era) as shim, raw_shim(place, era) as other:
        await shim.begin()
        await other.begin()
        kept = await other.start("wait_idle", panes=["p2"], timeout_s=30)
        await host.heard("wait")
        call = await shim.request("tools/call", name=tool, arguments=arguments, _meta={"progressToken": "t"})
        waiting = await host.heard(method)
        await give_up(shim, call)
        assert (await host.heard("cancel")).params == {"id": getattr(waiting, "id", None)}
        host.answers["wait"] = _ENDED
        assert (await other.call("wait_idle", panes=["p3"]))["outcome"] == "settled"
        await _cancel(other, kept)
        await host.heard("cancel")
        if give_up is _cancel:
            # What was given up is not answered any more.
            assert (await shim.call("wait_idle", panes=["p1"]))["outcome"] == "settled"
