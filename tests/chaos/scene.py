"""A run: panes, everybody who uses them, and the checks at its end."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

import anyio
from anyio.abc import TaskGroup

from session_core import Client, ExitStatus, connect

from ..bridge.place import Place
from ..host.waiting import eventually, reported
from .actors import Asker, Looker, Opener, Person, Waiter, Writer, subscribe, wait_for_end
from .checking import check
from .leftovers import freed
from .mcp_clients import McpClient, Shims
from .programs import command, file_of
from .seen import Pane, Seen

RECONNECT_S = 60.0
ENDS = (
    ExitStatus(code=0),
    ExitStatus(code=3),
    ExitStatus(code=255),
    ExitStatus(signal="SIGKILL"),
    ExitStatus(signal="SIGSEGV"),
)


class Scene:
    """The panes of one run in the folder of `place`, whose programs keep their files in `files`."""

    def __init__(self, place: Place, files: Path, seed: int) -> None:
        self.seen = Seen(run=f"{files.parent.name}/{files.name}")
        self.shims = Shims()
        self.over = anyio.Event()
        self._place = place
        self._files = files
        self._seed = seed
        self._stop = files / "stop"
        self._streams: list[Pane] = []
        self._turns: list[Pane] = []

    def _random(self, who: str) -> Random:
        return Random(f"{self._seed} {who}")

    def _client(self) -> AbstractAsyncContextManager[Client]:
        return connect(folder=self._place.folder, reconnect_s=RECONNECT_S)

    async def _with_client(self, act: Callable[[Client], Awaitable[None]]) -> None:
        async with self._client() as core:
            await act(core)

    async def _open(self, core: Client, name: str, mode: str, *, after: int = 0, ends: ExitStatus = ENDS[0]) -> Pane:
        """Open a pane, and return once its program prints."""
        end = ends.signal or str(ends.code)
        opened = await core.open_pane(command(self._files, name, mode, self._stop, after=after, end=end))
        assert opened.occupant is not None
        pane = Pane(opened.pane, opened.occupant.pid, name, mode, file_of(self._files, name), ends)
        await reported(core, opened.pane, "turn" if mode == "turns" else "r0")
        self.seen.panes[pane.pane] = pane
        return pane

    async def _open_all(self, core: Client, streams: int, ends: Sequence[int]) -> None:
        self._streams = [await self._open(core, f"stream{number}", "stream") for number in range(streams)]
        self._turns = [await self._open(core, f"turns{number}", "turns") for number in range(2)]
        for number, after in enumerate(ends):
            await self._open(core, f"end{number}", "stream", after=after, ends=ENDS[number % len(ENDS)])

    @asynccontextmanager
    async def acted(self, streams: int, ends: Sequence[int], *, mcp: Sequence[str] = ()) -> AsyncIterator[Client]:
        """Open the panes and have everybody act while the context lasts; then end all programs, and check.

        `ends` are after how many pieces the programs end that end by themselves, `mcp` the eras of MCP clients.
        """
        async with self._client() as core, anyio.create_task_group() as hearing:
            hearing.start_soon(self._with_client, partial(subscribe, seen=self.seen))
            await eventually(lambda: self.seen.subscribed)
            await self._open_all(core, streams, ends)
            async with anyio.create_task_group() as waiting:
                for pane in self.seen.panes.values():
                    waiting.start_soon(self._with_client, Waiter(self.seen, pane).run)
                    waiting.start_soon(self._with_client, partial(wait_for_end, seen=self.seen, pane=pane))
                async with anyio.create_task_group() as acting:
                    self._begin(acting, mcp)
                    yield core
                    # Whoever did nothing so far does it now, with what was kept over the kills.
                    await eventually(lambda: all(self.seen.counts[deed] for deed in _deeds(mcp)))
                    self.over.set()
                for pane in self.seen.panes.values():
                    await answered_again(pane)
                self._stop.touch()
            newest = (await core.list_panes()).revision
            await eventually(lambda: bool(self.seen.changes) and self.seen.changes[-1].revision >= newest)
            hearing.cancel_scope.cancel()
        await self._with_client(self._check)
        assert not self.seen.faults, "\n".join([f"seed {self._seed}, {dict(self.seen.counts)}", *self.seen.faults[:20]])

    async def _check(self, core: Client) -> None:
        await check(core, self.seen, self._place.folder)
        for pane in self.seen.panes.values():
            await core.close_pane(pane.pane)
        await freed(self._place.folder, (*self.seen.killed, *(pane.pid for pane in self.seen.panes.values())))

    def _begin(self, acting: TaskGroup, mcp: Sequence[str]) -> None:
        *written, typed = self._streams
        actors: list[Writer | Person | Asker | Opener | Looker] = [
            Writer(self.seen, "writer1", written, self._random("writer1")),
            Writer(self.seen, "writer2", [written[0], self._turns[0]], self._random("writer2")),
            Person(self.seen, "ada", [typed], self._random("ada")),
            Person(self.seen, "ben", written[-1:], self._random("ben")),
            Asker(self.seen, "asker", self._turns[1]),
            Opener(self.seen, "opener", self._files, self._random("opener")),
            Looker(self.seen),
        ]
        for actor in actors:
            acting.start_soon(self._with_client, partial(actor.run, over=self.over))
        for era in mcp:
            client = McpClient(self.seen, self._place, era, written, self._random(era))
            acting.start_soon(client.run, self.shims, self.over)


def _deeds(mcp: Sequence[str]) -> tuple[str, ...]:
    """What everybody has done at least once, or the run has tested nothing."""
    deeds = ("writes delivered", "acknowledged", "waits", "asked", "opened")
    return (*deeds, "mcp writes delivered", "mcp waits") if mcp else deeds


async def answered_again(pane: Pane) -> None:
    """Return once the terminal answers the program of a stream, or it has ended."""
    if pane.mode != "stream":
        return
    known = len(pane.kept("reply"))
    await eventually(lambda: len(pane.kept("reply")) > known + 1 or bool(pane.kept("end")))
