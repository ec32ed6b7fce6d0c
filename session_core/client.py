"""The async client of the core API: the only door of the bridge, the command line and the examples.

`async with connect() as core: await core.list_panes()`. One connection carries any number of calls at once.
Cancelling a call cancels it in the host. When the host goes away every open call raises HostLost, and so does
each later one: connect anew. A client that was forked or used from another loop is not supported.
"""

import base64
import contextlib
import itertools
import math
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import anyio.abc
from pydantic import ValidationError

from session_core import __version__
from session_core.api import messages
from session_core.api.framing import LINE_BYTES, LineFramer, LineTooLong
from session_core.api.messages import Answer, Failure, Notice, Request
from session_core.api.methods import (
    METHODS,
    NOTICES,
    PROTOCOL,
    ChangeBatch,
    Closed,
    Gap,
    Greeting,
    KeystrokeReceipt,
    PaneList,
    PaneText,
    WriteReceipt,
)
from session_core.errors import Code, HostLost, SessionCoreError
from session_core.launch import dial, dial_or_start
from session_core.model.status import PaneStatus
from session_core.model.waits import Mode, Until, WaitResult
from session_core.runtime_folder import open_runtime_folder

HELLO_S = 10.0
"""How long a host may take to answer `hello` before it is called unreachable (it is never called dead)."""
NEWS = 1000
"""Notices kept for a reader of `changes` that is behind; beyond them it gets a Gap."""

_READ_BYTES = 65536


class Client:
    """A connection to the host; made by `connect`."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        # Lines are queued whole: a call that is cancelled leaves no half of one on the wire.
        self._lines, self._lines_out = anyio.create_memory_object_stream[bytes](math.inf)
        self._numbers = itertools.count(1)
        self._open: dict[int, tuple[anyio.Event, list[Answer | Failure]]] = {}
        self._news, self._news_out = anyio.create_memory_object_stream[ChangeBatch | Gap](NEWS)
        self._lost: HostLost | None = None
        self.lost = anyio.Event()
        self.greeting: Greeting

    # ---- the methods

    async def list_panes(self) -> PaneList:
        """Return every pane's status, oldest first, at one revision."""
        return cast(PaneList, await self._call("list_panes"))

    async def read_status(self, pane: str) -> PaneStatus:
        """Return all that is known of a pane."""
        return cast(PaneStatus, await self._call("read_status", pane=pane))

    async def open_pane(
        self,
        command: Sequence[str],
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        name: str | None = None,
        columns: int = 120,
        rows: int = 40,
    ) -> PaneStatus:
        """Start `command` in a new pane; `folder` is this process's own by default, as is `environment`.

        Raises SessionCoreError naming what is wrong with the program, the folder or the name.
        """
        return cast(
            PaneStatus,
            await self._call(
                "open_pane",
                command=list(command),
                folder=folder or _own_folder(),
                environment=dict(os.environ if environment is None else environment),
                name=name,
                columns=columns,
                rows=rows,
            ),
        )

    async def read_pane(self, pane: str, *, lines: int | None = None) -> PaneText:
        """Return the visible screen, or with `lines` the last lines with the scrollback."""
        return cast(PaneText, await self._call("read_pane", pane=pane, lines=lines))

    async def write_pane(self, pane: str, text: str, *, submit: bool = False, author: str = "") -> WriteReceipt:
        """Write `text` as it is, and with `submit` a carriage return after it. It never counts as typing."""
        return cast(WriteReceipt, await self._call("write_pane", pane=pane, text=text, submit=submit, author=author))

    async def send_keystrokes(self, pane: str, data: bytes, *, person: str = "") -> KeystrokeReceipt:
        """Pass on what a person typed; this acknowledges `done` and `error`."""
        encoded = base64.b64encode(data).decode()
        return cast(KeystrokeReceipt, await self._call("send_keystrokes", pane=pane, data=encoded, person=person))

    async def wait(
        self,
        panes: Sequence[str],
        *,
        until: Until = Until.SETTLED,
        mode: Mode = Mode.ANY,
        since: int | None = None,
        timeout_s: float = 45.0,
    ) -> WaitResult:
        """Wait for panes, without polling. A time-out is the outcome `checkin`; cancelling frees the wait."""
        return cast(
            WaitResult,
            await self._call(
                "wait",
                panes=list(panes),
                until=until.value,
                mode=mode.value,
                since=since,
                timeout_s=timeout_s,
            ),
        )

    async def resize_pane(self, pane: str, columns: int, rows: int) -> PaneStatus:
        """Give a pane a new size in cells."""
        return cast(PaneStatus, await self._call("resize_pane", pane=pane, columns=columns, rows=rows))

    async def close_pane(self, pane: str) -> Closed:
        """End a pane's program and remove the pane."""
        return cast(Closed, await self._call("close_pane", pane=pane))

    async def stop(self) -> None:
        """End the host and every pane; returns once it is gone."""
        await self._call("stop")
        await self.lost.wait()

    async def changes(self) -> AsyncIterator[ChangeBatch | Gap]:
        """Yield what changes from now on; a Gap says that some was left out. Ends with the connection."""
        await self._call("subscribe")
        async for news in self._news_out:
            yield news

    # ---- the wire

    async def _call(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        line = messages.write_request(Request(number, method, params))
        if len(line) > LINE_BYTES:
            raise SessionCoreError(Code.LINE_TOO_LONG, "The call is too long.", "Send smaller texts.")
        event, slot = self._open[number] = (anyio.Event(), [])
        try:
            self._send(line)
            await event.wait()
        except anyio.get_cancelled_exc_class():
            if not self._lost:
                self._send(messages.write_notice(Notice("cancel", {"id": number})))
            raise
        finally:
            del self._open[number]
        if not slot:
            raise self._lost_error()
        answer = slot[0]
        if isinstance(answer, Failure):
            raise answer.error
        return _read_result(method, answer.result)

    def _send(self, line: bytes) -> None:
        if self._lost:
            raise self._lost_error()
        self._lines.send_nowait(line)

    def _lost_error(self) -> HostLost:
        return HostLost(
            Code.HOST_GONE,
            "The host went away during the call.",
            "Call again: a new host is started on demand. Look at the panes before you repeat a write.",
        )

    def close(self) -> None:
        """Give up what is queued; `connect` calls this at the end."""
        for stream in (self._lines, self._lines_out, self._news, self._news_out):
            stream.close()

    async def write(self) -> None:
        """Write what is queued until the connection ends; `connect` runs this."""
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for line in self._lines_out:
                await self._stream.send(line)

    async def run(self) -> None:
        """Read answers until the connection ends; `connect` runs this."""
        framer = LineFramer()
        try:
            while True:
                for line in framer.feed(await self._stream.receive(_READ_BYTES)):
                    self._take(line)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, LineTooLong):
            pass
        finally:
            self._lost = self._lost_error()
            self.lost.set()
            for event, _ in self._open.values():
                event.set()
            self._news.close()

    def _take(self, line: bytes) -> None:
        message = messages.read(line)
        if isinstance(message, (Answer, Failure)) and message.id in self._open:
            event, slot = self._open[message.id]
            slot.append(message)
            event.set()
        elif isinstance(message, Notice) and message.method in NOTICES:
            self._take_news(NOTICES[message.method].validate_python(message.params))

    def _take_news(self, news: ChangeBatch | Gap) -> None:
        try:
            self._news.send_nowait(news)
        except anyio.WouldBlock:
            # A reader this far behind must read the status anew: what is queued is of no more use to it.
            while self._news_out.statistics().current_buffer_used:
                self._news_out.receive_nowait()
            revision = news.revision if isinstance(news, Gap) else news.changes[-1].revision
            self._news.send_nowait(Gap(revision))
        except anyio.BrokenResourceError:
            return


