"""Output that ends the host while its screen gets it: the next host shows that pane with the other engine."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Until

from ..host.programs import READY
from ..host.waiting import BOUND_S, reported
from ..keeper.place import Place

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "hosts", "failed"),
    [
        ("SEGV", 1, True),
        ("KILL", 1, False),
        pytest.param("ABRT", 1, True, marks=pytest.mark.slow),
        pytest.param("KILL", 3, True, marks=pytest.mark.slow),
    ],
)
async def test_bytes_that_end_the_host_are_not_given_to_the_same_engine_again(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, hosts: int, failed: bool
) -> None:
    pytest.importorskip("pyghostty")
    point, ready = tmp_path / "point", f"printf '{READY}'"
    monkeypatch.setenv("PANEBRIDGE_ENGINE", "ghostty")
    monkeypatch.setenv("PANEBRIDGE_KILL_AT", str(point))
    async with place.core(start=True) as core:
        other = (await core.open_pane(["sh", "-c", f"echo other; {ready}; exec cat"])).pane
        await reported(core, other)
        point.with_suffix(".new").write_text(f"screen_feeding:1:SIG{name}\n" * hosts)
        point.with_suffix(".new").rename(point)
        pane = (await core.open_pane(["sh", "-c", f"echo poison; {ready}; exec cat"])).pane
        with anyio.fail_after(3 * BOUND_S):
            while point.exists():
                await core.list_panes()
        status = await reported(core, pane)
        assert status.engine_failed is failed
        assert (await core.read_pane(pane)).text == "poison"
        assert not (await core.read_status(other)).engine_failed
        assert (await core.read_pane(other)).text == "other"
        await core.write_pane(pane, "goes on", submit=True)
        with anyio.fail_after(BOUND_S):
            while (await core.read_pane(pane)).text.split() != ["poison", "goes", "on", "goes", "on"]:
                await core.wait([pane], until=Until.QUIET, quiet_s=0.05, timeout_s=1)
        os.kill(core.greeting.pid, signal.SIGKILL)
        assert (await core.read_status(pane)).engine_failed is failed
