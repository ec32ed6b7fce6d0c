"""Many calls at once while connections are cut at random bytes: each is answered, and each effect is there once."""

import os
import random
from collections import Counter
from pathlib import Path

import anyio
import pytest

from session_core import Client, Outcome, Until

from ..host.waiting import eventually
from ..writes.panes import lines_when, turns
from .cutting import Proxy

pytestmark = pytest.mark.anyio

BOUND_S = 60.0


@pytest.fixture
def seed() -> int:
    """What decides where the cuts are; shown where the test fails."""
    number = int(os.environ.get("PANEBRIDGE_TESTS_SEED") or random.SystemRandom().randrange(2**32))
    print(f"seed {number}")
    return number


async def _write(client: Client, pane: str, author: int, count: int) -> None:
    for number in range(count):
        receipt = await client.write_pane(pane, f"{author}-{number} done", submit=True, author=str(author))
        assert receipt.ticket.bytes
        result = await client.wait([pane], since=receipt.ticket.id, timeout_s=BOUND_S)
        assert result.outcome in (Outcome.SETTLED, Outcome.RESYNC)


async def _open_and_close(client: Client, count: int) -> None:
    for _ in range(count):
        pane = (await client.open_pane(["sleep", "1000"])).pane
        await client.set_pane(pane, tags=["mine"])
        assert (await client.read_status(pane)).tags == ("mine",)
        assert (await client.close_pane(pane)).pane == pane


async def _look(client: Client, pane: str, count: int) -> None:
    for _ in range(count):
        await client.list_panes()
        await client.read_pane(pane)
        await client.wait([pane], until=Until.EXITED, timeout_s=0.01)


async def _read_changes(client: Client, revisions: list[int]) -> None:
    async for news in client.changes():
        revisions += [change.revision for change in getattr(news, "changes", ())]


@pytest.mark.parametrize(("cuts", "authors"), [(12, 2), pytest.param(100, 6, marks=pytest.mark.slow)])
async def test_every_call_takes_effect_once_and_is_answered(
    cut: Client, core: Client, proxy: Proxy, tmp_path: Path, seed: int, cuts: int, authors: int
) -> None:
    pane, lines = await turns(core, tmp_path)
    count = 4
    revisions: list[int] = []
    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as reading:
            reading.start_soon(_read_changes, cut, revisions)
            await cut.list_panes()
            await cut.list_panes()
            proxy.cut_at_random(seed, cuts)
            async with anyio.create_task_group() as tasks:
                for author in range(authors):
                    tasks.start_soon(_write, cut, pane, author, count)
                tasks.start_soon(_open_and_close, cut, authors)
                tasks.start_soon(_look, cut, pane, 4 * authors)
            proxy.cut_at_random(seed, 0)
            last = (await core.set_pane(pane, tags=["end"])).revision
            await eventually(lambda: bool(revisions) and revisions[-1] >= last)
            reading.cancel_scope.cancel()
    written = Counter(await lines_when(lines, authors * count))
    assert written == {f"{author}-{number} done": 1 for author in range(authors) for number in range(count)}
    assert [status.pane for status in (await core.list_panes()).panes] == [pane]
    assert revisions == sorted(set(revisions))
    assert proxy.cuts >= cuts // 2
