"""What the bridge asks of its host: bounded waits, calls that are given up, and a host of another version."""

import anyio
import pytest
from mcp import Client

from session_core import Code, SessionCoreError

from .calls import Tools
from .place import Place
from .raw_shim import raw_shim
from .stand_in_host import GREETING, stand_in_host

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", "legacy"])

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
    "acknowledged": None,
    "held_by_others": False,
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
        host.answers["write_pane"] = {"pane": "p1", "bytes": 3, "delivered": False, "revision": 5}
        result = await Tools(client).call("write_pane", pane="p1", text="hi")
        assert result == {"pane": "p1", "bytes": 3, "delivered": False, "revision": 5}
        sent = (await host.heard("write_pane")).params
        assert (sent["text"], sent["submit"]) == ("hi", True)
        assert sent["author"].startswith("mcp ")


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
        host.answers["list_panes"] = {"panes": [_PANE], "revision": 5, "epoch": "x"}
        assert (await tools.row("p1"))["state"] == "done"
