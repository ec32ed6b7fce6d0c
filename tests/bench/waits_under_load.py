"""Hundreds of waits and a pane that changes a thousand times a second: what everybody else pays, and what is left."""

import os
import sys
import time

import anyio
import psutil

from session_core import Client, Mode, connect
from tests.bench.places import private_folder
from tests.bench.table import Row, spread

PANES = 100
WAITS = 500
TOGETHER = 20
"""Panes that every fifth wait is over; the other waits are on one."""
ROUNDS = 10
LISTS = 40
BOUND_S = 10.0
_IDLE = ["sh", "-c", r"printf '\033]7501;state=working\007'; exec sleep 600"]
# Changes its record a thousand times a second.
_BUSY = r"""
import os, time
number = 0
while True:
    number += 1
    os.write(1, b"\x1b]7501;state=working:progress=%d\x07" % (number % 100))
    time.sleep(0.001)
"""


def measure() -> list[Row]:
    """`list_panes` beside the waits; the bare limit is the same without waits and without changes."""
    with private_folder() as folder:
        return anyio.run(_measure, folder)


async def _measure(folder: str) -> list[Row]:
    async with connect(folder=folder) as core, connect(folder=folder) as other:
        environment = {"PATH": os.environ["PATH"]}
        panes = [(await core.open_pane(_IDLE, environment=environment)).pane for _ in range(PANES - 1)]
        quiet = await _lists(other)
        busy = (await core.open_pane([sys.executable, "-ISc", _BUSY])).pane
        panes.append(busy)
        changing = await _lists(other)
        host = psutil.Process(core.greeting.pid)
        times, sizes, changes = [], [], 0
        for _ in range(ROUNDS):
            before, began = (await core.read_status(busy)).changes, time.perf_counter()
            times += await _round(core, other, panes)
            rate = ((await core.read_status(busy)).changes - before) / (time.perf_counter() - began)
            changes = max(changes, int(rate))
            sizes.append(host.memory_info().rss / 2**20)
        left = await _left_open(core, busy)
    bare = spread("", "", quiet).median
    return [
        spread(f"list_panes, {PANES} panes, one changing", "ms", changing, bare=bare),
        spread(f"the same beside {WAITS} waits, half cancelled", "ms", times, aim="p95 < 10", bare=bare),
        Row(what="changes of the busy pane", unit="a second", median=changes, aim="~1000"),
        Row(what="host memory after the first round, RSS", unit="MiB", median=sizes[0]),
        Row(what=f"more after {ROUNDS} rounds", unit="MiB", median=sizes[-1] - sizes[0], aim="~0"),
        Row(what="calls of this client still open", unit="calls", median=left, aim="0"),
    ]


async def _round(core: Client, other: Client, panes: list[str]) -> list[float]:
    """Open the waits, cancel half of them, list the panes meanwhile; let the rest come to their time."""
    async with anyio.create_task_group() as stay, anyio.create_task_group() as go:
        for number in range(WAITS):
            count = TOGETHER if number % 5 == 0 else 1
            chosen = [panes[(number + step) % PANES] for step in range(count)]
            if count > 1:
                chosen[0] = panes[-1]
            group, seconds = (go, 600.0) if number % 2 else (stay, 1.0)
            group.start_soon(_wait, core, chosen, Mode.ALL if number % 3 == 0 else Mode.ANY, seconds)
        await core.list_panes()
        times = await _lists(other)
        go.cancel_scope.cancel()
    return times


async def _wait(core: Client, panes: list[str], mode: Mode, seconds: float) -> None:
    await core.wait(list(dict.fromkeys(panes)), mode=mode, timeout_s=seconds)


async def _lists(core: Client) -> list[float]:
    times = []
    for _ in range(LISTS):
        began = time.perf_counter()
        await core.list_panes()
        times.append((time.perf_counter() - began) * 1e3)
        await anyio.sleep(0.005)
    return times


async def _left_open(core: Client, pane: str) -> int:
    """Return how many of a client's calls the host still counts: it takes `OPEN_CALLS` of them, and one is ours."""
    from session_core.host.server import OPEN_CALLS

    refused: list[int] = []

    async def call() -> None:
        try:
            await core.wait([pane], timeout_s=1.0)
        except Exception:
            refused.append(1)

    async with anyio.create_task_group() as tasks:
        for _ in range(OPEN_CALLS):
            tasks.start_soon(call)
    return len(refused)
