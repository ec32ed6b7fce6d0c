"""The shim on bare pipes: what a client sends and every line that comes back, byte for byte."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from .place import PANEBRIDGE, Place
from .waiting import BOUND_S

Json = dict[str, Any]

_LINE_BYTES = 1024 * 1024
TASKS: Json = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
"""What a request declares that takes a task for an answer."""


class RawShim:
    """One running shim. `lines` are all the lines that it wrote, each of which was one JSON-RPC message.

    `capabilities` are what the client declares: with each request in the stateless era, else once.
    """

    def __init__(
        self, process: anyio.abc.Process, era: str, client: str = "raw", capabilities: Json | None = None
    ) -> None:
        assert process.stdout is not None
        self.process = process
        self.lines: list[bytes] = []
        self.greeting: Json = {}
        self.capabilities = capabilities or {}
        self._client = {"name": client, "version": "1"}
        self._modern = era == "auto"
        self._out = BufferedByteReceiveStream(process.stdout)
        self._last = 0

    async def begin(self) -> None:
        """Do what a client of the era does first."""
        if self._modern:
            first = await self.request("server/discover")
        else:
            handshake = {"capabilities": self.capabilities, "clientInfo": self._client}
            first = await self.request("initialize", protocolVersion="2025-06-18", **handshake)
        self.greeting = (await self.answer(first))["result"]
        if not self._modern:
            await self.notify("notifications/initialized")

    async def send(self, line: bytes) -> None:
        """Send one line as it is."""
        assert self.process.stdin is not None
        await self.process.stdin.send(line + b"\n")

    async def request(self, method: str, **params: Any) -> int:
        """Send a request and return its id; `_meta` is added to what the era has there."""
        self._last += 1
        if self._modern:
            params["_meta"] = self._envelope() | params.get("_meta", {})
        request = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        await self.send(json.dumps(request).encode())
        return self._last

    def _envelope(self) -> Json:
        return {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": self._client,
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        }

    async def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        await self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

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

    async def result(self, method: str, **params: Any) -> Json:
        """Make a request and return its result."""
        result: Json = (await self.answer(await self.request(method, **params)))["result"]
        return result

    async def error(self, method: str, **params: Any) -> Json:
        """Make a request and return the error that it is answered with."""
        error: Json = (await self.answer(await self.request(method, **params)))["error"]
        return error

    async def message_when(self, holds: Callable[[Json], bool]) -> Json:
        """Return the first message that `holds`, passing over those before it."""
        with anyio.fail_after(BOUND_S):
            while not holds(message := await self.message()):
                pass
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


async def task_of(shim: RawShim, tool: str, **arguments: Any) -> str:
    """Call a tool that is answered with a task, and return the task's id."""
    result = await shim.result("tools/call", name=tool, arguments=arguments)
    assert (result["resultType"], result["status"]) == ("task", "working")
    return str(result["taskId"])


async def end_of(shim: RawShim, task: str) -> Json:
    """Poll a task until it works no more."""
    with anyio.fail_after(BOUND_S):
        while (found := await shim.result("tasks/get", taskId=task))["status"] == "working":
            pass
    return found


@asynccontextmanager
async def raw_shim(
    place: Place,
    era: str = "auto",
    *,
    options: Sequence[str] = (),
    client: str = "raw",
    capabilities: Json | None = None,
    **environment: str,
) -> AsyncIterator[RawShim]:
    """Run a shim; it is killed at the end if it has not ended by itself."""
    process = await anyio.open_process(
        [PANEBRIDGE, "mcp", *options], env=place.environment(**environment), start_new_session=True
    )
    async with process:
        try:
            yield RawShim(process, era, client, capabilities)
        finally:
            if process.returncode is None:
                process.kill()
