"""A client's link to its host, which outlives the host: a connection that breaks is dialled again, with back-off.

A call whose connection broke before its answer came is made again as `api.methods` says for its method, so that it
takes effect once. What cannot be made again so, because the host has lost its memory or knows no keys, raises
`outcome_unknown`. Changes go on where they were. A host that has said that it ends in order is not looked for, and one
that does not come back in `reconnect_s` is given up: then `lost` is set, and every call raises HostLost.
"""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

import anyio
import anyio.abc
from anyio.abc import TaskStatus

from session_core.api.methods import PROTOCOL
from session_core.api.results import Greeting, Waiting
from session_core.connection import Broken, Connection
from session_core.errors import Code, HostLost, SessionCoreError
from session_core.launch import dial_or_start
from session_core.news import NewsQueue
from session_core.repeated_call import RepeatedCall, lost_error
from session_core.sockets import dial

HELLO_S = 10.0
"""How long a host may take to answer `hello` before it is called unreachable (it is never called dead)."""
RECONNECT_S = 20.0
"""How long a host that went away is looked for in all."""
START_AFTER_S = 0.5
"""How long its keeper has to bring it back before a client that may starts one."""
_PAUSES_S = (0.0, 0.05, 0.1, 0.2, 0.5)
_LONGEST_PAUSE_S = 1.0
_FIRST_PAUSES_S, _FIRST_S = (0.0, 0.02, 0.1, 0.5), 0.6
"""Pauses before the first dials, and how long they go on at least.

A host on its way out may still take a connection, and drops it before `hello`.
"""


