"""One connection to the host, from its dial to its end: calls and their answers, and the news that come unasked.

Lines are queued whole and written by one task, so that a call that is cancelled leaves no half of one behind; the
queue is bounded by the calls, each of which waits for its answer. A viewer that is behind stops the reading of the
whole connection, which is how the host learns of it. A call whose answer did not come raises Broken, which says what
is known of it. Deliberately absent: dialling anew, which is `session_core.link`.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.abc
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from pydantic import ValidationError

from session_core.api import messages
from session_core.api.framing import LINE_BYTES, LineFramer, LineTooLong
from session_core.api.messages import Answer, Failure, Notice, Request
from session_core.api.methods import METHODS, NOTICES
from session_core.api.results import (
    ChangeBatch,
    Gap,
    OutputNews,
    Stopping,
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
    Waiting,
)
from session_core.errors import Code, SessionCoreError

VIEWER_NEWS = 64
"""Pieces of output kept for a viewer; beyond them the connection is not read."""

_READ_BYTES = 65536

ChangeNews = ChangeBatch | Gap | OutputNews
ViewerNews = ViewerOutput | ViewerScreen | ViewerEnded
ViewerStream = tuple[MemoryObjectSendStream[ViewerNews], MemoryObjectReceiveStream[ViewerNews]]


class Broken(Exception):
    """The connection ended before the answer came. Whether the host had got the call is not known if it was `sent`.

    `stood` is where a wait stood that was open.
    """

    def __init__(self, *, sent: bool, stood: Waiting | None) -> None:
        super().__init__("the connection ended")
        self.sent = sent
        self.stood = stood


@dataclass(slots=True)
class _Call:
    stands: Callable[[Waiting], None] | None
    event: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | Failure | None = None
    sent: bool = False
    stood: Waiting | None = None


class Connection:
    """One connection. `lost` is set once it has ended, and `stopping` once the host has said that it ends in order."""

    def __init__(self, stream: anyio.abc.SocketStream, take_news: Callable[[ChangeNews], None]) -> None:
        self._stream = stream
        self._take_news = take_news
        self._lines, self._lines_out = anyio.create_memory_object_stream[tuple[int | None, bytes]](math.inf)
        self._numbers = itertools.count(1)
        self._open: dict[int, _Call] = {}
        self._viewers: dict[int, ViewerStream] = {}
        self._read: set[int] = set()
        self.lost = anyio.Event()
        self.stopping = False

    async def call(
        self, method: str, params: Mapping[str, Any], stands: Callable[[Waiting], None] | None = None
    ) -> Any:
        """Make one call; `stands` hears where a wait stands.

        Raises the host's SessionCoreError, or Broken; cancelling cancels it in the host.
        """
        number = next(self._numbers)
        line = messages.write_request(Request(number, method, dict(params)))
        if len(line) > LINE_BYTES:
            raise SessionCoreError(Code.LINE_TOO_LONG, "The call is too long.", "Send smaller texts.")
        call = self._open[number] = _Call(stands)
        try:
            if not self.lost.is_set():
                self._lines.send_nowait((number, line))
                await call.event.wait()
        except anyio.get_cancelled_exc_class():
            self.notify("cancel", id=number)
            raise
        finally:
            del self._open[number]
        if call.answer is None:
            raise Broken(sent=call.sent, stood=call.stood)
        if isinstance(call.answer, Failure):
            raise call.answer.error
        return _read_result(method, call.answer.result)

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification; after the end of the connection there is nobody to tell."""
        if not self.lost.is_set():
            self._lines.send_nowait((None, messages.write_notice(Notice(method, params))))

    def close(self) -> None:
        """Give up what is queued; what a viewer has not read yet stays for it."""
        self._lines.close()
        self._lines_out.close()
        for viewer, (put, kept) in self._viewers.items():
            put.close()
            if viewer not in self._read:
                kept.close()

    async def write(self) -> None:
        """Write what is queued until the connection ends."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for number, line in self._lines_out:
                if number in self._open:
                    self._open[number].sent = True
                await self._stream.send(line)

    async def run(self) -> None:
        """Read answers until the connection ends."""
        framer = LineFramer()
        try:
            while True:
                for line in framer.feed(await self._stream.receive(_READ_BYTES)):
                    await self._take(line)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        except (LineTooLong, SessionCoreError):
            # A host that sends what is no message of ours cannot be followed any further.
            pass
        finally:
            self.lost.set()
            for call in self._open.values():
                call.event.set()
            for stream, _ in self._viewers.values():
                stream.close()

    async def _take(self, line: bytes) -> None:
        message = messages.read(line)
        if isinstance(message, (Answer, Failure)) and message.id in self._open:
            call = self._open[message.id]
            call.answer = message
            call.event.set()
        elif isinstance(message, Notice) and message.method in NOTICES:
            try:
                notice = NOTICES[message.method].validate_python(message.params)
            except ValidationError:
                # One of another version: what it told is not known.
                notice = Gap(0)
            await self._take_notice(notice)

    async def _take_notice(self, notice: Any) -> None:
        if isinstance(notice, (ChangeBatch, Gap, OutputNews)):
            self._take_news(notice)
        elif isinstance(notice, Waiting):
            if notice.id in self._open:
                call = self._open[notice.id]
                call.stood = notice
                if call.stands is not None:
                    call.stands(notice)
        elif isinstance(notice, Stopping):
            self.stopping = True
        else:
            with suppress(anyio.BrokenResourceError):
                await self._stream_of(notice.viewer)[0].send(notice)

    def viewer_news(self, viewer: int) -> MemoryObjectReceiveStream[ViewerNews]:
        """Return the viewer's news, which the caller must close; what comes after that finds nobody."""
        self._read.add(viewer)
        return self._stream_of(viewer)[1]

    def _stream_of(self, viewer: int) -> ViewerStream:
        # News may come before the answer to `attach` has been read.
        if viewer not in self._viewers:
            streams = self._viewers[viewer] = anyio.create_memory_object_stream[ViewerNews](VIEWER_NEWS)
            if self.lost.is_set():
                streams[0].close()
        return self._viewers[viewer]


def _read_result(method: str, result: Any) -> Any:
    try:
        return METHODS[method].result.validate_python(result)
    except ValidationError as error:
        raise SessionCoreError(
            Code.VERSION_MISMATCH,
            f"The host's answer to {method} is not one that this version understands.",
            "Run the same version on both sides: `panebridge upgrade` replaces the host and keeps the panes.",
        ) from error
