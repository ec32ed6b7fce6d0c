"""Starts a process of ours on demand, once, however many ask at the same moment. Standard library only.

Host and bridge are started by the keeper of their folder. The keeper is started by the asker, who takes the start
lock, looks again, and starts it; it says on a pipe that it listens, and detaches: own session, root folder, no
terminal. A stopped or slow process is not taken for a dead one.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from session_core.errors import Code, HostLost, SessionCoreError
from session_core.sockets import dial, is_locked, peer_pid, readiness, try_lock

START_S = 20.0
"""Longest time that a process may take until it listens, and that an asker waits for another's start."""
STOP_S = 15.0
UPGRADE_S = 45.0
_RETRY_S = 0.02
READY = b"ready\n"

_starting = threading.Lock()


def dial_or_start(folder: str, name: str, module: str, arguments: Sequence[str] = ()) -> socket.socket:
    """Connect to the process called `name` (`host`, `bridge`); if it does not run, the keeper starts it first.

    `python -m module` is what the keeper runs, in this process's environment. Raises HostLost with
    `host_unreachable` when it does not come up in `START_S`.
    """
    path = os.path.join(folder, f"{name}.sock")
    connection = dial(path)
    if connection is not None:
        return connection
    request = {"ask": "start", "name": name, "module": module, "arguments": [*arguments]}
    try:
        answer = ask_keeper(folder, request | {"environment": dict(os.environ)}, start=True)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _not_started(folder, name, f"{where}{error.strerror}") from error
    if answer is None or not answer["ok"]:
        raise _not_started(folder, name, "its keeper is gone" if answer is None else str(answer["why"]))
    connection = dial(path)
    if connection is None:
        raise _not_started(folder, name, "it ended at once")
    return connection


