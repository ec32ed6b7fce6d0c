"""What a client pays for its own server: the shim's start with a warm bridge, and its memory."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.places import PANEBRIDGE, private_folder
from tests.bench.table import Row, spread

ROUNDS = 21
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": _META}}


def measure() -> list[Row]:
    """Start to `tools/list`; the bare limit is an interpreter that does nothing."""
    with private_folder():
        _start_shim()
        started = [_start_shim() for _ in range(ROUNDS)]
    bare = spread("", "", [_start_python() for _ in range(ROUNDS)]).median
    answer = started[-1][2]
    listed = len(json.dumps(answer["result"]["tools"], separators=(",", ":")).encode())
    memory = Row(what="shim memory, RSS", unit="MiB", median=started[-1][1], aim="< 12")
    return [
        spread("shim start to tools/list", "ms", [row[0] for row in started], aim="< 100", bare=bare),
        memory,
        Row(what="tools/list at 4 bytes", unit="tokens", median=listed / 4, aim="< 1500"),
    ]


def _start_shim() -> tuple[float, float, dict[str, Any]]:
    began = time.perf_counter()
    with subprocess.Popen([PANEBRIDGE, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(_LIST).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        took = (time.perf_counter() - began) * 1e3
        memory = _memory(process.pid)
        process.stdin.close()
    return took, memory, answer


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), float("nan"))


def _start_python() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return (time.perf_counter() - began) * 1e3
