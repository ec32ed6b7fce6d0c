"""The keeper is killed among hosts that are killed: only how a program ended may be lost with it, and that is said."""

from pathlib import Path
from random import Random

import anyio
import pytest

from session_core import Client

from ..bridge.place import Place
from ..keeper.place import kill
from .conftest import Chaos
from .killing import status, up
from .scene import Scene

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

BOUND_S = 120.0
KEEPERS = 3


async def _holds_all(core: Client, folder: str) -> None:
    """Return once the keeper holds the terminals of all panes: before, there is nobody who could."""
    with anyio.fail_after(BOUND_S):
        while True:
            panes = [pane for pane in (await core.list_panes()).panes if pane.life == "running"]
            found = await status(folder)
            if found.get("host", {}).get("state") == "running" and found["held"] >= len(panes):
                return
            await anyio.sleep(0.01)


async def test_what_a_killed_keeper_held_is_held_by_the_next_one(place: Place, tmp_path: Path, chaos: Chaos) -> None:
    random = Random(chaos.seed)
    scene = Scene(place, tmp_path, chaos.seed)
    scene.seen.unseen_ends = True
    with anyio.fail_after(BOUND_S):
        async with scene.acted(3, [50, 100]) as core:
            for _ in range(KEEPERS):
                await anyio.sleep(random.uniform(0, 0.5))
                await kill((await status(place.folder))["keeper"]["pid"])
                await _holds_all(core, place.folder)
                if random.random() < 0.7:
                    killed = await up(place.folder, "host")
                    await kill(killed)
                    await up(place.folder, "host", but=killed)
