"""Every tool on real programs, in both eras of the protocol."""

import os
from pathlib import Path

import pytest
from mcp import Client

from .calls import Tools
from .place import Place
from .programs import declaring

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ["auto", "legacy"])]


async def test_a_pane_is_opened_listed_read_written_awaited_and_closed(tools: Tools, era: str) -> None:
    opened = await tools.call("open_pane", command=declaring(), name="worker")
    pane = opened["pane"]
    assert (await tools.wait("worker"))["state"] == "idle"
    listed = await tools.call("list_panes")
    assert listed["panes"] == [{"pane": pane, "name": "worker", "program": "declaring_program", "state": "idle"}]
    assert listed["revision"] > opened["revision"]
    written = await tools.call("write_pane", pane="worker", text="look around")
    assert (written["pane"], written["bytes"], written["status"]) == (pane, 12, "delivered")
    assert set(written) == {"ticket", "pane", "status", "bytes", "revision", "started"}
    assert written["revision"] >= listed["revision"]
    ended = await tools.call("wait_idle", panes=[pane], since=written["ticket"], timeout_s=15)
    assert ended["started"] is True
    since_revision = await tools.call("wait_idle", panes=[pane], since=written["revision"], timeout_s=0)
    assert since_revision["panes"] == ended["panes"]
    assert ended["panes"] == [
        {
            "pane": pane,
            "outcome": "settled",
            "state": "done",
            "cause": "report",
            "app": "demo-agent",
            "msg": "Finished: look around",
            "went": ["working", "done"],
        }
    ]
    assert ended["revision"] > written["revision"]
    shown = await tools.text_when(pane, "Finished.")
    assert "> look around" in shown
    status = await tools.call("read_status", pane=pane)
    assert (status["state"], status["signal"], status["life"]) == ("done", "declared", "running")
    assert await tools.call("close_pane", pane=pane) == {"pane": pane, "exit": "SIGHUP"}
    assert (await tools.call("list_panes"))["panes"] == []


async def test_a_program_that_declares_nothing_is_never_called_idle(tools: Tools) -> None:
    pane = await tools.open(["cat"])
    assert await tools.row(pane) == {"pane": pane, "program": "cat", "state": "unknown", "signal": "none"}
    looked = await tools.call("wait_idle", panes=[pane], timeout_s=0)
    assert looked["outcome"] == "checkin"
    assert looked["panes"][0]["state"] == "unknown"


async def test_text_that_is_not_submitted_waits_at_the_program(tools: Tools) -> None:
    pane = await tools.puppet()
    written = await tools.call("write_pane", pane=pane, text="say first half", submit=False)
    assert written["bytes"] == len("say first half")
    await tools.call("write_pane", pane=pane, text=", second half")
    assert await tools.text_when(pane, "second half") == "first half, second half"


async def test_text_arrives_as_it_is(tools: Tools) -> None:
    pane = await tools.puppet()
    await tools.call("write_pane", pane=pane, text="say C-c Enter $(true) \\n 'é中🙂'")
    assert await tools.text_when(pane, "🙂") == "C-c Enter $(true) \\n 'é中🙂'"


async def test_a_long_screen_is_cut_to_its_newest_lines_and_says_what_was_left_out(tools: Tools) -> None:
    pane = await tools.open(["sh", "-c", "seq 1 5000; exec cat"])
    assert "5000" in await tools.text_when(pane, "5000")
    screen = await tools.call("read_pane", pane=pane)
    assert "lines before this" in screen["left_out"]
    lines = (await tools.call("read_pane", pane=pane, lines=100))["text"].split("\n")
    assert lines[-2:] == ["4999", "5000"]
    assert len(lines) == 100
    most = await tools.call("read_pane", pane=pane, lines=2000)
    assert len(most["text"].encode()) <= 4000
    assert most["text"].endswith("\n5000")
    assert most["left_out"]


async def test_a_program_starts_in_the_folder_of_its_client_and_in_another_if_it_is_told_so(
    place: Place, era: str, tmp_path: Path
) -> None:
    folder = str(tmp_path)
    async with Client(place.server(cwd=folder), mode=era) as client:
        tools = Tools(client)
        here = await tools.open(["sh", "-c", "echo at=$(pwd); exec cat"])
        assert f"at={folder}" in (await tools.text_when(here, "at=")).replace("\n", "")
        there = await tools.open(["sh", "-c", "echo at=$(pwd); exec cat"], folder="/usr")
        assert await tools.text_when(there, "at=") == "at=/usr"
        for pane in (here, there):
            await tools.call("close_pane", pane=pane)


async def test_a_program_has_the_environment_of_its_client(place: Place, era: str) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    async with Client(place.server(MARK="of this client", ODD=odd), mode=era) as client:
        tools = Tools(client)
        pane = await tools.open(
            ["sh", "-c", 'echo "mark=$MARK pane=$PANEBRIDGE_PANE"; printf %s "$ODD" | od -An -tx1; exec cat']
        )
        assert await tools.text_when(pane, "ff fe") == f"mark=of this client pane={pane}\n ff fe"
        await tools.call("close_pane", pane=pane)


async def test_two_clients_see_the_same_panes(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.puppet(name="shared")
    async with Client(place.server(), mode=era) as client:
        other = Tools(client)
        assert [row["pane"] for row in (await other.call("list_panes"))["panes"]] == [pane]
        await other.call("write_pane", pane="shared", text="say from the other")
    assert await tools.text_when(pane, "other") == "from the other"
