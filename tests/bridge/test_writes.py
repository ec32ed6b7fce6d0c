"""What becomes of a write: its receipt, what it may demand, and what is refused with nothing typed."""

from typing import Any

import pytest
from mcp import Client

from session_core import connect

from .calls import Json, Tools
from .place import Place
from .programs import declaring, report, showing_input
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
_both_kinds = pytest.mark.parametrize(
    ("tool", "what"), [("write_pane", {"text": "typed"}), ("send_keys", {"keys": ["x", "Enter"]})]
)

LINE_BYTES = 4094
"""Longest line that a program in canonical mode can get, without its end."""


async def _typed(place: Place, pane: str, data: bytes) -> None:
    """Let a person type in the pane."""
    async with connect(folder=place.folder, start=False) as core:
        await core.send_keystrokes(pane, data, person="ann")


async def _showing(tools: Tools, *modes: str) -> str:
    """Open a pane that shows what is written to it, and return it once it does."""
    pane = await tools.open(showing_input(*modes))
    await tools.text_when(pane, "ready")
    return pane


async def _shown(tools: Tools, pane: str) -> str:
    """Return what the pane has shown since it was ready, up to a mark that is written now."""
    await tools.call("send_keys", pane=pane, keys=["~", "~"])
    return (await tools.text_when(pane, "~~")).replace("\n", "").removeprefix("ready ").removesuffix("~~")


# ---- receipts


@_eras
async def test_each_write_has_a_ticket_of_its_own_and_says_what_was_sent(tools: Tools) -> None:
    pane = await tools.puppet(name="worker")
    first = await tools.write("worker", "say one")
    second = await tools.call("send_keys", pane="worker", keys=["x", "Enter"])
    assert first == {
        "ticket": first["ticket"],
        "pane": pane,
        "status": "delivered",
        "bytes": len("say one") + 1,
        "revision": first["revision"],
        "started": None,
    }
    assert second == first | {"ticket": second["ticket"], "bytes": 2, "revision": second["revision"]}
    assert second["ticket"] != first["ticket"]
    assert second["revision"] >= first["revision"]


async def test_a_receipt_says_whether_the_program_has_begun_to_act(tools: Tools) -> None:
    silent, working, resting = await tools.open(["cat"]), await tools.puppet(), await tools.puppet()
    await tools.tell(working, report("working"))
    await tools.tell(resting, report("idle"))
    assert (await tools.write(silent, "x"))["started"] is None
    assert (await tools.write(working, "say x"))["started"] == "queued_on_running_turn"
    written = await tools.write(resting, "say x")
    assert written["started"] is False
    looked = await tools.call("wait_idle", panes=[resting], since=written["ticket"], timeout_s=0)
    assert (looked["outcome"], looked["started"]) == ("checkin", False)
    await tools.tell(resting, report("done"))
    looked = await tools.call("wait_idle", panes=[resting], since=written["ticket"], timeout_s=0)
    assert (looked["outcome"], looked["started"]) == ("settled", True)


async def test_only_a_program_that_has_shown_nothing_yet_is_written_to_early(tools: Tools) -> None:
    assert (await tools.write(await tools.open(["sleep", "1000"]), "x"))["early"] is True
    assert "early" not in await tools.write(await tools.puppet(), "say x")


@_eras
async def test_a_write_can_bring_its_outcome_along(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("idle"))
    done = await tools.write(pane, report("done", "Built"), wait_s=BOUND_S)
    assert (done["started"], done["wait"]["outcome"], done["wait"]["panes"][0]["msg"]) == (True, "settled", "Built")
    asked = await tools.write(pane, report("blocked", "Go?", kind="question"), wait_s=BOUND_S)
    (question,) = asked["wait"]["panes"]
    assert (asked["wait"]["outcome"], question["msg"]) == ("blocked", "Go?")
    late = await tools.write(pane, "say x", answers=question["answers"], wait_s=0.01)
    assert late["wait"]["outcome"] == "checkin"
    assert "wait" not in await tools.write(pane, "say x", answers=question["answers"])


async def test_a_ticket_that_nobody_was_given_is_refused(tools: Tools) -> None:
    pane = await tools.puppet()
    for ticket in ("t999999", "x", "-1"):
        text = await tools.refusal("wait_idle", panes=[pane], since=ticket)
        assert text.startswith("no_such_ticket: ")


