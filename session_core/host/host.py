"""All panes of one host: opening, finding, closing, and telling waits and subscribers what changed.

A change reaches the waits first and the subscribers second, in the same turn of the loop. Pane ids count up
and are never used again. At most `PANES` run at once, and `ENDED_PANES` that have ended stay readable for
`ENDED_S`, the oldest going first.
"""

import asyncio
import os
import re
import secrets
import time
import uuid
from collections.abc import Callable
from functools import partial

import anyio

from session_core.api.requests import OpenPane, Wait
from session_core.api.results import Closed, PaneList
from session_core.errors import Code, NoSuchPane, SessionCoreError
from session_core.host.catching_up import CatchingUp
from session_core.host.environment import pane_environment, pane_folder, program_path
from session_core.host.live_pane import LivePane
from session_core.host.pty import Pty
from session_core.host.shell_integration import NONCE, OFF, SCRIPTS, Start, integrated, readable
from session_core.host.viewers import Viewers
from session_core.host.waiting import Waiting
from session_core.host.writes import Writes
from session_core.model.changes import Cause, Change, Revisions, Subject
from session_core.model.outcomes import WaitResult
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.status import Life
from session_core.screen import EngineName, open_screen
from session_core.store.output_folder import OutputFolder
from session_core.store.output_log import LOG_BYTES

_AN_ID = re.compile(r"p[0-9]+")
PANES = 1000
ENDED_PANES = 100
ENDED_S = 24 * 3600.0
"""How long a pane stays readable after its program has ended."""

Subscriber = Callable[[list[Change]], None]


class Host:
    """The panes of one host process. `folder` is where its sockets are; programs in panes are told of it."""

    def __init__(
        self, folder: str, engine: EngineName = "auto", log_bytes: int = LOG_BYTES, ended_s: float = ENDED_S
    ) -> None:
        self.folder = folder
        self.epoch = uuid.uuid4().hex[:12]
        self.revisions = Revisions()
        self.engine: EngineName = engine
        self._output_logs = OutputFolder(folder, log_bytes)
        self._panes: dict[str, LivePane] = {}
        self._models: dict[str, PaneModel] = {}
        self._opened = 0
        self._ended_s = ended_s
        self._old: dict[str, asyncio.TimerHandle] = {}
        self.writes = Writes(self.revisions)
        self.viewers = Viewers()
        self._catching_up = CatchingUp()
        self.waiting = Waiting(self._panes, self._models, self.writes, self.revisions)
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
        return next((pane for pane in named if pane.model.life is not Life.EXITED), named[-1])

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
        folder = pane_folder(request.folder)
        caller = os.environ if request.environment is None else request.environment
        environment = pane_environment(caller, pane, folder) | {"PANEBRIDGE_DIR": self.folder}
        _check_texts(request.command, environment)
        path = program_path(request.command[0], folder, environment)
        start = _start([path, *request.command[1:]], environment, shell_integration=request.shell_integration)
        screen = open_screen(request.columns, request.rows, engine=self.engine)
        try:
            pty = Pty.spawn(
                start.argv,
                folder=folder,
                environment=environment | start.environment,
                columns=request.columns,
                rows=request.rows,
            )
        except SessionCoreError:
            screen.close()
            raise
        self._opened += 1
        spec = PaneSpec(
            pane=pane,
            name=request.name,
            command=tuple(argument.encode(errors="replace").decode() for argument in request.command),
            columns=request.columns,
            rows=request.rows,
        )
        model = self._models[pane] = PaneModel(spec, self.revisions, time.time(), start.environment.get(NONCE))
        log = self._output_logs.open(pane)
        live = self._panes[pane] = LivePane(model, pty, screen, log, self._changed, self._output)
        return live

    def _running(self) -> list[LivePane]:
        return [pane for pane in self._panes.values() if pane.model.life is not Life.EXITED]

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
            self._output_logs.remove(pane.pane, pane.log)
            change = pane.model.log.add(Subject.LIFE, Cause.CLOSE, time.time(), before=pane.model.life.value)
            self._changed(pane, [change])

    def _ended(self, pane: LivePane) -> None:
        """A pane's program has ended: it stays readable until it is too old, or one of too many."""
        self.viewers.ended(pane)
        loop = asyncio.get_running_loop()
        self._old[pane.pane] = loop.call_later(self._ended_s, self._forget, pane)
        loop.call_soon(self._forget_surplus)

    def _forget_surplus(self) -> None:
        # The timers are in the order of the ends.
        for name in list(self._old)[: max(0, len(self._old) - ENDED_PANES)]:
            self._forget(self._panes[name])

    def _forget(self, pane: LivePane) -> None:
        if pane.pane in self._panes:
            pane.release()
            pane.screen.close()
            self._remove(pane)

    # ---- changes

    def _changed(self, pane: LivePane, changes: list[Change]) -> None:
        self.waiting.changed(pane.pane)
        if not changes:
            return
        for subscriber in tuple(self._subscribers):
            subscriber(changes)
        subjects = {change.subject for change in changes}
        if Subject.SIZE in subjects:
            self.viewers.repaint(pane)
        if pane.model.life is Life.EXITED and Subject.LIFE in subjects and pane.pane in self._panes:
            self._ended(pane)
        self.writes.on_changes(pane)

    def _output(self, pane: LivePane, data: bytes) -> None:
        if pane.offset == len(data):
            # From a pane's first output on, its silence may mean something.
            self.waiting.changed(pane.pane)
        self.viewers.on_output(pane, data)
        self.waiting.printed(pane.pane)
        self.writes.on_output(pane)
        self._catching_up.add(pane.screen)
        for watcher in self.output_watchers:
            watcher(pane.pane)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with every later batch of changes; return how to stop it."""
        self._subscribers.add(subscriber)
        return partial(self._subscribers.discard, subscriber)

    async def wait(self, request: Wait) -> WaitResult:
        """Wait as asked. Raises NoSuchPane at once for a pane that does not exist."""
        panes = tuple(dict.fromkeys(self.find(reference).pane for reference in request.panes))
        return await self.waiting.wait(request, panes)


def _start(argv: list[str], environment: dict[str, str], *, shell_integration: bool) -> Start:
    """Return what to start: a shell with prompt marks, unless that is switched off, or the program as it is."""
    start = None
    if shell_integration and environment.get(OFF) != "0" and readable(argv, SCRIPTS):
        start = integrated(argv, environment, SCRIPTS, secrets.token_hex(16))
    return start or Start(tuple(argv), {})


def _check_texts(command: list[str], environment: dict[str, str]) -> None:
    if any("\0" in text for text in (*command, *environment, *environment.values())):
        raise SessionCoreError(Code.BAD_REQUEST, "The command or its environment holds a NUL character.", "Remove it.")
    try:
        for text in (*command, *environment, *environment.values()):
            os.fsencode(text)
    except UnicodeEncodeError as error:
        raise SessionCoreError(
            Code.BAD_REQUEST,
            "The command or its environment holds half of a character pair.",
            "Send well-formed Unicode.",
        ) from error
    if any("=" in name or not name for name in environment):
        raise SessionCoreError(
            Code.BAD_REQUEST, "A name in the environment is empty or holds '='.", "Correct the name."
        )