def _own_folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _read_result(method: str, result: Any) -> Any:
    try:
        return METHODS[method].result.validate_python(result)
    except ValidationError as error:
        raise SessionCoreError(
            Code.VERSION_MISMATCH,
            f"The host's answer to {method} is not one that this version understands.",
            "Run the same panebridge version on both sides.",
        ) from error


@asynccontextmanager
async def connect(*, folder: str | None = None, start: bool = True, name: str = "") -> AsyncIterator[Client]:
    """Connect to the user's host, starting it if it does not run and `start` says so.

    `folder` is the runtime folder, found by `open_runtime_folder` by default. Raises HostLost with
    `host_unreachable` when there is no host, it does not start, or it does not answer.
    """
    place = folder or open_runtime_folder()
    if start:
        connection = await anyio.to_thread.run_sync(dial_or_start, place, "host", "session_core.host")
    else:
        found = dial(f"{place}/host.sock")
        if found is None:
            raise HostLost(
                Code.HOST_UNREACHABLE,
                f"No host runs in {place}.",
                "Open a pane to start one: panebridge run -- CMD",
            )
        connection = found
    connection.setblocking(False)
    stream = await anyio.abc.SocketStream.from_socket(connection)
    failure: Exception | None = None
    client = Client(stream)
    async with stream, anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        tasks.start_soon(client.write)
        try:
            client.greeting = await _greet(client, place, name)
            yield client
        except Exception as error:
            # Raised below, outside the task group, so that the caller's `except` sees it as it is.
            failure = error
        tasks.cancel_scope.cancel()
    client.close()
    if failure is not None:
        raise failure


async def _greet(client: Client, place: str, name: str) -> Greeting:
    with anyio.move_on_after(HELLO_S):
        answer = await client._call("hello", protocol=PROTOCOL, client=name or f"panebridge {__version__}")
        return cast(Greeting, answer)
    raise HostLost(
        Code.HOST_UNREACHABLE,
        f"The host in {place} does not answer; it may be stopped or very busy.",
        "Look at its process (a stopped one goes on with SIGCONT), then try again.",
    )
