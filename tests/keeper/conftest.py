"""A runtime folder of each test's own; whatever was started in it is ended by its pid afterwards."""

import shutil
import tempfile
from collections.abc import Iterator

import pytest

from .place import Place


@pytest.fixture
def anyio_backend() -> str:
    """The client is written for asyncio."""
    return "asyncio"


@pytest.fixture
def place() -> Iterator[Place]:
    """A private folder where nothing runs yet."""
    folder = tempfile.mkdtemp(prefix="pk-", dir="/tmp")
    place = Place(folder)
    try:
        yield place
    finally:
        place.end()
        shutil.rmtree(folder)
