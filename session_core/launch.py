"""Starts a process of ours on demand, once, however many ask at the same moment. Standard library only.

The asker takes the start lock, looks again, and starts the process, which says on a pipe that it listens. The
process detaches: own session, root folder, no terminal. It holds a lock for its whole life, so that a socket
that nobody answers on is known to be a leftover. A stopped or slow process is not taken for a dead one.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from session_core.errors import Code, HostLost, SessionCoreError

START_S = 20.0
"""Longest time that a process may take until it listens, and that an asker waits for another's start."""
TAKE_OVER_S = 10.0
STOP_S = 15.0
_RETRY_S = 0.02
READY = b"ready\n"

_starting = threading.Lock()


def dial(path: str) -> socket.socket | None:
    """Connect to the socket at `path`; None when nobody listens there."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise HostLost(
            Code.HOST_UNREACHABLE,
            f"{path} cannot be reached: {error.strerror}.",
            "Look at what occupies this path; PANEBRIDGE_DIR chooses another folder.",
        ) from error
    return connection


def dial_or_start(folder: str, name: str, module: str, arguments: Sequence[str] = ()) -> socket.socket:
    """Connect to the process called `name`, starting `python -m module` first if it does not run.

    Raises HostLost with `host_unreachable` when it does not come up in `START_S`.
    """
    path = os.path.join(folder, f"{name}.sock")
    connection = dial(path)
    if connection is not None:
        return connection
    try:
        with _start_lock(os.path.join(folder, f"{name}.start")):
            connection = dial(path)
            if connection is None:
                try:
                    _start(folder, name, module, arguments)
                except HostLost:
                    # One whose asker was killed may have come up in the meantime.
                    connection = dial(path)
                    if connection is None:
                        raise
                else:
                    connection = dial(path)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _not_started(folder, name, f"{where}{error.strerror}") from error
    if connection is None:
        raise _not_started(folder, name, "it ended at once")
    return connection


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


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file, which ends with this process; False if another process has it."""
    try:
        os.lockf(descriptor, os.F_TLOCK, 0)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _start(folder: str, name: str, module: str, arguments: Sequence[str]) -> None:
    import subprocess

    ready, said = os.pipe()
    environment = os.environ | {"PANEBRIDGE_DIR": folder}
    command = [sys.executable, "-P", "-m", module, "--folder", folder, "--ready-fd", str(said), *arguments]
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
        readable, _, _ = select.select([ready], [], [], max(0.0, deadline - time.monotonic()))
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


def listen(folder: str, name: str) -> socket.socket | None:
    """Become the process called `name` and listen; None if another one is it already.

    One that is about to end is waited for, at most `TAKE_OVER_S`. The socket is never wider than 0600.
    Raises SessionCoreError for a path that something foreign occupies.
    """
    lock = os.open(os.path.join(folder, f"{name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + TAKE_OVER_S
    path = os.path.join(folder, f"{name}.sock")
    while not try_lock(lock):
        if time.monotonic() > deadline or _is_served(path):
            os.close(lock)
            return None
        time.sleep(_RETRY_S)
    _remove_leftover(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(before)
    listener.listen(512)
    return listener


def _is_served(path: str) -> bool:
    connection = dial(path)
    if connection is None:
        return False
    connection.close()
    return True


def _remove_leftover(path: str) -> None:
    import stat

    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise SessionCoreError(
            Code.UNSAFE_FOLDER,
            f"{path} is in the way and is no socket of yours.",
            "Move it away, or choose another folder with PANEBRIDGE_DIR.",
        )
    os.unlink(path)


def stop_process(folder: str, name: str) -> bool:
    """Ask the process called `name` to end and wait until it has, at most `STOP_S`; False if none runs.

    Raises HostLost with `host_unreachable` when it does not end in time.
    """
    connection = dial(os.path.join(folder, f"{name}.sock"))
    if connection is None:
        return False
    lock = os.open(os.path.join(folder, f"{name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.kill(_peer_pid(connection), signal.SIGTERM)
        deadline = time.monotonic() + STOP_S
        while not try_lock(lock):
            if time.monotonic() > deadline:
                raise HostLost(
                    Code.HOST_UNREACHABLE,
                    f"The {name} in {folder} was told to end and has not in {STOP_S:.0f} s.",
                    "Look at its process; it may be stopped.",
                )
            time.sleep(_RETRY_S)
    finally:
        os.close(lock)
        connection.close()
    return True


def _peer_pid(connection: socket.socket) -> int:
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int.from_bytes(credentials[:4], sys.byteorder)
    # Level 0 is SOL_LOCAL, option 2 LOCAL_PEERPID.
    return int.from_bytes(connection.getsockopt(0, 2, 4), sys.byteorder)


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int.from_bytes(credentials[4:8], sys.byteorder)
    # struct xucred: version, uid, ...; level 0 is SOL_LOCAL, option 1 LOCAL_PEERCRED.
    return int.from_bytes(connection.getsockopt(0, 1, 76)[4:8], sys.byteorder)
