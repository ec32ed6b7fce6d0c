"""The host process: takes its folder, listens, serves until it is told to stop, and ends its panes.

It belongs to no login and no folder: own session, root folder, SIGHUP ignored. SIGTERM, SIGINT and the `stop`
call end it in order. One host runs per folder; a second one says so and ends.
"""

import asyncio
import contextlib
import logging
import logging.handlers
import os
import resource
import signal
import socket
from argparse import ArgumentParser, Namespace

import anyio

from session_core.errors import Code, SessionCoreError
from session_core.host.host import Host
from session_core.host.server import Connection, Server
from session_core.launch import detach, listen, say_ready
from session_core.runtime_folder import make_private

LOG_BYTES = 1024 * 1024
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def main() -> int:
    """Run the host; the exit code is 0 after an orderly end, and 1 when it could not start."""
    options = _options()
    if options.ready_fd is not None:
        detach()
    _keep_logs(options.folder)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _raise_descriptor_limit()
    try:
        make_private(options.folder)
        listener = listen(options.folder, "host")
        if listener is None:
            raise SessionCoreError(Code.NOT_ALLOWED, "Another host runs in this folder.")
        anyio.run(_serve, options, listener)
        return 0
    except (SessionCoreError, OSError) as error:
        say_ready(options.ready_fd, f"{error}\n".encode())
        logging.getLogger(__name__).error("the host could not start: %s", error)
        return 1


def _options() -> Namespace:
    parser = ArgumentParser(prog="python -m session_core.host")
    parser.add_argument("--folder", required=True, help="runtime folder of sockets and locks")
    parser.add_argument("--engine", choices=("auto", "ghostty", "pyte"), default=None)
    parser.add_argument("--ready-fd", type=int, help="pipe on which to say that the socket listens")
    options = parser.parse_args()
    options.engine = options.engine or os.environ.get("PANEBRIDGE_ENGINE") or "auto"
    return options


def _keep_logs(folder: str) -> None:
    handler = logging.handlers.RotatingFileHandler(
        os.path.join(folder, "host.log"), maxBytes=LOG_BYTES, backupCount=1, delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 65536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(options: Namespace, listener: socket.socket) -> None:
    host = Host(options.folder, options.engine)
    async with anyio.create_task_group() as tasks:
        server = Server(host, tasks)
        loop = asyncio.get_running_loop()
        for number in _STOP_SIGNALS:
            loop.add_signal_handler(number, server.stopping.set)
        sockets = await loop.create_unix_server(lambda: Connection(server), sock=listener)
        say_ready(options.ready_fd)
        await server.stopping.wait()
        sockets.close()
        await host.close_all()
        tasks.cancel_scope.cancel()
    with contextlib.suppress(FileNotFoundError):
        # Newer versions of asyncio have removed it already.
        os.unlink(os.path.join(options.folder, "host.sock"))
