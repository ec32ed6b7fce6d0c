"""The keeper's replacement by a newer one in the same process: children, locks and descriptors stay as they are.

What it knows is written to a file without a name, its descriptors are let through, and the new program is executed.
A program that cannot start is found out before: it is asked for its version first. Then each process that runs is
replaced: told to hand over, and started anew at once.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

from session_core.keeper.children import Child, State
from session_core.keeper.descriptors import Channel, Message
from session_core.keeper.held import Terminals
from session_core.keeper.keeper import Keeper

CHECK_S = 10.0
"""How long the new program may take to tell its version."""
REPLACE_S = 30.0
"""How long the processes may take to be replaced before the asker is told that they have not."""
_LOOK_S = 0.02


def upgrade(keeper: Keeper, asker: Channel, request: Message, own: list[int]) -> None:
    """Execute the program of `request` in place; returns only if that cannot be. `own` are descriptors to keep."""
    executable = str(request.get("executable") or sys.executable)
    why = _why_not(executable)
    if why is None:
        table = _save(keeper, asker, executable)
        kept = [table, *own, *_descriptors(keeper, asker)]
        for fd in kept:
            os.set_inheritable(fd, True)
        command = [executable, "-P", "-m", "session_core.keeper", "--folder", keeper.folder, "--resume", str(table)]
        try:
            os.execv(executable, [*command, *(str(fd) for fd in own)])
        except OSError as error:
            why = f"{executable}: {error.strerror}"
        for fd in kept:
            os.set_inheritable(fd, False)
        os.close(table)
    asker.send({"ok": False, "why": why})


def _why_not(executable: str) -> str | None:
    command = [executable, "-P", "-m", "session_core.keeper", "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CHECK_S, cwd="/", check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else f"{executable} cannot run the keeper: {done.stderr.strip()[-500:]}"


def _save(keeper: Keeper, asker: Channel, executable: str) -> int:
    for child in keeper.children.values():
        child.drop_spare()
    asking = {"channel": asker.state(), "before": keeper.status()}
    table = {
        "executable": executable,
        "limits": keeper.limits,
        "children": [child.saved() for child in keeper.children.values()],
        "terminals": keeper.programs.terminals.state(),
        "asking": asking,
    }
    with (
        tempfile.TemporaryFile() if not hasattr(os, "memfd_create") else open(os.memfd_create("keeper"), "w+b") as file
    ):
        file.write(json.dumps(table).encode())
        file.flush()
        file.seek(0)
        return os.dup(file.fileno())


def _descriptors(keeper: Keeper, asker: Channel) -> list[int]:
    found = [held.fd for held in keeper.programs.terminals] + [asker.fileno()]
    for child in keeper.children.values():
        sources = (child.listener, child.link)
        found += [source.fileno() for source in sources if source is not None]
        found += [child.pidfd] if child.pidfd is not None else []
    return found


def resume(folder: str, table_fd: int) -> tuple[Keeper, dict[str, Any]]:
    """Return the keeper that the table describes, and what its asker waits for."""
    with open(table_fd, "rb") as file:
        table = json.load(file)
    keeper = Keeper(folder, table["executable"], tuple(table["limits"]))
    keeper.used = True
    keeper.programs.terminals = Terminals.resumed(table["terminals"])
    asking: dict[str, Any] = table["asking"]
    fds = [held.fd for held in keeper.programs.terminals] + [asking["channel"]["fd"]]
    for saved in table["children"]:
        child = keeper.children[saved["name"]] = Child.resumed(saved)
        fds += [source.fileno() for source in (child.listener, child.link) if source is not None]
        fds += [child.pidfd] if child.pidfd is not None else []
    for fd in fds:
        os.set_inheritable(fd, False)
    return keeper, asking


class Replacement:
    """The processes are replaced one after the other; then the asker is told versions before and after."""

    def __init__(self, keeper: Keeper, asking: dict[str, Any]) -> None:
        self._keeper = keeper
        self._askers = [Channel.resumed(asking["channel"])]
        self._before: Message = asking["before"]
        self._looks = int(REPLACE_S / _LOOK_S)
        keeper.loop.watch(self._askers[0], lambda *_: None, lambda: None)
        self._left = [child for child in keeper.children.values() if child.runs]
        for child in self._left:
            keeper.hand_over(child)
        self._look()

    @property
    def is_done(self) -> bool:
        """Whether the askers have been answered."""
        return not self._askers

    def join(self, asker: Channel) -> None:
        """Answer one more asker at the end."""
        self._askers.append(asker)

    def _look(self) -> None:
        """Several things can end a replacement, and it is rare: it is looked at, not told."""
        self._left = [child for child in self._left if child.leaving or child.state is not State.RUNNING]
        failed = [child for child in self._left if child.state is State.ABSENT]
        self._looks -= 1
        if failed or not self._looks:
            names = ", ".join(child.name for child in (failed or self._left))
            self._answer(ok=False, why=f"not replaced: {names}; see the logs in {self._keeper.folder}")
        elif self._left:
            self._keeper.loop.later(_LOOK_S, self._look)
        else:
            self._answer(ok=True)

    def _answer(self, **fields: object) -> None:
        for asker in self._askers:
            asker.send({**fields, "before": self._before, "after": self._keeper.status()})
        self._askers.clear()


def is_older(status: Message, version: str) -> bool:
    """Whether anything of `status` runs an older version than `version`."""
    running = [shown["version"] for shown in status.values() if isinstance(shown, dict) and shown["version"]]
    return any(_numbers(found) < _numbers(version) for found in running)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
