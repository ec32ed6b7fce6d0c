"""A client of the core API that may break its rules: it sends any bytes and sees every line."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from session_core.api.methods import PROTOCOL

from .waiting import BOUND_S

_LONGEST = 16 * 1024 * 1024


class Wire:
    """One connection."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._lines = BufferedByteReceiveStream(stream)
        self.last = 0

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        await self._stream.send(data)

    async def receive(self) -> dict[str, Any]:
        """Return the next message. Raises EndOfStream or IncompleteRead at the end."""
        with anyio.fail_after(BOUND_S):
            message: dict[str, Any] = json.loads(await self._lines.receive_until(b"\n", _LONGEST))
        return message

    def request(self, method: str, **params: Any) -> bytes:
        """Return the line of the next request; its id is in `last`."""
        self.last += 1
        return _line(id=self.last, method=method, params=params)

    async def answer(self) -> dict[str, Any]:
        """Return the next answer; notices before it are passed over."""
        while "method" in (message := await self.receive()):
            pass
        return message

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the answer, whole; what comes before it is passed over."""
        await self.send(self.request(method, **params))
        while True:
            message = await self.receive()
            if message.get("id") == self.last:
                return message

    async def ended(self) -> None:
        """Return once the other end has closed the connection."""
        try:
            while True:
                await self.receive()
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError):
            return


def notice(method: str, **params: Any) -> bytes:
    """Return the line of a notification."""
    return _line(method=method, params=params)


def code(message: dict[str, Any]) -> str:
    """Return the stable code of an error answer."""
    name: str = message["error"]["data"]["code"]
    return name


def _line(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n"


@asynccontextmanager
async def wire(path: str, *, protocol: int | None = PROTOCOL) -> AsyncIterator[Wire]:
    """Connect, and say hello as a client of version `protocol` unless it is None."""
    async with await anyio.connect_unix(path) as stream:
        connection = Wire(stream)
        if protocol is not None:
            assert "result" in await connection.call("hello", protocol=protocol, client="test")
        yield connection
