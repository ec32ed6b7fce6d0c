"""A shim and a bridge of different versions: an older shim is served, and one not understood is told so."""

import json

import anyio
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream

from .calls import Json, Tools
from .place import Place
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio

_INITIALIZE: Json = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


async def _ask(place: Place, preamble: Json, *requests: Json) -> list[Json]:
    """Send a preamble and requests on the bridge's own socket; return the first lines, one for each request."""
    with anyio.fail_after(BOUND_S):
        async with await anyio.connect_unix(f"{place.folder}/bridge.sock") as stream:
            for line in (preamble, *requests):
                await stream.send(json.dumps(line).encode() + b"\n")
            reader = BufferedByteReceiveStream(stream)
            return [json.loads(await reader.receive_until(b"\n", 1_000_000)) for _ in requests]


async def test_an_older_shim_gets_nothing_that_it_would_hand_to_its_client(place: Place, tools: Tools) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _INITIALIZE}
    (answer,) = await _ask(place, {"panebridge": 1, "version": "0.0.1", "folder": "/"}, request)
    assert answer["result"]["serverInfo"]["name"] == "panebridge"


async def test_a_shim_that_is_not_understood_is_told_both_versions_and_what_to_do(place: Place, tools: Tools) -> None:
    requests: list[Json] = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {}} for number in (1, "two")
    ]
    answers = await _ask(place, {"panebridge": 2, "version": "9.0"}, *requests)
    assert [answer["id"] for answer in answers] == [1, "two"]
    for answer in answers:
        assert answer["error"]["message"].startswith("version_mismatch: ")
        assert "9.0" in answer["error"]["message"]
        assert "panebridge upgrade" in answer["error"]["message"]
