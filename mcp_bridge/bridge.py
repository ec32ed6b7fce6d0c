"""What all clients of a bridge share: the connection to the host, its changes, and the tasks."""

import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from mcp_bridge.core_link import CoreLink
from mcp_bridge.feed import Feed
from mcp_bridge.task_folder import TaskFolder
from mcp_bridge.tasks import GoOn, Tasks

ENDING_S = 0.5
"""How long a shim that reads nothing may hold up the end of the bridge."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """Made by `of`; `run` must be running while clients are served."""

    link: CoreLink
    feed: Feed
    tasks: Tasks
    _shims: set[Callable[[str], Coroutine[Any, Any, None]]] = field(default_factory=set)

    @classmethod
    def of(cls, folder: str) -> "Bridge":
        """The bridge of a runtime folder."""
        link = CoreLink(folder)
        feed = Feed(link)
        return cls(link, feed, Tasks(feed.task_changed, TaskFolder(folder)))

    @contextmanager
    def serving(self, say: Callable[[str], Coroutine[Any, Any, None]]) -> Iterator[None]:
        """A shim is served meanwhile; `say` sends it a line."""
        self._shims.add(say)
        try:
            yield
        finally:
            self._shims.discard(say)

    async def say_ending(self) -> None:
        """Tell every shim that the bridge ends in order, so that none starts another for what is open."""
        with anyio.move_on_after(ENDING_S):
            async with anyio.create_task_group() as group:
                for say in self._shims:
                    group.start_soon(say, json.dumps({"panebridge": 1, "ending": True}))

    async def run(self, go_on: GoOn) -> None:
        """Work until cancelled; `go_on` makes the work of another bridge's tasks."""
        async with anyio.create_task_group() as group:
            group.start_soon(self.link.run)
            group.start_soon(self.feed.run)
            group.start_soon(self.tasks.run, go_on)
