"""Bounded waits for what a pane shows, driven by the host's own changes and by pidfds, not by the clock."""

import os
from collections.abc import Callable

import anyio

from session_core import Client, ExitStatus, PaneStatus, Until

BOUND_S = 10.0
"""Longest time that anything may take before a test fails; no test depends on it otherwise."""
_LOOK_S = 0.01


async def status_when(core: Client, pane: str, holds: Callable[[PaneStatus], bool]) -> PaneStatus:
    """Return the first status that `holds`, looking anew after every turn of the pane."""
    with anyio.fail_after(BOUND_S):
        while True:
            status = await core.read_status(pane)
            if holds(status):
                return status
            ended = await core.wait([pane], until=Until.CHANGE, since=status.revision, timeout_s=BOUND_S)
            assert status.life != "exited", f"{ended} and still {status}"


async def reported(core: Client, pane: str, identity: str = "ready") -> PaneStatus:
    """Return the status once the pane holds a record under `identity`."""
    return await status_when(core, pane, lambda status: identity in {record.id for record in status.records})


async def exit_of(core: Client, pane: str) -> ExitStatus:
    """Return how the pane's process ended."""
    with anyio.fail_after(BOUND_S):
        await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
        status = await core.read_status(pane)
    assert status.exit is not None
    return status.exit


async def process_gone(pid: int) -> None:
    """Return once the process has ended."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        with anyio.fail_after(BOUND_S):
            await anyio.wait_readable(watch)
    finally:
        os.close(watch)


async def eventually(holds: Callable[[], bool]) -> None:
    """Return once `holds`; for facts of the system that nothing announces."""
    with anyio.fail_after(BOUND_S):
        while not holds():  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(_LOOK_S)


async def status_eventually(core: Client, pane: str, holds: Callable[[PaneStatus], bool]) -> PaneStatus:
    """Return the first status that `holds`; for what changes without a turn of the pane."""
    with anyio.fail_after(BOUND_S):
        while not holds(status := await core.read_status(pane)):  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(_LOOK_S)
    return status