# ---- text


async def test_what_is_no_text_is_left_out_and_counted(tools: Tools) -> None:
    pane = await _showing(tools)
    written = await tools.write(pane, "a\x1b[2Jb\x07c\x1b[201~d\te", submit=False)
    assert (written["removed"], written["bytes"]) == (3, len("a[2Jbcd\te"))
    assert (await _shown(tools, pane)).replace(" ", "") == "a[2Jbcde"


async def test_several_lines_are_refused_where_each_would_be_submitted(tools: Tools) -> None:
    pane = await _showing(tools)
    text = await tools.refusal("write_pane", pane=pane, text="one\ntwo")
    assert text.startswith("multiline: ")
    assert 'multiline="lines"' in text
    written = await tools.write(pane, "one\r\ntwo\n", multiline="lines")
    assert (written.get("pasted"), written["bytes"]) == (None, len("one\rtwo\r"))
    assert await _shown(tools, pane) == "one^Mtwo^M"


@pytest.mark.parametrize("multiline", ["paste", "lines"])
async def test_several_lines_go_as_one_paste_where_the_program_takes_one(tools: Tools, multiline: str) -> None:
    pane = await _showing(tools, "?2004")
    written = await tools.write(pane, "one\ntwo", multiline=multiline)
    assert written["pasted"] is True
    assert await _shown(tools, pane) == "^[[200~one^Mtwo^[[201~^M"


async def test_a_line_that_the_terminal_would_cut_is_refused(tools: Tools) -> None:
    pane = await tools.open(["cat"])
    text = await tools.refusal("write_pane", pane=pane, text="x" * (LINE_BYTES + 1))
    assert text.startswith("terminal_line_too_long: ")
    assert (await tools.call("read_pane", pane=pane))["text"] == ""
    written = await tools.write(pane, "x" * LINE_BYTES)
    assert written["bytes"] == LINE_BYTES + 1


# ---- keys


@_eras
async def test_keys_are_pressed_by_their_names(tools: Tools) -> None:
    pane = await _showing(tools)
    written = await tools.call("send_keys", pane=pane, keys=["Up", "S-Tab", "F5", "C-c", "M-x", "é", "Enter"])
    assert written["bytes"] == len(b"\x1b[A\x1b[Z\x1b[15~\x03\x1bx\xc3\xa9\r")
    assert await _shown(tools, pane) == "^[[A^[[Z^[[15~^C^[xM-CM-)^M"


async def test_keys_are_encoded_as_the_program_has_asked_for_them(tools: Tools) -> None:
    pane = await _showing(tools, "?1")
    await tools.call("send_keys", pane=pane, keys=["Up"])
    assert await _shown(tools, pane) == "^[OA"


async def test_one_unknown_key_is_named_and_no_key_is_pressed(tools: Tools) -> None:
    pane = await _showing(tools)
    for wrong in ("Entr", "enter two", ""):
        text = await tools.refusal("send_keys", pane=pane, keys=["Up", wrong])
        assert text.startswith("unknown_key: ")
        assert repr(wrong) in text
    assert await _shown(tools, pane) == ""


# ---- questions


@_both_kinds
async def test_only_what_names_the_question_answers_it(tools: Tools, tool: str, what: Json) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("blocked", "Run tests?", kind="question"))
    asked = (await tools.row(pane))["answers"]
    assert (await tools.wait(pane))["answers"] == asked
    assert [record["revision"] for record in (await tools.call("read_status", pane=pane))["records"]] == [asked]
    text = await tools.refusal(tool, pane=pane, **what)
    assert text.startswith("blocked: ")
    assert f"answers={asked}" in text
    for wrong in (asked - 1, asked + 1):
        text = await tools.refusal(tool, pane=pane, answers=wrong, **what)
        assert text.startswith("stale_answer: ")
    assert (await tools.call(tool, pane=pane, answers=asked, **what))["status"] == "delivered"


