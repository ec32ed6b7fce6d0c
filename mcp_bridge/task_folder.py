"""Tasks on disk, one file each, so that another bridge goes on with them. The folder is the user's own.

A file is replaced whole, and one that cannot be read is dropped. What cannot be written is lost with its bridge,
which is logged; nothing waits for a disk.
"""

import contextlib
import hashlib
import json
import logging
import os
from typing import Any

Json = dict[str, Any]

logger = logging.getLogger(__name__)


class TaskFolder:
    """The tasks of a bridge's runtime folder."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "tasks")

    def _path(self, identity: str) -> str:
        return os.path.join(self._folder, hashlib.sha256(identity.encode()).hexdigest()[:32])

    def save(self, identity: str, task: Json) -> None:
        """Keep a task as it is now."""
        path = self._path(identity)
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            with open(f"{path}.new", "w", encoding="utf-8") as file:
                json.dump(task, file)
            os.replace(f"{path}.new", path)
        except OSError as error:
            logger.warning("a task cannot be kept: %s", error.strerror)

    def forget(self, identity: str) -> None:
        """Keep it no longer."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(identity))

    def load(self) -> list[Json]:
        """Return the tasks of the bridge before."""
        found = []
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self._folder):
                try:
                    with open(entry.path, encoding="utf-8") as file:
                        task = json.load(file)
                    found.append(task)
                except (OSError, ValueError):
                    os.unlink(entry.path)
        return [task for task in found if isinstance(task, dict)]
