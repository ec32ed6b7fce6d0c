"""A person's terminal on a pane, attached again whenever the host is back.

What was typed meanwhile waits in `send_input`, and each piece reaches the program once. After a break the first news
is Disconnected, and the next a whole screen. The program's or the pane's end is told also where it came meanwhile.
"""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

from session_core.api.results import Attached, Greeting, ViewerEnded, ViewerScreen
from session_core.connection import Broken, Connection, ViewerNews
from session_core.errors import Code, HostLost, SessionCoreError
from session_core.link import Link
from session_core.repeated_call import forgotten_error, lost_error, new_key, unknown_error


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The host is away and looked for; what the terminal shows is old."""


class Viewing:
    """Made by `Client.attach`; `attached` has the newest whole screen that came with an attachment."""

    def __init__(self, link: Link, asked: dict[str, Any]) -> None:
        self._link = link
        self._asked = asked
        self._moved = anyio.Event()
        self._over = False
        self._connection: Connection
        self._greeting: Greeting
        self._news: MemoryObjectReceiveStream[ViewerNews]
        self.attached: Attached

    async def begin(self, epoch: str | None = None) -> None:
        """Attach, at the host of this epoch. Raises SessionCoreError."""
        while True:
            connection, greeting = await self._link.present()
            if epoch not in (None, greeting.epoch):
                raise forgotten_error()
            try:
                self.attached = await connection.call("attach", self._asked)
            except Broken:
                continue
            self._connection, self._greeting = connection, greeting
            self._news = connection.viewer_news(self.attached.viewer)
            self._move()
            return

    def end(self) -> None:
        """Detach."""
        self._over = True
        self._news.close()
        self._connection.notify("detach", viewer=self.attached.viewer)
        self._move()

    def _move(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def news(self) -> AsyncIterator[ViewerNews | Disconnected]:
        """Yield output and fresh screens until the pane has ended or the host is lost."""
        while True:
            with self._news as kept:
                async for news in kept:
                    yield news
                    if isinstance(news, ViewerEnded):
                        return
            if self._over or not self._connection.lost.is_set():
                return
            yield Disconnected()
            ended = await self._begin_again()
            if ended is not None:
                self._over = True
                self._move()
            if isinstance(ended, HostLost):
                return
            if ended is not None:
                yield ViewerEnded(self.attached.viewer, await self._exit())
                return
            attached = self.attached
            yield ViewerScreen(attached.viewer, attached.columns, attached.rows, attached.data)

    async def _begin_again(self) -> SessionCoreError | None:
        try:
            await self.begin(self._greeting.epoch)
        except SessionCoreError as error:
            return error
        return None

    async def _exit(self) -> Any:
        try:
            return (await self._link.call("read_status", pane=self.attached.pane)).exit
        except SessionCoreError:
            return None

    async def send_input(self, data: bytes) -> None:
        """Pass on what the terminal sent, once; the host tells keystrokes from reports."""
        encoded, key = base64.b64encode(data).decode(), new_key()
        sent_to: Greeting | None = None
        while True:
            connection, greeting, viewer = await self._there()
            if sent_to is not None and "keys" not in sent_to.capabilities:
                raise unknown_error("viewer_input")
            try:
                await connection.call("viewer_input", {"viewer": viewer, "data": encoded, "key": key})
            except Broken as broken:
                sent_to = greeting if broken.sent else sent_to
            else:
                return

    async def resize(self, columns: int, rows: int) -> None:
        """The terminal has a new size."""
        self._asked |= {"columns": columns, "rows": rows}
        while True:
            connection, _, viewer = await self._there()
            try:
                await connection.call("viewer_size", {"viewer": viewer, "columns": columns, "rows": rows})
            except Broken:
                continue
            return

    async def _there(self) -> tuple[Connection, Greeting, int]:
        """Return where this viewer is attached, once it is again. Raises SessionCoreError if it will not be."""
        while self._connection.lost.is_set():
            if self._link.lost.is_set():
                raise lost_error()
            if self._over:
                raise SessionCoreError(Code.NO_SUCH_VIEWER, "This viewer is attached no more.", "Attach anew.")
            await self._moved.wait()
        return self._connection, self._greeting, self.attached.viewer
