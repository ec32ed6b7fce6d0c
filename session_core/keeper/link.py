"""A kept process's end of its connection to the keeper: what it says, what it is told, and a new keeper.

While the process starts, messages are waited for; from `listen` on they come on the event loop. When the keeper is
gone the process goes on, starts another one and asks it to take over. Without any keeper everything said is dropped.
"""

import asyncio
import logging
import os
import resource
import socket
import sys
import time
from collections import deque
from collections.abc import Callable

from session_core import __version__
from session_core.errors import SessionCoreError
from session_core.keeper.descriptors import Channel, Message, Parcel, Unreadable
from session_core.launch import dial_keeper
from session_core.sockets import readiness

RETRY_S = (0.02, 0.1, 0.5, 5.0)
"""How long a process without a keeper waits before each further try to get one; a killed keeper may take a moment to
leave its place."""
ANSWER_S = 2.0
"""How long a keeper may take to answer; the process does nothing else meanwhile."""

_USERS_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)
"""The limit of open files before this process raises its own; a new keeper would take that for the user's."""

logger = logging.getLogger(__name__)


class Link:
    """The connection of the process called `name`; `connection` is None for one that nobody keeps."""

    def __init__(self, folder: str, name: str, connection: socket.socket | None) -> None:
        self._folder = folder
        self._name = name
        self._listener: socket.socket | None = None
        self._channel = None if connection is None else Channel(connection)
        self._kept = connection is not None
        self._arrived: deque[Parcel] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seeking: asyncio.Task[None] | None = None
        self.restarts = 0
        self.on_message: Callable[[Message], None] = lambda _: None
        self.on_new_keeper: Callable[[], None] = lambda: None
        """Called once another keeper has taken over, which holds nothing yet."""

    @property
    def is_kept(self) -> bool:
        """Whether there is a keeper now."""
        return self._channel is not None

    def wait_to_serve(self, prepare: Callable[[], None]) -> socket.socket | None:
        """Return the listening socket once the keeper gives it; None when the keeper is gone before.

        `prepare` is called if it does not come at once.
        """
        told = self.wait_for(_is_serve, 0)
        if told is None:
            prepare()
            while told is None and self._channel is not None:
                told = self.wait_for(_is_serve, None)
        if told is not None and told.fd is not None:
            self._listener = socket.socket(fileno=told.fd)
        return self._listener

    def say(self, message: str, fd: int | None = None, **fields: object) -> None:
        """Tell the keeper something."""
        if self._channel is not None:
            self._channel.send({"say": message, **fields}, fd)
            if self._channel.has_unsent and self._loop is not None:
                self._loop.add_writer(self._channel.fileno(), self._flush)

    def _flush(self) -> None:
        if self._channel is not None:
            self._channel.flush()
            if not self._channel.has_unsent and self._loop is not None:
                self._loop.remove_writer(self._channel.fileno())

    def wait_for(self, wanted: Callable[[Message], bool], timeout_s: float | None) -> Parcel | None:
        """Block until a message comes that is `wanted`; the others are passed on later. None if none comes.

        Without a time, wait as long as there is a keeper.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        looked: deque[Parcel] = deque()
        try:
            while True:
                while self._arrived:
                    parcel = self._arrived.popleft()
                    if wanted(parcel.message):
                        return parcel
                    looked.append(parcel)
                left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
                if self._channel is None or not self._receive(left_s):
                    return None
        finally:
            self._arrived.extendleft(reversed(looked))
            if self._arrived and self._loop is not None:
                self._loop.call_soon(self._pass_on)

    def _receive(self, timeout_s: float | None) -> bool:
        assert self._channel is not None
        readable, writable = readiness(self._channel.fileno(), timeout_s, write=self._channel.has_unsent)
        if writable:
            self._flush()
        if not readable:
            return bool(writable)
        try:
            parcels = self._channel.receive()
        except Unreadable:
            parcels = None
        if parcels is None:
            self._lose()
            return False
        self._arrived.extend(parcels)
        return True

    # ---- on the event loop

    def listen(self) -> None:
        """Pass messages to `on_message` from now on."""
        self._loop = asyncio.get_running_loop()
        if self._channel is not None:
            self._loop.add_reader(self._channel.fileno(), self._readable)
            self._loop.call_soon(self._pass_on)
        elif self._kept:
            self._seek()

    def close(self) -> None:
        """Hear nothing more and look for no keeper; the connection stays open until the process ends."""
        if self._loop is not None and self._channel is not None:
            self._loop.remove_reader(self._channel.fileno())
        if self._seeking is not None:
            self._seeking.cancel()
        self._kept = False

    def _readable(self) -> None:
        if self._channel is not None and self._receive(0):
            self._pass_on()

    def _pass_on(self) -> None:
        while self._arrived:
            self.on_message(self._arrived.popleft().message)

    def _lose(self) -> None:
        if self._channel is None:
            return
        logger.error("the keeper is gone; another one is started")
        if self._loop is not None:
            self._loop.remove_reader(self._channel.fileno())
            self._loop.remove_writer(self._channel.fileno())
        self._channel.close()
        self._channel = None
        if self._loop is not None and self._kept and (self._seeking is None or self._seeking.done()):
            self._seek()

    def _seek(self) -> None:
        assert self._loop is not None
        self._seeking = self._loop.create_task(self._find_keeper())

    async def _find_keeper(self) -> None:
        pauses = iter(RETRY_S)
        while self._channel is None:
            try:
                connection = await asyncio.to_thread(dial_keeper, self._folder, start=True)
            except (SessionCoreError, OSError) as error:
                logger.error("no keeper could be started: %s", error)
                connection = None
            if connection is None or not self._ask_to_adopt(connection):
                await asyncio.sleep(next(pauses, RETRY_S[-1]))
        self.on_new_keeper()

    def _ask_to_adopt(self, connection: socket.socket) -> bool:
        assert self._listener is not None
        self._channel = Channel(connection)
        request: Message = {
            "ask": "adopt",
            "name": self._name,
            "pid": os.getpid(),
            "version": __version__,
            "module": _module(),
            "environment": dict(os.environ),
            "restarts": self.restarts,
            "files": _USERS_FILES,
        }
        self._channel.send(request, self._listener.fileno())
        answer = self.wait_for(lambda message: "ok" in message, ANSWER_S)
        if answer is None or not answer.message["ok"]:
            logger.error("the new keeper does not take over: %s", answer and answer.message.get("why"))
            if self._channel is not None:
                self._channel.close()
                self._channel = None
            return False
        assert self._loop is not None
        self._loop.add_reader(self._channel.fileno(), self._readable)
        return True


def _is_serve(message: Message) -> bool:
    return message.get("say") == "serve"


def _module() -> str:
    """What `python -m` was given for this process."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return str(spec.parent or spec.name) if spec else "session_core.host"
