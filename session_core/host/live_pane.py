"""One pane with its terminal: moves its bytes and performs what the model decides.

Out: `PaneOutput` reads, logs and parses; each event goes to the records first and then, as a change, to the host.
In: one queue, one writer; the descriptor is written when it takes bytes and never blocks the host.
The exit is announced once the process has ended and its last output is parsed; where another process still
holds the terminal there is no end of output, and `DRAIN_S` after the exit counts as the end. The process is
reaped when its exit is in the journal. A pane that comes from the journal goes on where another host was.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

import anyio

from session_core.crash_points import reached
from session_core.errors import Code, SessionCoreError
from session_core.host.foreground import Foreground
from session_core.host.keeper_link import KeeperLink
from session_core.host.occupant import group_exists
from session_core.host.pane_input import PaneInput
from session_core.host.pane_output import FULL_READ_BYTES, READS, PaneOutput
from session_core.host.pane_process import PaneProcess
from session_core.host.pane_text import PaneText
from session_core.host.pty import Pty
from session_core.model.changes import Change
from session_core.model.input_queue import Entry, Origin
from session_core.model.output_index import OutputIndex
from session_core.model.pane import PaneModel
from session_core.model.status import Life, Occupant, PaneStatus
from session_core.model.turns import ACTIVE
from session_core.protocol.events import Event, Statistics
from session_core.protocol.program_status import Clear, Query, Report
from session_core.protocol.scanner import AlternateScreen, FullReset
from session_core.protocol.shell_marks import ShellMark
from session_core.screen import ReadableScreen, ScreenEngine
from session_core.store.output_log import OutputLog

DRAIN_S = 0.1
"""How long after the exit output is still taken as the program's, if the terminal is held open by another."""
DRAIN_BYTES = 1024 * 1024
HANGUP_RETRY_S = 1.0
"""How often a terminal is looked at that every process has closed while the pane's own process lives on."""


class PaneHost(Protocol):
    """What a pane needs of its host."""

    def changed(self, pane: "LivePane", changes: list[Change]) -> None:
        """Each batch of changes, at once; an empty one where only the clock of waits has news."""

    def printed(self, pane: "LivePane", data: bytes) -> None:
        """Each piece of output, once it is parsed."""

    def touched(self, pane: str) -> None:
        """Something that must not be lost may have changed."""

    def commit(self) -> None:
        """What follows is seen by others: what was touched must be kept before."""

    def durable(self, log: OutputLog) -> bool:
        """Whether nothing of a pane with this log would be lost now."""


