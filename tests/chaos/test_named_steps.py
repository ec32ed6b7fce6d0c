"""The host is killed at each step of a byte's way out and back in: nothing is lost or done twice there."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import anyio
import pytest

from session_core.crash_points import STEPS

from ..bridge.place import Place
from .conftest import Chaos
from .killing import up
from .leftovers import private_place
from .scene import Scene

pytestmark = pytest.mark.anyio

BOUND_S = 60.0
MOST, RARE = 12, {"acknowledged": 4, "ticket_issued": 4, "exit_seen": 2, "exit_committed": 2}
"""The kill comes at most at this time that the step is reached, and earlier where it is not reached often."""
AGAIN = 10


@pytest.fixture(scope="module")
def point(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that tells a host where it is to die."""
    return tmp_path_factory.mktemp("point") / "point"


@pytest.fixture(scope="module")
def place(point: Path) -> Iterator[Place]:
    """A private runtime folder for all steps, whose hosts heed `point`."""
    os.environ["PANEBRIDGE_KILL_AT"] = str(point)
    try:
        with private_place() as place:
            yield place
    finally:
        del os.environ["PANEBRIDGE_KILL_AT"]


async def _kill_at(step: str, count: int, place: Place, point: Path) -> None:
    """Have the host die when it next reaches `step` for the `count`-th time, and return once another one serves."""
    print(f"killed when {step} is reached {count} times")
    killed = await up(place.folder, "host")
    told = point.with_suffix(".new")
    told.write_text(f"{step}:{count}")
    told.rename(point)
    await up(place.folder, "host", but=killed)


@pytest.mark.slow
async def test_a_host_that_is_killed_at_each_step_has_lost_nothing_and_does_nothing_twice(
    place: Place, point: Path, tmp_path: Path, chaos: Chaos
) -> None:
    random = Random(chaos.seed)
    scene = Scene(place, tmp_path, chaos.seed)
    with anyio.fail_after(2 * BOUND_S):
        async with scene.acted(3, [5, 100]):
            for step in random.sample(STEPS, len(STEPS)):
                await _kill_at(step, random.randint(1, RARE.get(step, MOST)), place, point)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
async def test_a_host_that_is_killed_there_again_and_again_has_lost_nothing_and_does_nothing_twice(
    place: Place, point: Path, tmp_path: Path, chaos: Chaos, step: str
) -> None:
    random = Random(f"{chaos.seed} {step}")
    scene = Scene(place, tmp_path, random.getrandbits(32))
    with anyio.fail_after(2 * BOUND_S):
        async with scene.acted(3, [5, 100]):
            for _ in range(AGAIN):
                await _kill_at(step, random.randint(1, 2 * RARE.get(step, MOST)), place, point)
