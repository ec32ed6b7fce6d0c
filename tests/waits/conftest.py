"""The hosts and clients of these tests are those of the host's own tests; a puppet's strings are made for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..host.conftest import anyio_backend, core, engine, host
from .programs import strings as make_strings

__all__ = ["anyio_backend", "core", "engine", "host", "strings"]


@pytest.fixture
def strings(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The path of a fifo and its writing end, for one puppet."""
    with make_strings(tmp_path) as made:
        yield made
