"""The contract on the wire: hello, versions, and whatever else a client may send."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from session_core import Client, SessionCoreError
from session_core.api.framing import LINE_BYTES
from session_core.api.methods import METHODS, PROTOCOL

from .hosts import RunningHost, private_folder, start_host
from .waiting import process_gone
from .wire import code, wire

pytestmark = pytest.mark.anyio

_ENVIRONMENT = {"PATH": os.environ["PATH"]}


async def test_hello_comes_first(core: Client, host: RunningHost) -> None:
    async with wire(host.socket, protocol=None) as connection:
        for method in ("list_panes", "stop"):
            refused = await connection.call(method)
            assert code(refused) == "version_mismatch"
            assert "hello" in refused["error"]["message"]
        greeting = (await connection.call("hello", protocol=PROTOCOL, client="t"))["result"]
        assert (greeting["protocol"], greeting["pid"]) == (PROTOCOL, host.pid)
        assert "result" in await connection.call("list_panes")


_READING: dict[str, dict[str, Any]] = {
    "list_panes": {},
    "read_status": {"pane": ""},
    "read_pane": {"pane": ""},
    "wait": {"panes": [""], "timeout_s": 0},
    "held_writes": {"pane": ""},
    "subscribe": {},
}
_WRITING: dict[str, dict[str, Any]] = {
    "open_pane": {"command": ["true"], "environment": _ENVIRONMENT},
    "write_pane": {"pane": "", "text": "x"},
    "send_keys": {"pane": "", "keys": ["Up"]},
    "cancel_write": {"ticket": "t1"},
    "acknowledge": {"pane": ""},
    "attach": {"pane": ""},
    "viewer_input": {"viewer": 1, "data": "eA=="},
    "viewer_size": {"viewer": 1, "columns": 80, "rows": 24},
    "detach": {"viewer": 1},
    "send_keystrokes": {"pane": "", "data": "eA=="},
    "set_pane": {"pane": "", "columns": 80, "rows": 24},
    "close_pane": {"pane": ""},
}


def _about(pane: str, params: dict[str, Any]) -> dict[str, Any]:
    named = {"pane": pane, "panes": [pane]}
    return {name: named.get(name, value) for name, value in params.items()}


@pytest.mark.parametrize("protocol", [PROTOCOL - 1, PROTOCOL + 1, 99])
async def test_another_version_may_read_and_is_told_both_numbers_when_it_writes(
    core: Client, host: RunningHost, protocol: int
) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    async with wire(host.socket, protocol=protocol) as connection:
        for method, params in _READING.items():
            assert "result" in await connection.call(method, **_about(pane, params)), method
        for method, params in _WRITING.items():
            refused = await connection.call(method, **_about(pane, params))
            assert code(refused) == "version_mismatch", method
            numbers = [word.strip(".,") for word in refused["error"]["message"].split()]
            assert {str(PROTOCOL), str(protocol)} <= set(numbers)
    assert [status.pane for status in (await core.list_panes()).panes] == [pane]


async def test_another_version_may_stop_the_host(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = private_folder(tmp_path_factory)
    other = await anyio.to_thread.run_sync(start_host, folder)
    async with wire(other.socket, protocol=PROTOCOL + 1) as connection:
        assert (await connection.call("stop"))["result"] is None
        await connection.ended()
    await process_gone(other.pid)


_GARBAGE = {
    "no_json": b"GET / HTTP/1.1",
    "no_utf8": b"\xff\xfe\x00",
    "a_list": b"[1, 2]",
    "deep": b"[" * 100_000,
    "a_number": b"7",
    "no_method": b'{"jsonrpc":"2.0","id":1}',
    "method_no_string": b'{"id":1,"method":5}',
    "params_no_object": b'{"id":1,"method":"list_panes","params":[1]}',
    "id_no_number": b'{"id":"x","method":"list_panes"}',
    "id_a_truth": b'{"id":true,"method":"list_panes"}',
    "huge_number": b'{"id":' + b"9" * 5000 + b',"method":"list_panes"}',
}


@pytest.mark.parametrize("case", _GARBAGE)
async def test_a_line_that_is_no_message_is_a_bad_request_and_the_next_is_served(
    core: Client, host: RunningHost, case: str
) -> None:
    async with wire(host.socket) as connection:
        await connection.send(_GARBAGE[case] + b"\n")
        refused = await connection.receive()
        assert (refused["id"], code(refused)) == (None, "bad_request")
        assert "result" in await connection.call("list_panes")


@pytest.mark.parametrize(
    "line",
    [
        b"\n  \r\n",
        b'{"method":"cancel"}\n',
        b'{"method":"cancel","params":{"id":[]}}\n',
        b'{"method":"cancel","params":{"id":123456}}\n',
        b'{"method":"no_such_notice"}\n',
        b'{"id":5,"result":null}\n',
    ],
    ids=repr,
)
async def test_a_line_that_asks_nothing_is_passed_over(core: Client, host: RunningHost, line: bytes) -> None:
    async with wire(host.socket) as connection:
        await connection.send(line)
        await connection.send(connection.request("list_panes"))
        answer = await connection.receive()
        assert (answer["id"], "result" in answer) == (connection.last, True)


async def test_a_line_that_is_too_long_is_named_and_ends_only_its_connection(core: Client, host: RunningHost) -> None:
    async with wire(host.socket) as connection:
        # One byte less than the limit is held, so that the last one meets a host that has read all others.
        await connection.send(b"x" * LINE_BYTES)
        assert (await core.list_panes()).panes == ()
        await connection.send(b"x")
        assert code(await connection.receive()) == "line_too_long"
        await connection.ended()
    assert (await core.list_panes()).panes == ()


async def test_an_unknown_method_is_named_with_those_that_exist(core: Client, host: RunningHost) -> None:
    async with wire(host.socket) as connection:
        refused = await connection.call("fly")
        assert code(refused) == "unknown_method"
        assert set(METHODS) <= set(refused["error"]["data"]["next_step"].replace(",", "").strip(".").split())


async def test_unknown_fields_are_passed_over(core: Client, host: RunningHost) -> None:
    async with wire(host.socket, protocol=None) as connection:
        assert "result" in await connection.call("hello", protocol=PROTOCOL, client="t", colour="red")
        request: dict[str, Any] = {"id": 77, "method": "list_panes", "params": {"new": [1]}, "trace": {}}
        await connection.send(json.dumps(request).encode() + b"\n")
        assert (await connection.receive())["id"] == 77


@pytest.mark.parametrize(
    ("method", "params", "where"),
    [
        ("hello", {"protocol": "one", "client": "t"}, "protocol"),
        ("hello", {}, "protocol"),
        ("read_status", {}, "pane"),
        ("read_status", {"pane": ""}, "pane"),
        ("read_pane", {"pane": "p1", "lines": 0}, "lines"),
        ("send_keystrokes", {"pane": "p1", "data": "***"}, "data"),
        ("wait", {"panes": []}, "panes"),
        ("wait", {"panes": ["p1"], "until": "tomorrow"}, "until"),
        ("wait", {"panes": ["p1"], "timeout_s": -1}, "timeout_s"),
        ("wait", {"panes": ["p1"], "timeout_s": float("nan")}, "timeout_s"),
        ("open_pane", {"command": ["true"], "name": "no spaces"}, "name"),
        ("open_pane", {"command": "true"}, "command"),
    ],
    ids=str,
)
async def test_a_wrong_parameter_is_named(
    core: Client, host: RunningHost, method: str, params: dict[str, Any], where: str
) -> None:
    async with wire(host.socket) as connection:
        refused = await connection.call(method, **params)
        assert code(refused) == "bad_request"
        assert f"`{where}" in refused["error"]["message"]
        assert refused["error"]["data"]["next_step"]


async def test_a_client_that_leaves_during_a_call_harms_nothing(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    for _ in range(10):
        async with wire(host.socket) as connection:
            lines = [
                connection.request("open_pane", command=["sleep", "1000"], environment=_ENVIRONMENT),
                connection.request("wait", panes=["p1"], timeout_s=3600),
                connection.request("list_panes"),
            ]
            await connection.send(b"".join(lines)[:-20])
    panes = (await core.list_panes()).panes
    assert {pane.life for pane in panes} <= {"running"}
    assert len({pane.pane for pane in panes}) == len(panes)


async def test_an_id_that_is_still_to_come_can_be_no_name(core: Client) -> None:
    first = await core.open_pane(["sleep", "1000"])
    coming = f"p{int(first.pane[1:]) + 2}"
    with pytest.raises(SessionCoreError) as raised:
        await core.open_pane(["sleep", "1000"], name=coming)
    assert raised.value.code in ("name_taken", "bad_request")


async def test_a_name_is_taken_while_its_pane_runs(core: Client) -> None:
    first = await core.open_pane(["sleep", "1000"], name="build")
    with pytest.raises(SessionCoreError) as raised:
        await core.open_pane(["sleep", "1000"], name="build")
    assert raised.value.code == "name_taken"
    await core.close_pane("build")
    second = await core.open_pane(["sleep", "1000"], name="build")
    assert second.pane != first.pane
