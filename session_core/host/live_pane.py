"""One running pane: moves its bytes and performs what the model decides.

Out: read → event stream → records, then waits (through `on_changes`), then the screen. A chunk is cut for the
screen only at a status query, so that every reply goes out in stream order and before a later DA1 answer, and where
a synchronized update begins or ends.
In: one queue, one writer; the descriptor is written when it takes bytes and never blocks the host.
The exit is announced once the process is reaped and its last output is parsed; where another process still
holds the terminal there is no end of output, and `DRAIN_S` after the exit counts as the end.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable

import anyio

from session_core.errors import Code, SessionCoreError
from session_core.host.display import Display
from session_core.host.foreground import Foreground
from session_core.host.occupant import group_exists, session_members
from session_core.host.pane_input import PaneInput
from session_core.host.pane_text import PaneText
from session_core.host.process_watch import ProcessWatch, gone
from session_core.host.pty import Pty
from session_core.model.changes import Change
from session_core.model.input_queue import Entry, Origin
from session_core.model.output_index import OutputIndex
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Occupant, PaneStatus
from session_core.model.turns import ACTIVE
from session_core.protocol import program_status
from session_core.protocol.events import Event, EventStream
from session_core.protocol.program_status import Clear, Query, Report
from session_core.protocol.scanner import AlternateScreen, FullReset, SynchronizedUpdate
from session_core.protocol.shell_marks import ShellMark
from session_core.screen import ScreenEngine
from session_core.screen.plain import LOOK_BACK_BYTES, unfinished
from session_core.store.output_log import OutputLog

DRAIN_S = 0.1
"""How long after the exit output is still taken as the program's, if the terminal is held open by another."""
DRAIN_BYTES = 1024 * 1024
STAGE_S = 1.0
"""How long the processes of a closed pane have after each signal."""
_FULL_READ, _READS = 2048, 8
"""A read of a flood is so long at least (the kernel gives 4 KiB at most); so many are taken in one turn of the loop.

Each is parsed before the next read: meanwhile the kernel fills its buffer anew, which it can only once that is read.
"""
HANGUP_RETRY_S = 1.0
"""How often a terminal is looked at that every process has closed while the pane's own process lives on."""

_FRAME = b"\x1b[?2026h"


