"""What the host and its keeper say of terminals: the keeper holds a duplicate of each for as long as the host does.

`inventory` is what an earlier host left: its descriptors are this host's from then on. Without a keeper everything
is done alone. A new keeper, after one that was killed, is given all that is held.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from session_core.daemon import Daemon
from session_core.keeper.descriptors import Message
from session_core.model.status import ExitStatus

INVENTORY_S = 20.0
HOLD_S = 2.0
"""How long the keeper may take to take a terminal before the program is started without."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Held:
    """One pane that an earlier host left: its process, its terminal, and how the process ended if it has.

    An ExitStatus with neither a code nor a signal means that it ended and nobody knows how.
    """

    pane: str
    pid: int
    fd: int
    exit: ExitStatus | None


@dataclass(slots=True)
class _Terminal:
    pid: int
    fd: int
    exit: ExitStatus | None = None


class KeeperLink:
    """The terminals' side of the connection to the keeper; `process` is what the host runs as, None for a host alone.

    `last_end` says how the host before this one ended (a signal's name, `code N`), None where nobody knows;
    `restarts` counts the hosts before this one.
    """

    def __init__(self, process: Daemon | None = None) -> None:
        self._link = None if process is None else process.link
        self._held: dict[str, _Terminal] = {}
        self._ended: Callable[[str, ExitStatus], None] = lambda pane, exit: None
        self._is_deaf = False
        self.last_end: str | None = None
        self.restarts = 0
        self.inventory: tuple[Held, ...] = () if process is None else self._receive_inventory(process)

    def _receive_inventory(self, process: Daemon) -> tuple[Held, ...]:
        held: list[Held] = []
        link = process.link
        while link.is_kept:
            parcel = link.wait_for(lambda message: message.get("say") in ("held", "all"), INVENTORY_S)
            if parcel is None:
                logger.error("the keeper did not say what it holds")
                break
            message = parcel.message
            if message["say"] == "all":
                self.last_end = message.get("last_end")
                self.restarts = link.restarts = int(message.get("restarts", 0))
                break
            exit = _exit(message.get("exit"))
            if parcel.fd is not None:
                held.append(Held(str(message["pane"]), int(message["pid"]), parcel.fd, exit))
        for one in held:
            self._held[one.pane] = _Terminal(one.pid, one.fd, one.exit)
        return tuple(held)

    def listen(self, process: Daemon) -> None:
        """Hear the keeper on the event loop from now on."""
        if self._link is not None:
            self._link.on_message = lambda message: self._told(process, message)
            self._link.on_new_keeper = self._hold_all
            self._link.listen()

    def on_ended(self, ended: Callable[[str, ExitStatus], None]) -> None:
        """Call `ended` with each pane of an earlier host whose process ends from now on, and how."""
        self._ended = ended

    def _told(self, process: Daemon, message: Message) -> None:
        if message.get("say") == "ended":
            exit = _exit(message.get("exit"))
            pane = str(message["pane"])
            if exit is not None and pane in self._held:
                self._held[pane].exit = exit
                self._ended(pane, exit)
        elif message.get("say") == "holds":
            # An answer that came too late to be waited for.
            self._is_deaf = False
        else:
            process.told(message)

    def hold(self, pane: str, pid: int, fd: int) -> None:
        """Have the keeper hold a terminal; returns once it does, or will not."""
        self._held[pane] = _Terminal(pid, fd)
        if self._link is None or not self._link.is_kept:
            return
        self._link.say("hold", fd, pane=pane, pid=pid)
        if self._is_deaf:
            return
        answer = self._link.wait_for(lambda m: m.get("say") == "holds" and m.get("pane") == pane, HOLD_S)
        self._is_deaf = answer is None and self._link.is_kept
        if answer is None or not answer.message["ok"]:
            logger.error("the keeper does not hold the terminal of %s: it would not outlive this host", pane)

    def release(self, pane: str) -> None:
        """Have the keeper forget a pane and give its terminal back."""
        if self._held.pop(pane, None) is not None and self._link is not None:
            self._link.say("release", pane=pane)

    def taken(self, pane: str, exit: ExitStatus | None) -> None:
        """Tell the keeper how a pane's process ended, which it cannot learn by itself; it holds on."""
        if pane in self._held:
            self._held[pane].exit = exit
            if self._link is not None and exit is not None:
                self._link.say("taken", pane=pane, exit={"code": exit.code, "signal": exit.signal})

    def _hold_all(self) -> None:
        """Another keeper has taken over: give it everything. Its answers are not waited for."""
        assert self._link is not None
        logger.warning("another keeper has taken over")
        for pane, terminal in self._held.items():
            self._link.say("hold", terminal.fd, pane=pane, pid=terminal.pid)
            if terminal.exit is not None:
                self.taken(pane, terminal.exit)


def _exit(end: dict[str, int | str | None] | None) -> ExitStatus | None:
    if end is None:
        return None
    code, signal = end.get("code"), end.get("signal")
    return ExitStatus(code=None if code is None else int(code), signal=None if signal is None else str(signal))
