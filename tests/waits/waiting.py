"""Waits that are open while the test goes on, and what a pane shows."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio

from session_core import Client, Observed, Outcome, PaneOutcome, WaitResult

from ..host.waiting import BOUND_S

_LOOK_S = 0.005


async def settled_open(core: Client) -> None:
    """Return once the host has taken all that was sent to it on this connection."""
    await anyio.wait_all_tasks_blocked()
    for _ in range(2):
        await core.list_panes()


@asynccontextmanager
async def waiting(core: Client, panes: Sequence[str], **asked: Any) -> AsyncIterator[list[WaitResult]]:
    """Have a wait open in the host for the length of the block; its result is in the list after the block."""
    results: list[WaitResult] = []
    wait = partial(core.wait, panes, **{"timeout_s": BOUND_S} | asked)

    async def run() -> None:
        results.append(await wait())

    with anyio.fail_after(2 * BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await settled_open(core)
            yield results


async def look(core: Client, pane: str, **asked: Any) -> PaneOutcome:
    """Return what a wait on one pane answers that ends at once."""
    return (await core.wait([pane], **asked, timeout_s=0)).panes[0]


async def answer(core: Client, pane: str, **asked: Any) -> PaneOutcome:
    """Return what a bounded wait on one pane answers; a time-out is no answer."""
    result = await core.wait([pane], **asked, timeout_s=BOUND_S)
    assert result.outcome is not Outcome.CHECKIN, result
    assert result.outcome is result.panes[0].outcome
    return result.panes[0]


def told(result: WaitResult) -> list[tuple[Outcome, Observed]]:
    """The outcome and the state of each pane."""
    return [(one.outcome, one.state) for one in result.panes]


async def shows(core: Client, pane: str, text: str) -> None:
    """Return once the pane shows `text`, wherever its lines are broken; nothing announces that."""
    with anyio.fail_after(BOUND_S):
        while text not in (await core.read_pane(pane)).text.replace("\n", ""):  # noqa: ASYNC110
            await anyio.sleep(_LOOK_S)
