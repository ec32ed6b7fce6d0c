"""The other end of the bridge's one connection: what the bridge asks of a host, seen on the wire.

It speaks the core API as its module of messages defines it and answers what the test tells it to; it has no
panes. It listens where a host would, so that the bridge takes it for one.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
from pydantic_core import to_json

from session_core.api import messages
from session_core.api.framing import LineFramer
from session_core.api.messages import Failure, Message, Notice, Request
from session_core.errors import SessionCoreError

from .waiting import BOUND_S

GREETING = {
    "protocol": 1,
    "version": "0.1.0",
    "capabilities": [],
    "epoch": "stand-in",
    "revision": 0,
    "pid": 1,
}


class StandInHost:
    """Answers each method with what `answers` holds for it; a method that is not in there stays open.

    What is in `once` goes first, and is the answer to one call alone.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"hello": GREETING}
        self.once: dict[str, Any] = {}
        self._heard, self._heard_out = anyio.create_memory_object_stream[Request | Notice](1000)

    async def heard(self, method: str) -> Request | Notice:
        """Return the next call of a method, passing over those of others."""
        with anyio.fail_after(BOUND_S):
            while (call := await self._heard_out.receive()).method != method:
                pass
        return call

    async def heard_alone(self, method: str) -> Request | Notice:
        """Return the next call, which is of this method: none of another came before it."""
        with anyio.fail_after(BOUND_S):
            call = await self._heard_out.receive()
        assert call.method == method
        return call

    async def serve(self, stream: anyio.abc.SocketStream) -> None:
        """Serve one connection."""
        framer = LineFramer()
        try:
            async with stream:
                while True:
                    for line in framer.feed(await stream.receive()):
                        answer = self._answer(messages.read(line))
                        if answer is not None:
                            await stream.send(answer)
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return

    def _answer(self, call: Message) -> bytes | None:
        assert isinstance(call, (Request, Notice))
        self._heard.send_nowait(call)
        if isinstance(call, Notice) or call.method not in self.once | self.answers:
            return None
        answer = self.once.pop(call.method, None) or self.answers[call.method]
        if isinstance(answer, SessionCoreError):
            return messages.write_failure(Failure(call.id, answer))
        return messages.write_answer(call.id, to_json(answer))

    def close(self) -> None:
        """Forget what was heard."""
        self._heard.close()
        self._heard_out.close()


@asynccontextmanager
async def stand_in_host(folder: str) -> AsyncIterator[StandInHost]:
    """Listen as the host of `folder`; the socket is gone at the end, so that nobody mistakes us for one."""
    host, path = StandInHost(), os.path.join(folder, "host.sock")
    async with await anyio.create_unix_listener(path) as listener, anyio.create_task_group() as tasks:
        try:
            tasks.start_soon(listener.serve, host.serve)
            yield host
        finally:
            tasks.cancel_scope.cancel()
            os.unlink(path)
            host.close()
