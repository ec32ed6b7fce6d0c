"""MCP clients behind shims: a killed shim is started again by its client, which then repeats its write by its key."""

import contextlib
import itertools
from collections.abc import Sequence
from random import Random
from typing import Any

import anyio

from ..bridge.place import Place
from ..bridge.raw_shim import RawShim, raw_shim
from .actors import Looker
from .seen import Pane, Seen, Write

Json = dict[str, Any]
_GONE = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError)
_RECONNECT_S = "60"


class Shims:
    """The shims that serve now."""

    def __init__(self) -> None:
        self._serving: list[RawShim] = []
        self._came = anyio.Event()

    @contextlib.contextmanager
    def serving(self, shim: RawShim) -> Any:
        """Have a shim be one of them."""
        self._serving.append(shim)
        self._came.set()
        try:
            yield
        finally:
            self._serving.remove(shim)

    async def choose(self, random: Random) -> RawShim:
        """Return one of them, once there is one."""
        while not self._serving:
            self._came = anyio.Event()
            await self._came.wait()
        return random.choice(self._serving)


class Refused(Exception):
    """A tool call was answered by an error."""


class McpClient:
    """One client; `era` is how it connects."""

    def __init__(self, seen: Seen, place: Place, era: str, panes: Sequence[Pane], random: Random) -> None:
        self._seen = seen
        self._place = place
        self._era = era
        self._name = f"mcp-{era}"
        self._panes = panes
        self._random = random
        self._looker = Looker(seen)
        self._revision = 0

    async def run(self, shims: Shims, over: anyio.Event) -> None:
        """Call tools until it is over, through one shim after the other."""
        todo: Write | None = None
        numbers = itertools.count()
        while not over.is_set():
            async with raw_shim(self._place, self._era, PANEBRIDGE_RECONNECT_S=_RECONNECT_S) as shim:
                with contextlib.suppress(*_GONE):
                    await shim.begin()
                    with shims.serving(shim):
                        while not over.is_set():
                            todo = todo or self._next_write(next(numbers))
                            await self._write(shim, todo)
                            todo = None
                            await self._look(shim)
                            await self._wait(shim)
                    await shim.end_input()
                await shim.exit_code()
                self._seen.counts["shims"] += 1

    def _next_write(self, number: int) -> Write:
        pane = self._random.choice(self._panes)
        write = Write(pane.pane, self._name, f"<{self._name}.{number}>", f"{self._seen.run} {self._name} {number}")
        self._seen.writes.append(write)
        return write

    async def _write(self, shim: RawShim, write: Write) -> None:
        try:
            answer = await self._call(shim, "write_pane", pane=write.pane, text=write.text, key=write.key)
        except Refused as error:
            self._seen.fault(f"{write} was answered: {error}")
            write.refused = str(error)
            return
        if write.ticket not in (None, answer["ticket"]):
            self._seen.fault(f"{write} was answered by the ticket {answer}")
        write.ticket, write.status = answer["ticket"], answer["status"]
        self._seen.counts[f"mcp writes {write.status}"] += 1

    async def _look(self, shim: RawShim) -> None:
        found = await self._call(shim, "list_panes")
        self._looker.check(found["revision"], [row["pane"] for row in found["panes"]])
        self._revision = found["revision"]

    async def _wait(self, shim: RawShim) -> None:
        pane = self._random.choice(self._panes)
        found = await self._call(
            shim, "wait_idle", panes=[pane.pane], until="change", since=self._revision, timeout_s=30
        )
        if found["outcome"] != "changed" or found["revision"] <= self._revision:
            self._seen.fault(f"a wait for a change of {pane.name} since {self._revision} was answered: {found}")
        self._seen.counts["mcp waits"] += 1

    async def _call(self, shim: RawShim, tool: str, **arguments: Any) -> Json:
        identity = await shim.start(tool, **arguments)
        answer = await shim.message_when(lambda message: message.get("id") == identity)
        if "error" in answer or answer["result"]["isError"]:
            raise Refused(f"{tool} {arguments}: {answer}")
        content: Json = answer["result"]["structuredContent"]
        return content
