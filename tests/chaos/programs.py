"""How the program of these tests is started."""

import sys
from pathlib import Path

STREAMER = Path(__file__).with_name("streamer.py")


def file_of(folder: Path, name: str) -> Path:
    """Return where the program called `name` keeps what it reads."""
    return folder / f"{name}.kept"


def command(folder: Path, name: str, mode: str, stop: Path, *, after: int = 0, end: str = "0") -> list[str]:
    """Return the command of one program; `streamer` says what the parameters mean."""
    file = str(file_of(folder, name))
    return [sys.executable, "-IS", str(STREAMER), file, name, str(stop), mode, str(after), end]
