"""A proxy before a host that cuts its connections where it is told to, and takes the next ones.

To a client a cut is the end of its host, and the next connection a host that has come back with all that it knew.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

_LINE_BYTES = 32 * 1024 * 1024


class Where(StrEnum):
    """Where a call is cut: the host never gets it, has answered it or half of it, or OPEN: has it wait."""

    BEFORE = "before"
    AFTER = "after"
    AMID = "amid"
    OPEN = "open"


_SLOW = (pytest.param(where, marks=pytest.mark.slow) for where in (Where.BEFORE, Where.AMID))
anywhere = pytest.mark.parametrize("where", [Where.AFTER, *_SLOW])


@dataclass(slots=True)
class _Cut:
    method: str
    where: Where
    call: int | None = None


class Proxy:
    """Listens as a host in `folder`. `cuts` counts what was cut."""

    def __init__(self, host: str, folder: Path) -> None:
        self.folder = folder
        self.cuts = 0
        self._epoch = b""
        self._forgets = False
        self._knows_keys = True
        self._replaced: tuple[bytes, bytes] | None = None
        self._passed: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._may_serve = asyncio.Event()
        self._may_serve.set()
        self._host = host
        self._planned: list[_Cut] = []
        self._open: set[asyncio.StreamWriter] = set()
        self._random: random.Random | None = None
        self._left = 0
        self._server: asyncio.AbstractServer | None = None

    def plan(self, method: str, where: Where) -> None:
        """Cut the next call of a method."""
        self._planned.append(_Cut(method, where))

    def cut_at_random(self, seed: int, times: int) -> None:
        """Cut any connection at any byte, so many times."""
        self._random, self._left = random.Random(seed), times

    async def listen(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_unix_server(self._serve, str(self.folder / "host.sock"), limit=_LINE_BYTES)

    async def refuse(self) -> None:
        """Cut everything, and take no connection until `listen`."""
        assert self._server is not None
        self._server.close()
        (self.folder / "host.sock").unlink(missing_ok=True)
        self.cut()

    async def end(self) -> None:
        """Cut everything and take nothing more."""
        await self.refuse()
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))
        await asyncio.sleep(0)

    def hold(self) -> None:
        """Take no new connection further until `go_on`."""
        self._may_serve.clear()

    def go_on(self) -> None:
        """Let new connections through."""
        self._may_serve.set()

    def other_epoch(self) -> None:
        """Show the host of later connections as another one."""
        self._epoch = b"other-"

    def forget_revisions(self) -> None:
        """Have later subscriptions name an epoch that the host does not have."""
        self._forgets = True

    def forget_keys(self) -> None:
        """Show the host of later connections as an older one, which knows no keys."""
        self._knows_keys = False

    def replace_once(self, old: bytes, new: bytes) -> None:
        """Send another word in the next line that has the old one."""
        self._replaced = old, new

    def passed(self, method: str) -> int:
        """Return how many calls of a method were passed on."""
        return self._passed.count(method)

    def cut(self) -> None:
        """Cut everything that is open."""
        self.cuts += 1
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(asyncio.CancelledError):
                await self._serve_one(reader, writer)
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._may_serve.wait()
        host_reader, host_writer = await asyncio.open_unix_connection(self._host, limit=_LINE_BYTES)
        ends = {writer, host_writer}
        self._open |= ends
        try:
            ways = [
                asyncio.ensure_future(self._up(reader, host_writer)),
                asyncio.ensure_future(self._down(host_reader, writer)),
            ]
            _, left = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in left:
                way.cancel()
            await asyncio.wait(ways)
        finally:
            self._open -= ends
            for end in ends:
                end.transport.abort()

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while line := await reader.readline():
                call = json.loads(line)
                for cut in self._planned:
                    if cut.method == call.get("method") and cut.call is None:
                        cut.call = call.get("id")
                        if cut.where is Where.BEFORE:
                            self._cut(cut)
                            return
                        break
                self._passed.append(str(call.get("method")))
                if self._forgets:
                    line = line.replace(b'"epoch":"', b'"epoch":"before-')
                elif self._epoch:
                    line = line.replace(b'"epoch":"' + self._epoch, b'"epoch":"')
                    line = line.replace(b'"stood":{"epoch":"', b'"stood":{"epoch":"before-')
                if not await self._pass(line, writer):
                    return

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while line := await reader.readline():
                message = json.loads(line)
                cut = self._due(message)
                if cut is not None and cut.where is not Where.AFTER:
                    writer.write(line if cut.where is Where.OPEN else line[: len(line) // 2])
                    await writer.drain()
                    with suppress(OSError):
                        writer.write_eof()
                if cut is not None:
                    self._cut(cut)
                    return
                line = line.replace(b'"epoch":"', b'"epoch":"' + self._epoch)
                if self._replaced and self._replaced[0] in line:
                    line, self._replaced = line.replace(*self._replaced), None
                if not self._knows_keys:
                    line = line.replace(b',"keys"', b"")
                if not await self._pass(line, writer):
                    return

    def _due(self, message: dict[str, Any]) -> _Cut | None:
        for cut in self._planned:
            opened = message.get("method") == "waiting" and message["params"]["id"] == cut.call
            answered = message.get("id") == cut.call and cut.call is not None
            if opened if cut.where is Where.OPEN else answered:
                return cut
        return None

    def _cut(self, cut: _Cut) -> None:
        self._planned.remove(cut)
        self.cuts += 1

    async def _pass(self, line: bytes, writer: asyncio.StreamWriter) -> bool:
        if self._random is not None and self._left and self._random.random() < 0.2:
            self._left -= 1
            self.cuts += 1
            writer.write(line[: self._random.randrange(len(line))])
            with suppress(OSError):
                await writer.drain()
            return False
        writer.write(line)
        await writer.drain()
        return True


@asynccontextmanager
async def proxy_before(host: str, folder: Path) -> AsyncIterator[Proxy]:
    """Run a proxy until the context ends."""
    proxy = Proxy(host, folder)
    await proxy.listen()
    try:
        yield proxy
    finally:
        await proxy.end()
