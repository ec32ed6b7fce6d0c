"""The hosts and clients of these tests are those of the host's own tests, once with each engine."""

import pytest

from ..host.conftest import anyio_backend, core, host
from ..screen.conftest import GHOSTTY

__all__ = ["anyio_backend", "core", "engine", "host"]


@pytest.fixture(scope="module", params=[GHOSTTY, "pyte"])
def engine(request: pytest.FixtureRequest) -> str:
    """The screen engine of the host."""
    name: str = request.param
    return name
