"""The host process: listens for clients of the core API until it is told to stop, then ends its panes.

SIGTERM, SIGINT and the `stop` call end it in order; told to hand over, it leaves its panes running for the next.
`session_core.daemon` says how it lives.
"""

import asyncio
import contextlib
import os
import resource
import sys
from typing import Any, cast

import anyio

from session_core.api.methods import METHODS
from session_core.daemon import Daemon, run_daemon
from session_core.errors import Code, SessionCoreError
from session_core.host.host import Host
from session_core.host.keeper_link import KeeperLink
from session_core.host.kept import KINDS
from session_core.host.restoring import restore
from session_core.host.server import Connection, Server
from session_core.screen import EngineName, open_screen
from session_core.sockets import BACKLOG
from session_core.store.output_log import LOG_BYTES

_MIB = 1024 * 1024
# The file of the socket is not the loop's to remove.
_KEEP_SOCKET: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
ENGINES = ("auto", "ghostty", "pyte")


def main() -> int:
    """Run the host; the exit code is 0 after an orderly end, and 1 when it could not start."""
    return run_daemon("host", _serve, _load)


def _engine() -> EngineName:
    name = os.environ.get("PANEBRIDGE_ENGINE") or "auto"
    if name not in ENGINES:
        raise SessionCoreError(
            Code.NO_ENGINE, f"There is no screen engine {name!r}.", f"PANEBRIDGE_ENGINE is one of {', '.join(ENGINES)}."
        )
    return cast(EngineName, name)


def _load_engine() -> None:
    """Load the screen engine's library before the first screen needs it."""
    with contextlib.suppress(SessionCoreError):
        open_screen(80, 24, engine=_engine()).close()


def _load() -> None:
    """Load and build what a host needs sooner or later, while another one serves."""
    _load_engine()
    for adapter in (*(method.result for method in METHODS.values()), *(kind.adapter for kind in KINDS)):
        adapter.build()


def _log_bytes() -> int:
    """Bytes of output to keep for each pane, from PANEBRIDGE_OUTPUT_MIB."""
    words = os.environ.get("PANEBRIDGE_OUTPUT_MIB") or str(LOG_BYTES // _MIB)
    if not words.isdecimal() or not 1 <= int(words) <= 1024:
        raise SessionCoreError(
            Code.BAD_REQUEST, f"PANEBRIDGE_OUTPUT_MIB is {words!r}.", "Give whole MiB a pane, from 1 to 1024."
        )
    return int(words) * _MIB


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 65536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _load_beside(host: Host) -> None:
    """Load the screen engine's library without stopping the loop, which has clients to answer; then paint screens."""
    await anyio.to_thread.run_sync(_load_engine)
    host.catching_up.go_on()


async def _serve(process: Daemon) -> None:
    keeper = KeeperLink(process)
    host = Host(process.folder, _engine(), _log_bytes(), keeper=keeper)
    _raise_descriptor_limit()
    host.catching_up.hold()
    restore(host)
    keeper.listen(process)
    async with anyio.create_task_group() as tasks:
        server = Server(host, tasks, process.stopping)
        loop = asyncio.get_running_loop()
        sockets = await loop.create_unix_server(
            lambda: Connection(server), sock=process.listener, backlog=BACKLOG, **_KEEP_SOCKET
        )
        process.say_ready()
        tasks.start_soon(_load_beside, host)
        await process.stopping.wait()
        sockets.close()
        if process.handing_over:
            server.cut_all()
            host.leave()
        else:
            server.say_stopping()
            await host.close_all()
            host.durability.close()
        tasks.cancel_scope.cancel()