class Link:
    """`run` must be running while calls are made; it is over once the host is lost for good."""

    def __init__(self, folder: str, *, start: bool, name: str, reconnect_s: float) -> None:
        self._folder = folder
        self._may_start = start
        self._name = name
        self._reconnect_s = reconnect_s
        self._present: tuple[Connection, Greeting] | None = None
        self._greeting: Greeting | None = None
        self._subscribed: Connection | None = None
        self._moved = anyio.Event()
        self._output: bool | None = None
        self._heard: str | None = None
        self.news = NewsQueue()
        self.lost = anyio.Event()
        self.ending = False

    # ---- keeping a connection

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        """Keep a connection until the host is lost; tells `task_status` of the first. Raises HostLost without one."""
        try:
            await self._keep_first(task_status)
            while not self.ending:
                if not await self._dial_again():
                    return
        finally:
            self._present = None
            self.lost.set()
            self._move()
            self.news.end()

    async def _keep_first(self, task_status: TaskStatus[None]) -> None:
        """Keep the first connection; a host that goes away before it greets is dialled again, as a later one is."""
        began = anyio.current_time()
        for pause_s in chain(_FIRST_PAUSES_S, repeat(_LONGEST_PAUSE_S)):
            await anyio.sleep(pause_s)
            failure = await self._keep(await self._dial(start=self._may_start), HELLO_S, task_status)
            if failure is None:
                return
            if failure.code is not Code.HOST_GONE or anyio.current_time() - began > max(self._reconnect_s, _FIRST_S):
                raise failure

    async def _dial_again(self) -> bool:
        """Keep the next connection until it ends; False if there is none in time."""
        began = anyio.current_time()
        for pause_s in _pauses():
            left_s = began + self._reconnect_s - anyio.current_time() - pause_s
            if left_s <= 0:
                return False
            await anyio.sleep(pause_s)
            try:
                start = self._may_start and anyio.current_time() - began >= START_AFTER_S
                stream = await self._dial(start=start)
            except HostLost:
                continue
            if await self._keep(stream, min(HELLO_S, left_s)) is None:
                return True
        return False

    async def _dial(self, *, start: bool) -> anyio.abc.SocketStream:
        if start:
            connection = await anyio.to_thread.run_sync(dial_or_start, self._folder, "host", "session_core.host")
        else:
            found = await anyio.to_thread.run_sync(dial, f"{self._folder}/host.sock")
            if found is None:
                raise HostLost(
                    Code.HOST_UNREACHABLE,
                    f"No host runs in {self._folder}.",
                    "Open a pane to start one: panebridge run -- CMD",
                )
            connection = found
        connection.setblocking(False)
        try:
            return await anyio.abc.SocketStream.from_socket(connection)
        except BaseException:
            # Being cancelled must not leave it open.
            connection.close()
            raise

    async def _keep(
        self, stream: anyio.abc.SocketStream, hello_s: float, task_status: TaskStatus[None] | None = None
    ) -> SessionCoreError | None:
        """Keep a connection until it ends; return why it could not be used."""
        connection = Connection(stream, self.news.put)
        failure: SessionCoreError | None = None
        try:
            async with stream, anyio.create_task_group() as tasks:
                tasks.start_soon(connection.write)
                tasks.start_soon(connection.run)
                try:
                    self._greeting = await self._greet(connection, hello_s)
                    self._present = connection, self._greeting
                except SessionCoreError as error:
                    failure = error
                else:
                    self._move()
                    if task_status is not None:
                        task_status.started()
                    await connection.lost.wait()
                    self.ending = self.ending or connection.stopping
                tasks.cancel_scope.cancel()
        finally:
            connection.close()
        return failure

    async def _greet(self, connection: Connection, hello_s: float) -> Greeting:
        """Say hello, and have the changes since the last connection sent."""
        with anyio.move_on_after(hello_s):
            try:
                greeting: Greeting = await connection.call("hello", {"protocol": PROTOCOL, "client": self._name})
                if self._heard is not None:
                    await self._subscribe(connection, greeting)
            except Broken:
                raise lost_error() from None
            return greeting
        raise HostLost(
            Code.HOST_UNREACHABLE,
            f"The host in {self._folder} does not answer; it may be stopped or very busy.",
            "Look at its process (a stopped one goes on with SIGCONT), then try again.",
        )

    def _move(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    @property
    def greeting(self) -> Greeting:
        """What the host said last."""
        assert self._greeting is not None
        return self._greeting

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._present is not None and not self._present[0].lost.is_set()

    # ---- changes

    async def subscribe(self, *, output: bool | None) -> None:
        """Have changes put into `news` from now on; `output` as in the call, None leaves it as it is."""
        if output is not None:
            self._output = output
        while True:
            connection, greeting = await self.present()
            try:
                return await self._subscribe(connection, greeting)
            except Broken:
                continue

    async def _subscribe(self, connection: Connection, greeting: Greeting) -> None:
        params: dict[str, Any] = {"output": self._output}
        if self._heard is not None and self._subscribed is not connection:
            params |= {"since": self.news.since, "epoch": self._heard}
        self._subscribed = connection
        answer: Greeting = await connection.call("subscribe", params)
        if self._heard is None:
            self.news.since = max(self.news.since, answer.revision)
        self._heard = greeting.epoch

    # ---- calls

    async def present(self) -> tuple[Connection, Greeting]:
        """Return the connection, once there is one. Raises HostLost when the host is lost."""
        while True:
            if self.lost.is_set():
                raise lost_error()
            if self._present is not None and self.is_connected:
                return self._present
            await self._moved.wait()

    async def call(self, method: str, *, stands: Callable[[Waiting], None] | None = None, **params: Any) -> Any:
        """Make one call, over as many connections as it takes; `stands` hears where a wait stands.

        Raises SessionCoreError; cancelling cancels it in the host.
        """
        call = RepeatedCall(method, params, anyio.current_time(), self.greeting.epoch)
        while True:
            connection, greeting = await self.present()
            again = call.params(greeting, anyio.current_time())
            try:
                return call.result(await connection.call(method, again, stands), anyio.current_time())
            except Broken as broken:
                call.broke(broken, greeting)


def _pauses() -> Iterator[float]:
    return chain(_PAUSES_S, repeat(_LONGEST_PAUSE_S))
