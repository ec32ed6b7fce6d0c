"""All panes of one host: opening, finding, closing, and telling waits and subscribers what changed.

A change reaches the waits first and the subscribers second, in the same turn of the loop. Pane ids count up
and are never used again. At most `PANES` run at once, and `ENDED_PANES` that have ended stay readable for
`ENDED_S`, the oldest going first.
"""

import asyncio
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import anyio

from session_core.api.requests import OpenPane, ReopenPane, Wait
from session_core.api.results import Audit, AuditEntry, Closed, PaneList
from session_core.errors import Code, NoSuchPane, SessionCoreError
from session_core.host import kept
from session_core.host.answers import Answers
from session_core.host.catching_up import CatchingUp
from session_core.host.durability import Durability, Mirror
from session_core.host.keeper_link import KeeperLink
from session_core.host.kept import Numbers
from session_core.host.live_pane import LivePane
from session_core.host.pty import Pty
from session_core.host.starting import Start, prepare
from session_core.host.viewers import Viewers
from session_core.host.waiting import Opened, Waiting
from session_core.host.writes import Writes
from session_core.model.changes import Cause, Change, RecentChanges, Revisions, Subject
from session_core.model.outcomes import WaitResult
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.status import ExitStatus, Life
from session_core.screen import EngineName, ScreenEngine, open_screen
from session_core.store.output_log import LOG_BYTES, OutputLog
from session_core.store.state_folder import StateFolder

_AN_ID = re.compile(r"p[0-9]+")
PANES = 1000
ENDED_PANES = 100
AUDITED, AUDIT_STEP = 10_000, 100
"""Injected writes that stay on the audit, and after how many more the oldest go."""
ENDED_S = 24 * 3600.0
"""How long a pane stays readable after its program has ended."""

Subscriber = Callable[[list[Change]], None]