def ask_keeper(
    folder: str, request: dict[str, Any], *, start: bool = False, timeout_s: float = START_S
) -> dict[str, Any] | None:
    """Return the keeper's answer to one request; None when no keeper runs. With `start` one is started first.

    Raises HostLost with `host_unreachable` when it does not answer in `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        connection = dial_keeper(folder, start=start)
        if connection is None:
            return None
        with connection:
            answer = _exchange(connection, request, deadline)
        if answer is not None:
            return answer
        # It ended, or was replaced, before it answered.
    raise HostLost(
        Code.HOST_UNREACHABLE,
        f"The keeper in {folder} has not answered in {timeout_s:.0f} s.",
        "Look at its process (a stopped one goes on with SIGCONT) and at keeper.log.",
    )


def dial_keeper(folder: str, *, start: bool) -> socket.socket | None:
    """Connect to the keeper of a folder; with `start` one is started if none runs."""
    path = os.path.join(folder, "keeper.sock")
    connection = dial(path)
    if connection is None and start:
        with _start_lock(os.path.join(folder, "keeper.start")):
            connection = dial(path)
            if connection is None:
                try:
                    _start(folder, "keeper", "session_core.keeper")
                except HostLost:
                    # One whose asker was killed may have come up in the meantime.
                    connection = dial(path)
                    if connection is None:
                        raise
                else:
                    connection = dial(path)
    return connection


def _exchange(connection: socket.socket, request: dict[str, Any], deadline: float) -> dict[str, Any] | None:
    answer = b""
    try:
        connection.settimeout(max(0.1, deadline - time.monotonic()))
        connection.sendall(json.dumps(request).encode() + b"\n")
        while not answer.endswith(b"\n"):
            connection.settimeout(max(0.1, deadline - time.monotonic()))
            piece = connection.recv(65536)
            if not piece:
                return None
            answer += piece
    except TimeoutError:
        time.sleep(max(0.0, deadline - time.monotonic()))
        return None
    except ConnectionError:
        return None
    found: dict[str, Any] = json.loads(answer)
    return found


@contextlib.contextmanager
def _start_lock(path: str) -> Iterator[None]:
    # The lock of the file is the process's: two threads would both have it.
    if not _starting.acquire(timeout=START_S):
        raise _held(path)
    try:
        with _file_lock(path):
            yield
    finally:
        _starting.release()


@contextlib.contextmanager
def _file_lock(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + START_S
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise _held(path)
            time.sleep(_RETRY_S)
        yield
    finally:
        os.close(descriptor)


def _held(path: str) -> HostLost:
    return HostLost(
        Code.HOST_UNREACHABLE,
        f"Another start has held {path} for {START_S:.0f} s.",
        "Look for a panebridge command that is stopped, end it, and try again.",
    )


def _start(folder: str, name: str, module: str) -> None:
    import subprocess

    ready, said = os.pipe()
    environment = os.environ | {"PANEBRIDGE_DIR": folder}
    command = [sys.executable, "-P", "-m", module, "--folder", folder, "--ready-fd", str(said)]
    try:
        with open(os.path.join(folder, f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                command,
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(said,),
                start_new_session=True,
            )
        os.close(said)
        said = -1
        answer = _read_answer(ready)
        process.wait()
    finally:
        os.close(ready)
        if said >= 0:
            os.close(said)
    if answer != READY:
        why = answer.decode(errors="replace").strip() or f"see {os.path.join(folder, name)}.log"
        raise _not_started(folder, name, why)


def _read_answer(ready: int) -> bytes:
    answer = b""
    deadline = time.monotonic() + START_S
    while not answer.endswith(b"\n"):
        readable, _ = readiness(ready, max(0.0, deadline - time.monotonic()))
        piece = os.read(ready, 4096) if readable else b""
        if not piece:
            break
        answer += piece
    return answer


def _not_started(folder: str, name: str, why: str) -> SessionCoreError:
    return HostLost(
        Code.HOST_UNREACHABLE,
        f"The {name} in {folder} did not start: {why}.",
        "Mend that, then try again.",
    )


def detach() -> None:
    """Leave the starter: the process that goes on has no parent that must reap it."""
    if os.fork():
        os._exit(0)


def say_ready(ready_fd: int | None, text: bytes = READY) -> None:
    """Tell the starter that the socket listens, or why it will not."""
    if ready_fd is not None:
        with contextlib.suppress(BrokenPipeError):
            os.write(ready_fd, text)
        os.close(ready_fd)


def stop_process(folder: str, name: str) -> bool:
    """Ask the process called `name` to end and wait until it has, at most `STOP_S`; False if none runs.

    A keeper that has nothing left to keep then is gone too. Raises HostLost with `host_unreachable` when it does
    not end in time.
    """
    try:
        answer = ask_keeper(folder, {"ask": "stop", "name": name}, timeout_s=STOP_S)
    except HostLost as error:
        raise _does_not_end(folder, name) from error
    if answer is not None and answer["last"]:
        _wait_until_gone(folder, "keeper")
    return bool(answer is not None and answer["stopped"]) or _stop_unkept(folder, name)


def _stop_unkept(folder: str, name: str) -> bool:
    """Stop a process that runs without a keeper."""
    connection = dial(os.path.join(folder, f"{name}.sock"))
    if connection is None:
        return False
    with connection:
        os.kill(peer_pid(connection), signal.SIGTERM)
        _wait_until_gone(folder, name)
    return True


def _wait_until_gone(folder: str, name: str) -> None:
    deadline = time.monotonic() + STOP_S
    while is_locked(folder, name):
        if time.monotonic() > deadline:
            raise _does_not_end(folder, name)
        time.sleep(_RETRY_S)


def _does_not_end(folder: str, name: str) -> HostLost:
    return HostLost(
        Code.HOST_UNREACHABLE,
        f"The {name} in {folder} was told to end and has not in {STOP_S:.0f} s.",
        "Look at its process; it may be stopped.",
    )


def upgrade_processes(folder: str, *, older_than: str | None = None) -> dict[str, Any] | None:
    """Replace keeper, host and bridge by those of this Python, panes running; None when no keeper runs.

    With `older_than`, a version, only if one of them runs an older one; what is newer is never replaced so.
    Returns the keeper's answer: `ok`, `why` if that is false, and its status `before` and `after`.
    Raises HostLost with `host_unreachable` when it does not answer in `UPGRADE_S`.
    """
    request = {"ask": "upgrade", "executable": sys.executable, "older_than": older_than}
    return ask_keeper(folder, request, timeout_s=UPGRADE_S)
