"""Where the disk is full or refuses, panes go on in memory and say so; once it takes again, all is kept anew."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from session_core import Client, Life, Observed

from ..host.waiting import BOUND_S, status_when
from ..keeper.place import Place

pytestmark = pytest.mark.anyio

_SPEAKER = r"""while read word; do printf "\033]7501;state=$word\033\\\\"; done"""


@pytest.fixture
def small_disk(place: Place) -> Iterator[Path]:
    """A disk of 2 MiB where the state of the place's host is kept."""
    folder = place.path / "state"
    folder.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    place.end()
    subprocess.run(["umount", "-l", str(folder)], check=True)


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


async def _say(core: Client, pane: str, word: str) -> None:
    await core.write_pane(pane, word, submit=True)
    await status_when(core, pane, lambda status: status.state == word)


async def _durable(core: Client, pane: str) -> None:
    """Return once everything is on the disk again."""
    with anyio.fail_after(2 * BOUND_S):
        while (await core.read_status(pane)).not_durable:  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(0.05)


@pytest.mark.slow
async def test_on_a_full_disk_panes_go_on_in_memory_and_are_kept_again_once_there_is_room(
    place: Place, small_disk: Path
) -> None:
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["sh", "-c", _SPEAKER])).pane
        await _say(core, pane, "working")
        assert not (await core.read_status(pane)).not_durable
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space"):
            _fill(filler)
        for word in ("done", "idle") * 20:
            await _say(core, pane, word)
        status = await core.read_status(pane)
        assert (status.not_durable, status.life, status.state) == (True, Life.RUNNING, Observed.IDLE)
        filler.unlink()
        await _durable(core, pane)
        revision = (await core.read_status(pane)).revision
        os.kill(core.greeting.pid, signal.SIGKILL)
        status = await core.read_status(pane)
        assert (status.revision, status.state, status.not_durable) == (revision, Observed.IDLE, False)
        await core.close_pane(pane)


async def test_without_a_place_for_its_state_a_host_keeps_everything_in_memory(place: Place) -> None:
    (place.path / "state").write_text("in the way")
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["sh", "-c", _SPEAKER])).pane
        await _say(core, pane, "done")
        assert (await core.read_status(pane)).not_durable
        epoch = core.greeting.epoch
        os.kill(core.greeting.pid, signal.SIGKILL)
        # The program lives on, for the keeper holds its terminal; what it said before is forgotten.
        status = await core.read_status(pane)
        assert (status.life, status.state) == (Life.RUNNING, Observed.UNKNOWN)
        assert core.greeting.epoch != epoch
        await _say(core, pane, "working")
        await core.close_pane(pane)
