"""The host process: listens for clients of the core API until it is told to stop, then ends its panes.

SIGTERM, SIGINT and the `stop` call end it in order; `session_core.daemon` says how it lives.
"""

import asyncio
import os
import resource
from typing import cast

import anyio

from session_core.daemon import Daemon, run_daemon
from session_core.errors import Code, SessionCoreError
from session_core.host.host import Host
from session_core.host.server import Connection, Server
from session_core.screen import EngineName
from session_core.store.output_log import LOG_BYTES

_MIB = 1024 * 1024
ENGINES = ("auto", "ghostty", "pyte")


def main() -> int:
    """Run the host; the exit code is 0 after an orderly end, and 1 when it could not start."""
    return run_daemon("host", _serve)


def _engine() -> EngineName:
    name = os.environ.get("PANEBRIDGE_ENGINE") or "auto"
    if name not in ENGINES:
        raise SessionCoreError(
            Code.NO_ENGINE, f"There is no screen engine {name!r}.", f"PANEBRIDGE_ENGINE is one of {', '.join(ENGINES)}."
        )
    return cast(EngineName, name)


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


async def _serve(process: Daemon) -> None:
    host = Host(process.folder, _engine(), _log_bytes())
    _raise_descriptor_limit()
    async with anyio.create_task_group() as tasks:
        server = Server(host, tasks, process.stopping)
        loop = asyncio.get_running_loop()
        sockets = await loop.create_unix_server(lambda: Connection(server), sock=process.listener)
        process.say_ready()
        await process.stopping.wait()
        sockets.close()
        await host.close_all()
        tasks.cancel_scope.cancel()
