"""The host's changes for all clients that subscribed to resources: one reader, and news for each of them.

News say that something is to be read anew, never what it is. A subscriber keeps each piece of news at most once
until it has passed it on, so that a slow client is behind by one update a resource and nothing grows. Where changes
were left out (a gap) or the host was dialled anew, everything counts as changed. Nothing is followed before the first
subscriber comes.
"""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import anyio
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from mcp_bridge.core_link import CoreLink
from session_core import Cause, ChangeBatch, Client, OutputNews, SessionCoreError, Subject

PANES = "panes://"
STATUS, SCREEN = "status", "screen"

SUBSCRIBERS = 1000
"""Streams and older clients that are told of changes at once; one more is refused."""

READY_S = 5.0
"""How long a subscription waits for the host before it is confirmed all the same."""

_LISTED = frozenset((Subject.LIFE, Subject.RECORD, Subject.SHELL, Subject.SIGNAL, Subject.OCCUPANT))
"""Subjects that a row of `panes://` shows."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """A task has ended."""

    task: str


News = ResourceUpdated | ResourcesListChanged | TaskChanged


def pane_uri(pane: str, what: str) -> str:
    """The URI of a pane's status or screen."""
    return f"pane://{pane}/{what}"


class Subscriber:
    """What one client wants to hear of, and what it has not been told yet."""

    def __init__(self, wanted: Iterable[News] = (), *, missed: bool = False) -> None:
        self.wanted: set[News] = set(wanted)
        self.fresh = True
        self.missed = missed
        self._pending: dict[News, None] = {}
        self._wake = anyio.Event()

    def offer(self, news: Iterable[News]) -> None:
        """Note the news that it wants."""
        wanted = [piece for piece in news if piece in self.wanted]
        if wanted:
            self._pending.update(dict.fromkeys(wanted))
            self._wake.set()

    async def next(self) -> News:
        """Wait for the next piece of news."""
        while not self._pending:
            self._wake = anyio.Event()
            await self._wake.wait()
        news = next(iter(self._pending))
        del self._pending[news]
        return news


class Feed:
    """The changes of a bridge's host; `run` must be running while there are subscribers."""

    def __init__(self, link: CoreLink) -> None:
        self._link = link
        self._subscribers: set[Subscriber] = set()
        self._names: dict[str, str | None] = {}
        self._needed = anyio.Event()
        self._following = anyio.Event()

    def add(self, subscriber: Subscriber) -> bool:
        """Give news to a subscriber; False if there are too many."""
        if len(self._subscribers) >= SUBSCRIBERS:
            return False
        self._subscribers.add(subscriber)
        self._needed.set()
        return True

    def remove(self, subscriber: Subscriber) -> None:
        """Give it none any more."""
        self._subscribers.discard(subscriber)

    async def ready(self, subscriber: Subscriber, *, dial: bool) -> None:
        """Return once a change from now on reaches the subscriber; after `READY_S` in any case.

        With `dial` a host is dialled or started; without, the subscriber hears once there is one that everything
        may have changed.
        """
        if dial:
            with anyio.move_on_after(READY_S), suppress(SessionCoreError):
                client = await self._link.client()
                await self._following.wait()
                if self._shows_screens():
                    await client.watch_changes(output=True)
        if subscriber.missed:
            self._offer_everything(subscriber)
        subscriber.fresh = False

    def task_changed(self, task: str) -> None:
        """A task has ended."""
        self._publish([TaskChanged(task)])

    async def run(self) -> None:
        """Follow every connection to a host, from the first subscriber on."""
        while True:
            await self._needed.wait()
            client = await self._link.present()
            try:
                await self._follow(client)
            except SessionCoreError as error:
                logger.warning("the host's changes cannot be followed: %s", error.code.value)
            self._following = anyio.Event()
            await client.lost.wait()

    async def _follow(self, client: Client) -> None:
        await client.watch_changes(output=self._shows_screens())
        await self._learn_names(client)
        self._publish_everything()
        self._following.set()
        async for news in client.changes():
            if isinstance(news, OutputNews):
                await self._take_output(client, news)
            elif isinstance(news, ChangeBatch):
                await self._take_changes(client, news)
            else:
                await self._learn_names(client)
                self._publish_everything()

    async def _learn_names(self, client: Client) -> None:
        self._names = {status.pane: status.name for status in (await client.list_panes()).panes}

    async def _take_changes(self, client: Client, batch: ChangeBatch) -> None:
        if any(change.pane not in self._names and change.cause is not Cause.CLOSE for change in batch.changes):
            await self._learn_names(client)
        news: list[News] = []
        for change in batch.changes:
            news += self._updated(change.pane, STATUS)
            if change.subject in _LISTED:
                news.append(ResourceUpdated(PANES))
            if change.subject is Subject.SIZE:
                news += self._updated(change.pane, SCREEN)
            if change.subject is Subject.LIFE and change.cause in (Cause.OPEN, Cause.CLOSE):
                news.append(ResourcesListChanged())
            if change.cause is Cause.CLOSE:
                news += self._updated(change.pane, SCREEN)
                self._names.pop(change.pane, None)
        self._publish(news)

    async def _take_output(self, client: Client, news: OutputNews) -> None:
        if not self._shows_screens():
            await client.watch_changes(output=False)
        for pane in news.panes:
            self._publish(self._updated(pane, SCREEN))

    def _updated(self, pane: str, what: str) -> list[News]:
        references = (pane, self._names.get(pane))
        return [ResourceUpdated(pane_uri(reference, what)) for reference in references if reference]

    def _shows_screens(self) -> bool:
        suffix = f"/{SCREEN}"
        return any(
            isinstance(wanted, ResourceUpdated) and wanted.uri.endswith(suffix)
            for subscriber in self._subscribers
            for wanted in subscriber.wanted
        )

    def _publish(self, news: list[News]) -> None:
        for subscriber in self._subscribers:
            subscriber.offer(news)

    def _publish_everything(self) -> None:
        for subscriber in self._subscribers:
            if not subscriber.fresh:
                self._offer_everything(subscriber)

    def _offer_everything(self, subscriber: Subscriber) -> None:
        subscriber.offer([news for news in subscriber.wanted if not isinstance(news, TaskChanged)])
