"""The output logs of a host, one file a pane.

A folder that cannot be made or written leaves every pane with a log in memory. What an earlier host has left behind
is removed when the next one begins.
"""

import contextlib
import logging
import os

from session_core.errors import SessionCoreError
from session_core.runtime_folder import make_private, open_state_folder
from session_core.store.output_log import LOG_BYTES, OutputLog

logger = logging.getLogger(__name__)


class OutputFolder:
    """Makes and removes logs. `limit` is the bytes of output that each keeps."""

    def __init__(self, runtime: str, limit: int = LOG_BYTES) -> None:
        self._limit = limit
        self._folder: str | None = None
        try:
            folder = os.path.join(open_state_folder(runtime), "output")
            make_private(folder)
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            self._folder = folder
        except (SessionCoreError, OSError) as error:
            logger.warning("output is kept in memory alone: %s", error)

    def open(self, pane: str) -> OutputLog:
        """Begin the log of a new pane."""
        return OutputLog(self._path(pane), self._limit)

    def remove(self, pane: str, log: OutputLog) -> None:
        """A pane is gone, and its output with it."""
        log.close()
        path = self._path(pane)
        if path is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def _path(self, pane: str) -> str | None:
        return os.path.join(self._folder, pane) if self._folder is not None else None
