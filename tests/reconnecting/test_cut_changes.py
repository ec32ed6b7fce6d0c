"""A reader of changes whose connection is cut gets each change once and in order, or is told of a gap."""

from pathlib import Path

import anyio
import pytest

from session_core import Change, ChangeBatch, Client, Gap, OutputNews, connect
from session_core.model.changes import RECENT_CHANGES

from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, reported
from .cutting import Proxy

pytestmark = pytest.mark.anyio

_COUNTS = """
    for number in range(int(sys.argv[1])):
        report(f"state=working:id=a{number % 250}:progress={number % 101}")
    ready()
    rest()
"""


class _Reader:
    """Reads a client's changes."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.gaps: list[Gap] = []
        self.output: list[str] = []

    async def read(self, client: Client) -> None:
        async for news in client.changes():
            if isinstance(news, ChangeBatch):
                self.changes += news.changes
            elif isinstance(news, Gap):
                self.gaps.append(news)
            else:
                assert isinstance(news, OutputNews)
                self.output += news.panes

    async def up_to(self, revision: int) -> list[int]:
        """Return the revisions once there are those up to `revision`."""
        await eventually(lambda: bool(self.changes) and self.changes[-1].revision >= revision)
        return [change.revision for change in self.changes]


async def test_changes_of_a_broken_time_come_after_it(cut: Client, core: Client, proxy: Proxy, tmp_path: Path) -> None:
    reader, whole = _Reader(), _Reader()
    async with connect() as other, anyio.create_task_group() as tasks:
        tasks.start_soon(reader.read, cut)
        tasks.start_soon(whole.read, other)
        await cut.list_panes()
        await other.list_panes()
        for _ in range(3):
            pane = (await core.open_pane(["sleep", "1000"])).pane
            proxy.hold()
            proxy.cut()
            await core.close_pane(pane)
            await core.open_pane(["true"])
            proxy.go_on()
            await cut.list_panes()
        flood = (await core.open_pane(python(tmp_path, _COUNTS, "500"))).pane
        for _ in range(5):
            proxy.cut()
            await cut.list_panes()
        last = (await reported(core, flood)).revision
        assert await reader.up_to(last) == await whole.up_to(last)
        assert reader.gaps == []
        tasks.cancel_scope.cancel()


@pytest.mark.slow
async def test_more_changes_than_are_kept_are_a_gap_and_then_go_on(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    reader = _Reader()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reader.read, cut)
        await cut.list_panes()
        await cut.list_panes()
        proxy.hold()
        proxy.cut()
        flood = (await core.open_pane(python(tmp_path, _COUNTS, str(RECENT_CHANGES + 100)))).pane
        left_out = (await reported(core, flood)).revision
        proxy.go_on()
        await eventually(lambda: bool(reader.gaps))
        last = (await core.open_pane(["true"])).revision
        await reader.up_to(last)
        assert [gap.resync for gap in reader.gaps] == [False]
        assert reader.gaps[0].revision >= left_out
        tasks.cancel_scope.cancel()


async def test_a_host_that_has_lost_its_memory_is_a_gap_that_says_so(cut: Client, core: Client, proxy: Proxy) -> None:
    reader = _Reader()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reader.read, cut)
        await cut.list_panes()
        await cut.list_panes()
        proxy.other_epoch()
        proxy.forget_revisions()
        proxy.cut()
        await eventually(lambda: bool(reader.gaps))
        assert [gap.resync for gap in reader.gaps] == [True]
        tasks.cancel_scope.cancel()


async def test_screens_that_may_have_changed_meanwhile_are_named(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path
) -> None:
    reader = _Reader()
    pane = (await core.open_pane(["sleep", "1000"])).pane
    async with anyio.create_task_group() as tasks:
        await cut.watch_changes(output=True)
        tasks.start_soon(reader.read, cut)
        await cut.list_panes()
        proxy.cut()
        await eventually(lambda: pane in reader.output)
        tasks.cancel_scope.cancel()


async def test_a_host_that_is_gone_for_good_ends_the_changes(core: Client, proxy: Proxy) -> None:
    reader = _Reader()
    with anyio.fail_after(BOUND_S):
        async with connect(folder=str(proxy.folder), start=False, reconnect_s=0.2) as client:
            await client.watch_changes(output=False)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(reader.read, client)
                await client.list_panes()
                await client.list_panes()
                await proxy.refuse()
            assert client.lost.is_set()
