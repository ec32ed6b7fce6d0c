"""How fast output is scanned for declarations, in 4 KiB chunks as a PTY delivers them."""

import random
import time
from collections.abc import Callable

from session_core.protocol.events import EventStream
from tests.bench.table import Row

CHUNK = 4096
SIZE = 4 * 1024 * 1024
ROUNDS = 9
AIMS = {"plain": "> 1000", "ANSI": "> 400", "TUI": "> 250", "7501-dense": ""}


def measure() -> list[Row]:
    """MB/s of each kind of output; the bare limit is one `in` test a chunk."""
    rows = []
    for kind, data in _workloads().items():
        chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
        rate = _rate(len(data), lambda chunks=chunks: _scan(chunks))  # type: ignore[misc]
        bare = _rate(len(data), lambda chunks=chunks: _look(chunks))  # type: ignore[misc]
        rows.append(Row(what=f"scan {kind}", unit="MB/s", median=rate, aim=AIMS[kind], bare=bare))
    return rows


def _workloads() -> dict[str, bytes]:
    dice = random.Random(7501)
    log = b"2026-11-30 12:00:00 INFO worker finished the job in 35 ms and goes on with the next one\r\n"
    listing = b"\x1b[01;34mfolder_%d\x1b[0m  file_%d.txt  notes_on_the_thing_%d.md\r\n"
    move = b"\x1b[%d;%dHab%dcde\x1b[1m"
    report = b"\x1b]7501;state=working:app=job:msg=dGljaw==\x1b\\compiling file %d of many in this tree\r\n"
    numbers = range(SIZE // 20)
    return {
        "plain": (log * (SIZE // len(log)))[:SIZE],
        "ANSI": b"".join(listing % (n, n, n) for n in numbers)[:SIZE],
        "TUI": b"".join(move % (dice.randint(1, 24), dice.randint(1, 80), n % 9) for n in numbers)[:SIZE],
        "7501-dense": b"".join(report % n for n in numbers[: SIZE // 90]),
    }


def _scan(chunks: list[bytes]) -> None:
    stream = EventStream()
    for chunk in chunks:
        stream.feed(chunk)


def _look(chunks: list[bytes]) -> None:
    for chunk in chunks:
        _ = b"\x1b" in chunk


def _rate(size: int, work: Callable[[], None]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return size / sorted(times)[ROUNDS // 2] / 1e6
