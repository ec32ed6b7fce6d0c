"""What output costs on its way to log, records and screen: floods beside a bare reader and tmux, reads, memory."""

import os
import pty
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from session_core import Client, Until, connect
from tests.bench.places import private_folder
from tests.bench.table import Row, spread

MB = 1_000_000
ROUNDS = 5
CALLS = 200
PANES = 10
KEPT_ROWS = 2000
FLOODS = {"plain": 60 * MB, "ANSI": 40 * MB}
AIMS = {"plain": "ratio >= 0.85", "ANSI": "ratio >= 0.75"}
PORTABLE_BYTES = MB
"""The portable engine takes seconds for what the native one takes in milliseconds."""
_LOG = b"2026-11-30 12:00:00 INFO worker %d finished the job in 35 ms and goes on with the next one\n"
_LISTING = b"\x1b[01;34mfolder_%d\x1b[0m  file_%d.txt  \x1b[32mnotes_on_the_thing_%d.md\x1b[0m\n"
_GO = "read go; exec cat {}"


def measure() -> list[Row]:
    """MB/s from the program's first byte to its exit being known; the bare limit is a reader that drops everything."""
    with private_folder() as folder:
        files = {kind: _flood_file(folder, kind, size) for kind, size in FLOODS.items()}
        rows = []
        with _engine("ghostty"):
            rows += anyio.run(_floods, files)
        for kind, path in files.items():
            if shutil.which("tmux"):
                rows.append(spread(f"tmux, {kind}", "MB/s", _tmux(folder, path)))
    with private_folder() as folder, _engine("pyte"):
        small = _flood_file(folder, "plain", PORTABLE_BYTES)
        rows.append(spread("host with pyte, plain", "MB/s", [anyio.run(_portable, small)]))
    with private_folder(), _engine("ghostty"):
        rows += anyio.run(_reads)
    return rows


@contextmanager
def _engine(name: str) -> Iterator[None]:
    os.environ["PANEBRIDGE_ENGINE"] = name
    try:
        yield
    finally:
        del os.environ["PANEBRIDGE_ENGINE"]


