"""`python -m session_core.keeper --folder F` runs the keeper of a runtime folder; `launch` starts it so."""

import argparse
import logging
import logging.handlers
import os
import resource
import signal
import socket
import sys

from session_core import __version__
from session_core.errors import SessionCoreError
from session_core.keeper.children import Limits, become_subreaper
from session_core.keeper.descriptors import Channel, Message
from session_core.keeper.keeper import Keeper
from session_core.keeper.requests import Requests
from session_core.keeper.resuming import Replacement, is_older, resume, upgrade
from session_core.launch import detach, say_ready
from session_core.runtime_folder import make_private
from session_core.sockets import bind, own

LOG_BYTES = 256 * 1024
DESCRIPTORS = 65536

logger = logging.getLogger("keeper")


def main() -> int:
    """Run the keeper; the exit code is 0 after an orderly end, and 1 when it could not start."""
    parser = argparse.ArgumentParser(prog="panebridge keeper")
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--folder", required=True, help="runtime folder of sockets and locks")
    parser.add_argument("--ready-fd", type=int, help="pipe on which to say that the socket listens")
    parser.add_argument("--resume", type=int, nargs=3, help="descriptors of a keeper that is being replaced")
    options = parser.parse_args()
    if options.ready_fd is not None:
        detach()
    _keep_log(os.path.join(options.folder, "keeper.log"))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if options.resume:
        return _resume(options.folder, *options.resume)
    return _begin(options.folder, options.ready_fd)


def _keep_log(path: str) -> None:
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _begin(folder: str, ready_fd: int | None) -> int:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        make_private(folder)
        lock = own(folder, "keeper")
        listener = None if lock is None else bind(folder, "keeper")
    except (SessionCoreError, OSError) as error:
        say_ready(ready_fd, f"{error}\n".encode())
        logger.error("the keeper could not start: %s", error)
        return 1
    if lock is None or listener is None:
        say_ready(ready_fd, b"another keeper runs in this folder\n")
        return 1
    _raise_descriptor_limit(limits)
    become_subreaper()
    keeper = Keeper(folder, sys.executable, limits)
    _serve(keeper, listener, lock, ready_fd)
    return 0


def _resume(folder: str, table: int, listening: int, lock: int) -> int:
    keeper, asking = resume(folder, table)
    for fd in (listening, lock):
        os.set_inheritable(fd, False)
    for child in keeper.children.values():
        keeper.go_on_with(child)
    _serve(keeper, socket.socket(fileno=listening), lock, None, Replacement(keeper, asking))
    return 0


def _serve(
    keeper: Keeper, listener: socket.socket, lock: int, ready_fd: int | None, going_on: Replacement | None = None
) -> None:
    def replace(asker: Channel, request: Message) -> None:
        older_than = request.get("older_than")
        if going_on is not None and not going_on.is_done:
            going_on.join(asker)
        elif older_than is not None and not is_older(keeper.status(), str(older_than)):
            asker.send({"ok": True, "before": keeper.status(), "after": keeper.status()})
        else:
            upgrade(keeper, asker, request, [listener.fileno(), lock])

    Requests(keeper, listener, replace)
    say_ready(ready_fd)
    keeper.run()
    os.unlink(os.path.join(keeper.folder, "keeper.sock"))


def _raise_descriptor_limit(limits: Limits) -> None:
    soft, hard = limits
    wanted = max(soft, DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS))
    if soft not in (wanted, resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    sys.exit(main())
