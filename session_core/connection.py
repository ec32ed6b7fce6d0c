"""The client's end of the core API's wire: calls and their answers, and the news that come unasked.

Lines are queued whole and written by one task, so that a call that is cancelled leaves no half of one behind; the
queue is bounded by the calls, each of which waits for its answer. A reader of changes that is behind gets a Gap; a
viewer that is behind stops the reading of the whole connection, which is how the host learns of it.
"""

import base64
import itertools
import math
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import anyio
import anyio.abc
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from pydantic import ValidationError

from session_core.api import messages
from session_core.api.framing import LINE_BYTES, LineFramer, LineTooLong
from session_core.api.messages import Answer, Failure, Notice, Request
from session_core.api.methods import METHODS, NOTICES
from session_core.api.results import Attached, ChangeBatch, Gap, OutputNews, ViewerEnded, ViewerOutput, ViewerScreen
from session_core.errors import Code, HostLost, SessionCoreError

NEWS = 1000
"""Notices kept for a reader of changes that is behind; beyond them it gets a Gap."""
VIEWER_NEWS = 64
"""Pieces of output kept for a viewer; beyond them the connection is not read."""

_READ_BYTES = 65536

ChangeNews = ChangeBatch | Gap | OutputNews
ViewerNews = ViewerOutput | ViewerScreen | ViewerEnded
ViewerStream = tuple[MemoryObjectSendStream[ViewerNews], MemoryObjectReceiveStream[ViewerNews]]


class Connection:
    """One connection to the host. `lost` is set once it has ended."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        self._lines, self._lines_out = anyio.create_memory_object_stream[bytes](math.inf)
        self._numbers = itertools.count(1)
        self._open: dict[int, tuple[anyio.Event, list[Answer | Failure]]] = {}
        self._news, self.news = anyio.create_memory_object_stream[ChangeNews](NEWS)
        self._viewers: dict[int, ViewerStream] = {}
        self.lost = anyio.Event()

    async def call(self, method: str, **params: Any) -> Any:
        """Make one call. Raises the host's SessionCoreError, or HostLost; cancelling cancels it in the host."""
        number = next(self._numbers)
        line = messages.write_request(Request(number, method, params))
        if len(line) > LINE_BYTES:
            raise SessionCoreError(Code.LINE_TOO_LONG, "The call is too long.", "Send smaller texts.")
        event, slot = self._open[number] = (anyio.Event(), [])
        try:
            self._send(line)
            await event.wait()
        except anyio.get_cancelled_exc_class():
            self.notify("cancel", id=number)
            raise
        finally:
            del self._open[number]
        if not slot:
            raise _lost_error()
        answer = slot[0]
        if isinstance(answer, Failure):
            raise answer.error
        return _read_result(method, answer.result)

    def _send(self, line: bytes) -> None:
        if self.lost.is_set():
            raise _lost_error()
        self._lines.send_nowait(line)

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification; after the end of the connection there is nobody to tell."""
        if not self.lost.is_set():
            self._send(messages.write_notice(Notice(method, params)))

    def close(self) -> None:
        """Give up what is queued; `connect` calls this at the end."""
        for stream in (self._lines, self._lines_out, self._news, self.news, *sum(self._viewers.values(), ())):
            stream.close()

    async def write(self) -> None:
        """Write what is queued until the connection ends; `connect` runs this."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for line in self._lines_out:
                await self._stream.send(line)

    async def run(self) -> None:
        """Read answers until the connection ends; `connect` runs this."""
        framer = LineFramer()
        try:
            while True:
                for line in framer.feed(await self._stream.receive(_READ_BYTES)):
                    await self._take(line)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        except (LineTooLong, SessionCoreError, ValidationError):
            # A host that sends what is no message of ours cannot be followed any further.
            pass
        finally:
            self.lost.set()
            for event, _ in self._open.values():
                event.set()
            self._news.close()
            for stream, _ in self._viewers.values():
                stream.close()

    async def _take(self, line: bytes) -> None:
        message = messages.read(line)
        if isinstance(message, (Answer, Failure)) and message.id in self._open:
            event, slot = self._open[message.id]
            slot.append(message)
            event.set()
        elif isinstance(message, Notice) and message.method in NOTICES:
            news = NOTICES[message.method].validate_python(message.params)
            if isinstance(news, (ChangeBatch, Gap, OutputNews)):
                self._take_news(news)
            else:
                with suppress(anyio.BrokenResourceError):
                    await self.viewer_stream(news.viewer)[0].send(news)

    def viewer_stream(self, viewer: int) -> ViewerStream:
        """Return the viewer's stream: its news may come before the answer to `attach` has been read."""
        if viewer not in self._viewers:
            self._viewers[viewer] = anyio.create_memory_object_stream[ViewerNews](VIEWER_NEWS)
        return self._viewers[viewer]

    def _take_news(self, news: ChangeNews) -> None:
        try:
            self._news.send_nowait(news)
        except anyio.WouldBlock:
            # A reader this far behind must read the status anew: what is queued is of no more use to it.
            revision = _revision(news)
            while self.news.statistics().current_buffer_used:
                revision = max(revision, _revision(self.news.receive_nowait()))
            self._news.send_nowait(Gap(revision))
        except anyio.BrokenResourceError:
            return


class Viewing:
    """A person's terminal on a pane; `attached` has the first screen."""

    def __init__(self, connection: Connection, attached: Attached) -> None:
        self.attached = attached
        self._connection = connection
        self._stream = connection.viewer_stream(attached.viewer)[1]

    async def news(self) -> AsyncIterator[ViewerNews]:
        """Yield output and fresh screens until the pane has ended or the host is lost."""
        async for news in self._stream:
            yield news
            if isinstance(news, ViewerEnded):
                return

    async def send_input(self, data: bytes) -> None:
        """Pass on what the terminal sent; the host tells keystrokes from reports."""
        encoded = base64.b64encode(data).decode()
        await self._connection.call("viewer_input", viewer=self.attached.viewer, data=encoded)

    async def resize(self, columns: int, rows: int) -> None:
        """The terminal has a new size."""
        await self._connection.call("viewer_size", viewer=self.attached.viewer, columns=columns, rows=rows)


def _revision(news: ChangeNews) -> int:
    """The newest revision that the news are about; notices of output are about none."""
    if isinstance(news, OutputNews):
        return 0
    return news.revision if isinstance(news, Gap) else news.changes[-1].revision


def _lost_error() -> HostLost:
    return HostLost(
        Code.HOST_GONE,
        "The host went away during the call.",
        "Call again: a new host is started on demand. Look at the panes before you repeat a write.",
    )


def _read_result(method: str, result: Any) -> Any:
    try:
        return METHODS[method].result.validate_python(result)
    except ValidationError as error:
        raise SessionCoreError(
            Code.VERSION_MISMATCH,
            f"The host's answer to {method} is not one that this version understands.",
            "Run the same panebridge version on both sides.",
        ) from error