async def test_an_answer_counts_for_its_own_question_alone(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("blocked", "First?", kind="question"))
    first = (await tools.row(pane))["answers"]
    await tools.tell(pane, report("blocked", "Second?", kind="question"), answers=first)
    text = await tools.refusal("write_pane", pane=pane, text="y", answers=first)
    assert text.startswith("stale_answer: ")
    second = await tools.row(pane)
    assert (second["msg"], second["answers"] > first) == ("Second?", True)
    await tools.tell(pane, report("working"), answers=second["answers"])
    assert "answers" not in await tools.row(pane)
    text = await tools.refusal("write_pane", pane=pane, text="y", answers=second["answers"])
    assert text.startswith("stale_answer: ")


async def test_of_two_questions_every_row_names_the_one_that_can_be_answered(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("blocked", "Older?", id="a", kind="question"))
    older = (await tools.row(pane))["answers"]
    await tools.tell(pane, report("blocked", "Newer?", id="b", kind="question"), answers=older)
    waited, listed = await tools.wait(pane), await tools.row(pane)
    assert (waited["msg"], waited["answers"]) == ("Newer?", listed["answers"])
    assert listed["msg"] == "Newer?"
    await tools.tell(pane, report("working", id="b"), answers=listed["answers"])
    listed = await tools.row(pane)
    assert (listed["msg"], listed["answers"]) == ("Older?", older)
    await tools.write(pane, "say answered", answers=older)


# ---- persons


@_both_kinds
async def test_a_write_is_refused_while_a_person_has_typed_something(
    place: Place, tools: Tools, tool: str, what: Json
) -> None:
    pane = await tools.puppet()
    await _typed(place, pane, b"say by ann")
    text = await tools.refusal(tool, pane=pane, **what)
    assert text.startswith("human_draft: ")
    assert "10 typed characters" in text
    assert (await tools.call("read_status", pane=pane))["draft"]["characters"] == 10
    await _typed(place, pane, b"\r")
    assert await tools.text_when(pane, "ann") == "by ann"
    assert "draft" not in await tools.call("read_status", pane=pane)
    assert (await tools.call(tool, pane=pane, **what))["status"] == "delivered"


@_eras
async def test_a_write_can_be_held_until_the_person_is_through(place: Place, tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("idle"))
    await _typed(place, pane, b"say by ann")
    held = await tools.call("write_pane", pane=pane, text=report("done", "by a tool"), on_draft="hold")
    assert (held["status"], held["reason"], held["bytes"]) == ("held", "human_draft", 0)
    looked = await tools.call("wait_idle", panes=[pane], since=held["ticket"], timeout_s=0)
    assert (looked["outcome"], looked["panes"][0]["state"]) == ("checkin", "idle")
    await _typed(place, pane, b"\r")
    ended = await tools.call("wait_idle", panes=[pane], since=held["ticket"], timeout_s=BOUND_S)
    assert (ended["outcome"], ended["started"], ended["panes"][0]["msg"]) == ("settled", True, "by a tool")
    assert (await tools.call("read_pane", pane=pane))["text"] == "by ann"


