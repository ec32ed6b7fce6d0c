"""wait_idle: how each wait ends, and that nothing is lost between two of them."""

import anyio
import pytest

from .calls import Tools
from .programs import report

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", "legacy"])


async def test_a_wait_on_what_is_at_rest_already_ends_at_once(tools: Tools) -> None:
    pane = await tools.puppet()
    for state, msg in (("idle", None), ("done", "Built 3 targets"), ("error", "No disk")):
        await tools.tell(pane, report(state, msg))
        looked = await tools.call("wait_idle", panes=[pane], timeout_s=0)
        assert looked["outcome"] == "settled"
        assert (looked["panes"][0]["state"], looked["panes"][0].get("msg")) == (state, msg)
        assert looked["waited_s"] == 0


async def test_with_since_an_old_rest_does_not_count_and_a_newer_one_does(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("idle"))
    now = (await tools.call("list_panes"))["revision"]
    looked = await tools.call("wait_idle", panes=[pane], since=now, timeout_s=0)
    assert (looked["outcome"], looked["panes"][0]["state"]) == ("checkin", "idle")
    await tools.tell(pane, report("done", "now"))
    looked = await tools.call("wait_idle", panes=[pane], since=now, timeout_s=0)
    assert (looked["outcome"], looked["panes"][0]["msg"]) == ("settled", "now")


@_eras
async def test_a_checkin_is_no_error_and_the_next_wait_goes_on_without_loss(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    written = await tools.call("write_pane", pane=pane, text="say busy")
    first = await tools.call("wait_idle", panes=[pane], since=written["revision"], timeout_s=0.01)
    assert first["outcome"] == "checkin"
    await tools.tell(pane, report("done", "between the calls"))
    second = await tools.call("wait_idle", panes=[pane], since=first["revision"], timeout_s=15)
    assert (second["outcome"], second["panes"][0]["msg"]) == ("settled", "between the calls")


async def test_a_checkin_of_a_wait_for_all_keeps_what_is_through_already(tools: Tools) -> None:
    first, second = await tools.puppet(), await tools.puppet()
    since = (await tools.call("list_panes"))["revision"]
    await tools.tell(first, report("done", "first"))
    await tools.tell(second, report("working"))
    checkin = await tools.call("wait_idle", panes=[first, second], mode="all", since=since, timeout_s=0)
    assert checkin["outcome"] == "checkin"
    assert [row["outcome"] for row in checkin["panes"]] == ["settled", "checkin"]
    await tools.tell(second, report("done", "second"))
    ended = await tools.call("wait_idle", panes=[first, second], mode="all", since=checkin["revision"], timeout_s=15)
    assert ended["outcome"] == "settled"
    assert [row["msg"] for row in ended["panes"]] == ["first", "second"]


async def test_any_pane_is_enough_or_all_are_needed(tools: Tools) -> None:
    first, second = await tools.puppet(), await tools.puppet()
    await tools.tell(first, report("working"))
    await tools.tell(second, report("done", "second"))
    ended = await tools.call("wait_idle", panes=[first, second], timeout_s=15)
    assert (ended["outcome"], [row["outcome"] for row in ended["panes"]]) == (
        "settled",
        ["checkin", "settled"],
    )
    looked = await tools.call("wait_idle", panes=[first, second], mode="all", timeout_s=0)
    assert looked["outcome"] == "checkin"
    results = []

    async def wait_for_all() -> None:
        panes = [first, second, first]
        results.append(await tools.call("wait_idle", panes=panes, mode="all", timeout_s=15))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for_all)
        await tools.tell(first, report("done", "first"))
    assert [(row["pane"], row["msg"]) for row in results[0]["panes"]] == [
        (first, "first"),
        (second, "second"),
    ]


@pytest.mark.parametrize("until", ["settled", "blocked"])
async def test_a_question_ends_a_wait_whether_it_came_before_or_after_its_start(tools: Tools, until: str) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    written = await tools.call("write_pane", pane=pane, text=report("blocked", "Run tests?", kind="question"))
    for since in ({"since": written["revision"]}, {}):
        ended = await tools.wait(pane, until=until, **since)
        assert (ended["outcome"], ended["kind"], ended["msg"]) == ("blocked", "question", "Run tests?")


async def test_until_blocked_waits_on_through_rest(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("done"))
    looked = await tools.call("wait_idle", panes=[pane], until="blocked", timeout_s=0)
    assert (looked["outcome"], looked["panes"][0]["state"]) == ("checkin", "done")


@pytest.mark.parametrize("until", ["settled", "blocked", "exited", "change"])
async def test_the_end_of_the_program_ends_every_wait(tools: Tools, until: str) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    written = await tools.call("write_pane", pane=pane, text="exit 3")
    ended = await tools.wait(pane, until=until, since=written["revision"])
    if until == "change":
        ended = await tools.wait(pane, until="exited")
    assert (ended["outcome"], ended["exit"]) == ("exited", "code 3")


@_eras
async def test_a_pane_that_is_closed_ends_its_waits(tools: Tools) -> None:
    pane = await tools.puppet(name="worker")
    other = await tools.puppet()
    outcomes = []

    async def wait_for(panes: list[str], until: str) -> None:
        result = await tools.call("wait_idle", panes=panes, until=until, timeout_s=15)
        outcomes.append(result["panes"][0]["outcome"])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for, [pane], "settled")
        tasks.start_soon(wait_for, ["worker", other], "exited")
        await tools.call("list_panes")
        await tools.call("close_pane", pane=pane)
    assert outcomes == ["exited", "exited"]
    assert (await tools.refusal("wait_idle", panes=[pane, other])).startswith("no_such_pane: ")


async def test_a_pane_that_has_exited_and_is_closed_then_is_told_as_closed(tools: Tools) -> None:
    ended, running = await tools.puppet(), await tools.puppet()
    await tools.tell(ended, "exit 0")
    results = []

    async def wait_for_all() -> None:
        panes = [ended, running]
        results.append(await tools.call("wait_idle", panes=panes, until="exited", mode="all", timeout_s=15))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for_all)
        await tools.call("list_panes")
        await tools.call("close_pane", pane=ended)
        await tools.call("write_pane", pane=running, text="exit 4")
    assert [row["outcome"] for row in results[0]["panes"]] == ["closed", "exited"]
    assert results[0]["panes"][1]["exit"] == "code 4"


async def test_a_revision_of_another_host_is_answered_with_resync(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("done"))
    looked = await tools.call("wait_idle", panes=[pane], since=10**9, timeout_s=15)
    assert looked["outcome"] == "resync"
    again = await tools.call("wait_idle", panes=[pane], since=looked["revision"], timeout_s=0)
    assert again["outcome"] == "checkin"


@_eras
async def test_a_longer_time_than_one_call_may_last_is_taken(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    written = await tools.call("write_pane", pane=pane, text=report("done", "in time"))
    ended = await tools.call("wait_idle", panes=[pane], since=written["revision"], timeout_s=86400)
    assert ended["panes"][0]["msg"] == "in time"
