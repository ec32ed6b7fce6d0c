"""The changes that a client has not read yet, over all its connections. A reader that is behind gets a Gap."""

from collections.abc import AsyncIterator

import anyio

from session_core.api.results import ChangeBatch, Gap
from session_core.connection import ChangeNews

NEWS = 1000
"""Notices kept for a reader of changes that is behind; beyond them it gets a Gap."""


class NewsQueue:
    """`since` is the newest revision that was put here."""

    def __init__(self) -> None:
        self._in, self._out = anyio.create_memory_object_stream[ChangeNews](NEWS)
        self.since = 0

    def put(self, news: ChangeNews) -> None:
        """Keep news for the reader."""
        resync = isinstance(news, Gap) and news.resync
        self.since = _revision(news) if resync else max(self.since, _revision(news))
        try:
            self._in.send_nowait(news)
        except anyio.WouldBlock:
            self._in.send_nowait(self._squeezed(news))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    def _squeezed(self, news: ChangeNews) -> Gap:
        """A reader this far behind must read the status anew: what is queued is of no more use to it."""
        left_out = [news]
        while self._out.statistics().current_buffer_used:
            left_out.append(self._out.receive_nowait())
        resync = any(isinstance(one, Gap) and one.resync for one in left_out)
        return Gap(max(map(_revision, left_out)) if not resync else self.since, resync)

    async def __aiter__(self) -> AsyncIterator[ChangeNews]:
        async for news in self._out:
            yield news

    def end(self) -> None:
        """Nothing more comes; what is kept can still be read."""
        self._in.close()

    def close(self) -> None:
        """Drop what nobody will read."""
        self._in.close()
        self._out.close()


def _revision(news: ChangeNews) -> int:
    """The newest revision that the news are about; notices of output are about none."""
    if isinstance(news, ChangeBatch):
        return news.changes[-1].revision
    return news.revision if isinstance(news, Gap) else 0
