"""What must not be left of a run: processes, zombies, terminals, sockets."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil

from session_core import stop_process

from ..bridge.place import Place
from ..host.processes import terminals
from ..host.waiting import eventually

LOG_CHARACTERS = 5000
"""Of each log so much is shown of a run that fails."""


def _processes(folder: str) -> list[psutil.Process]:
    """Return all processes that were started in a runtime folder, or for it."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("PANEBRIDGE_DIR") == folder and process.pid != os.getpid():
                found.append(process)
    return found


async def freed(folder: str, pids: Iterable[int]) -> None:
    """Return once nothing holds a terminal any longer, and nothing is left of processes that have ended."""
    keepers = [process for process in _processes(folder) if "session_core.keeper" in process.cmdline()]
    hosts = [process for process in _processes(folder) if "session_core.host" in process.cmdline()]
    await eventually(lambda: not any(terminals(process.pid) for process in (*keepers, *hosts)))
    await eventually(lambda: not any(map(psutil.pid_exists, pids)))


@contextlib.contextmanager
def private_place() -> Iterator[Place]:
    """Make a private runtime folder, stop all that runs there at the end, and see that nothing is left."""
    folder = tempfile.mkdtemp(prefix="pc-", dir="/tmp")
    try:
        yield Place(folder)
    finally:
        for log in sorted(Path(folder).glob("*.log")):
            print(log.name, log.read_text()[-LOG_CHARACTERS:], sep="\n")
        for name in ("bridge", "host"):
            stop_process(folder, name)
        left = [process.cmdline() for process in _processes(folder)]
        sockets = [path.name for path in Path(folder).glob("*.sock")]
        shutil.rmtree(folder)
    assert (left, sockets) == ([], [])
