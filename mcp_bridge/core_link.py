"""The bridge's one connection to the host, dialled on demand and again after the host was lost.

Every tool call goes through `call`, which raises HostLost when the host is gone; the next call dials anew and
starts a host if there is none. Reads are tried once more by themselves, since they change nothing.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.abc

from session_core import Client, Code, HostLost, SessionCoreError, connect

T = TypeVar("T")
Call = Callable[[Client], Awaitable[T]]

_REDIAL_S = (0.0, 0.02, 0.1, 0.5)
"""Pauses before each dial: a host on its way out may still take a connection, and drops it before `hello`."""

logger = logging.getLogger(__name__)


class CoreLink:
    """Owned by the bridge; `run` must be running while calls are made."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._client: Client | None = None
        self._failure: SessionCoreError | None = None
        self._wanted = anyio.Event()
        self._tried = anyio.Event()

    async def run(self) -> None:
        """Keep a connection from the first call that wants one until it is lost, over and over."""
        while True:
            await self._wanted.wait()
            for pause_s in _REDIAL_S:
                await anyio.sleep(pause_s)
                failure = await self._keep()
                if failure is None or failure.code is not Code.HOST_GONE:
                    break
            if failure is not None:
                logger.warning("the host cannot be reached: %s", failure.code.value)
                self._tell(failure)

    async def _keep(self) -> SessionCoreError | None:
        """Keep one connection until it is lost; return why there was none."""
        try:
            async with connect(folder=self._folder, name="panebridge bridge") as client:
                self._client = client
                self._tell(None)
                await client.lost.wait()
        except SessionCoreError as error:
            return error
        finally:
            self._client = None
        return None

    def _tell(self, failure: SessionCoreError | None) -> None:
        """A try is over: wake the calls that wait for it. Nobody wants another one yet."""
        self._failure = failure
        self._wanted = anyio.Event()
        tried, self._tried = self._tried, anyio.Event()
        tried.set()

    async def present(self) -> Client:
        """Return the connection once there is one; nothing is dialled for it."""
        while self._client is None or self._client.lost.is_set():
            await self._tried.wait()
        return self._client

    async def call(self, call: Call[T]) -> T:
        """Make one call that may change something. Raises SessionCoreError."""
        return await call(await self.client())

    async def read(self, call: Call[T]) -> T:
        """Make one call that changes nothing; a host that is lost meanwhile is asked anew, once."""
        try:
            return await self.call(call)
        except HostLost:
            return await self.call(call)

    async def client(self) -> Client:
        """Return the connection, dialled if there is none. Raises SessionCoreError."""
        while self._client is None or self._client.lost.is_set():
            tried = self._tried
            self._wanted.set()
            await tried.wait()
            if self._failure is not None:
                raise self._failure
        return self._client
