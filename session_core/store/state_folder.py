"""The folder of what outlives a host: its journal, and the output log of each pane.

A folder that cannot be made or written leaves everything in memory, and says so in the log.
"""

import contextlib
import logging
import os
from collections.abc import Collection

from session_core.errors import SessionCoreError
from session_core.runtime_folder import make_private, open_state_folder
from session_core.store.journal import Journal
from session_core.store.output_log import LOG_BYTES, OutputLog

logger = logging.getLogger(__name__)


class StateFolder:
    """The state of the host of a runtime folder. `limit` is the bytes of output that each pane's log keeps."""

    def __init__(self, runtime: str, limit: int = LOG_BYTES) -> None:
        self.limit = limit
        self._folder: str | None = None
        self._logs: str | None = None
        try:
            folder = open_state_folder(runtime)
            logs = os.path.join(folder, "output")
            make_private(logs)
            self._folder, self._logs = folder, logs
        except (SessionCoreError, OSError) as error:
            logger.warning("everything is kept in memory alone: %s", error)

    def open_journal(self) -> Journal:
        """Open the journal, which one process at a time can."""
        return Journal(os.path.join(self._folder, "journal.db") if self._folder is not None else None)

    def open_log(self, pane: str) -> OutputLog:
        """Begin the log of a new pane."""
        return OutputLog(self._log(pane), self.limit)

    def reopen_log(self, pane: str, begin: int) -> OutputLog:
        """Go on with a pane's log; where it is gone or ends before `begin`, begin another one there."""
        path = self._log(pane)
        if path is None:
            return OutputLog(None, begin=begin)
        log = OutputLog.reopen(path, self.limit, begin=begin)
        if log.end < begin:
            log.close()
            return OutputLog(path, self.limit, begin=begin)
        return log

    def remove_log(self, pane: str, log: OutputLog) -> None:
        """A pane is gone, and its output with it."""
        log.close()
        path = self._log(pane)
        if path is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def keep_only(self, panes: Collection[str]) -> None:
        """Remove the logs of all other panes, which nobody knows any longer."""
        if self._logs is None:
            return
        for name in set(os.listdir(self._logs)) - set(panes):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._logs, name))

    def _log(self, pane: str) -> str | None:
        return os.path.join(self._logs, pane) if self._logs is not None else None
