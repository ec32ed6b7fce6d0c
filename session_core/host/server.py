"""Serves the core API on the host's socket: one connection a client, answered on the loop.

Only the user's own processes are served (peer uid). A call that cannot wait is answered at once; one that can
runs as a task that the client's `cancel`, or the end of the connection, cancels. What a client does not read
is bounded: a subscriber gets a `gap` instead of more changes, anybody else loses the connection.
"""

import asyncio
import inspect
import logging
import os
from typing import Any, cast

import anyio
from anyio.abc import TaskGroup
from pydantic import ValidationError

from session_core import __version__
from session_core.api import messages
from session_core.api.framing import LineFramer, LineTooLong
from session_core.api.messages import Failure, Notice, Request
from session_core.api.methods import METHODS, NOTICES, PROTOCOL
from session_core.api.requests import Attach, Hello, OneViewer, Subscribe
from session_core.api.results import (
    Attached,
    ChangeBatch,
    Gap,
    Greeting,
    OutputNews,
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
)
from session_core.errors import Code, SessionCoreError
from session_core.host.handlers import HANDLERS, running
from session_core.host.host import Host
from session_core.host.output_notices import OutputNotices
from session_core.host.viewers import News
from session_core.launch import peer_uid
from session_core.model.changes import Change

UNREAD_BYTES = 16 * 1024 * 1024
"""Answers that a client may leave unread before it loses its connection."""
UNREAD_CHANGES = 1024 * 1024
"""Bytes of changes that a subscriber may leave unread before it gets a gap."""
UNREAD_OUTPUT = 256 * 1024
"""Bytes of a pane's output that a viewer may leave unread before it gets the screen anew instead."""
OPEN_CALLS = 1000
"""Calls that one client may have open at once."""
CAPABILITIES = ("panes", "waits", "changes")

_VIEWER_NOTICES: dict[type[News], str] = {
    ViewerOutput: "viewer_output",
    ViewerScreen: "viewer_screen",
    ViewerEnded: "viewer_ended",
}

logger = logging.getLogger(__name__)


