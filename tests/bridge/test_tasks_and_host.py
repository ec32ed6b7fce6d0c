"""What the bridge asks of its host for a task, and when it gives that up."""

import pytest

from .place import Place
from .raw_shim import TASKS, end_of, raw_shim, task_of
from .stand_in_host import stand_in_host

pytestmark = pytest.mark.anyio

_LOOKED = {"outcome": "checkin", "panes": [], "revision": 7, "waited_s": 0}


async def test_a_cancelled_task_is_cancelled_and_its_wait_in_the_host_is_freed(place: Place) -> None:
    async with stand_in_host(place.folder) as host, raw_shim(place, capabilities=TASKS) as shim:
        await shim.begin()
        host.once["wait"] = _LOOKED
        task = await task_of(shim, "wait_idle", panes=["p1"], timeout_s=60)
        await host.heard("wait")
        waiting = await host.heard("wait")
        assert (await shim.result("tasks/cancel", taskId=task)).keys() <= {"resultType", "_meta"}
        assert (await host.heard("cancel")).params == {"id": getattr(waiting, "id", None)}
        found = await shim.result("tasks/get", taskId=task)
        assert found["status"] == "cancelled"
        assert "result" not in found
        await shim.result("tasks/cancel", taskId=task)
        assert (await shim.result("tasks/get", taskId=task))["status"] == "cancelled"


async def test_a_task_outlives_its_client_and_a_plain_wait_does_not(place: Place) -> None:
    async with stand_in_host(place.folder) as host, raw_shim(place, capabilities=TASKS) as other:
        await other.begin()
        async with raw_shim(place, capabilities=TASKS) as shim:
            await shim.begin()
            host.once["wait"] = _LOOKED
            task = await task_of(shim, "wait_idle", panes=["p1"], timeout_s=60)
            await host.heard("wait")
            in_task = await host.heard("wait")
            shim.capabilities = {}
            await shim.start("wait_idle", panes=["p1"], timeout_s=60)
            plain = await host.heard("wait")
            shim.process.kill()
        assert (await host.heard("cancel")).params == {"id": getattr(plain, "id", None)}
        assert (await other.result("tasks/get", taskId=task))["status"] == "working"
        await other.result("tasks/cancel", taskId=task)
        assert (await host.heard("cancel")).params == {"id": getattr(in_task, "id", None)}


async def test_a_task_may_wait_for_a_day_whatever_its_client_allows(place: Place) -> None:
    async with stand_in_host(place.folder) as host, raw_shim(place, client="pi", capabilities=TASKS) as shim:
        await shim.begin()
        for asked, taken, more in ((86400, 86400, {}), (90000, 86400, {"timeout_s": 86400, "clamped": True})):
            host.answers["wait"] = _LOOKED
            task = await task_of(shim, "wait_idle", panes=["p1"], timeout_s=asked)
            assert (await host.heard("wait")).params["timeout_s"] < 0.001
            assert (await host.heard("wait")).params["timeout_s"] == taken
            ended = await end_of(shim, task)
            assert ended["ttlMs"] > taken * 1000
            assert ended["result"]["structuredContent"] == _LOOKED | more


async def test_a_change_between_the_look_and_the_wait_counts(place: Place) -> None:
    async with stand_in_host(place.folder) as host, raw_shim(place, capabilities=TASKS) as shim:
        await shim.begin()
        host.answers["wait"] = _LOOKED
        for until, since, meant in (("change", 0, 7), ("change", 5, 5), ("settled", 0, None), ("settled", "t1", "t1")):
            await task_of(shim, "wait_idle", panes=["p1"], until=until, since=since)
            assert (await host.heard("wait")).params["since"] == (since or None)
            assert (await host.heard("wait")).params["since"] == meant
