"""Serves the core API on the host's socket: one connection a client, answered on the loop.

Only the user's own processes are served (peer uid). A call that cannot wait is answered at once; one that can
runs as a task that the client's `cancel`, or the end of the connection, cancels. The repeat of a keyed call gets the
answer that its key has got before. What is said in one turn of the loop leaves at its end, once that from which it
follows is in the journal. What a client does not read is bounded: it loses the connection.
"""

import asyncio
import inspect
import logging
import os
from functools import partial
from typing import Any, cast

import anyio
from anyio.abc import TaskGroup
from pydantic import ValidationError

from session_core import __version__
from session_core.api import messages
from session_core.api.framing import LineFramer, LineTooLong
from session_core.api.messages import Failure, Notice, Request
from session_core.api.methods import METHODS, NOTICES, PROTOCOL, Repeat
from session_core.api.requests import Attach, Hello, Keyed, OneViewer, Subscribe, Wait
from session_core.api.results import (
    Attached,
    Greeting,
    Stopping,
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
    Waiting,
)
from session_core.errors import Code, SessionCoreError
from session_core.host.handlers import HANDLERS, running
from session_core.host.host import Host
from session_core.host.subscription import Subscription
from session_core.host.viewers import News
from session_core.sockets import peer_uid

UNREAD_BYTES = 16 * 1024 * 1024
"""Answers that a client may leave unread before it loses its connection."""
UNREAD_OUTPUT = 256 * 1024
"""Bytes of a pane's output that a viewer may leave unread before it gets the screen anew instead."""
OPEN_CALLS = 1000
"""Calls that one client may have open at once."""
CAPABILITIES = ("panes", "waits", "changes", "keys")

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
        self.connections: set[Connection] = set()
        self._senders: dict[Connection, None] = {}
        self.left = False
        """Whether another host goes on: what is asked for now is its business."""

    def say_stopping(self) -> None:
        """Tell every client that the host ends in order, so that none looks for it again."""
        for connection in tuple(self.connections):
            connection.notify("stopping", Stopping())

    def cut_all(self) -> None:
        """Answer nobody any longer: every client makes its open calls again to the next host."""
        self.left = True
        for connection in tuple(self.connections):
            connection.cut()

    def send_soon(self, connection: "Connection") -> None:
        """Have what a connection has to say sent at the end of this turn of the loop."""
        if not self._senders:
            asyncio.get_running_loop().call_soon(self._send_all)
        self._senders[connection] = None

    def _send_all(self) -> None:
        senders, self._senders = self._senders, {}
        self.host.commit()
        for connection in senders:
            connection.send_now()

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
        self._unsent = bytearray()
        self._subscription = Subscription(server.host, self.notify, self._unread)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Refuse other users; bound what is buffered."""
        self._transport = cast(asyncio.Transport, transport)
        if peer_uid(transport.get_extra_info("socket")) not in (os.getuid(), 0):
            logger.warning("refused a connection of another user")
            self._transport.abort()
        if self._server.left:
            self._transport.abort()
        self._transport.set_write_buffer_limits(high=UNREAD_OUTPUT, low=0)
        self._server.connections.add(self)

    def cut(self) -> None:
        """End the connection at once; what was not sent is for nobody."""
        self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free whatever the client had open."""
        self._server.connections.discard(self)
        self._subscription.end()
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
            self.send_now()
            self._transport.close()
            return
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        if self._server.left:
            return
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
        if method.repeat is Repeat.ANSWERED:
            kept = self._server.host.answers.get(request.method, cast(Keyed, params).key)
            if kept is not None:
                return kept.result
        if method.repeat is Repeat.ANSWERED and method.types:
            self._server.host.answers.begin(request.method, cast(Keyed, params).key)
        match request.method:
            case "hello":
                return self._greet(cast(Hello, params))
            case "subscribe":
                return self._subscribe(cast(Subscribe, params))
            case "wait":
                return self._server.host.wait(cast(Wait, params), partial(self._opened, request.id))
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
            "Reading and `stop` work. For anything else run `panebridge upgrade` with the newer version: it replaces "
            "the host and keeps the panes.",
        )

    def _greet(self, hello: Hello) -> Greeting:
        self._protocol = hello.protocol
        return self._server.greeting()

    def _subscribe(self, request: Subscribe) -> Greeting:
        greeting = self._server.greeting()
        self._subscription.begin(request)
        return greeting

    def _opened(self, call: int, revision: int, offsets: dict[str, int]) -> None:
        self.notify("waiting", Waiting(call, self._server.host.epoch, revision, offsets))

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
        key = request.params.get("key")
        if key is not None and METHODS[request.method].repeat is Repeat.ANSWERED:
            self._server.host.answers.keep(request.method, key, result)
        self._send(messages.write_answer(request.id, METHODS[request.method].result.dump_json(result)))

    def _fail(self, request: Request, error: Exception) -> None:
        if not isinstance(error, SessionCoreError):
            logger.error("call %s failed", request.method, exc_info=error)
            error = SessionCoreError(Code.INTERNAL, "The host failed on this call.", "See host.log.")
        # A call of which nobody knows what came of it stays known as that.
        known = error.code is not Code.OUTCOME_UNKNOWN
        if known and request.method in METHODS and METHODS[request.method].types:
            self._server.host.answers.fail(request.method, request.params.get("key"))
        self._send(messages.write_failure(Failure(request.id, error)))

    def _send(self, line: bytes) -> None:
        if self._transport.is_closing():
            return
        self._unsent += line
        self._server.send_soon(self)
        if self._unread() > UNREAD_BYTES:
            logger.warning("dropped a client that does not read")
            self._transport.abort()

    def send_now(self) -> None:
        """Send what was said in this turn of the loop; what it follows from has been kept."""
        if self._unsent and not self._transport.is_closing():
            self._transport.write(bytes(self._unsent))
        self._unsent.clear()
        if not self._transport.get_write_buffer_size():
            self.resume_writing()

    def _unread(self) -> int:
        return self._transport.get_write_buffer_size() + len(self._unsent)

    # ---- news

    def resume_writing(self) -> None:
        """The client has read everything: tell it what it missed."""
        self._subscription.resume()
        for viewer in self._server.host.viewers.lagging(self._viewers):
            self._server.host.viewers.catch_up(viewer)

    def _show(self, news: News) -> bool:
        if isinstance(news, ViewerEnded):
            self._viewers.discard(news.viewer)
        elif self._unread() > UNREAD_OUTPUT:
            return False
        self.notify(_VIEWER_NOTICES[type(news)], news)
        return True

    def notify(self, method: str, value: object) -> None:
        """Send a notice."""
        params = NOTICES[method].dump_python(value, mode="json")
        self._send(messages.write_notice(Notice(method, params)))


def _bad_params(error: ValidationError) -> SessionCoreError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "params"
    return SessionCoreError(Code.BAD_REQUEST, f"`{where}`: {first['msg']}.", "Correct this parameter.")
