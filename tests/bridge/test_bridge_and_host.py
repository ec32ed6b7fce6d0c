"""What the bridge asks of its host: bounded waits, calls that are given up, and a host of another version."""

from typing import Any

import anyio
import pytest
from mcp import Client

from session_core import Code, SessionCoreError

from .calls import Json, Tools
from .place import Place
from .raw_shim import raw_shim
from .stand_in_host import GREETING, stand_in_host

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])

_ENDED = {"outcome": "checkin", "panes": [], "revision": 7, "waited_s": 0.5}
_PANE = {
    "pane": "p1",
    "name": None,
    "command": ["agent"],
    "life": "running",
    "exit": None,
    "state": "done",
    "signal": "declared",
    "root": "done",
    "records": [],
    "shell": None,
    "last_exit_code": None,
    "title": None,
    "folder": None,
    "progress_bar": None,
    "notice": None,
    "occupant": None,
    "columns": 80,
    "rows": 24,
    "revision": 5,
    "state_at": 0.0,
    "changes": 2,
    "rejected_reports": 0,
    "acknowledged": [],
    "draft": None,
    "keystroke_at": None,
    "output_at": None,
    "held_by_others": False,
    "forged_marks": 0,
    "last_command": None,
}
_TICKET = {
    "id": "t7",
    "pane": "p1",
    "author": "mcp",
    "status": "delivered",
    "bytes": 3,
    "revision": 5,
    "at": 0.0,
}
_LISTED: Json = {"panes": [_PANE], "revision": 5, "epoch": "stand-in"}
_WRITTEN: Json = {"ticket": _TICKET, "started": None}
_DEMANDS_NOTHING = {
    "answers": None,
    "if_revision": None,
    "from_pane": None,
    "wait_s": 0,
}


async def test_a_wait_is_bounded_below_what_common_clients_allow_for_a_call(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        tools = Tools(client)
        host.answers["wait"] = _ENDED
        for asked, bound in ((86400, 45), (45.5, 45), (45, 45), (7.5, 7.5), (0, 0)):
            result = await tools.call("wait_idle", panes=["p1"], timeout_s=asked)
            assert (result["outcome"], result["revision"]) == ("checkin", 7)
            assert (await host.heard("wait")).params["timeout_s"] == bound
        await tools.call("wait_idle", panes=["p1"])
        assert (await host.heard("wait")).params["timeout_s"] == 45


@_eras
async def test_a_call_that_the_client_gives_up_is_given_up_in_the_host(place: Place, era: str) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server(), mode=era) as client:
        tools = Tools(client)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_wait, tools)
            opened = await host.heard("wait")
            tasks.cancel_scope.cancel()
        given_up = await host.heard("cancel")
        assert given_up.params == {"id": getattr(opened, "id", None)}
        host.answers["wait"] = _ENDED
        assert (await tools.call("wait_idle", panes=["p1"]))["outcome"] == "checkin"


async def _wait(tools: Tools) -> None:
    await tools.call("wait_idle", panes=["p1"], until="exited")


@_eras
async def test_the_calls_of_a_client_that_is_gone_are_given_up_in_the_host(place: Place, era: str) -> None:
    async with stand_in_host(place.folder) as host:
        async with raw_shim(place, era) as shim:
            await shim.begin()
            for _ in range(3):
                await shim.start("wait_idle", panes=["p1"], until="exited")
            opened = {getattr(await host.heard("wait"), "id", None) for _ in range(3)}
            shim.process.kill()
        given_up = {(await host.heard("cancel")).params["id"] for _ in range(3)}
        assert given_up == opened


