"""Host, bridge and shims are killed at random instants, and the keeper is replaced: nothing is lost or done twice."""

from pathlib import Path

import anyio
import pytest

from ..bridge.place import Place
from .conftest import Chaos
from .killing import kill_all
from .plan import plan
from .scene import Scene

pytestmark = pytest.mark.anyio

MANY = 100
START_S, KILL_S = 120.0, 6.0
"""Longest time that a run may take: to begin and to end, and for each kill."""


async def _run(place: Place, files: Path, seed: int, count: int) -> None:
    scene = Scene(place, files, seed)
    ends = [20 + 25 * number for number in range(5)]
    with anyio.fail_after(START_S + KILL_S * count):
        async with scene.acted(5, ends, mcp=("auto", "legacy")):
            await kill_all(place.folder, plan(seed, count), scene.shims, seed, scene.seen)
    print(dict(scene.seen.counts))


async def test_whatever_is_killed_nothing_is_lost_and_nothing_is_done_twice(
    place: Place, tmp_path: Path, chaos: Chaos
) -> None:
    await _run(place, tmp_path, chaos.seed, chaos.kills)


@pytest.mark.slow
async def test_however_much_is_killed_nothing_is_lost_and_nothing_is_done_twice(
    place: Place, tmp_path: Path, chaos: Chaos
) -> None:
    await _run(place, tmp_path, chaos.seed, max(MANY, chaos.kills))
