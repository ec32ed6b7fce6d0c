"""Joins the pure lifecycle to one terminal: the lock, the ownership and the process that may write.

Invariants: decisions and their bytes stay in one order for all threads; a call from a signal handler never
deadlocks; only the process that made the channel writes, not one forked from it.
Deliberately absent: what the declarations mean (`lifecycle`) and how bytes get out (`terminal`).
"""

import os
import threading
from collections.abc import Callable
from typing import ParamSpec

from session_core.report import ownership
from session_core.report.lifecycle import Lifecycle
from session_core.report.terminal import Terminal

_P = ParamSpec("_P")


class Channel:
    """One program's way to its terminal; silent where there is none or another program owns it."""

    def __init__(self, place: int | str, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._marked = False
        self._terminal = self._connect(place)

    @property
    def active(self) -> bool:
        """Whether what is declared now would be written."""
        terminal = self._terminal
        return terminal is not None and not terminal.broken and os.getpid() == self._pid

    def perform(self, decide: Callable[_P, list[bytes]], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Let `decide` choose the sequences and write them, as one step."""
        if os.getpid() != self._pid:  # The lock may have been held at the fork.
            return
        with self._lock:
            for sequence in decide(*args, **kwargs):
                if self._terminal is not None:
                    self._terminal.write(sequence)

    def close(self, keep_finished: bool) -> None:
        """Write the end, let the terminal go and take the owner's mark away; a second call does nothing."""
        self.perform(self.lifecycle.close, keep_finished)
        if self._terminal is None or os.getpid() != self._pid:
            return
        with self._lock:
            if self._marked:
                self._marked = False
                ownership.release(os.environ, self._terminal.device, self._pid)
            self._terminal.close()

    def _connect(self, place: int | str) -> Terminal | None:
        try:
            terminal = Terminal(place)
        except OSError:
            return None
        before = os.environ.get(ownership.VARIABLE)
        if not ownership.claim(os.environ, terminal.device, self._pid):
            terminal.close()
            return None
        # A second reporter of the same program must not take the mark of the first away.
        self._marked = os.environ.get(ownership.VARIABLE) != before
        return terminal
