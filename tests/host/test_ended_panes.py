"""An ended pane stays readable until it is closed, is one of too many, or is too old."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from session_core import Client, NoSuchPane, Until, What, connect

from .hosts import private_folder, stop_host
from .processes import descriptors
from .waiting import BOUND_S, exit_of

pytestmark = pytest.mark.anyio

# The host as it is but for the age.
_HOST = """
import sys
from functools import partial
from session_core.host import host, main
main.Host = partial(host.Host, ended_s=float(sys.argv.pop(1)))
sys.exit(main.main())
"""
AGE_S = 0.3


@pytest.fixture(scope="module")
def short_lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A host that keeps ended panes for a moment only: its folder and its pid."""
    folder = private_folder(tmp_path_factory)
    command = [sys.executable, "-c", _HOST, str(AGE_S), "--folder", str(folder)]
    with subprocess.Popen(command) as process:
        try:
            anyio.run(_listening, folder)
            yield str(folder), process.pid
            stop_host(folder)
            assert process.wait(BOUND_S) == 0
        finally:
            process.kill()


async def _listening(folder: Path) -> None:
    with anyio.fail_after(BOUND_S):
        while not (folder / "host.sock").exists():  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(0.01)


async def test_a_pane_that_ended_too_long_ago_is_removed_with_all_that_it_had(short_lived: tuple[str, int]) -> None:
    folder, pid = short_lived
    async with connect(folder=folder, start=False) as core:
        before = descriptors(pid)
        running = (await core.open_pane(["cat"], environment={})).pane
        held = descriptors(pid) - before
        panes = [(await core.open_pane(["echo", "ended"], environment={})).pane for _ in range(5)]
        await _left(core, [running])
        assert descriptors(pid) == before + held
        assert os.listdir(f"{folder}/state/output") == [running]
        for pane in panes:
            with pytest.raises(NoSuchPane):
                await core.read_pane(pane)
        await core.close_pane(running)


async def test_a_pane_that_is_closed_before_its_time_leaves_nothing_to_be_removed(short_lived: tuple[str, int]) -> None:
    folder, _ = short_lived
    async with connect(folder=folder, start=False) as core:
        first = (await core.open_pane(["true"], environment={})).pane
        await core.wait([first], until=Until.EXITED)
        await core.close_pane(first)
        second = (await core.open_pane(["true"], environment={})).pane
        assert second != first
        await _left(core, [])


async def _left(core: Client, panes: list[str]) -> None:
    """Return once there are these panes and no others."""
    with anyio.fail_after(BOUND_S):
        while [status.pane for status in (await core.list_panes()).panes] != panes:  # noqa: ASYNC110 - of old panes
            await anyio.sleep(0.01)


async def test_screen_output_and_status_stay_until_the_pane_is_closed(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "seq 1 500; exit 3"], rows=10)).pane
    await exit_of(core, pane)
    for _ in range(3):
        assert (await core.read_pane(pane)).text.endswith("499\n500")
        read = await core.read_pane(pane, what=What.SINCE, offset=0, max_bytes=10_000)
        assert read.text.splitlines() == [str(number) for number in range(1, 501)]
        assert (await core.read_pane(pane, what=What.FIND, pattern="123", context=0)).text == "123"
        status = await core.read_status(pane)
        assert status.exit is not None
        assert status.exit.code == 3
    await core.close_pane(pane)
    with pytest.raises(NoSuchPane):
        await core.read_pane(pane)


async def test_of_too_many_ended_panes_those_that_ended_first_go_first(core: Client) -> None:
    late = (await core.open_pane(["cat"])).pane
    for _ in range(101):
        pane = (await core.open_pane(["true"], environment={}, shell_integration=False)).pane
        await exit_of(core, pane)
    await core.send_keystrokes(late, b"\x04")
    await exit_of(core, late)
    panes = [status.pane for status in (await core.list_panes()).panes]
    assert len(panes) <= 100
    assert {late, pane} <= set(panes)
