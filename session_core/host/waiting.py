"""Waits of a host: gives each open wait its event, the clock its timer, and silence its look at the foreground.

What ends a wait is decided in `model.waits`; here a change, a found text or a timer is told to it, and the result
goes to whoever waits. A wait that is cancelled is forgotten at once. A text wait that is over leaves its mark, so that
the next one goes on from where it began. Whoever waits is told at once where an open wait stands, so that it can go on
on another connection, and at another host that has this one's memory.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import anyio

from session_core.api.requests import Wait
from session_core.errors import Code, SessionCoreError
from session_core.host.live_pane import LivePane
from session_core.host.pane_text import ScreenMark
from session_core.host.text_meanwhile import mark_after
from session_core.host.writes import Writes
from session_core.model.changes import Revisions
from session_core.model.outcomes import Outcome, SinceWrite, Until, WaitResult, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Shell, Signal
from session_core.model.text_watch import TextMatch
from session_core.model.tickets import Delivery, Started, Ticket, started
from session_core.model.waits import WAITS, Waits

Opened = Callable[[int, dict[str, int]], None]
"""Gets the revision at which a wait stands that is open now, and the offsets of its panes' output."""


class Waiting:
    """The open waits of a host."""

    def __init__(
        self,
        panes: Mapping[str, LivePane],
        models: Mapping[str, PaneModel],
        writes: Writes,
        revisions: Revisions,
    ) -> None:
        self._panes = panes
        self._models = models
        self._writes = writes
        self._revisions = revisions
        self._waits = Waits(models)
        self._ends: dict[int, tuple[anyio.Event, list[WaitResult]]] = {}
        self._watchers: dict[str, dict[anyio.Event, Callable[[], bool]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def until(self, pane: str, holds: Callable[[], bool], deadline: float) -> bool:
        """Wait until `holds`, which never raises, looked at now and whenever `pane` changes or prints something.

        False if the deadline comes first.
        """
        if holds():
            return True
        event = anyio.Event()
        watchers = self._watchers.setdefault(pane, {})
        watchers[event] = holds
        try:
            with anyio.move_on_after(deadline - time.monotonic()):
                await event.wait()
        finally:
            watchers.pop(event)
            if not watchers:
                self._watchers.pop(pane, None)
        return holds()

    def resync(self, panes: tuple[str, ...]) -> WaitResult:
        """The result of a wait that began at a host whose memory is lost."""
        return self._waits.resync(WaitSpec(panes=panes), time.monotonic(), self._revisions.current)

    async def wait(self, request: Wait, panes: tuple[str, ...], opened: Opened) -> WaitResult:
        """Wait for these panes, which exist, as asked. Raises SessionCoreError for what cannot be waited for."""
        if len(self._waits) >= WAITS:
            raise SessionCoreError(Code.LIMIT_REACHED, f"{WAITS} waits are open.", "End some first.")
        if (request.until is Until.TEXT) is not bool(request.text):
            raise SessionCoreError(
                Code.BAD_REQUEST, "`text` goes with until=text, and the other way round.", "Give both, or neither."
            )
        deadline = time.monotonic() + request.timeout_s
        if isinstance(request.since, str):
            return await self._wait_since_ticket(request, panes, request.since, deadline, opened)
        return await self._wait(_spec(request, panes, request.since), request, deadline, opened)

    async def _wait_since_ticket(
        self, request: Wait, panes: tuple[str, ...], identity: str, deadline: float, opened: Opened
    ) -> WaitResult:
        """A held write must be delivered first; then its own revision counts."""
        ticket = await self._writes.held.wait_over(identity, deadline - time.monotonic())
        if ticket is None:
            raise SessionCoreError(
                Code.NO_SUCH_TICKET, f"There is no ticket {identity!r}.", "Use the ticket or revision of a write."
            )
        now = time.monotonic()
        if ticket.status is Delivery.REFUSED:
            return self._waits.not_delivered(panes, now, self._revisions.current)
        held = ticket.status is Delivery.HELD
        write = SinceWrite(ticket.pane, ticket.queued, ticket.early, now - max(0.0, time.time() - ticket.at))
        spec = replace(
            _spec(request, panes, self._revisions.current if held else ticket.revision), write=None if held else write
        )
        result = await self._wait(spec, request, deadline, opened)
        return replace(result, started=self.started(self._writes.tickets.get(identity) or ticket))

    def started(self, ticket: Ticket) -> Started:
        """Whether the program of a ticket's pane began to act on it."""
        model = self._models.get(ticket.pane)
        if model is None:
            return None
        can_know = model.signal is not Signal.NONE or model.active_revision > ticket.revision
        return started(ticket, can_know=can_know, active_revision=model.active_revision)

    async def _wait(self, spec: WaitSpec, request: Wait, deadline: float, opened: Opened) -> WaitResult:
        if request.text:
            return await self._wait_for_text(request.text, spec, request, deadline, opened)
        stands = self._revisions.current if spec.stood is None else spec.stood
        return await self._until_over(spec, deadline, {}, lambda _: opened(stands, {}))

    async def _wait_for_text(
        self, text: str, spec: WaitSpec, request: Wait, deadline: float, opened: Opened
    ) -> WaitResult:
        spec = replace(spec, since=self._revisions.current if spec.since is None else spec.since)
        begun = {pane: await self._begin(pane, text, request, spec.since) for pane in spec.panes if pane in self._panes}
        marks = {pane: mark for pane, mark in begun.items() if mark is not None}
        if len(marks) < len(begun):
            return self._waits.resync(spec, time.monotonic(), self._revisions.current)
        stands = request.stood.revision if request.stood else self._revisions.tick()
        offsets = request.stood.offsets if request.stood else {pane: self._panes[pane].offset for pane in marks}
        matches: dict[str, TextMatch] = {}
        numbers: list[int] = []
        after: dict[str, ScreenMark] = {}

        def found(pane: str, match: TextMatch) -> None:
            matches[pane], after[pane] = match, self._panes[pane].text.mark()
            for number in numbers:
                result = self._waits.found(number, pane, match, time.monotonic(), self._revisions.current)
                if result:
                    self._finish([(number, result)])

        def begins(number: int) -> None:
            numbers.append(number)
            opened(stands, offsets)

        with ExitStack() as watches:
            watches.callback(self._keep_begun, stands, marks, matches)
            for pane, mark in marks.items():
                if pane in self._panes:
                    watches.callback(self._panes[pane].text.watch(text, mark, partial(found, pane)))
            result = await self._until_over(spec, deadline, matches, begins)
        if result.outcome is Outcome.RESYNC:
            return result
        return replace(result, revision=self._keep_marks(marks, after, matches, result.outcome))

    async def _begin(self, pane: str, text: str, request: Wait, since: int | None) -> ScreenMark | None:
        """Where a text wait begins, or began; None where that is no longer known."""
        live, stood = self._panes[pane], request.stood
        if stood is None:
            return self._mark(pane, request.since, since)
        return live.text.begun(stood.revision) or await mark_after(live, text, stood.offsets.get(pane))

    def _keep_begun(self, wait: int, marks: Mapping[str, ScreenMark], matches: Mapping[str, TextMatch]) -> None:
        for pane, mark in marks.items():
            if pane in self._panes:
                match = matches.get(pane, mark.match)
                self._panes[pane].text.keep_begun(wait, replace(mark, match=match))

    def _mark(self, pane: str, since: int | str | None, revision: int | None) -> ScreenMark | None:
        """Where a text wait begins: at its ticket or earlier wait; a revision without one stands for now."""
        text = self._panes[pane].text
        if since is None or revision is None:
            return text.mark()
        if isinstance(since, str) and self._is_of(since, pane):
            return text.marked(since)
        return text.marked(revision) or text.mark()

    def _is_of(self, ticket: str, pane: str) -> bool:
        found = self._writes.tickets.get(ticket)
        return found is not None and found.pane == pane and found.status is not Delivery.HELD

    def _keep_marks(
        self,
        marks: Mapping[str, ScreenMark],
        after: Mapping[str, ScreenMark],
        matches: Mapping[str, TextMatch],
        outcome: Outcome,
    ) -> int:
        """Keep where the next wait goes on, under a revision that no other wait has got; return that."""
        revision = self._revisions.tick()
        for pane, mark in marks.items():
            if pane not in self._panes:
                continue
            if outcome is not Outcome.CHECKIN:
                mark = after.get(pane, mark)
            elif pane in matches:
                mark = replace(mark, match=matches[pane])
            self._panes[pane].text.keep(revision, mark)
        return revision

    async def _until_over(
        self,
        spec: WaitSpec,
        deadline: float,
        matches: Mapping[str, TextMatch],
        begins: Callable[[int], None],
    ) -> WaitResult:
        self._look(spec.panes)
        begun = self._waits.begin(spec, time.monotonic(), deadline, self._revisions.current, matches)
        if isinstance(begun, WaitResult):
            return begun
        event, results = self._ends[begun] = (anyio.Event(), [])
        begins(begun)
        self._arm()
        try:
            await event.wait()
        finally:
            self._waits.cancel(begun)
            del self._ends[begun]
        return results[0]

    # ---- what ends waits

    def changed(self, pane: str) -> None:
        """Something changed in a pane."""
        self._finish(self._waits.changed(pane, time.monotonic(), self._revisions.current))
        self._arm()
        self.printed(pane)

    def printed(self, pane: str) -> None:
        """A pane has printed something: its terminal may be in another mode, which nothing else tells."""
        for event, holds in self._watchers.get(pane, {}).items():
            if holds():
                event.set()

    def _finish(self, ended: list[tuple[int, WaitResult]]) -> None:
        for number, result in ended:
            event, results = self._ends[number]
            results.append(result)
            event.set()

    def _arm(self) -> None:
        soon = self._waits.next_time()
        if soon is None or (self._timer and not self._timer.cancelled() and self._timer.when() <= soon):
            return
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(soon, self._expire)

    def _expire(self) -> None:
        self._timer = None
        now = time.monotonic()
        self._look(self._waits.silent(now))
        self._finish(self._waits.expire(now, self._revisions.current))
        self._arm()

    def _look(self, panes: tuple[str, ...] | list[str]) -> None:
        """See who is in the foreground of panes that declare nothing, before their silence is judged."""
        for pane in panes:
            live = self._panes.get(pane)
            if live is None or live.model.signal is Signal.DECLARED:
                continue
            if live.model.shell is not Shell.COMMAND:
                live.see_job()


def _spec(request: Wait, panes: tuple[str, ...], since: int | None) -> WaitSpec:
    return WaitSpec(
        panes=panes,
        until=request.until,
        mode=request.mode,
        since=since,
        quiet_s=request.quiet_s,
        start_grace_s=request.start_grace_s,
        stood=request.stood.revision if request.stood else None,
    )
