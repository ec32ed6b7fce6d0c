"""A runtime folder of each module's own, and the seed and the number of kills of a run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from ..bridge.place import Place
from .leftovers import private_place


@dataclass(frozen=True, slots=True)
class Chaos:
    """How much is killed, and from which seed everything is drawn."""

    kills: int
    seed: int


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The clients are run on asyncio."""
    return "asyncio"


@pytest.fixture
def chaos(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Chaos:
    """The numbers of this run, which are told at its end and where it fails."""
    chosen = Chaos(request.config.getoption("--kills"), request.config.getoption("--seed"))
    record_property("chaos", f"--kills {chosen.kills} --seed {chosen.seed}")
    print(f"repeat this with --kills {chosen.kills} --seed {chosen.seed}")
    return chosen


@pytest.fixture
def place() -> Iterator[Place]:
    """A private runtime folder; what was started in it is stopped at the end, and then nothing is left."""
    with private_place() as place:
        yield place
