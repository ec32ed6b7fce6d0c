"""The shim on bare pipes: what a client sends and every line that comes back, byte for byte."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from .place import PANEBRIDGE, Place
from .waiting import BOUND_S

Json = dict[str, Any]

_LINE_BYTES = 1024 * 1024
_CLIENT: Json = {"name": "raw", "version": "1"}
_META: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HANDSHAKE: Json = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT}


class RawShim:
    """One running shim. `lines` are all the lines that it wrote, each of which was one JSON-RPC message."""

    def __init__(self, process: anyio.abc.Process, era: str) -> None:
        assert process.stdout is not None
        self.process = process
        self.lines: list[bytes] = []
        self.greeting: Json = {}
        self._modern = era == "auto"
        self._out = BufferedByteReceiveStream(process.stdout)
        self._last = 0

    async def begin(self) -> None:
        """Do what a client of the era does first."""
        if self._modern:
            first = await self.request("server/discover")
        else:
            first = await self.request("initialize", **_HANDSHAKE)
        self.greeting = (await self.answer(first))["result"]
        if not self._modern:
            await self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())

    async def send(self, line: bytes) -> None:
        """Send one line as it is."""
        assert self.process.stdin is not None
        await self.process.stdin.send(line + b"\n")

    async def request(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        self._last += 1
        if self._modern:
            params["_meta"] = _META
        request = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        await self.send(json.dumps(request).encode())
        return self._last

    async def start(self, tool: str, **arguments: Any) -> int:
        """Begin a tool call and return its id."""
        return await self.request("tools/call", name=tool, arguments=arguments)

    async def call(self, tool: str, **arguments: Any) -> Json:
        """Call a tool and return the structured content of its answer."""
        answer = await self.answer(await self.start(tool, **arguments))
        assert not answer["result"]["isError"], answer
        content: Json = answer["result"]["structuredContent"]
        return content

    async def open_wait(self, pane: str) -> int:
        """Begin a wait for the pane's end, and return its id once the bridge has it."""
        wait = await self.start("wait_idle", panes=[pane], until="exited")
        await self.call("list_panes")
        return wait

    async def answer(self, identity: int) -> Json:
        """Return the answer to a request; nothing else may come before it."""
        message = await self.message()
        assert message.get("id") == identity, message
        return message

    async def message(self) -> Json:
        """Return the next message."""
        with anyio.fail_after(BOUND_S):
            line = await self._out.receive_until(b"\n", _LINE_BYTES)
        self.lines.append(line)
        message = json.loads(line)
        assert isinstance(message, dict), line
        assert message["jsonrpc"] == "2.0"
        assert ("method" in message) != ("result" in message or "error" in message)
        return message

    async def end_input(self) -> None:
        """Close the shim's stdin."""
        assert self.process.stdin is not None
        await self.process.stdin.aclose()

    async def rest(self) -> bytes:
        """Return what the shim still writes until its stdout ends."""
        left = b""
        with anyio.fail_after(BOUND_S):
            try:
                while True:
                    left += await self._out.receive()
            except anyio.EndOfStream:
                return left

    async def exit_code(self) -> int:
        """Wait for the end of the shim."""
        with anyio.fail_after(BOUND_S):
            return await self.process.wait()

    async def errors(self) -> str:
        """Return all that the shim has written to stderr, after its end."""
        assert self.process.stderr is not None
        return b"".join([piece async for piece in self.process.stderr]).decode()


@asynccontextmanager
async def raw_shim(
    place: Place, era: str = "auto", *, options: Sequence[str] = (), **environment: str
) -> AsyncIterator[RawShim]:
    """Run a shim; it is killed at the end if it has not ended by itself."""
    process = await anyio.open_process(
        [PANEBRIDGE, "mcp", *options], env=place.environment(**environment), start_new_session=True
    )
    async with process:
        try:
            yield RawShim(process, era)
        finally:
            if process.returncode is None:
                process.kill()
