"""One subscriber's changes: each once and in order, or a gap where some were left out.

What a subscriber does not read is bounded: beyond `UNREAD_CHANGES` it gets a gap instead of more changes. One that
names the revision of an earlier connection gets what has changed since, as far as that is still kept.
"""

from collections.abc import Callable

from session_core.api.requests import Subscribe
from session_core.api.results import ChangeBatch, Gap, OutputNews
from session_core.host.host import Host
from session_core.host.output_notices import OutputNotices
from session_core.model.changes import Change

UNREAD_CHANGES = 1024 * 1024
"""Bytes of changes that a subscriber may leave unread before it gets a gap."""
RESENT_AT_ONCE = 256
"""Changes in one notice of those that came while nobody listened."""


class Subscription:
    """What one connection hears. `notify` sends a notice; `unread` tells how many bytes the client has not taken."""

    def __init__(
        self,
        host: Host,
        notify: Callable[[str, ChangeBatch | Gap | OutputNews], None],
        unread: Callable[[], int],
    ) -> None:
        self._host = host
        self._notify = notify
        self._unread = unread
        self._unsubscribe: Callable[[], None] | None = None
        self._output = OutputNotices(self._output_news)
        self._gap = False

    def begin(self, request: Subscribe) -> None:
        """Tell of every later change, and of those since an earlier connection."""
        if self._unsubscribe is None:
            self._unsubscribe = self._host.subscribe(self._changes)
        if request.output is not None:
            self._watch_output(on=request.output)
        if request.since is not None:
            self._resend(request.since, request.epoch)

    def end(self) -> None:
        """Tell nothing more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._watch_output(on=False)

    def resume(self) -> None:
        """The client has read everything: tell it what it missed."""
        if self._gap:
            self._gap = False
            self._notify("gap", Gap(self._host.revisions.current))

    def _watch_output(self, *, on: bool) -> None:
        watchers = self._host.output_watchers
        if on:
            watchers.add(self._output.wrote)
        else:
            watchers.discard(self._output.wrote)
            self._output.close()

    def _resend(self, since: int, epoch: str | None) -> None:
        host = self._host
        resync = epoch not in (None, host.epoch) or since > host.revisions.current
        missed = None if resync else host.recent.after(since)
        if missed is None:
            self._notify("gap", Gap(host.revisions.current, resync))
            return
        for begin in range(0, len(missed), RESENT_AT_ONCE):
            self._changes(missed[begin : begin + RESENT_AT_ONCE])
        if self._output.wrote in host.output_watchers:
            # Any of them may have written something meanwhile.
            for status in host.list_panes().panes:
                self._output.wrote(status.pane)

    def _changes(self, changes: list[Change]) -> None:
        if self._gap:
            return
        if self._unread() > UNREAD_CHANGES:
            self._gap = True
            return
        self._notify("changes", ChangeBatch(tuple(changes)))

    def _output_news(self, panes: tuple[str, ...]) -> bool:
        if self._unread() > UNREAD_CHANGES:
            return False
        self._notify("output", OutputNews(panes))
        return True
