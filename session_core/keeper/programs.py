"""The programs in panes, as far as the keeper has to do with them: it holds their terminals and learns their ends.

A host says what to hold and what it has taken care of; the next host gets all of it, and is told the ends that come
later. Programs that no host will ever end (`end_all`) are ended here: a hangup, and SIGKILL for those that stay.
"""

import contextlib
import os
import signal

from session_core.keeper.children import Child
from session_core.keeper.descriptors import Parcel, close_all
from session_core.keeper.ends import End, in_words
from session_core.keeper.held import Terminals
from session_core.keeper.loop import Loop

STAGE_S = 1.0
"""How long a program that no host ends has between SIGHUP and SIGKILL."""


class Programs:
    """All programs; `dying` counts those that were hung up and may still have to be killed."""

    def __init__(self, loop: Loop) -> None:
        self.terminals = Terminals()
        self.dying = 0
        self._loop = loop

    def hand_out(self, host: Child) -> None:
        """Give a new host everything, and say how the one before it ended."""
        assert host.link is not None
        self.terminals.look()
        for held in self.terminals:
            host.link.send({"say": "held", "pane": held.pane, "pid": held.pid, "exit": held.end}, held.fd)
        host.link.send({"say": "all", "last_end": in_words(host.last_end), "restarts": host.restarts})

    def said(self, host: Child, parcel: Parcel) -> None:
        """Take what the host says of a pane."""
        message, pane = parcel.message, str(parcel.message["pane"])
        if message["say"] == "hold":
            if parcel.fd is not None:
                self.terminals.hold(pane, int(message["pid"]), parcel.fd)
            if host.link is not None:
                host.link.send({"say": "holds", "pane": pane, "ok": parcel.fd is not None})
            return
        close_all([parcel])
        if message["say"] == "release":
            self.terminals.release(pane)
        else:
            self.terminals.taken(pane, message.get("exit"))

    def ended(self, pid: int, end: End, host: Child | None) -> None:
        """A process that is nobody else's has ended: the host is told if it is a pane's."""
        held = self.terminals.ended(pid, end)
        if held is not None and host is not None and host.link is not None:
            host.link.send({"say": "ended", "pane": held.pane, "exit": end})

    def end_all(self) -> None:
        """End every program and give its terminal back."""
        self.terminals.look()
        for held in self.terminals:
            if held.end is None:
                _signal_group(held.pid, signal.SIGHUP)
                self.dying += 1
                self._loop.later(STAGE_S, lambda pid=held.pid: self._kill(pid))  # type: ignore[misc]
            self.terminals.release(held.pane)

    def _kill(self, pid: int) -> None:
        self.dying -= 1
        _signal_group(pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        os.killpg(group, signal.SIGCONT)