class LivePane:
    """The I/O of one pane. With `counted` it goes on after another host, where its output was parsed up to `parsed`."""

    def __init__(
        self,
        model: PaneModel,
        pty: Pty,
        log: OutputLog,
        open_screen: Callable[[int, int], ScreenEngine],
        host: PaneHost,
        keeper: KeeperLink,
        *,
        parsed: int = 0,
        counted: Statistics | None = None,
        index: OutputIndex | None = None,
        engine_failed: bool = False,
    ) -> None:
        self.model = model
        self.engine_failed = engine_failed
        self.checkpoint_at = parsed
        """The offset at which the screen was last painted for the journal."""
        self.command_line = anyio.Lock()
        self.replied = False
        """Whether the terminal has answered a program that may be gone by now; its shell then gets the answer."""
        self.input = PaneInput(pty, log, host.commit)
        self.foreground = Foreground(pty, self._group_ended)
        self.log = log
        self.output = PaneOutput(
            log,
            open_screen,
            take_event=self._take_event,
            reply=self._reply,
            overdue=self._frame_overdue,
            parsed=parsed,
            counted=counted,
            index=index,
            begin=model.begin,
        )
        self._pty = pty
        self.process = PaneProcess(pty, self._child_ended)
        self._host = host
        self._keeper = keeper
        self._loop = asyncio.get_running_loop()
        self._reporters: set[int] = set()
        self._painter: int | None = None
        self._reading = False
        self._output_ended = pty.closed

    def begin(self, screen: ScreenEngine) -> None:
        """Go live: the program runs, and an empty screen is there for it."""
        self.output.open(screen)
        self.model.heard_at = time.monotonic()
        self._announce(self.model.live(Life.RUNNING, time.time()))
        self._follow()

    def resume(self) -> None:
        """Go on after another host: first with what is in the log and was not parsed, then with what is new.

        The model must not be over, unless its terminal is gone, too.
        """
        if self.model.life is Life.STARTING:
            self.index.resized(0, self.model.columns, self.model.rows)
            self._announce(self.model.live(Life.RUNNING, time.time()))
        if self.log.end > self.offset:
            self._host.printed(self, self._take_logged())
        if self._pty.closed and not self.model.life.over:
            self._announce(self.model.live(Life.LOST, time.time()))
        if self._pty.closed:
            self.process.over.set()
            return
        if self.model.life.over:
            self.process.over.set()
            self._read_on()
            return
        for group in {record.group for record in self.model.records if record.group and not record.ended}:
            self.foreground.watch_group(group)
        self._painter = self.foreground.group() if self.model.alternate else None
        self._follow()
        self.see_job()

    def _follow(self) -> None:
        self._read_on()
        self.process.follow()

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
    def screen(self) -> ScreenEngine:
        """The screen, painted now if nobody has looked at it since the host began."""
        return self.output.screen

    @property
    def shown(self) -> ReadableScreen:
        """The screen as readers see it: amid a frame the last whole one."""
        return self.output.shown

    @property
    def text(self) -> PaneText:
        """The text waits of this pane."""
        return self.output.text

    @property
    def index(self) -> OutputIndex:
        """Where in the output things happened."""
        return self.output.index

    @property
    def offset(self) -> int:
        """Output bytes read so far."""
        return self.output.offset

    @property
    def whole_offset(self) -> int:
        """Output bytes that readers see, without a character or sequence at their end that is not complete."""
        return self.output.whole_offset

    @property
    def not_shown(self) -> bytes:
        """Output read so far that no picture of the screen has: an unfinished frame, or half a sequence."""
        return self.output.not_shown

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
        count = self.output.read(self._pty)
        if count is None:
            self._hung_up()
        elif count:
            self._output_ended = False
            self._receive(count, READS)
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

    def _receive(self, count: int, reads: int = 1) -> None:
        """Take the `count` bytes that were read, and of a flood what comes meanwhile, up to `reads` reads in all."""
        pieces = [self._take_logged()]
        while count >= FULL_READ_BYTES and len(pieces) < reads and (more := self.output.read(self._pty)):
            count = more
            pieces.append(self._take_logged())
        self._host.printed(self, b"".join(pieces))
        # A reporter that has ended has what it wrote after this read now, and not in the middle of these bytes.
        while self._reporters:
            group = self._reporters.pop()
            if self.model.life is Life.RUNNING:
                self.foreground.watch_group(group)

    def _take_event(self, event: Event) -> None:
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
        if isinstance(event.meaning, (Report, Clear, Query)) and group is not None:
            self._reporters.add(group)

    def _take_logged(self) -> bytes:
        self.model.output_at, self.model.heard_at = time.time(), time.monotonic()
        data = self.output.parse()
        self.model.updating = self.output.updating
        return data

    def _frame_overdue(self) -> None:
        """A frame that nobody ends hides nothing, and no silence, any longer."""
        self.model.updating = False
        self.model.heard_at = time.monotonic()
        self._host.changed(self, [])

    def _reply(self, data: bytes) -> None:
        self.replied = True
        reached("reply_queued")
        # A program that reads nothing gets no further replies once its queue is full.
        self.input.put([Entry(Origin.REPLY, "host", data)])

    def _announce(self, changes: list[Change], event: Event | None = None) -> None:
        """Tell what has changed, with `event` or at the end of what was read."""
        self._host.touched(self.pane)
        if not changes:
            return
        begin, end = (event.start, event.end) if event else (self.whole_offset,) * 2
        self.index.note(changes[-1].revision, begin, end, active=self.model.standing.state in ACTIVE)
        self._host.changed(self, changes)

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
            self._host.touched(self.pane)
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
            count = self.output.read(self._pty)
            if not count:
                if count is None:
                    self._hung_up()
                return
            left -= count
            self._receive(count)

    # ---- in

    def typed(self, data: bytes, person: str, *, paste: bool = False) -> list[Change]:
        """Pass on what a person typed; it acknowledges what had finished. Raises SessionCoreError if full."""
        origin = Origin.PASTE if paste else Origin.KEYSTROKE
        if not self.input.has_room(len(data)):
            raise self.not_reading()
        # What these keys end is kept before the program has them.
        changes = self.model.typed(data, person, time.time(), paste=paste)
        self._host.touched(self.pane)
        reached("acknowledged")
        self.input.put([Entry(origin, person, data)])
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
            reply = self.output.resize(columns, rows)
            self.model.updating = self.output.updating
            if reply:
                self._reply(reply)
            self._announce(changes)

    def status(self, *, look: bool) -> PaneStatus:
        """Everything at this instant. Without `look` the program's name may be that of before an exec."""
        if self.model.life is Life.RUNNING:
            self._see_occupant(time.time(), look=look)
        rejected = self.output.statistics.rejected_reports
        durable = self._host.durable(self.log)
        return self.model.status(rejected, not_durable=not durable, engine_failed=self.engine_failed)

    def _child_ended(self) -> None:
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
            self.output.flush()
            self.model.updating = False
            self.model.occupant = None
            self.model.held_by_others = not self._output_ended
            self.model.commands.close(self.offset, time.time(), self.model.log.revision)
            self._announce(self.model.live(Life.EXITED, time.time(), self._pty.exit))
            self._host.commit()
            reached("exit_committed")
            self._keeper.taken(self.pane, self._pty.exit)
            self._pty.collect()
            self.process.over.set()
        if self._output_ended:
            self.release()

    def release(self) -> None:
        """Give the terminal back. What was queued for the program is dropped: nobody can read it."""
        self._read_off()
        self.input.close()
        self._pty.close()
        self._keeper.release(self.pane)
        self._output_ended = True
        self.model.held_by_others = False
        self._host.touched(self.pane)

    def leave(self) -> None:
        """Read and write nothing more: another host goes on."""
        self._read_off()
        self.input.leave()

    async def end(self) -> None:
        """End every process of the pane's session and release the terminal."""
        await self.process.end()
        self.release()
        self.output.close()