class Server:
    """All connections of a host. `stopping` is set when a client has asked the host to end."""

    def __init__(self, host: Host, tasks: TaskGroup, stopping: anyio.Event) -> None:
        self.host = host
        self.tasks = tasks
        self.stopping = stopping

    def greeting(self) -> Greeting:
        """What `hello` answers."""
        host = self.host
        return Greeting(PROTOCOL, __version__, CAPABILITIES, host.epoch, host.revisions.current, os.getpid())


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._framer = LineFramer()
        self._calls: dict[int, anyio.CancelScope] = {}
        self._protocol: int | None = None
        self._viewers: set[int] = set()
        self._unsubscribe: Any = None
        self._output = OutputNotices(self._output_news)
        self._gap = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Refuse other users; bound what is buffered."""
        self._transport = cast(asyncio.Transport, transport)
        if peer_uid(transport.get_extra_info("socket")) not in (os.getuid(), 0):
            logger.warning("refused a connection of another user")
            self._transport.abort()
        self._transport.set_write_buffer_limits(high=UNREAD_OUTPUT, low=0)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free whatever the client had open."""
        if self._unsubscribe:
            self._unsubscribe()
        self._watch_output(on=False)
        for viewer in tuple(self._viewers):
            self._detach(viewer)
        for scope in tuple(self._calls.values()):
            scope.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer every whole line."""
        try:
            lines = self._framer.feed(data)
        except LineTooLong:
            error = SessionCoreError(Code.LINE_TOO_LONG, "The line is too long.", "Send smaller texts.")
            self._send(messages.write_failure(Failure(None, error)))
            self._transport.close()
            return
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = messages.read(line)
        except SessionCoreError as error:
            self._send(messages.write_failure(Failure(None, error)))
            return
        if isinstance(message, Request):
            self._call(message)
        elif isinstance(message, Notice):
            self._take_notice(message)

    def _take_notice(self, notice: Notice) -> None:
        if notice.method == "cancel":
            identity = notice.params.get("id")
            scope = self._calls.pop(identity, None) if isinstance(identity, int) else None
            if scope:
                scope.cancel()
        elif notice.method == "detach":
            for viewer in self._viewers & {number for number in notice.params.values() if isinstance(number, int)}:
                self._detach(viewer)

    # ---- calls

    def _call(self, request: Request) -> None:
        try:
            result = self._start(request)
            if not inspect.isawaitable(result):
                self._answer(request, result)
                return
        except Exception as error:
            self._fail(request, error)
            return
        refused = self._refusal(request.id)
        if refused:
            cast(Any, result).close()
            self._fail(request, refused)
            return
        # Known from here on: a `cancel` may follow in the same bytes.
        scope = self._calls[request.id] = anyio.CancelScope()
        self._server.tasks.start_soon(self._finish, request, result, scope)

    def _refusal(self, identity: int) -> SessionCoreError | None:
        if identity in self._calls:
            return SessionCoreError(Code.BAD_REQUEST, "A call with this `id` is open.", "Use another.")
        if len(self._calls) >= OPEN_CALLS:
            return SessionCoreError(Code.LIMIT_REACHED, f"{OPEN_CALLS} calls are open.", "End some first.")
        return None

    def _start(self, request: Request) -> Any:
        method = METHODS.get(request.method)
        if method is None:
            known = ", ".join(METHODS)
            raise SessionCoreError(Code.UNKNOWN_METHOD, "There is no such method.", f"Methods: {known}.")
        try:
            params = method.params.model_validate(request.params)
        except ValidationError as error:
            raise _bad_params(error) from error
        self._check_version(request.method, read_only=method.read_only)
        match request.method:
            case "hello":
                return self._greet(cast(Hello, params))
            case "subscribe":
                return self._subscribe(cast(Subscribe, params))
            case "attach":
                return self._attach(cast(Attach, params))
            case "detach":
                return self._detach(cast(OneViewer, params).viewer)
            case "stop":
                return self._server.stopping.set()
        return HANDLERS[request.method](self._server.host, params)

    def _check_version(self, method: str, *, read_only: bool) -> None:
        if method == "hello" or self._protocol == PROTOCOL or (self._protocol is not None and read_only):
            return
        spoken = "none yet: send hello first" if self._protocol is None else str(self._protocol)
        raise SessionCoreError(
            Code.VERSION_MISMATCH,
            f"This host speaks version {PROTOCOL} of the core API, the client speaks {spoken}.",
            "Reading and `stop` work; for anything else run the same panebridge version on both sides.",
        )

    def _greet(self, hello: Hello) -> Greeting:
        self._protocol = hello.protocol
        return self._server.greeting()

    def _subscribe(self, request: Subscribe) -> Greeting:
        if not self._unsubscribe:
            self._unsubscribe = self._server.host.subscribe(self._changes)
        if request.output is not None:
            self._watch_output(on=request.output)
        return self._server.greeting()

    def _watch_output(self, *, on: bool) -> None:
        watchers = self._server.host.output_watchers
        if on:
            watchers.add(self._output.wrote)
        else:
            watchers.discard(self._output.wrote)
            self._output.close()

    def _attach(self, request: Attach) -> Attached:
        host = self._server.host
        attached = host.viewers.attach(running(host, request.pane), request, self._show)
        self._viewers.add(attached.viewer)
        return attached

    def _detach(self, viewer: int) -> None:
        self._viewers.discard(viewer)
        self._server.host.viewers.detach(viewer)

    async def _finish(self, request: Request, result: Any, scope: anyio.CancelScope) -> None:
        with scope:
            try:
                self._answer(request, await result)
            except Exception as error:
                self._fail(request, error)
        if self._calls.get(request.id) is scope:
            del self._calls[request.id]

    def _answer(self, request: Request, result: Any) -> None:
        self._send(messages.write_answer(request.id, METHODS[request.method].result.dump_json(result)))

    def _fail(self, request: Request, error: Exception) -> None:
        if not isinstance(error, SessionCoreError):
            logger.error("call %s failed", request.method, exc_info=error)
            error = SessionCoreError(Code.INTERNAL, "The host failed on this call.", "See host.log.")
        self._send(messages.write_failure(Failure(request.id, error)))

    def _send(self, line: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(line)
        if self._transport.get_write_buffer_size() > UNREAD_BYTES:
            logger.warning("dropped a client that does not read")
            self._transport.abort()

    # ---- changes

    def _changes(self, changes: list[Change]) -> None:
        if self._gap:
            return
        if self._transport.get_write_buffer_size() > UNREAD_CHANGES:
            self._gap = True
            return
        self._notify("changes", ChangeBatch(tuple(changes)))

    def _output_news(self, panes: tuple[str, ...]) -> bool:
        if self._transport.get_write_buffer_size() > UNREAD_CHANGES:
            return False
        self._notify("output", OutputNews(panes))
        return True

    def resume_writing(self) -> None:
        """The client has read everything: tell it what it missed."""
        if self._gap:
            self._gap = False
            self._notify("gap", Gap(self._server.host.revisions.current))
        for viewer in self._server.host.viewers.lagging(self._viewers):
            self._server.host.viewers.catch_up(viewer)

    def _show(self, news: News) -> bool:
        if isinstance(news, ViewerEnded):
            self._viewers.discard(news.viewer)
        elif self._transport.get_write_buffer_size() > UNREAD_OUTPUT:
            return False
        self._notify(_VIEWER_NOTICES[type(news)], news)
        return True

    def _notify(self, method: str, value: ChangeBatch | Gap | OutputNews | News) -> None:
        params = NOTICES[method].dump_python(value, mode="json")
        self._send(messages.write_notice(Notice(method, params)))


def _bad_params(error: ValidationError) -> SessionCoreError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "params"
    return SessionCoreError(Code.BAD_REQUEST, f"`{where}`: {first['msg']}.", "Correct this parameter.")
