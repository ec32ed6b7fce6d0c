"""What the keeper decides: which process runs, what is held, and what follows when a process ends.

Nothing here blocks, but for the start of a process (some milliseconds). Only the end of a process counts as its
death: one that is stopped, slow or silent is left alone. A process that ends in order, or says that it will, is not
started again unless somebody wants it. The keeper ends when none runs and it holds no terminal.
"""

import contextlib
import logging
import os
import signal
import time
from collections.abc import Iterator

from session_core import __version__
from session_core.errors import SessionCoreError
from session_core.keeper.children import NAMES, Child, Command, Limits, State
from session_core.keeper.descriptors import Channel, Message, Parcel, Unreadable, close_all
from session_core.keeper.ends import UNKNOWN, End, end_of, in_words
from session_core.keeper.loop import Loop
from session_core.keeper.programs import Programs
from session_core.sockets import bind, is_locked

IDLE_S = 10.0
"""How long a keeper of nothing waits for a first request."""
TAKE_OVER_S = 10.0
"""How long a process of another keeper, or of none, may take to leave its place."""
_RETRY_S = 0.02

logger = logging.getLogger(__name__)


class Keeper:
    """All of one runtime folder. `executable` is the Python that its processes run on."""

    def __init__(self, folder: str, executable: str, limits: Limits) -> None:
        self.folder = folder
        self.executable = executable
        self.limits = limits
        self.children: dict[str, Child] = {}
        self.loop = Loop()
        self.programs = Programs(self.loop)
        self.used = False
        self._stopping = False

    def run(self) -> None:
        """Work until there is nothing left to keep."""
        with self.loop.signals((signal.SIGCHLD, signal.SIGTERM, signal.SIGINT), self._signalled):
            if not self.used:
                self.loop.later(IDLE_S, self._begin_use)
            self.reap()
            while not self.is_done:
                self.loop.turn()

    @property
    def is_done(self) -> bool:
        """Whether nothing runs and nothing is held."""
        idle = all(child.state is State.ABSENT for child in self.children.values())
        return self.used and idle and not self.programs.terminals and not self.programs.dying

    def _begin_use(self) -> None:
        self.used = True

    def _signalled(self, numbers: set[int]) -> None:
        if numbers & {signal.SIGTERM, signal.SIGINT}:
            self.end_all()
        self.reap()

    def status(self) -> Message:
        """Return the versions, processes and states."""
        shown: Message = {"keeper": {"version": __version__, "pid": os.getpid()}, "held": len(self.programs.terminals)}
        for name, child in self.children.items():
            shown[name] = {"version": child.version, "pid": child.pid, "state": child.state, "restarts": child.restarts}
        return shown

    # ---- starting

    def start(self, asker: Channel, name: str, command: Command) -> None:
        """Let the process called `name` run; `asker` is answered once it serves, or cannot."""
        if name not in NAMES:
            asker.send({"ok": False, "why": f"the keeper runs no {name!r}"})
            return
        self.used = True
        child = self.children.setdefault(name, Child(name, command))
        if child.state is State.RUNNING:
            asker.send({"ok": True})
            return
        child.starters.append(asker)
        if child.state in (State.ABSENT, State.WAITING):
            child.command = command
            child.deaths.crashes = 0
            child.last_end = child.last_end if self.programs.terminals else None
            self._begin(child)

    def _begin(self, child: Child, patience_s: float = TAKE_OVER_S) -> None:
        child.state = State.STARTING
        try:
            if child.listener is None:
                if is_locked(self.folder, child.name):
                    self._wait_for_place(child, patience_s)
                    return
                child.listener = bind(self.folder, child.name)
            child.spawn(self.folder, self.executable, self.limits)
        except (OSError, SessionCoreError) as error:
            self._failed(child, str(error))
            return
        self.watch_child(child)
        if child.name == "host":
            self.programs.hand_out(child)

    def _wait_for_place(self, child: Child, patience_s: float) -> None:
        """A process that this keeper does not know has the name; it may be about to end."""

        def look_again() -> None:
            if child.state is State.STARTING and not child.runs:
                self._begin(child, patience_s - _RETRY_S)

        if patience_s > 0:
            self.loop.later(_RETRY_S, look_again)
        else:
            self._failed(child, f"another {child.name} that does not answer has {child.name}.lock; end it first")

    def _failed(self, child: Child, why: str) -> None:
        """A process cannot start: whoever waits is told, and it is tried again on demand."""
        logger.error("the %s does not start: %s", child.name, why)
        self._give_up_place(child)
        _answer(child.starters, {"ok": False, "why": why})

    def _give_up_place(self, child: Child) -> None:
        child.drop_spare()
        child.close_listener(os.path.join(self.folder, f"{child.name}.sock"))
        child.state = State.ENDING if child.runs else State.ABSENT

    # ---- ending

    def stop(self, asker: Channel, name: str) -> None:
        """End the process called `name` in order; `asker` is answered once it has."""
        child = self.children.get(name)
        ran = child is not None and child.runs
        if child is not None:
            child.stoppers.append(asker)
            self._tell_to_end(child)
        if name == "host" and not ran:
            self.programs.end_all()
        if not ran:
            asker.send({"ok": True, "stopped": False, "last": self.is_done})
            if child is not None:
                child.stoppers.clear()

    def end_all(self) -> None:
        """End every process in order."""
        self.used = self._stopping = True
        for child in self.children.values():
            self._tell_to_end(child)
        host = self.children.get("host")
        if host is None or not host.runs:
            self.programs.end_all()

    def _tell_to_end(self, child: Child) -> None:
        self._give_up_place(child)
        _answer(child.starters, {"ok": False, "why": "it was told to end"})
        if child.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGTERM)

    # ---- what processes say

    def watch_child(self, child: Child) -> None:
        """Listen to a process, and watch it if it is not one's own child."""
        if child.link is not None:
            self.loop.watch(child.link, lambda _, parcel: self._said(child, parcel), lambda: self._link_lost(child))
        if child.pidfd is not None:
            self.loop.watch_readable(child.pidfd, lambda: self._ended(child, UNKNOWN))

    def _said(self, child: Child, parcel: Parcel) -> None:
        message = parcel.message
        match message.get("say"):
            case "hold" | "release" | "taken":
                self.programs.said(child, parcel)
                return
            case "ready":
                self._serves(child, str(message.get("version")))
            case "failed":
                child.why = str(message.get("why"))
            case "ending":
                self._give_up_place(child)
        close_all([parcel])

    def _serves(self, child: Child, version: str) -> None:
        child.version, child.served_since = version, time.monotonic()
        if child.state is State.STARTING:
            child.state = State.RUNNING
            _answer(child.starters, {"ok": True})
        after_s = child.command.spare_after_s if child.name == "host" else None
        if after_s is not None:
            self.loop.later(after_s, lambda since=child.served_since: self._make_spare(child, since))  # type: ignore[misc]

    def _make_spare(self, child: Child, since: float) -> None:
        if child.state is State.RUNNING and child.served_since == since:
            try:
                child.make_spare(self.folder, self.executable, self.limits)
            except OSError as error:
                logger.error("there is no spare: %s", error)

    # ---- ends

    def reap(self) -> None:
        """Collect every process that has ended: orphans first, so that a new host is told of all of them."""
        ends = dict(_collected())
        dead = [child for child in self.children.values() if child.pid in ends]
        for child in dead:
            self._hear_out(child)
        own = {child.pid for child in dead}
        for pid, end in ends.items():
            if pid not in own and not self._spare_ended(pid):
                self.programs.ended(pid, end, self.children.get("host"))
        for child in dead:
            assert child.pid is not None
            self._ended(child, ends[child.pid])

    def _spare_ended(self, pid: int) -> bool:
        for child in self.children.values():
            if child.spare is not None and child.spare.pid == pid:
                child.drop_spare()
                return True
        return False

    def _link_lost(self, child: Child) -> None:
        """The end of a connection is a death only where no better sign of one is to be had."""
        child.link = None
        if not child.mine and child.pidfd is None:
            self._ended(child, UNKNOWN)

    def _ended(self, child: Child, end: End) -> None:
        self._hear_out(child)
        served_s = None if child.served_since is None else time.monotonic() - child.served_since
        child.pid, child.last_end, child.served_since = None, end, None
        if child.state is State.ENDING:
            self._go_on(child, wanted=bool(child.starters))
        elif child.leaving:
            self._go_on(child, wanted=True)
        elif end["code"] == 0 and served_s is not None:
            self._go_on(child, wanted=child.is_wanted)
        elif child.why is not None or (served_s is None and child.starters):
            self._failed(child, child.why or f"it ended at once ({in_words(end) or 'nobody knows how'})")
        else:
            self._died(child, served_s)
        _answer(child.stoppers, {"ok": True, "stopped": True, "last": self.is_done})

    def _hear_out(self, child: Child) -> None:
        """What a process said before its end counts."""
        if child.link is not None:
            with contextlib.suppress(Unreadable):
                for parcel in child.link.receive() or ():
                    self._said(child, parcel)
        self._unwatch(child)

    def _unwatch(self, child: Child) -> None:
        if child.pidfd is not None:
            self.loop.unwatch(child.pidfd)
            os.close(child.pidfd)
            child.pidfd = None
        if child.link is not None:
            self.loop.forget(child.link)
            child.link = None

    def _go_on(self, child: Child, *, wanted: bool) -> None:
        """After an orderly end."""
        if wanted and not self._stopping:
            child.restarts += 1
            self._begin(child)
            return
        if child.state is State.ENDING and child.name == "host":
            # It was killed while it ended its panes.
            self.programs.end_all()
        self._give_up_place(child)

    def _died(self, child: Child, served_s: float | None) -> None:
        assert child.last_end is not None
        how = in_words(child.last_end) or "nobody knows how"
        delay_s = child.deaths.delay(time.monotonic(), served_s, killed=child.last_end["signal"] == "SIGKILL")
        if delay_s is None:
            self._failed(child, f"it died again and again ({how}) and is given up until somebody asks for it")
            return
        logger.error("the %s died (%s) and is started again in %.1f s", child.name, how, delay_s)
        child.state = State.WAITING
        if delay_s == 0:
            self._after_delay(child)
        else:
            self.loop.later(delay_s, lambda: self._after_delay(child))

    def _after_delay(self, child: Child) -> None:
        if child.state is State.WAITING:
            child.restarts += 1
            self._begin(child)

    # ---- replacing, and processes that another keeper has started

    def hand_over(self, child: Child) -> None:
        """Have a process end without ending anything it serves, and start it anew at once."""
        child.leaving = True
        if child.link is not None:
            child.link.send({"say": "hand_over"})

    def go_on_with(self, child: Child) -> None:
        """Go on with a process of this keeper's predecessor."""
        self.watch_child(child)
        if child.state is State.WAITING or (child.state is State.STARTING and not child.runs):
            self._begin(child)

    def drop(self, child: Child) -> None:
        """Forget a process that asks to be taken over once more; it brings its socket again."""
        self._unwatch(child)
        if child.listener is not None:
            child.listener.close()
            child.listener = None

    def adopt(self, link: Channel, child: Child) -> None:
        """Take over a process whose keeper is gone: `link` becomes its own, and it hands over what it holds."""
        self.used = True
        self.children[child.name] = child
        child.link, child.mine, child.served_since = link, False, time.monotonic()
        if child.pid is not None and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                child.pidfd = os.pidfd_open(child.pid)
        self.watch_child(child)
        link.send({"ok": True})


def _answer(askers: list[Channel], answer: Message) -> None:
    waiting = askers[:]
    askers.clear()
    for asker in waiting:
        asker.send(answer)


def _collected() -> Iterator[tuple[int, End]]:
    """Collect each child that has ended by now."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, end_of(status)
