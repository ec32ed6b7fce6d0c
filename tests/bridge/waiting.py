"""Bounded waits for facts about processes; nothing here measures how long anything takes."""

import os
from collections.abc import Callable

import anyio

BOUND_S = 15.0
"""Longest time that anything may take before a test fails; no test depends on it otherwise."""
_LOOK_S = 0.01


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
        while not holds():  # noqa: ASYNC110 - there is nothing that could set an event
            await anyio.sleep(_LOOK_S)


def alive(pid: int) -> bool:
    """Whether a process of this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