class Host:
    """The panes of one host process. `folder` is where its sockets are; programs in panes are told of it."""

    def __init__(
        self,
        folder: str,
        engine: EngineName = "auto",
        log_bytes: int = LOG_BYTES,
        ended_s: float = ENDED_S,
        keeper: KeeperLink | None = None,
    ) -> None:
        self.folder = folder
        self.engine: EngineName = engine
        self.keeper = keeper or KeeperLink()
        self.keeper.on_ended(self._program_ended)
        self.state = StateFolder(folder, log_bytes)
        self.journal = self.state.open_journal()
        numbers = next((value for _, _, value in kept.NUMBERS.read(self.journal)), Numbers())
        self.epoch = next((value for _, _, value in kept.EPOCH.read(self.journal)), uuid.uuid4().hex[:12])
        self.revisions = Revisions(numbers.revision)
        self._panes: dict[str, LivePane] = {}
        self._models: dict[str, PaneModel] = {}
        self._opened, self.issued = numbers.panes, numbers.tickets
        self._ended_s = ended_s
        self._old: dict[str, asyncio.TimerHandle] = {}
        self.writes = Writes(self.revisions, self._ticket_touched, self._written)
        self.durability = Durability(self.journal, self.epoch, self.writes, self._numbers)
        self.viewers = Viewers()
        self.catching_up = CatchingUp()
        self.waiting = Waiting(self._panes, self._models, self.writes, self.revisions)
        self.answers = Answers(self.durability)
        self.recent = RecentChanges()
        self._subscribers: set[Subscriber] = set()
        self.output_watchers: set[Callable[[str], None]] = set()

    # ---- panes

    def find(self, reference: str) -> LivePane:
        """Return the pane with this id, or else with this name. Raises NoSuchPane."""
        if reference in self._panes:
            return self._panes[reference]
        # An ended pane keeps its name: meant is the one that runs, else the newest.
        named = [pane for pane in self._panes.values() if pane.model.labels.name == reference]
        if not named:
            raise NoSuchPane(reference, tuple(self._panes))
        return next((pane for pane in named if not pane.model.life.over), named[-1])

    def list_panes(self) -> PaneList:
        """Return the status of every pane, oldest first."""
        statuses = tuple(pane.status(look=False) for pane in self._panes.values())
        return PaneList(statuses, self.revisions.current, self.epoch)

    def open(self, request: OpenPane) -> LivePane:
        """Start a program in a new pane.

        Raises SessionCoreError that names what is wrong; then there is no pane, process or descriptor.
        """
        self._check_room()
        self.check_name(request.name)
        pane = f"p{self._opened + 1}"
        spec = PaneSpec(
            pane=pane,
            name=request.name,
            command=tuple(argument.encode(errors="replace").decode() for argument in request.command),
            columns=request.columns,
            rows=request.rows,
            shell_integration=request.shell_integration,
            key=request.key,
        )
        start = prepare(spec, request.command, request.folder, request.environment, self.folder)
        spec = replace(spec, folder=start.folder.encode(errors="replace").decode())
        screen = self._open_screen(request.columns, request.rows)
        self._opened += 1
        model = PaneModel(spec, self.revisions, time.time(), start.nonce)
        # Known before its program runs: a host that dies in between leaves a pane that the next one can name.
        self.durability.announce(model)
        try:
            pty = self._spawn(start, spec)
        except SessionCoreError:
            self.durability.drop(pane)
            screen.close()
            raise
        live = LivePane(model, pty, self.state.open_log(pane), self._open_screen, self, self.keeper)
        return self._begin(live, screen)

    def reopen(self, pane: LivePane, request: ReopenPane) -> LivePane:
        """Start the same command again in a pane whose program is over, as its next generation.

        What the pane has printed, its history and what had finished there stay. Raises SessionCoreError that names
        what is wrong; then the pane is as it was.
        """
        model, spec = pane.model, pane.model.spec
        if not model.life.over:
            raise SessionCoreError(
                Code.PANE_RUNNING,
                f"The program of pane {pane.pane} still runs.",
                "Open another pane, or end the program first.",
            )
        self._check_room()
        self.check_name(model.labels.name)
        start = prepare(spec, spec.command, spec.folder, request.environment, self.folder)
        screen = self._open_screen(model.columns, model.rows)
        pane.release()
        try:
            pty = self._spawn(start, replace(spec, columns=model.columns, rows=model.rows))
        except SessionCoreError:
            screen.close()
            raise
        pane.output.close()
        if pane.pane in self._old:
            self._old.pop(pane.pane).cancel()
        self.writes.closed(pane.pane)
        model.reopened(pane.offset, start.nonce)
        self.changed(pane, model.live(Life.STARTING, time.time()))
        live = LivePane(
            model,
            pty,
            pane.log,
            self._open_screen,
            self,
            self.keeper,
            parsed=pane.offset,
            counted=pane.output.statistics,
            index=pane.index,
        )
        return self._begin(live, screen)

    def _spawn(self, start: Start, spec: PaneSpec) -> Pty:
        self.durability.commit()
        try:
            return Pty.spawn(
                start.argv,
                folder=start.folder,
                environment=start.environment,
                columns=spec.columns,
                rows=spec.rows,
                hold=partial(self.keeper.hold, spec.pane),
            )
        except SessionCoreError:
            self.keeper.release(spec.pane)
            raise

    def _begin(self, pane: LivePane, screen: ScreenEngine) -> LivePane:
        self.add(pane)
        pane.begin(screen)
        return pane

    @property
    def panes(self) -> Mapping[str, LivePane]:
        """All panes by their id, oldest first."""
        return self._panes

    def resumed(self, pane: LivePane) -> None:
        """A pane of an earlier host is there again: its screen is painted when there is time."""
        self._opened = max(self._opened, int(pane.pane[1:]))
        if pane.model.life.over and pane.pane in self._panes:
            self._ended(pane)
        self.catching_up.add(pane.output)

    def _open_screen(self, columns: int, rows: int) -> ScreenEngine:
        return open_screen(columns, rows, engine=self.engine)

    def add(self, pane: LivePane, mirror: Mirror | None = None) -> None:
        """A pane is there from now on."""
        self._panes[pane.pane] = pane
        self._models[pane.pane] = pane.model
        self.durability.add(pane, mirror)

    def _numbers(self) -> Numbers:
        return Numbers(self.revisions.current, self._opened, self.writes.tickets.issued)

    def _program_ended(self, pane: str, exit: ExitStatus) -> None:
        if pane in self._panes:
            self._panes[pane].process.told(exit)

    def leave(self) -> None:
        """End nothing: another host goes on with the panes."""
        for pane in self._panes.values():
            pane.leave()
        self.durability.close()

    def _running(self) -> list[LivePane]:
        return [pane for pane in self._panes.values() if not pane.model.life.over]

    def _check_room(self) -> None:
        if len(self._running()) >= PANES:
            raise SessionCoreError(Code.LIMIT_REACHED, f"{PANES} panes are running.", "Close some first.")

    def check_name(self, name: str | None) -> None:
        """Raise SessionCoreError for a name that a pane cannot get now."""
        if name is not None and _AN_ID.fullmatch(name):
            raise SessionCoreError(
                Code.BAD_REQUEST, f"{name!r} is, or will be, the id of a pane.", "Choose another name."
            )
        if name is not None and any(pane.model.labels.name == name for pane in self._running()):
            raise SessionCoreError(
                Code.NAME_TAKEN,
                f"A running pane is called {name!r}.",
                "Choose another name, or close that pane.",
            )

    async def close(self, pane: LivePane) -> Closed:
        """End the pane's program, remove the pane, and return how the program ended."""
        await pane.end()
        self._remove(pane)
        return Closed(pane.pane, pane.model.exit)

    async def close_all(self) -> None:
        """End every pane."""
        async with anyio.create_task_group() as tasks:
            for pane in tuple(self._panes.values()):
                tasks.start_soon(self.close, pane)

    def _remove(self, pane: LivePane) -> None:
        if self._panes.pop(pane.pane, None):
            del self._models[pane.pane]
            if pane.pane in self._old:
                self._old.pop(pane.pane).cancel()
            self.viewers.ended(pane)
            self.writes.closed(pane.pane)
            self.state.remove_log(pane.pane, pane.log)
            self.durability.drop(pane.pane)
            change = pane.model.log.add(Subject.LIFE, Cause.CLOSE, time.time(), before=pane.model.life.value)
            self.changed(pane, [change])

    def _ended(self, pane: LivePane) -> None:
        """A pane's program has ended: it stays readable until it is too old, or one of too many."""
        self.viewers.ended(pane)
        loop = asyncio.get_running_loop()
        left = max(0.0, pane.model.state_at + self._ended_s - time.time())
        self._old[pane.pane] = loop.call_later(left, self._forget, pane)
        loop.call_soon(self._forget_surplus)

    def _forget_surplus(self) -> None:
        # The timers are in the order of the ends.
        for name in list(self._old)[: max(0, len(self._old) - ENDED_PANES)]:
            self._forget(self._panes[name])

    def _forget(self, pane: LivePane) -> None:
        if pane.pane in self._panes:
            pane.release()
            pane.output.close()
            self._remove(pane)

    # ---- changes

    def touched(self, pane: str) -> None:
        """Something of a pane may have changed."""
        if pane in self._panes:
            self.durability.touch(pane)

    def _ticket_touched(self, identity: str) -> None:
        self.durability.touch_ticket(identity)

    def _written(self, entry: AuditEntry) -> None:
        number = int(entry.ticket.removeprefix("t"))
        self.durability.put(kept.AUDIT, "", number, entry)
        if number % AUDIT_STEP == 0:
            self.durability.drop_below(kept.AUDIT, "", number - AUDITED)

    def audit(self, pane: str | None, limit: int) -> Audit:
        """Return the newest injected writes, of one pane or all, oldest first."""
        self.commit()
        entries = [entry for _, _, entry in kept.AUDIT.read(self.journal) if pane in (None, entry.pane)]
        return Audit(tuple(entries[-limit:]))

    def commit(self) -> None:
        """What follows is seen by others: what was touched is kept before."""
        self.durability.commit()

    def durable(self, log: OutputLog) -> bool:
        """Whether nothing of a pane with this log would be lost now."""
        return log.durable and self.durability.durable

    def changed(self, pane: LivePane, changes: list[Change]) -> None:
        """Tell waits and subscribers."""
        self.waiting.changed(pane.pane)
        if not changes:
            return
        self.recent.add(changes)
        self.durability.changed(changes)
        for subscriber in tuple(self._subscribers):
            subscriber(changes)
        subjects = {change.subject for change in changes}
        if Subject.SIZE in subjects:
            self.viewers.repaint(pane)
        if pane.model.life.over and Subject.LIFE in subjects and pane.pane in self._panes:
            self._ended(pane)
        self.writes.held.on_changes(pane)

    def printed(self, pane: LivePane, data: bytes) -> None:
        """Tell viewers and waits of output, and keep a checkpoint of the screen when it is time."""
        if pane.offset == len(data):
            # From a pane's first output on, its silence may mean something.
            self.waiting.changed(pane.pane)
        self.viewers.on_output(pane, data)
        self.waiting.printed(pane.pane)
        self.writes.held.on_output(pane)
        self.catching_up.add(pane.output)
        self._keep_checkpoint(pane)
        for watcher in self.output_watchers:
            watcher(pane.pane)

    def _keep_checkpoint(self, pane: LivePane) -> None:
        if pane.offset - pane.checkpoint_at >= self.state.limit // 2:
            checkpoint = pane.output.checkpoint()
            pane.checkpoint_at = pane.offset
            if checkpoint is not None:
                self.durability.checkpoint(pane.pane, checkpoint)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with every later batch of changes; return how to stop it."""
        self._subscribers.add(subscriber)
        return partial(self._subscribers.discard, subscriber)

    async def wait(self, request: Wait, opened: Opened = lambda _, __: None) -> WaitResult:
        """Wait as asked; `opened` hears where a wait stands that is not over at once.

        Raises NoSuchPane at once for a pane that does not exist.
        """
        if request.stood is None:
            panes = tuple(dict.fromkeys(self.find(reference).pane for reference in request.panes))
        else:
            # All of them existed when it began.
            panes = tuple(dict.fromkeys(map(self._known, request.panes)))
            if request.stood.epoch != self.epoch:
                return self.waiting.resync(panes)
        return await self.waiting.wait(request, panes, opened)

    def _known(self, reference: str) -> str:
        try:
            return self.find(reference).pane
        except NoSuchPane:
            return reference
