"""The way of bytes to a pane's program: one queue, one writer, never blocking the host.

The terminal is written when it takes bytes. A submit waits until the program has read the text before it, and
what comes after waits until it has read the submit, so that neither looks like a part of the other. The
kernel tells nobody when a program reads, so this one thing is looked at again and again, quickly, for at most
`SUBMIT_S`, and only while a submit waits.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import anyio

from session_core.crash_points import reached
from session_core.host.pty import Pty
from session_core.model.input_queue import QUEUE_BYTES, Entry, InputQueue
from session_core.store.output_log import Mark, OutputLog

SUBMIT_S = 1.0
"""How long a submit waits for the program to read the text before it; then it is written all the same."""
SUBMIT_GAP_S = 0.05
"""How long after a submit the next bytes still have to see it read."""
QUIET_LOOKS = 3
"""Looks in a row that must find nothing unread: at the first, the bytes may still be on their way in the kernel."""
_FIRST_LOOK_S, _LONGEST_LOOK_S = 0.002, 0.016
_LINE_ENDS = b"\r\n\x03\x04\x15"
"""What ends or empties the line that a terminal in canonical mode collects: Enter, C-c, C-d, C-u."""


class PaneInput:
    """The queue of one pane and the only writer of its terminal.

    How many bytes went out is marked in the pane's log; before any goes, `commit` is called.
    """

    def __init__(self, pty: Pty, log: OutputLog, commit: Callable[[], None]) -> None:
        self._pty = pty
        self._log = log
        self._commit = commit
        self._queue = InputQueue(log.mark(Mark.SENT))
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._loop = asyncio.get_running_loop()
        self._watching = False
        self._left = False
        self._look: asyncio.TimerHandle | None = None
        self._give_up_at = 0.0
        self._pause_s = _FIRST_LOOK_S
        self._quiet_looks = 0
        self._gap_until = 0.0
        self.line_bytes = 0
        """Bytes of the line that a terminal in canonical mode is collecting; erased ones are still counted."""

    @property
    def taken(self) -> int:
        """Bytes queued since the pane began."""
        return self._queue.taken

    @property
    def written(self) -> int:
        """Bytes that the terminal has taken since the pane began."""
        return self._queue.written

    @property
    def unread(self) -> bool:
        """Whether the program has not read everything that was queued for it."""
        return bool(self._queue.pending or self._pty.unread())

    def has_room(self, size: int) -> bool:
        """Whether `put` would take so many bytes now."""
        return not self._pty.closed and self._queue.pending + size <= QUEUE_BYTES

    def put(self, entries: Sequence[Entry]) -> bool:
        """Queue `entries` without a gap, all or none; False if they do not fit or the terminal is gone."""
        if self._pty.closed or not self._queue.push(entries):
            return False
        self._count_line(entries)
        if self._look is None and not self._watching:
            self._pump()
        return True

    def _count_line(self, entries: Sequence[Entry]) -> None:
        if not self._pty.input_mode()[0]:
            self.line_bytes = 0
            return
        for entry in entries:
            end = max(entry.data.rfind(byte) for byte in _LINE_ENDS)
            self.line_bytes = len(entry.data) - end - 1 + (self.line_bytes if end < 0 else 0)

    async def wait_written(self, target: int, timeout_s: float) -> bool:
        """Wait until `target` bytes in all were written; False if they have not been in `timeout_s`."""
        event = anyio.Event()
        self.when_written(target, event.set)
        with anyio.move_on_after(timeout_s):
            await event.wait()
        return self._queue.written >= target

    def when_written(self, target: int, call: Callable[[], None]) -> None:
        """Call `call` once `target` bytes in all were written, or the terminal is gone; targets never go down."""
        if self._queue.written >= target:
            call()
        else:
            self._waiting.append((target, call))

    def leave(self) -> None:
        """Write nothing more: another host goes on with what is journaled, and nothing is journaled here any longer."""
        self._left = True
        self._watch(False)

    def close(self) -> int:
        """Drop what is queued, since nobody can read it; return how many bytes were lost."""
        self._watch(False)
        if self._look:
            self._look.cancel()
            self._look = None
        lost = self._queue.drop()
        while self._waiting:
            self._waiting.popleft()[1]()
        return lost

    def _pump(self) -> None:
        full = self._left
        while self._queue.pending and not full and not self._held_back():
            submits = self._queue.waits_for_read
            count = self._write()
            full = count == 0
            if count:
                self._gap_until = self._loop.time() + SUBMIT_GAP_S if submits else 0.0
        self._watch(full and not self._left)
        while self._waiting and self._waiting[0][0] <= self._queue.written:
            self._waiting.popleft()[1]()

    def _write(self) -> int:
        """Write what the terminal takes of the head; between the two marks nobody can tell whether it has it."""
        head = self._queue.head()
        self._commit()
        self._log.note(Mark.SENDING, self._queue.written + len(head))
        reached("input_writing")
        count = self._pty.write(head)
        self._queue.wrote(count)
        self._log.note(Mark.SENT, self._queue.written)
        self._log.note(Mark.SENDING, self._queue.written)
        reached("input_written")
        return count

    def _held_back(self) -> bool:
        """Whether the head must wait for the program to read, as a submit and what follows one must."""
        now = self._loop.time()
        if not self._queue.waits_for_read and self._look is None and now >= self._gap_until:
            return False
        if self._look is None:
            self._give_up_at, self._pause_s, self._quiet_looks = now + SUBMIT_S, _FIRST_LOOK_S, 0
        else:
            self._quiet_looks = 0 if self._pty.unread() else self._quiet_looks + 1
        self._look = None
        if now >= self._give_up_at or self._quiet_looks >= QUIET_LOOKS:
            self._gap_until = 0.0
            return False
        self._look = self._loop.call_later(self._pause_s, self._pump)
        self._pause_s = min(self._pause_s * 2, _LONGEST_LOOK_S)
        return True

    def _watch(self, wanted: bool) -> None:
        if wanted and not self._watching:
            self._loop.add_writer(self._pty.fd, self._pump)
        elif self._watching and not wanted:
            self._loop.remove_writer(self._pty.fd)
        self._watching = wanted
