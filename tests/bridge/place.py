"""A runtime folder of a test module's own, and what runs in it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
from mcp import StdioServerParameters

PANEBRIDGE = str(Path(sys.executable).parent / "panebridge")


@dataclass(frozen=True, slots=True)
class Place:
    """The private folder of one bridge and one host."""

    folder: str

    def environment(self, **more: str) -> dict[str, str]:
        """Return this process's environment, pointed at the folder, with `more` set."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PANEBRIDGE_")}
        return kept | {"PANEBRIDGE_DIR": self.folder} | more

    def server(self, *options: str, cwd: str | None = None, **more: str) -> StdioServerParameters:
        """Return how a client starts the shim."""
        return StdioServerParameters(command=PANEBRIDGE, args=["mcp", *options], env=self.environment(**more), cwd=cwd)

    def pids(self, module: str) -> list[int]:
        """Return the processes that run `module` (`mcp_bridge`, `session_core.host`) for this folder."""
        found = []
        for process in psutil.process_iter():
            try:
                command = process.cmdline()
            except psutil.Error:
                continue
            if module in command and self.folder in command:
                found.append(process.pid)
        return found

    @property
    def bridge(self) -> int:
        """The one bridge process."""
        (pid,) = self.pids("mcp_bridge")
        return pid

    @property
    def host(self) -> int:
        """The one host process."""
        (pid,) = self.pids("session_core.host")
        return pid
