"""When the shim ends: its client is done, tells it so, or is gone; the panes stay."""

import os
import signal
import sys

import anyio
import pytest

from .place import PANEBRIDGE, Place
from .raw_shim import RawShim, raw_shim
from .waiting import BOUND_S, alive, process_gone

pytestmark = pytest.mark.anyio

_SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]

# Starts the shim with this program's own stdin and stdout, says its pid on stderr, and stays.
_PARENT = """
import signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
print(child.pid, file=sys.stderr, flush=True)
signal.pause()
"""


@pytest.fixture
async def pane(lasting_pane: str) -> str:
    """A running pane, which is there after the test as well."""
    return lasting_pane


async def _busy(shim: RawShim, pane: str, waiting: bool) -> None:
    await shim.begin()
    if waiting:
        await shim.open_wait(pane)


@pytest.mark.parametrize("waiting", [False, True], ids=["idle", "waiting"])
@pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_the_end_of_input_ends_it(place: Place, pane: str, era: str, waiting: bool) -> None:
    async with raw_shim(place, era) as shim:
        await _busy(shim, pane, waiting)
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert await shim.rest() == b""
        assert await shim.errors() == ""


@pytest.mark.parametrize("waiting", [False, True], ids=["idle", "waiting"])
@pytest.mark.parametrize("number", _SIGNALS, ids=[number.name for number in _SIGNALS])
async def test_a_signal_ends_it_in_order(place: Place, pane: str, number: signal.Signals, waiting: bool) -> None:
    async with raw_shim(place) as shim:
        await _busy(shim, pane, waiting)
        shim.process.send_signal(number)
        assert await shim.exit_code() == 0
        assert await shim.rest() == b""
        assert await shim.errors() == ""


async def test_an_empty_input_ends_it_before_any_request(place: Place, pane: str) -> None:
    async with raw_shim(place) as shim:
        await shim.end_input()
        assert await shim.exit_code() == 0
        assert (await shim.rest(), await shim.errors()) == (b"", "")


@pytest.mark.parametrize("waiting", [False, True], ids=["idle", "waiting"])
async def test_the_end_of_its_parent_ends_it_though_another_holds_its_input_open(
    place: Place, pane: str, waiting: bool
) -> None:
    command = [sys.executable, "-c", _PARENT, PANEBRIDGE, "mcp"]
    async with await anyio.open_process(command, env=place.environment()) as parent:
        assert parent.stderr is not None
        shim_pid = None
        try:
            with anyio.fail_after(BOUND_S):
                shim_pid = int(await parent.stderr.receive())
            shim = RawShim(parent, "auto")
            await _busy(shim, pane, waiting)
            parent.kill()
            # Our end of its stdin stays open: only the parent's end is left to tell it.
            await process_gone(shim_pid)
            assert await shim.rest() == b""
        finally:
            if shim_pid is not None and alive(shim_pid):
                os.kill(shim_pid, signal.SIGKILL)
