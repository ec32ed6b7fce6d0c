"""Viewers of these tests: each has a connection of its own and keeps what it is given."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from session_core import ViewerEnded, ViewerOutput, ViewerScreen, connect
from session_core.screen import ScreenEngine, open_screen
from session_core.viewing import Disconnected, Viewing

from ..host.hosts import RunningHost
from ..host.waiting import eventually

News = ViewerOutput | ViewerScreen | ViewerEnded


class Viewer:
    """A viewer that reads all its news."""

    def __init__(self, viewing: Viewing) -> None:
        self.viewing = viewing
        self.first = base64.b64decode(viewing.attached.data)
        self.news: list[News] = []
        self.breaks = 0

    async def read(self) -> None:
        """Keep the news until they end."""
        async for news in self.viewing.news():
            if isinstance(news, Disconnected):
                self.breaks += 1
            else:
                self.news.append(news)

    async def send(self, data: bytes) -> None:
        """Send what the terminal sends."""
        await self.viewing.send_input(data)

    async def send_pieces(self, data: bytes, *, size: int) -> None:
        """Send pieces of this size, each in a call of its own and all at once, so that no time passes between them."""
        async with anyio.create_task_group() as tasks:
            for at in range(0, len(data), size):
                tasks.start_soon(self.send, data[at : at + size])

    @property
    def output(self) -> bytes:
        """All output, without the screens."""
        return b"".join(base64.b64decode(news.data) for news in self.news if isinstance(news, ViewerOutput))

    @property
    def screens(self) -> list[ViewerScreen]:
        """The screens that came after the first one."""
        return [news for news in self.news if isinstance(news, ViewerScreen)]

    @property
    def ended(self) -> ViewerEnded | None:
        """The last news, if it is the end."""
        return self.news[-1] if self.news and isinstance(self.news[-1], ViewerEnded) else None

    async def text_is(self, text: str) -> None:
        """Return once a terminal that shows all news shows this."""
        await eventually(lambda: self._shown() == text)

    def _shown(self) -> str:
        attached = self.viewing.attached
        return shown((attached.columns, attached.rows), self.first, self.news)


def painted(columns: int, rows: int, data: bytes) -> ScreenEngine:
    """Return a fresh screen of this size that was given `data`."""
    screen = open_screen(columns, rows)
    screen.feed(data)
    return screen


def shown(size: tuple[int, int], first: bytes, news: list[News]) -> str:
    """Return the text of a terminal that was given a first screen and then the news."""
    screen = painted(*size, first)
    for one in news:
        if isinstance(one, ViewerEnded):
            break
        data = base64.b64decode(one.data)
        if isinstance(one, ViewerScreen):
            screen.close()
            screen = painted(one.columns, one.rows, data)
        else:
            screen.feed(data)
    text = screen.text()
    screen.close()
    return text


@asynccontextmanager
async def viewer(
    host: RunningHost,
    pane: str,
    *,
    size: tuple[int, int] | None = None,
    person: str = "ada",
    read_only: bool = False,
) -> AsyncIterator[Viewer]:
    """Attach to a pane until the context ends."""
    columns, rows = size or (None, None)
    async with (
        connect(folder=str(host.folder), start=False) as client,
        client.attach(pane, columns=columns, rows=rows, person=person, read_only=read_only) as viewing,
        anyio.create_task_group() as tasks,
    ):
        one = Viewer(viewing)
        tasks.start_soon(one.read)
        yield one
        tasks.cancel_scope.cancel()
