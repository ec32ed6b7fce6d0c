"""What all clients of a bridge share: the connection to the host, its changes, and the tasks."""

from dataclasses import dataclass

import anyio

from mcp_bridge.core_link import CoreLink
from mcp_bridge.feed import Feed
from mcp_bridge.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Bridge:
    """Made by `of`; `run` must be running while clients are served."""

    link: CoreLink
    feed: Feed
    tasks: Tasks

    @classmethod
    def of(cls, folder: str) -> "Bridge":
        """The bridge of a runtime folder."""
        link = CoreLink(folder)
        feed = Feed(link)
        return cls(link, feed, Tasks(changed=feed.task_changed))

    async def run(self) -> None:
        """Work until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self.link.run)
            group.start_soon(self.feed.run)
            group.start_soon(self.tasks.run)
