"""A private runtime folder with its own host and bridge, for as long as a measurement runs."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from session_core import stop_process

PANEBRIDGE = str(Path(sys.executable).parent / "panebridge")


@contextmanager
def private_folder() -> Iterator[str]:
    """Point `PANEBRIDGE_DIR` at a new folder; end what was started there afterwards."""
    folder = tempfile.mkdtemp(prefix="panebridge-bench-", dir="/tmp")
    before = os.environ.get("PANEBRIDGE_DIR")
    os.environ["PANEBRIDGE_DIR"] = folder
    try:
        yield folder
    finally:
        for name in ("bridge", "host"):
            stop_process(folder, name)
        shutil.rmtree(folder)
        if before is None:
            del os.environ["PANEBRIDGE_DIR"]
        else:
            os.environ["PANEBRIDGE_DIR"] = before
