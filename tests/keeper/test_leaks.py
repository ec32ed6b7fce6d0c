"""Opening and closing leaves nothing: no descriptor, no zombie, no terminal, in host and keeper."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, SessionCoreError

from ..host.processes import children, descriptors, terminals
from ..host.waiting import eventually, exit_of
from .place import Place, kill

pytestmark = pytest.mark.anyio


async def _cycle(core: Client, number: int, broken: str) -> None:
    pane = (await core.open_pane(["true"] if number % 2 else ["cat"])).pane
    if number % 4 == 1:
        await exit_of(core, pane)
    await core.close_pane(pane)
    if number % 10 == 0:
        with pytest.raises(SessionCoreError):
            await core.open_pane([broken])


async def _cycles(place: Place, tmp_path: Path, count: int) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    async with place.core(start=True) as core:
        await _cycle(core, 0, str(broken))
        keeper, host = place.pid("keeper"), core.greeting.pid
        before = _counts(keeper, host)
        for first in range(0, count, 10):
            async with anyio.create_task_group() as tasks:
                for number in range(first, first + 10):
                    tasks.start_soon(_cycle, core, number, str(broken))
        await eventually(lambda: all(now <= then for now, then in zip(_counts(keeper, host), before, strict=True)))
        assert place.status()["held"] == 0


def _counts(keeper: int, host: int) -> tuple[int, ...]:
    """Descriptors, terminals and children of both."""
    both = (keeper, host)
    return (
        *(descriptors(pid) for pid in both),
        *(terminals(pid) for pid in both),
        len(children(host)),
        len(children(keeper)),
    )


async def test_fifty_panes_that_come_and_go_leave_nothing(place: Place, tmp_path: Path) -> None:
    await _cycles(place, tmp_path, 50)


@pytest.mark.slow
async def test_a_thousand_panes_that_come_and_go_leave_nothing(place: Place, tmp_path: Path) -> None:
    await _cycles(place, tmp_path, 1000)


@pytest.mark.slow
async def test_hosts_that_are_killed_leave_no_descriptor_in_the_keeper(place: Place) -> None:
    async with place.core(start=True) as core:
        panes = [(await core.open_pane(["cat"])).pane for _ in range(5)]
        # From its first word on the keeper has its log open.
        await kill(core.greeting.pid)
    async with place.core() as core:
        await core.list_panes()
    keeper = place.pid("keeper")
    before = descriptors(keeper)
    for _ in range(10):
        async with place.core() as core:
            await core.list_panes()
            await kill(core.greeting.pid)
    async with place.core() as core:
        assert [status.pane for status in (await core.list_panes()).panes] == panes
        await eventually(lambda: descriptors(keeper) <= before)
        for pane in panes:
            await core.close_pane(pane)
        await eventually(lambda: descriptors(keeper) <= before - len(panes))