async def test_a_write_can_be_held_until_the_program_is_at_rest(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    held = await tools.call("write_pane", pane=pane, text="say held", when="settled")
    assert (held["status"], held["reason"], held["bytes"]) == ("held", "not_settled", 0)
    await tools.write(pane, "say at once")
    await tools.text_when(pane, "at once")
    await tools.tell(pane, report("idle"))
    assert (await tools.text_when(pane, "held")).split("\n") == ["at once", "held"]


@_eras
async def test_what_is_held_can_be_taken_back_once(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("working"))
    held = await tools.call("write_pane", pane=pane, text="say never", when="settled")
    [listed] = (await tools.call("read_status", pane=pane))["held"]
    assert (listed["ticket"], listed["reason"]) == (held["ticket"], "not_settled")
    assert await tools.call("cancel_write", ticket=held["ticket"]) == {
        "ticket": held["ticket"],
        "pane": pane,
        "status": "refused",
        "reason": "cancelled",
        "bytes": 0,
        "revision": held["revision"],
    }
    waited = await tools.call("wait_idle", panes=[pane], since=held["ticket"], timeout_s=BOUND_S)
    assert waited["outcome"] == "not_delivered"
    assert (await tools.refusal("cancel_write", ticket=held["ticket"])).startswith("no_such_ticket: ")
    assert "held" not in await tools.call("read_status", pane=pane)
    await tools.tell(pane, report("idle"))
    await tools.write(pane, "say later")
    assert await tools.text_when(pane, "later") == "later"


async def test_what_was_delivered_cannot_be_taken_back_and_the_hint_names_a_way_that_exists(tools: Tools) -> None:
    pane = await tools.puppet()
    written = await tools.write(pane, "say x")
    text = await tools.refusal("cancel_write", ticket=written["ticket"])
    assert text.startswith("no_such_ticket: ")
    assert written["ticket"] in text
    assert "read_status" in text
    assert (await tools.refusal("cancel_write", ticket="t999999")).startswith("no_such_ticket: ")


# ---- demands


async def test_a_repeated_key_writes_nothing_and_gives_the_first_ticket(tools: Tools) -> None:
    pane, other = await tools.puppet(), await tools.puppet()
    first = await tools.write(pane, "say once", key="a")
    again = await tools.write(pane, "say twice", key="a")
    assert (again["ticket"], again["bytes"], again["revision"]) == (first["ticket"], first["bytes"], first["revision"])
    assert (await tools.write(pane, "say another", key="b"))["ticket"] != first["ticket"]
    assert (await tools.write(other, "say elsewhere", key="a"))["ticket"] != first["ticket"]
    assert (await tools.text_when(pane, "another")).split("\n") == ["once", "another"]


async def test_a_demand_that_is_not_met_is_named_and_one_that_is_met_is_no_obstacle(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.tell(pane, report("idle"))
    before = (await tools.call("list_panes"))["revision"]
    await tools.tell(pane, report("done"))
    status = await tools.call("read_status", pane=pane)
    unmet: dict[str, Any] = {"if_state": "idle", "if_revision": before, "if_occupant": "no-such-program"}
    for demand, value in unmet.items():
        text = await tools.refusal("write_pane", pane=pane, text="say never", **{demand: value})
        assert text.startswith("precondition_failed: ")
        assert demand in text
    text = await tools.refusal("send_keys", pane=pane, keys=["x"], if_revision=before)
    assert text.startswith("precondition_failed: ")
    met = {"if_state": "done", "if_revision": status["revision"]}
    for occupant in (status["program"], str(status["pid"])):
        await tools.write(pane, f"say for {occupant}", if_occupant=occupant, **met)
    await tools.call("send_keys", pane=pane, keys=["Enter"], if_revision=status["revision"])
    text = await tools.text_when(pane, f"for {status['pid']}")
    assert text.split("\n") == [f"for {status['program']}", f"for {status['pid']}"]


@_both_kinds
async def test_nobody_writes_into_the_pane_that_they_run_in(place: Place, tools: Tools, tool: str, what: Json) -> None:
    own, other = await tools.puppet(name="own"), await tools.puppet()
    async with Client(place.server(PANEBRIDGE_PANE=own)) as client:
        inside = Tools(client)
        for reference in (own, "own"):
            assert (await inside.refusal(tool, pane=reference, **what)).startswith("own_pane: ")
        assert (await inside.call(tool, pane=other, **what))["status"] == "delivered"
    assert (await tools.call(tool, pane=own, **what))["status"] == "delivered"


async def test_a_password_prompt_gets_only_what_is_meant_for_it(tools: Tools) -> None:
    pane = await tools.open(["sh", "-c", "stty -echo; printf 'Password: '; read word; stty echo; echo got it; cat"])
    await tools.text_when(pane, "Password:")
    text = await tools.refusal("write_pane", pane=pane, text="hunter2")
    assert text.startswith("password: ")
    assert "hunter2" not in text
    assert (await tools.refusal("send_keys", pane=pane, keys=["Enter"])).startswith("password: ")
    await tools.write(pane, "hunter2", secret=True)
    assert "hunter2" not in await tools.text_when(pane, "got it")


async def test_a_turn_of_an_agent_is_answered_with_keys(tools: Tools) -> None:
    pane = await tools.open(declaring())
    await tools.wait(pane)
    blocked = await tools.ask(pane, "deploy")
    pressed = await tools.call("send_keys", pane=pane, keys=["y", "Enter"], answers=blocked["answers"], wait_s=BOUND_S)
    assert (pressed["wait"]["outcome"], pressed["started"]) == ("settled", True)
    assert pressed["wait"]["panes"][0]["msg"] == "Finished: deploy"