class LivePane:
    """The I/O of one pane. `on_changes` gets each batch of changes at once, `on_output` each piece of output."""

    def __init__(
        self,
        model: PaneModel,
        pty: Pty,
        screen: ScreenEngine,
        log: OutputLog,
        on_changes: Callable[["LivePane", list[Change]], None],
        on_output: Callable[["LivePane", bytes], None],
    ) -> None:
        self.model = model
        self.screen = screen
        self.exited = anyio.Event()
        self.command_line = anyio.Lock()
        self.replied = False
        """Whether the terminal has answered a program that may be gone by now; its shell then gets the answer."""
        self.input = PaneInput(pty)
        self.foreground = Foreground(pty, self._group_ended)
        self._pty = pty
        self._events = EventStream()
        self.log = log
        self.index = OutputIndex()
        self.text = PaneText(screen, lambda: self._events.offset)
        self.display = Display(screen, self.text, self._reply, self._frame_overdue)
        self._on_changes = on_changes
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self._reporters: set[int] = set()
        self._painter: int | None = None
        self._reading = False
        self._output_ended = False
        self._exited_at: float | None = None
        self._child_watch = ProcessWatch(pty.pid, self._child_ended)
        model.heard_at = time.monotonic()
        self._announce(model.live(Life.RUNNING, time.time()))
        self._read_on()

    @property
    def pane(self) -> str:
        """The pane's id."""
        return self.model.spec.pane

    @property
    def pid(self) -> int:
        """The pane's own process, which leads its session."""
        return self._pty.pid

    @property
    def gone(self) -> bool:
        """Whether the terminal has been given back."""
        return self._pty.closed

    @property
    def reads_lines(self) -> bool:
        """Whether the program gets whole lines from the terminal (canonical mode)."""
        return self._pty.input_mode()[0]

    @property
    def reads_password(self) -> bool:
        """Whether the program reads lines without echo, as for a password."""
        canonical, echo = self._pty.input_mode()
        return canonical and not echo

    @property
    def offset(self) -> int:
        """Output bytes read so far."""
        return self._events.offset

    @property
    def whole_offset(self) -> int:
        """Output bytes that readers see, without a character or sequence at their end that is not complete."""
        end = min(self._events.offset - self.display.behind, self._events.unfinished)
        return end - unfinished(self.log.read(end - LOOK_BACK_BYTES, end).data)

    @property
    def not_shown(self) -> bytes:
        """Output read so far that no picture of the screen has: an unfinished frame, or half a sequence."""
        tail = self.log.read(self.whole_offset).data
        return _FRAME + tail if self.display.updating else tail

    # ---- out

    def _read_on(self) -> None:
        if not (self._pty.closed or self._reading):
            self._loop.add_reader(self._pty.fd, self._readable)
            self._reading = True

    def _read_off(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._pty.fd)
            self._reading = False

    def _readable(self) -> None:
        data = self._pty.read()
        if data is None:
            self._hung_up()
        elif data:
            self._output_ended = False
            self._receive(data, _READS)
            if self.model.job is not None:
                # A shell whose command was stopped says so; nothing else tells.
                self.see_job()

    def _hung_up(self) -> None:
        self._read_off()
        self._output_ended = True
        if self._pty.exit is not None:
            self._finish()
        elif not self._pty.closed:
            # No process has the terminal open, yet one may open it again through /dev/tty.
            self._loop.call_later(HANGUP_RETRY_S, self._read_on)

    def _receive(self, data: bytes, reads: int = 1) -> None:
        """Take what was read, and of a flood what comes meanwhile, up to `reads` reads in all."""
        self._take(data)
        pieces = [data]
        while len(data) >= _FULL_READ and len(pieces) < reads and (more := self._pty.read()):
            data = more
            self._take(data)
            pieces.append(data)
        self._on_output(self, b"".join(pieces))
        # A reporter that has ended has what it wrote after this read now, and not in the middle of these bytes.
        while self._reporters:
            group = self._reporters.pop()
            if self.model.life is Life.RUNNING:
                self.foreground.watch_group(group)

    def _take(self, data: bytes) -> None:
        self.model.output_at, self.model.heard_at = time.time(), time.monotonic()
        self.log.append(data)
        base = self._events.offset
        events = self._events.feed(data)
        if not events:
            self.display.show(data, ordinary=self._events.ordinary)
            self.model.updating = self.display.updating
            return
        shown = 0
        for event in [event for event in events if self._take_event(event)]:
            end = event.end - base
            self.display.show(data[shown:end])
            shown = end
            if isinstance(event.meaning, SynchronizedUpdate):
                self.display.frame(begins=event.meaning.active)
            else:
                self._reply(program_status.reply(event.terminator))
        self.display.show(data[shown:])
        self.model.updating = self.display.updating

    def _take_event(self, event: Event) -> bool:
        now = time.time()
        group = None
        if isinstance(event.meaning, (Report, Clear, Query, ShellMark)):
            group = self.foreground.reporter(self._see_occupant(now, event=event))
        elif isinstance(event.meaning, (AlternateScreen, FullReset)):
            alternate = isinstance(event.meaning, AlternateScreen) and event.meaning.active
            self.index.switch(event.start, event.end, alternate=alternate)
            self._painter = self.foreground.group() if alternate else None
        if isinstance(event.meaning, ShellMark) and self._painter is not None and not group_exists(self._painter):
            # Killed on the alternate screen: what comes there now is the shell's.
            self.model.alternate, self._painter = False, None
            self.index.switch(event.start, event.start, alternate=False)
        self._announce(self.model.take(event.meaning, group, now, begin=event.start, end=event.end), event)
        declares = isinstance(event.meaning, (Report, Clear, Query))
        if declares and group is not None:
            self._reporters.add(group)
        return isinstance(event.meaning, (Query, SynchronizedUpdate))

    def _frame_overdue(self) -> None:
        """A frame that nobody ends hides nothing, and no silence, any longer."""
        self.model.updating = False
        self.model.heard_at = time.monotonic()
        self._on_changes(self, [])

    def _reply(self, data: bytes) -> None:
        self.replied = True
        # A program that reads nothing gets no further replies once its queue is full.
        self.input.put([Entry(Origin.REPLY, "host", data)])

    def _announce(self, changes: list[Change], event: Event | None = None) -> None:
        """Tell what has changed, with `event` or at the end of what was read."""
        if not changes:
            return
        begin, end = (event.start, event.end) if event else (self.whole_offset,) * 2
        self.index.note(changes[-1].revision, begin, end, active=self.model.standing.state in ACTIVE)
        self._on_changes(self, changes)

    # ---- who is in front

    def _see_occupant(self, now: float, *, look: bool = False, event: Event | None = None) -> int | None:
        group = self.foreground.group()
        self._announce(self.model.occupied(self.foreground.occupant(group, look=look), now), event)
        return group

    def occupant(self) -> Occupant | None:
        """Who is in the foreground now."""
        if self.model.life is Life.RUNNING:
            self._see_occupant(time.time())
        return self.model.occupant

    def see_job(self) -> None:
        """Look whether a command runs in the foreground of the pane's own program; its end will be told."""
        if self.model.life is not Life.RUNNING:
            return
        group = self._see_occupant(time.time())
        if group == self._pty.pid:
            self._announce(self.model.job_stopped(time.time()))
        elif group is not None and self.model.occupant is not None:
            self.model.job_runs(group, self.model.occupant.name)
            self.foreground.watch_group(group)

    def _group_ended(self, group: int) -> None:
        # What the group wrote before its end is in the terminal by now and must count first.
        self._drain()
        if self.model.job:
            # What a shell says after its command is to come: its silence begins now.
            self.model.heard_at = time.monotonic()
        self._announce(self.model.program_ended(group, time.time()))

    def _drain(self) -> None:
        """Take what the terminal holds. Bounded: it cannot hold more, so the rest is newer than the call."""
        left = DRAIN_BYTES
        while left > 0 and not self._pty.closed:
            data = self._pty.read()
            if not data:
                if data is None:
                    self._hung_up()
                return
            left -= len(data)
            self._receive(data)

    # ---- in

    def typed(self, data: bytes, person: str, *, paste: bool = False) -> list[Change]:
        """Pass on what a person typed; it acknowledges what had finished. Raises SessionCoreError if full."""
        origin = Origin.PASTE if paste else Origin.KEYSTROKE
        if not self.input.put([Entry(origin, person, data)]):
            raise self.not_reading()
        changes = self.model.typed(data, person, time.time(), paste=paste)
        self._announce(changes)
        return changes

    def not_reading(self) -> SessionCoreError:
        """The error of a write that the queue cannot take."""
        return SessionCoreError(
            Code.QUEUE_FULL,
            f"The program of pane {self.pane} is not reading its input: too many bytes wait for it.",
            "Nothing of this write was taken. Look at the screen, or close the pane.",
        )

    def acknowledge(self, by: str) -> list[Change]:
        """A person says that they have seen what had finished."""
        changes = self.model.acknowledge(by, time.time())
        self._announce(changes)
        return changes

    # ---- size, status, end

    def label(self, *, name: str | None, tags: tuple[str, ...]) -> None:
        """Give the pane a name, or none, and tags."""
        now = time.time()
        self._announce(self.model.labels.named(name, now) + self.model.labels.tagged(tags, now))

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal, the program and the screen a new size, once."""
        changes = self.model.resized(columns, rows, time.time())
        if changes:
            self._pty.resize(columns, rows)
            reply = self.screen.resize(columns, rows)
            self.text.resized()
            self.display.resized()
            self.model.updating = self.display.updating
            if reply:
                self._reply(reply)
            self._announce(changes)

    def status(self, *, look: bool) -> PaneStatus:
        """Everything at this instant. Without `look` the program's name may be that of before an exec."""
        if self.model.life is Life.RUNNING:
            self._see_occupant(time.time(), look=look)
        return self.model.status(self._events.statistics.rejected_reports, not_durable=not self.log.durable)

    def _child_ended(self) -> None:
        self._pty.reap()
        self._exited_at = time.time()
        if self._output_ended:
            self._finish()
        else:
            self._loop.call_later(DRAIN_S, self._drained)

    def _drained(self) -> None:
        if self.model.life is Life.RUNNING:
            self._drain()
            self._finish()

    def _finish(self) -> None:
        """The process is reaped and its output parsed: say so, once."""
        if self.model.life is Life.RUNNING:
            self.foreground.close()
            self.display.flush()
            self.model.updating = False
            self.model.occupant = None
            self.model.held_by_others = not self._output_ended
            self.model.commands.close(self._events.offset, time.time(), self.model.log.revision)
            self._announce(self.model.live(Life.EXITED, time.time(), self._pty.exit))
            self.exited.set()
        if self._output_ended:
            self.release()

    def release(self) -> None:
        """Give the terminal back. What was queued for the program is dropped: nobody can read it."""
        self._read_off()
        self.input.close()
        self._pty.close()
        self._output_ended = True
        self.model.held_by_others = False

    async def end(self) -> None:
        """End every process of the pane's session and release the terminal.

        SIGHUP, then SIGTERM, then SIGKILL to each process group, each with `STAGE_S` to be gone; a stopped
        process is continued so that it can act. Programs that left the session are not touched.
        """
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            groups = session_members(self.pid, self._exited_at)
            if not groups and self._pty.exit is not None:
                break
            for group in groups:
                _signal_group(group, number)
            await gone({pid for members in groups.values() for pid in members}, STAGE_S)
        with anyio.move_on_after(STAGE_S):
            await self.exited.wait()
        self.release()
        self.display.flush()
        self.screen.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        os.killpg(group, signal.SIGCONT)