def _flood_file(folder: str, kind: str, size: int) -> Path:
    line = _LISTING if kind == "ANSI" else _LOG
    numbers = range(10_000)
    block = b"".join(line % ((number,) * line.count(b"%d")) for number in numbers)
    path = Path(folder, kind)
    path.write_bytes((block * (size // len(block) + 1))[:size])
    return path


# ---- floods


async def _floods(files: dict[str, Path]) -> list[Row]:
    rows: list[Row] = []
    async with connect() as core, connect() as other:
        for kind, path in files.items():
            await _flood(core, path)
            before = _memory(core.greeting.pid)
            bare: list[tuple[float, float]] = []
            rates: list[float] = []
            called: list[float] = []
            lists: list[float] = []
            used = 0.0
            for _ in range(ROUNDS):
                bare.append(_bare(path))
                used -= _processor(core.greeting.pid)
                rates.append(await _flood(core, path))
                used += _processor(core.greeting.pid)
                called.append(await _flood(core, path, partial(_timed_list, other, lists)))
            used = used / ROUNDS / (FLOODS[kind] / MB) * 100
            limit, least = (spread("", "", column).median for column in zip(*bare, strict=True))
            grown = (_memory(core.greeting.pid) - before) / MB
            rows += [
                spread(f"host with ghostty, {kind}", "MB/s", rates, aim=AIMS[kind], bare=limit),
                Row(what=f"its processor time a 100 MB, {kind}", unit="s", median=used, bare=least),
                spread(f"host that is called beside it, {kind}", "MB/s", called, bare=limit),
                spread(f"list_panes beside it, {kind}", "ms", lists, aim="p95 < 10"),
                Row(what=f"host memory after {2 * ROUNDS} more, {kind}", unit="MB", median=grown, aim="< 20"),
            ]
    return rows


async def _portable(path: Path) -> float:
    async with connect() as core:
        return await _flood(core, path)


async def _flood(core: Client, path: Path, beside: Callable[[], Any] | None = None) -> float:
    size = path.stat().st_size  # noqa: ASYNC240 - nothing waits for it
    pane = (await core.open_pane(["sh", "-c", _GO.format(path)], columns=80, rows=24)).pane
    over = anyio.Event()

    async def call() -> None:
        while beside is not None and not over.is_set():
            await beside()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        began = time.perf_counter()
        await core.send_keystrokes(pane, b"\r")
        await core.wait([pane], until=Until.EXITED, timeout_s=600)
        took = time.perf_counter() - began
        over.set()
    await core.close_pane(pane)
    return size / took / MB


async def _timed_list(core: Client, times: list[float]) -> None:
    began = time.perf_counter()
    await core.list_panes()
    times.append((time.perf_counter() - began) * 1e3)
    await anyio.sleep(0.005)


def _bare(path: Path) -> tuple[float, float]:
    """Read the same flood and do nothing with it; return MB/s, and the reader's processor time a 100 MB."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-c", _GO.format(path)])
    began, used = time.perf_counter(), time.process_time()
    os.write(terminal, b"\r")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    took, used = time.perf_counter() - began, time.process_time() - used
    os.waitpid(pid, 0)
    os.close(terminal)
    size = path.stat().st_size / MB
    return size / took, used / size * 100


def _tmux(folder: str, path: Path) -> list[float]:
    tmux = ["tmux", "-S", f"{folder}/tmux-{path.name}", "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", "sleep 600"], check=True)
    rates = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([*tmux, "new-window", f"cat {path}; {' '.join(tmux)} wait-for -S over"], check=True)
        subprocess.run([*tmux, "wait-for", "over"], check=True)
        rates.append(path.stat().st_size / (time.perf_counter() - began) / MB)
    subprocess.run([*tmux, "kill-server"], check=True)
    return rates


# ---- reads and memory


async def _reads() -> list[Row]:
    async with connect() as core:
        bare = _memory(core.greeting.pid)
        await _full_pane(core)
        first = _memory(core.greeting.pid)
        panes = [await _full_pane(core) for _ in range(PANES)]
        each = (_memory(core.greeting.pid) - first) / PANES / 2**20
        ping = await _timed(lambda: core.held_writes(panes[0]))
        screen = await _timed(lambda: core.read_pane(panes[0]))
        tail = await _timed(lambda: core.read_pane(panes[0], lines=100))
        shell = (await core.open_pane(["bash"])).pane
        ran = await core.run_command(shell, "seq 1 100000")
    said = ran.left_out_lines + len(ran.output.splitlines())
    return [
        spread("read_pane, 80x24", "ms", screen, aim="p50 < 1 + bare", bare=spread("", "", ping).median),
        spread("read_pane, 100 lines", "ms", tail),
        Row(what=f"memory a pane, {KEPT_ROWS} full rows", unit="MiB", median=each, aim="<= 1.3"),
        Row(what="memory that the first one loads besides", unit="MiB", median=(first - bare) / 2**20 - each),
        Row(what="seq 1 100000 by run_command", unit="bytes", median=len(ran.output), aim="<= 4000"),
        Row(what="lines that its answer accounts for", unit="lines", median=said, aim="100000"),
    ]


async def _full_pane(core: Client) -> str:
    printing = ["sh", "-c", f"yes {'x' * 79} | head -n {KEPT_ROWS}; printf FULL; exec cat"]
    pane = (await core.open_pane(printing, columns=80, rows=24)).pane
    while not (await core.read_pane(pane)).text.endswith("FULL"):
        pass
    return pane


async def _timed(call: Callable[[], Any]) -> list[float]:
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        times.append((time.perf_counter() - began) * 1e3)
    return times


def _processor(pid: int) -> float:
    """Processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> int:
    """Bytes of memory that are the process's own: the logs are mapped files."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
