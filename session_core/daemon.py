"""The life of a background process of ours, from its options to its end: what host and bridge have in common.

It belongs to no login and no folder: own session, root folder, SIGHUP ignored. It takes its lock and its socket,
says on a pipe that it listens or why it will not, keeps a bounded log beside the socket, and SIGTERM or SIGINT
end it in order. One runs per folder and name; a second one says so and ends.
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

from session_core.errors import Code, SessionCoreError
from session_core.launch import detach, listen, say_ready
from session_core.runtime_folder import make_private

LOG_BYTES = 1024 * 1024
"""Size at which the log begins anew; the one before it is kept."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Daemon:
    """What a serving process has: its folder, its listening socket, and when it must end."""

    folder: str
    listener: socket.socket
    stopping: anyio.Event
    ready_fd: int | None

    def say_ready(self) -> None:
        """Tell whoever started this process that it serves."""
        say_ready(self.ready_fd)


def run_daemon(name: str, serve: Callable[[Daemon], Awaitable[None]]) -> int:
    """Be the process called `name`: 0 after an orderly end, 1 if it could not start.

    `serve` calls `say_ready` once it serves, and returns after `stopping` was set.
    """
    parser = ArgumentParser(prog=f"panebridge {name}")
    parser.add_argument("--folder", required=True, help="runtime folder of sockets and locks")
    parser.add_argument("--ready-fd", type=int, help="pipe on which to say that the socket listens")
    options = parser.parse_args()
    if options.ready_fd is not None:
        detach()
    _keep_log(os.path.join(options.folder, f"{name}.log"))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        make_private(options.folder)
        listener = listen(options.folder, name)
        if listener is None:
            raise SessionCoreError(Code.NOT_ALLOWED, f"Another {name} runs in this folder.")
        anyio.run(_live, name, options.folder, listener, options.ready_fd, serve)
        return 0
    except (SessionCoreError, OSError) as error:
        say_ready(options.ready_fd, f"{error}\n".encode())
        logger.error("the %s could not start: %s", name, error)
        return 1


def _keep_log(path: str) -> None:
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


async def _live(
    name: str,
    folder: str,
    listener: socket.socket,
    ready_fd: int | None,
    serve: Callable[[Daemon], Awaitable[None]],
) -> None:
    daemon = Daemon(folder, listener, anyio.Event(), ready_fd)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, daemon.stopping.set)
    await serve(daemon)
    with contextlib.suppress(FileNotFoundError):
        # Newer versions of asyncio have removed it already.
        os.unlink(os.path.join(folder, f"{name}.sock"))
