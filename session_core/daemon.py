"""The life of a background process of ours, from its options to its end: what host and bridge have in common.

It belongs to no login and no folder: own session, root folder, SIGHUP ignored. The keeper gives it its socket and
is told that it serves, or why it will not; one that is started by hand binds its socket itself. It holds the lock of
its name, keeps a bounded log beside the socket, and SIGTERM or SIGINT end it in order. Told to hand over, it ends
too, but ends nothing that a successor goes on with.
"""

import asyncio
import contextlib
import logging
import logging.handlers
import os
import signal
import socket
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from session_core import __version__
from session_core.errors import Code, SessionCoreError
from session_core.keeper.descriptors import Message
from session_core.keeper.link import Link
from session_core.runtime_folder import make_private
from session_core.sockets import BACKLOG, bind, own

LOG_BYTES = 1024 * 1024
"""Size at which the log begins anew; the one before it is kept."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Daemon:
    """What a serving process has: its folder, its listening socket, its keeper, and when it must end.

    `handing_over` says, once `stopping` is set, that a successor goes on at once.
    """

    folder: str
    name: str
    listener: socket.socket
    link: Link
    stopping: anyio.Event
    handing_over: bool = False

    def say_ready(self) -> None:
        """Tell the keeper that this process serves."""
        self.link.say("ready", version=__version__)

    def told(self, message: Message) -> None:
        """Take a message of the keeper that concerns the process as a whole."""
        if message.get("say") == "hand_over":
            self.handing_over = True
            self.stopping.set()


def run_daemon(
    name: str, serve: Callable[[Daemon], Awaitable[None]], prepare: Callable[[], None] = lambda: None
) -> int:
    """Be the process called `name`: 0 after an orderly end, 1 if it could not start.

    `serve` calls `say_ready` once it serves, and returns after `stopping` was set. `prepare` is called where there
    is time for it: in a spare, which loads its code before it is told to serve.
    """
    parser = ArgumentParser(prog=f"panebridge {name}")
    parser.add_argument("--folder", required=True, help="runtime folder of sockets and locks")
    parser.add_argument("--keeper-fd", type=int, help="connection to the keeper that started this process")
    options = parser.parse_args()
    _keep_log(os.path.join(options.folder, f"{name}.log"))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    link = Link(options.folder, name, _inherited(options.keeper_fd))
    try:
        make_private(options.folder)
        listener = _listener(name, options.folder, link, prepare)
        if listener is not None:
            anyio.run(_live, Daemon(options.folder, name, listener, link, anyio.Event()), serve)
        return 0
    except (SessionCoreError, OSError) as error:
        link.say("failed", why=str(error))
        logger.error("the %s could not start: %s", name, error)
        return 1


def _inherited(fd: int | None) -> socket.socket | None:
    if fd is None:
        return None
    os.set_inheritable(fd, False)
    return socket.socket(fileno=fd)


def _listener(name: str, folder: str, link: Link, prepare: Callable[[], None]) -> socket.socket | None:
    """Return the listening socket, one's own or the keeper's; None for a spare that nobody needed."""
    listener = None
    if link.is_kept:
        listener = link.wait_to_serve(prepare)
        if listener is None:
            return None
    if own(folder, name) is None:
        raise SessionCoreError(Code.NOT_ALLOWED, f"Another {name} runs in this folder.")
    if listener is None:
        return bind(folder, name)
    # The credentials that a client sees of its peer are those of the last process that called this.
    listener.listen(BACKLOG)
    return listener


def _keep_log(path: str) -> None:
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


async def _live(daemon: Daemon, serve: Callable[[Daemon], Awaitable[None]]) -> None:
    kept = daemon.link.is_kept
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, daemon.stopping.set)
    daemon.link.on_message = daemon.told
    ending = asyncio.get_running_loop().create_task(_say_ending(daemon))
    await serve(daemon)
    if not (ending.done() or daemon.handing_over):
        daemon.link.say("ending")
    ending.cancel()
    daemon.link.close()
    if not kept:
        with contextlib.suppress(FileNotFoundError):
            # Newer versions of asyncio have removed it already.
            os.unlink(os.path.join(daemon.folder, f"{daemon.name}.sock"))


async def _say_ending(daemon: Daemon) -> None:
    await daemon.stopping.wait()
    if not daemon.handing_over:
        daemon.link.say("ending")
