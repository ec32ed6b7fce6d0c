"""The bridge's one client of the host, made on demand and anew once the host was stopped or given up.

Every tool call goes through `call`. A host that is killed and comes back is the client's business; the next call after
one is lost for good dials anew, and starts a host if there is none.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.abc

from session_core import Client, SessionCoreError, connect

T = TypeVar("T")
Call = Callable[[Client], Awaitable[T]]

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
            failure = await self._keep()
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
        """Make one call. Raises SessionCoreError."""
        return await call(await self.client())

    async def client(self) -> Client:
        """Return the connection, dialled if there is none. Raises SessionCoreError."""
        while self._client is None or self._client.lost.is_set():
            tried = self._tried
            self._wanted.set()
            await tried.wait()
            if self._failure is not None:
                raise self._failure
        return self._client
