"""What the shim writes: one JSON-RPC message a line and nothing else; and what it is made of."""

import subprocess
import sys

import anyio
import pytest

from session_core import connect

from .conftest import close_all
from .place import Place
from .raw_shim import raw_shim
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", "legacy"])

_GARBAGE = [
    b"",
    b"   ",
    b"not json",
    b"\xff\xfe\x00",
    b"{}",
    b"[]",
    b'"x"',
    b"5",
    b"null",
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":901,"method":5}',
    b'{"jsonrpc":"1.0","id":902,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":903,"result":{}}',
    b'{"jsonrpc":"2.0","id":904,"error":"x"}',
    b'{"jsonrpc":"2.0","method":"notifications/unheard-of"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":905}}',
    b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    b'[{"jsonrpc":"2.0","id":906,"method":"ping"}]',
    b"9" * 5000,
]
_ANSWERED_WITH_AN_ERROR = [
    b'{"jsonrpc":"2.0","id":801,"method":"no/such/method"}',
    b'{"jsonrpc":"2.0","id":802,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":803,"method":"tools/call","params":{"name":"list_panes","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":804,"method":"resources/read","params":{"uri":"x:"}}',
]
_HEAVY = {"anyio", "click", "mcp", "psutil", "pydantic", "pydantic_core", "ptyprocess", "pyte", "pyghostty"}


@_eras
async def test_garbage_from_the_client_is_survived_and_never_answered_with_garbage(place: Place, era: str) -> None:
    async with raw_shim(place, era, PYTHONWARNINGS="always") as shim:
        await shim.begin()
        for line in _GARBAGE:
            await shim.send(line)
        last = await shim.start("list_panes")
        while (message := await shim.message()).get("id") != last:
            assert "error" in message, message
        assert message["result"]["structuredContent"]["panes"] == []
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert await shim.rest() == b""
        assert "Traceback" not in await shim.errors()


@_eras
async def test_a_request_that_cannot_be_served_is_answered_with_an_error(place: Place, era: str) -> None:
    async with raw_shim(place, era) as shim:
        await shim.begin()
        for number, line in enumerate(_ANSWERED_WITH_AN_ERROR, start=801):
            await shim.send(line)
            answer = await shim.answer(number)
            assert answer["error"]["code"] < 0
            assert answer["error"]["message"]
        assert (await shim.call("list_panes"))["panes"] == []


async def test_a_message_nested_beyond_reason_is_survived(place: Place) -> None:
    async with raw_shim(place) as shim:
        await shim.begin()
        await shim.send(b"[" * 100_000)
        await shim.call("list_panes")


async def test_half_of_a_character_pair_is_answered_with_an_error_and_the_next_call_works(
    place: Place,
) -> None:
    async with connect(folder=place.folder) as core:
        pane = (await core.open_pane(["cat"])).pane
    async with raw_shim(place) as shim:
        await shim.begin()
        answer = await shim.answer(await shim.start("write_pane", pane=pane, text="half \ud83d"))
        assert "error" in answer or answer["result"]["isError"]
        await shim.call("write_pane", pane=pane, text="whole 🙂")
    await close_all(place)


async def test_a_program_in_a_pane_reaches_neither_end_of_the_client_s_pipes(place: Place) -> None:
    script = "echo to stdout; echo to stderr >&2; read line; echo got $line; exec cat"
    async with raw_shim(place) as shim:
        await shim.begin()
        pane = (await shim.call("open_pane", command=["sh", "-c", script]))["pane"]
        await shim.call("write_pane", pane=pane, text="words")
        text = ""
        with anyio.fail_after(BOUND_S):
            while "got words" not in text:
                text = (await shim.call("read_pane", pane=pane))["text"]
        assert "to stdout\nto stderr" in text
        assert (await shim.call("close_pane", pane=pane))["pane"] == pane
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert (await shim.rest(), await shim.errors()) == (b"", "")


async def test_its_options_are_explained_and_a_wrong_one_starts_nothing(place: Place) -> None:
    async with raw_shim(place, options=("--help",)) as shim:
        assert await shim.exit_code() == 0
        assert "--read-only" in (await shim.rest()).decode()
    async with raw_shim(place, options=("--read-write",)) as shim:
        assert await shim.exit_code() == 2
        assert await shim.rest() == b""
        assert "--read-write" in await shim.errors()


async def test_it_starts_with_the_standard_library_alone(place: Place) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "mcp_bridge.command", "mcp"]
    with anyio.fail_after(BOUND_S):
        ended = await anyio.run_process(
            command, stdin=subprocess.DEVNULL, env=place.environment(), start_new_session=True
        )
    assert ended.stdout == b""
    lines = ended.stderr.decode().splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    assert "mcp_bridge.shim" in imported
    assert not {name for name in imported if name.partition(".")[0] in _HEAVY}
