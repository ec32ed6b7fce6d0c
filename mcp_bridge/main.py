"""The bridge process: one MCP server for all clients, over a unix socket, without threads.

Each connection begins with the shim's preamble line and goes on with plain MCP frames. Only the user's own
processes are served. The bridge holds no pane: it may end at any moment and be started again.
"""

import json
import logging
import os
import socket
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server.stdio import stdio_server

from mcp_bridge.bridge import Bridge
from mcp_bridge.resources import Resources
from mcp_bridge.server import build_server, handshake_options
from mcp_bridge.tools.contract import Caller
from session_core import Daemon, peer_uid, run_daemon

LINE_BYTES = 8 * 1024 * 1024

logger = logging.getLogger(__name__)


def main() -> int:
    """Run the bridge; the exit code is 0 after an orderly end, and 1 when it could not start."""
    return run_daemon("bridge", _serve)


async def _serve(process: Daemon) -> None:
    bridge = Bridge.of(process.folder)
    process.listener.setblocking(False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bridge.run)
        tasks.start_soon(_accept, process.listener, bridge)
        process.say_ready()
        await process.stopping.wait()
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
            text = SocketText(stream)
            caller, read_only = _read_preamble(await text.line())
            resources = Resources(bridge, caller)
            server = build_server(bridge, caller, resources, read_only=read_only)
            # The SDK's stdio framing works unchanged over a socket; the two objects stand in for its files.
            files = cast(Any, text)
            async with stdio_server(files, files) as (incoming, outgoing), anyio.create_task_group() as telling:
                telling.start_soon(resources.run)
                await server.run(incoming, outgoing, handshake_options(server))
                telling.cancel_scope.cancel()
    except* (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass
    except* Exception:
        logger.exception("a client's connection failed")


def _read_preamble(line: str) -> tuple[Caller, bool]:
    fields = json.loads(line)
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
        self._reader = BufferedByteReceiveStream(stream)

    async def line(self) -> str:
        """Return the next line, at most `LINE_BYTES` long."""
        return (await self._reader.receive_until(b"\n", LINE_BYTES)).decode(errors="replace")

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                yield await self.line()
            except (
                anyio.EndOfStream,
                anyio.IncompleteRead,
                anyio.BrokenResourceError,
                anyio.DelimiterNotFound,
            ):
                return

    async def write(self, text: str) -> None:
        """Send `text` whole."""
        await self._stream.send(text.encode())

    async def flush(self) -> None:
        """Nothing is held back."""
