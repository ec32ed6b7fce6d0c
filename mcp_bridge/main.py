"""The bridge process: one MCP server for all clients, over a unix socket, without threads.

Each connection begins with the shim's preamble line and goes on with plain MCP frames, and with lines between the two
that the shim keeps to itself. Only the user's own processes are served. The bridge holds no pane: it may end at any
moment, and the next one goes on with what was not answered.
"""

import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any, cast

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server.stdio import stdio_server

from mcp_bridge.bridge import Bridge
from mcp_bridge.call_origin import Origins
from mcp_bridge.calls import go_on
from mcp_bridge.resources import Resources
from mcp_bridge.server import build_server, handshake_options
from mcp_bridge.tools.contract import Caller
from session_core import Daemon, __version__, peer_uid, run_daemon

LINE_BYTES = 8 * 1024 * 1024
PREAMBLE = 1
"""Version of what the shim and the bridge say to each other; a new field does not change it."""
_GREETING = json.dumps({"panebridge": PREAMBLE, "version": __version__}) + "\n"
_SERVER_ERROR = -32000

logger = logging.getLogger(__name__)


def main() -> int:
    """Run the bridge; the exit code is 0 after an orderly end, and 1 when it could not start."""
    return run_daemon("bridge", _serve)


async def _serve(process: Daemon) -> None:
    bridge = Bridge.of(process.folder)
    process.listener.setblocking(False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bridge.run, partial(go_on, bridge.link))
        tasks.start_soon(_accept, process.listener, bridge)
        process.link.listen()
        process.say_ready()
        await process.stopping.wait()
        if not process.handing_over:
            await bridge.say_ending()
        tasks.cancel_scope.cancel()


async def _accept(listener: socket.socket, bridge: Bridge) -> None:
    async with await anyio.abc.SocketListener.from_socket(listener) as accepting:
        await accepting.serve(lambda stream: _serve_client(stream, bridge))


async def _serve_client(stream: anyio.abc.SocketStream, bridge: Bridge) -> None:
    try:
        async with stream:
            connection = stream.extra(anyio.abc.SocketAttribute.raw_socket)
            if peer_uid(connection) not in (os.getuid(), 0):
                logger.warning("refused a connection of another user")
                return
            await _serve_shim(SocketText(stream), bridge)
    except* (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass
    except* Exception:
        logger.exception("a client's connection failed")


async def _serve_shim(text: "SocketText", bridge: Bridge) -> None:
    preamble = json.loads(await text.line())
    if "shim" in preamble:
        # An older one would hand it to its client.
        await text.write(_GREETING)
    if preamble.get("panebridge") != PREAMBLE:
        await _refuse_all(text, preamble)
        return
    caller, read_only = _read_preamble(preamble)
    async with anyio.create_task_group() as telling:
        origins = Origins(preamble, lambda line: _soon(telling, text.say, line))
        text.origins = origins
        resources = Resources(bridge, caller, missed=origins.resumed)
        server = build_server(bridge, caller, resources, origins, read_only=read_only)
        # The SDK's stdio framing works unchanged over a socket; the two objects stand in for its files.
        files = cast(Any, text)
        async with stdio_server(files, files) as (incoming, outgoing):
            telling.start_soon(resources.run)
            with bridge.serving(text.say) if "shim" in preamble else nullcontext():
                await server.run(incoming, outgoing, handshake_options(server))
            telling.cancel_scope.cancel()


def _soon(tasks: anyio.abc.TaskGroup, say: Callable[[str], Coroutine[Any, Any, None]], line: str) -> None:
    tasks.start_soon(say, line)


async def _refuse_all(text: "SocketText", preamble: dict[str, Any]) -> None:
    """Answer each request of a shim that this bridge does not understand."""
    why = (
        f"version_mismatch: This bridge is panebridge {__version__}, the client's shim is "
        f"{preamble.get('version', 'unknown')}. Run `panebridge upgrade`, then start the client anew."
    )
    async for line in text:
        request = json.loads(line)
        if isinstance(request, dict) and request.get("method") and request.get("id") is not None:
            error = {"code": _SERVER_ERROR, "message": why}
            await text.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}) + "\n")


def _read_preamble(fields: dict[str, Any]) -> tuple[Caller, bool]:
    environment = fields.get("environment")
    caller = Caller(
        folder=str(fields.get("folder") or "/"),
        environment={str(name): str(value) for name, value in environment.items()}
        if isinstance(environment, dict)
        else None,
        name=f"mcp {fields.get('version', '')}".strip(),
    )
    return caller, bool(fields.get("read_only"))


class SocketText:
    """A socket as the SDK's stdio transport wants its files: lines out of it, text into it."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        self._writing = anyio.Lock()
        self.origins: Origins | None = None
        self._reader = BufferedByteReceiveStream(stream)

    async def line(self) -> str:
        """Return the next line, at most `LINE_BYTES` long."""
        return (await self._reader.receive_until(b"\n", LINE_BYTES)).decode(errors="replace")

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                line = await self.line()
            except (
                anyio.EndOfStream,
                anyio.IncompleteRead,
                anyio.BrokenResourceError,
                anyio.DelimiterNotFound,
            ):
                return
            if self.origins is not None:
                self.origins.heard(line)
            yield line

    async def write(self, text: str) -> None:
        """Send `text` whole."""
        async with self._writing:
            await self._stream.send(text.encode())

    async def say(self, line: str) -> None:
        """Send a line that is for the shim itself; one that has gone needs it no more."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.write(line + "\n")

    async def flush(self) -> None:
        """Nothing is held back."""
