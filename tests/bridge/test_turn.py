"""The main job, whole: give a program a turn, wait for its end, answer its question, and who ends `done`."""

import anyio
import pytest

from session_core import Observed, State, connect

from .calls import Tools
from .place import Place
from .programs import declaring, report
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio

_both_eras = pytest.mark.parametrize("era", ["auto", "legacy"])


@_both_eras
async def test_a_turn_goes_from_rest_through_a_question_to_its_end(tools: Tools, era: str) -> None:
    pane = await tools.open(declaring())
    at_rest = await tools.wait(pane)
    assert (at_rest["outcome"], at_rest["state"], at_rest.get("msg")) == ("settled", "idle", None)
    finished = await tools.ask(pane, "sum up")
    assert (finished["outcome"], finished["state"]) == ("settled", "done")
    assert finished["msg"] == "Finished: sum up"
    blocked = await tools.ask(pane, "now deploy it")
    assert (blocked["outcome"], blocked["state"], blocked["kind"]) == ("blocked", "blocked", "permission")
    assert blocked["msg"] == "Run deploy to production?"
    deployed = await tools.ask(pane, "y", answers=blocked["answers"])
    assert (deployed["outcome"], deployed["state"]) == ("settled", "done")
    assert deployed["msg"] == "Finished: now deploy it"


@_both_eras
async def test_a_refused_question_and_a_failed_turn_are_told_apart_from_success(tools: Tools, era: str) -> None:
    pane = await tools.open(declaring())
    await tools.wait(pane)
    blocked = await tools.ask(pane, "deploy")
    assert blocked["outcome"] == "blocked"
    refused = await tools.ask(pane, "n", answers=blocked["answers"])
    assert (refused["outcome"], refused["state"], refused.get("msg")) == ("settled", "idle", None)
    failed = await tools.ask(pane, "fail at this")
    assert (failed["outcome"], failed["state"]) == ("settled", "error")
    assert failed["msg"] == "Failed: fail at this"


@pytest.mark.parametrize("since", ["ticket", "revision"])
async def test_a_wait_after_a_write_never_takes_the_rest_before_it_for_the_answer(tools: Tools, since: str) -> None:
    pane = await tools.open(declaring())
    await tools.wait(pane)
    for number in range(20):
        written = await tools.write(pane, f"turn {number}")
        ended = await tools.wait(pane, since=written[since])
        assert (ended["state"], ended["msg"]) == ("done", f"Finished: turn {number}")


async def test_a_write_that_waits_for_its_outcome_never_takes_the_rest_before_it_for_the_answer(tools: Tools) -> None:
    pane = await tools.open(declaring())
    await tools.wait(pane)
    for number in range(20):
        written = await tools.write(pane, f"turn {number}", wait_s=BOUND_S)
        (ended,) = written["wait"]["panes"]
        assert (written["started"], written["wait"]["outcome"], ended["state"]) == (True, "settled", "done")
        assert ended["msg"] == f"Finished: turn {number}"


@pytest.mark.parametrize("state", ["done", "error"])
async def test_a_finished_state_outlives_every_tool_and_ends_with_a_person_s_key(
    place: Place, tools: Tools, state: str
) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report(state, "Built 3 targets", app="builder"))

    async def still_there() -> None:
        status = await tools.call("read_status", pane=pane)
        (record,) = status["records"]
        assert (status["state"], record["msg"]) == (state, "Built 3 targets")
        assert "acknowledged" not in status

    await still_there()
    await tools.call("read_pane", pane=pane)
    await tools.call("list_panes")
    await still_there()
    await tools.call("write_pane", pane=pane, text="say by a tool")
    await tools.text_when(pane, "by a tool")
    await tools.write(pane, "\x1b[A\x0c", submit=False)
    await tools.call("send_keys", pane=pane, keys=["Up", "C-l", "Enter"])
    await still_there()
    assert (await tools.wait(pane))["state"] == state
    async with connect(folder=place.folder, start=False) as core:
        await core.set_pane(pane, columns=90, rows=30)
        await still_there()
        receipt = await core.send_keystrokes(pane, b"k", person="ann")
        assert receipt.acknowledged == ("",)
        with anyio.fail_after(5):
            (seen,) = (await core.read_status(pane)).acknowledged
        assert (seen.by, seen.records) == ("ann", ("",))
    status = await tools.call("read_status", pane=pane)
    assert status["state"] == "idle"
    (record,) = status["records"]
    assert (record["state"], record["app"], record.get("msg")) == ("idle", "builder", None)
    (seen_by,) = status["acknowledged"]
    assert (seen_by["by"], seen_by["records"]) == ("ann", [""])


async def test_a_person_s_key_does_not_end_a_question(place: Place, tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("blocked", "Run tests?", kind="question"))
    async with connect(folder=place.folder, start=False) as core:
        assert (await core.send_keystrokes(pane, b"k")).acknowledged == ()
        status = await core.read_status(pane)
    assert (status.state, status.root, status.acknowledged) == (Observed.BLOCKED, State.BLOCKED, ())


async def test_a_wait_is_not_over_while_the_program_has_work_in_the_background(tools: Tools) -> None:
    pane = await tools.open(declaring())
    await tools.wait(pane)
    ended = await tools.ask(pane, "spawn")
    assert (ended["outcome"], ended["state"], ended["msg"]) == ("settled", "done", "Finished: spawn")


async def test_a_part_of_a_program_is_shown_under_its_own_name(tools: Tools) -> None:
    pane = await tools.open(declaring(pace=600))
    await tools.wait(pane)
    await tools.call("write_pane", pane=pane, text="spawn")
    await tools.text_when(pane, "Spawned; the prompt is free")
    since = 0
    while len((status := await tools.call("read_status", pane=pane))["records"]) < 2:
        waited = await tools.call("wait_idle", panes=[pane], until="change", since=since, timeout_s=15)
        since = waited["revision"]
    root, child = ({**record, "revision": 0, "age_s": 0} for record in status["records"])
    assert (root["state"], root["app"]) == ("working", "demo-agent")
    assert child == {
        "id": "spawned",
        "state": "working",
        "app": "demo-agent",
        "title": "Spawned work",
        "msg": "Counting",
        "revision": 0,
        "age_s": 0,
    }
    assert (status["state"], status["root"]) == ("working", "working")
