"""A private home for each test, and each shell by its name; one that is not installed is skipped by that name."""

from pathlib import Path

import pytest

from ..host.conftest import anyio_backend, core, engine, host
from .shells import SHELLS, missing, write_files

__all__ = ["anyio_backend", "core", "engine", "host"]

RC_FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}


@pytest.fixture(params=SHELLS)
def name(request: pytest.FixtureRequest) -> str:
    """A shell's name."""
    shell: str = request.param
    reason = missing(shell)
    if reason:
        pytest.skip(reason)
    return shell


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which every shell has a start file, so that none asks a new user questions."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    write_files(folder, dict.fromkeys(RC_FILES.values(), ""))
    return folder
