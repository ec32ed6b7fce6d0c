"""What it takes that nothing is lost: from a killed host to the first right answer, and what the journal costs."""

import os
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

from session_core import Client, Until, connect
from tests.bench.places import private_folder
from tests.bench.table import Row, spread
from tests.store.naive import in_file

MB = 1_000_000
PANES = 50
KILLS = 8
REPORTS = 20_000
FLOOD = 60 * MB
LINES = 400_000
ROUNDS = 5
SPARE_S = 12.0
"""After so long a host has a second one that has loaded its code."""

_REPORTS = r"""
import sys
for number in range(int(sys.argv[1])):
    sys.stdout.write("\033]7501;state=%s:progress=%d\033\\" % (("working", "done")[number % 2], number % 100))
"""
_LINES = r"""
import sys
sys.stdin.readline()
for number in range(int(sys.argv[1])):
    sys.stdout.write("%08d\n" % number)
"""
_READY = r"printf '\033]7501;state=blocked:kind=question:msg=b2s=\033\\'; exec cat"


def measure() -> list[Row]:
    """Milliseconds to the first right list, microseconds a report, MB/s of a flood, bytes lost."""
    with private_folder() as folder:
        rows = anyio.run(_recovery, folder)
    kept, alone = _work(durable=True), _work(durable=False)
    rows += [
        spread("a report with the journal", "us", kept[0], bare=statistics.median(alone[0])),
        spread(
            "a flood with journal and log file", "MB/s", kept[1], aim="ratio >= 0.85", bare=statistics.median(alone[1])
        ),
    ]
    with private_folder() as folder:
        lost, twice = anyio.run(_losses, folder)
    return [
        *rows,
        Row(what=f"lines lost of {LINES:,}, {KILLS} kills", unit="lines", median=lost, aim="0"),
        Row(what="lines twice", unit="lines", median=twice, aim="0"),
    ]


async def _recovery(folder: str) -> list[Row]:
    async with connect(folder=folder) as core:
        for _ in range(PANES):
            await core.open_pane(["sh", "-c", _READY])
        with anyio.fail_after(60):
            while not _is_right(await core.list_panes()):
                pass
        cold = [await _kill(core) for _ in range(KILLS)]
        warm = []
        for _ in range(KILLS // 2):
            await anyio.sleep(SPARE_S)
            warm.append(await _kill(core))
    what = f"killed host -> first right list_panes, {PANES} panes"
    return [
        spread(f"{what}, again within {SPARE_S:.0f} s", "ms", cold),
        spread(what, "ms", warm, aim="< 300"),
    ]


async def _kill(core: Client) -> float:
    before = core.greeting.pid
    began = time.perf_counter()
    os.kill(before, signal.SIGKILL)
    while not (_is_right(await core.list_panes()) and core.greeting.pid != before):
        pass
    return (time.perf_counter() - began) * 1e3


def _is_right(found: object) -> bool:
    panes = getattr(found, "panes", ())
    return len(panes) == PANES and all(status.state == "blocked" for status in panes)


@contextmanager
def _host_folder(*, durable: bool) -> Iterator[str]:
    """A folder whose host keeps everything, or nothing: a file is where its state would be."""
    with private_folder() as folder:
        if not durable:
            Path(folder, "state").touch()
        yield folder


def _work(*, durable: bool) -> tuple[list[float], list[float]]:
    with _host_folder(durable=durable) as folder:
        return anyio.run(_reports_and_flood, folder, durable)


async def _reports_and_flood(folder: str, durable: bool) -> tuple[list[float], list[float]]:
    reports, floods = [], []
    async with connect(folder=folder) as core:
        for _ in range(ROUNDS):
            took = await _timed(core, [sys.executable, "-c", _REPORTS, str(REPORTS)], durable)
            reports.append(took / REPORTS * 1e6)
            took = await _timed(core, ["sh", "-c", f"yes {'x' * 79} | head -c {FLOOD}"], durable)
            floods.append(FLOOD / took / MB)
    return reports, floods


async def _timed(core: Client, command: list[str], durable: bool) -> float:
    began = time.perf_counter()
    status = await core.open_pane(command)
    assert status.not_durable is not durable
    await core.wait([status.pane], until=Until.EXITED, timeout_s=600)
    took = time.perf_counter() - began
    await core.close_pane(status.pane)
    return took


async def _losses(folder: str) -> tuple[int, int]:
    async with connect(folder=folder) as core:
        pane = (await core.open_pane([sys.executable, "-c", _LINES, str(LINES)])).pane
        await core.write_pane(pane, "go", submit=True)
        for _ in range(KILLS):
            before = core.greeting.pid
            os.kill(before, signal.SIGKILL)
            while core.greeting.pid == before:
                await core.list_panes()
        await core.wait([pane], until=Until.EXITED, timeout_s=600)
        data = in_file(Path(folder, "state", "output", pane))[1]
    numbers = [int(line) for line in data.split() if len(line) == 8]
    return LINES - len(set(numbers)), len(numbers) - len(set(numbers))
