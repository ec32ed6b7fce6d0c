"""Kills the processes of a run as planned: each once it serves again, or else nothing would be tested."""

import contextlib
import os
import signal
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import anyio

from session_core import HostLost
from session_core.launch import ask_keeper, upgrade_processes

from .mcp_clients import Shims
from .plan import Kill, Target
from .seen import Seen

UP_S = 60.0
"""Longest time until a process serves again; its keeper may wait some seconds before it starts one."""
_LOOK_S = 0.01


async def status(folder: str) -> dict[str, Any]:
    """Return what the keeper says of all processes, once there is one that does."""
    with anyio.fail_after(UP_S):
        while True:
            with contextlib.suppress(HostLost):
                answer = await anyio.to_thread.run_sync(partial(ask_keeper, folder, {"ask": "status"}))
                if answer is not None:
                    return answer
            await anyio.sleep(_LOOK_S)


async def up(folder: str, name: str, *, but: int | None = None, early: bool = False) -> int:
    """Return the process called `name` once it serves, or if `early` once it is there; not the process `but`."""
    with anyio.fail_after(UP_S):
        while True:
            found = (await status(folder)).get(name) or {}
            pid = found.get("pid")
            if pid is not None and pid != but and (early or found["state"] == "running"):
                return int(pid)
            await anyio.sleep(_LOOK_S)


async def kill_processes(folder: str, name: str, kills: Sequence[Kill], seen: Seen) -> None:
    """Kill host or bridge again and again, or have it replaced."""
    killed = None
    for kill in kills:
        killed_before, killed = killed, await up(folder, name, but=killed, early=kill.early)
        await anyio.sleep(kill.after_s)
        if kill.target is Target.UPGRADE:
            await _upgrade(folder, seen)
            killed = killed_before
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(killed, signal.SIGKILL)
            seen.killed.append(killed)
        seen.counts[f"kills of {kill.target}"] += 1
    await up(folder, name, but=killed)


async def _upgrade(folder: str, seen: Seen) -> None:
    answer = await anyio.to_thread.run_sync(upgrade_processes, folder)
    if answer is None:
        seen.fault("there was no keeper to be replaced")
    elif not answer["ok"]:
        # A process that is killed meanwhile is no reason to stop: the keeper itself must be new.
        seen.counts["upgrades not whole"] += 1


async def kill_shims(shims: Shims, kills: Sequence[Kill], seed: int, seen: Seen) -> None:
    """Kill one shim after the other."""
    random = Random(seed)
    for kill in kills:
        shim = await shims.choose(random)
        await anyio.sleep(kill.after_s)
        with contextlib.suppress(ProcessLookupError):
            os.kill(shim.process.pid, signal.SIGKILL)
        await shim.process.wait()
        seen.killed.append(shim.process.pid)
        seen.counts["kills of shim"] += 1


async def kill_all(folder: str, plan: Sequence[Kill], shims: Shims, seed: int, seen: Seen) -> None:
    """Carry out a plan; host, bridge and shims are killed side by side."""
    of_host = [kill for kill in plan if kill.target in (Target.HOST, Target.UPGRADE)]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kill_processes, folder, "host", of_host, seen)
        tasks.start_soon(kill_processes, folder, "bridge", [k for k in plan if k.target is Target.BRIDGE], seen)
        tasks.start_soon(kill_shims, shims, [k for k in plan if k.target is Target.SHIM], seed, seen)