async def test_a_write_says_who_wrote_and_is_sent_once(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        host.answers["write_pane"] = {"ticket": _TICKET | {"status": "unknown", "bytes": 2}, "started": None}
        host.answers["list_panes"] = _LISTED
        result = await Tools(client).call("write_pane", pane="p1", text="hi")
        assert result == {
            "ticket": "t7",
            "pane": "p1",
            "status": "unknown",
            "bytes": 2,
            "revision": 5,
            "started": None,
        }
        sent = dict((await host.heard("write_pane")).params)
        assert sent.pop("author").startswith("mcp ")
        assert sent.pop("key")
        assert sent == _DEMANDS_NOTHING | {
            "pane": "p1",
            "text": "hi",
            "submit": True,
            "multiline": "paste",
            "if_state": None,
            "if_occupant": None,
            "on_draft": "refuse",
            "when": "now",
            "secret": False,
        }
        await Tools(client).call("list_panes")
        await host.heard_alone("list_panes")


async def test_keys_and_what_is_taken_back_are_sent_once(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        tools = Tools(client)
        host.answers |= {"send_keys": _WRITTEN, "list_panes": _LISTED}
        result = await tools.call("send_keys", pane="p1", keys=["Up", "Enter"])
        assert (result["ticket"], result["status"], result["bytes"]) == ("t7", "delivered", 3)
        sent = dict((await host.heard("send_keys")).params)
        assert sent.pop("author").startswith("mcp ")
        assert sent.pop("key")
        assert sent == _DEMANDS_NOTHING | {"pane": "p1", "keys": ["Up", "Enter"]}
        host.answers["cancel_write"] = _TICKET | {"status": "refused", "bytes": 0, "reason": "cancelled"}
        assert await tools.call("cancel_write", ticket="t7") == {
            "ticket": "t7",
            "pane": "p1",
            "status": "refused",
            "reason": "cancelled",
            "bytes": 0,
            "revision": 5,
        }
        assert (await host.heard_alone("cancel_write")).params["ticket"] == "t7"
        await tools.call("list_panes")
        await host.heard_alone("list_panes")


async def test_what_a_write_demands_reaches_the_host_as_it_was_said(place: Place) -> None:
    own = {"PANEBRIDGE_PANE": "p4"}
    demands = {
        "answers": 12,
        "if_revision": 34,
        "if_state": "idle",
        "if_occupant": "agent",
        "on_draft": "hold",
        "when": "settled",
        "key": "first",
        "secret": True,
        "multiline": "lines",
        "submit": False,
    }
    async with stand_in_host(place.folder) as host, Client(place.server(**own)) as client:
        tools = Tools(client)
        host.answers |= {"write_pane": _WRITTEN, "send_keys": _WRITTEN}
        await tools.call("write_pane", pane="p1", text="hi", **demands)
        sent = (await host.heard("write_pane")).params
        assert {name: sent[name] for name in (*demands, "from_pane")} == demands | {"from_pane": "p4"}
        await tools.call("send_keys", pane="p1", keys=["Enter"], answers=12, if_revision=34)
        sent = (await host.heard("send_keys")).params
        assert (sent["answers"], sent["if_revision"], sent["from_pane"]) == (12, 34, "p4")


@pytest.mark.parametrize(("tool", "what"), [("write_pane", {"text": "hi"}), ("send_keys", {"keys": ["Enter"]})])
async def test_the_wait_of_a_write_is_bounded_as_every_other_is(place: Place, tool: str, what: dict[str, Any]) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        tools = Tools(client)
        host.answers[tool] = _WRITTEN | {"started": False, "wait": _ENDED}
        for asked, bound in ((86400, 45), (45.5, 45), (45, 45), (7.5, 7.5), (0, 0)):
            written = await tools.call(tool, pane="p1", wait_s=asked, **what)
            assert (written["started"], written["wait"]) == (False, _ENDED)
            assert (await host.heard(tool)).params["wait_s"] == bound


async def test_since_is_a_ticket_or_a_revision_however_it_is_written(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        tools = Tools(client)
        host.answers["wait"] = _ENDED | {"started": "queued_on_running_turn"}
        for asked, meant in (("t7", "t7"), (5, 5), ("5", 5), (0, None), ("", None)):
            result = await tools.call("wait_idle", panes=["p1"], since=asked)
            assert result["started"] == "queued_on_running_turn"
            assert (await host.heard("wait")).params["since"] == meant


async def test_fields_of_a_newer_host_are_passed_over(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        host.answers["hello"] = GREETING | {"protocol": 2, "mood": "good"}
        host.answers["list_panes"] = {
            "panes": [_PANE | {"weather": {"deep": 1}}],
            "revision": 5,
            "epoch": "stand-in",
            "colour": "red",
        }
        listed = await Tools(client).call("list_panes")
        assert listed == {"panes": [{"pane": "p1", "program": "agent", "state": "done"}], "revision": 5}


async def test_a_host_of_another_version_refuses_in_words_that_reach_the_model(place: Place) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        host.answers["write_pane"] = SessionCoreError(
            Code.VERSION_MISMATCH, "This host speaks version 2, the client speaks 1.", "Upgrade."
        )
        text = await Tools(client).refusal("write_pane", pane="p1", text="hi")
        assert text == "version_mismatch: This host speaks version 2, the client speaks 1. Upgrade."


@pytest.mark.parametrize(
    "answer", [{"panes": [_PANE | {"state": "napping"}], "revision": 5, "epoch": "x"}, [], None, {}]
)
async def test_an_answer_that_is_not_understood_is_an_error_and_the_next_call_works(
    place: Place, answer: object
) -> None:
    async with stand_in_host(place.folder) as host, Client(place.server()) as client:
        tools = Tools(client)
        host.answers["list_panes"] = answer
        assert (await tools.refusal("list_panes")).startswith("version_mismatch: ")
        host.answers["list_panes"] = _LISTED
        assert (await tools.row("p1"))["state"] == "done"
