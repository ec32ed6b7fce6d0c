"""Unix sockets and locks of a runtime folder: dialling, being the one process of a name, who is at the other end.

A process holds the lock of its name for its whole life, so that a socket that nobody answers on is known to be a
leftover. A lock belongs to a process, and ends when any descriptor of its file is closed there. A socket is never
wider than 0600, and what is no socket of the user's is never removed. Standard library only.
"""

import math
import os
import select
import socket
import sys
import time

from session_core.errors import Code, HostLost, SessionCoreError

TAKE_OVER_S = 10.0
"""How long a process that is about to end is waited for by the next of its name."""
BACKLOG = 512
_RETRY_S = 0.02


def readiness(fd: int, timeout_s: float | None, *, write: bool = False) -> tuple[bool, bool]:
    """Wait until a descriptor, however high its number, can be read, or with `write` also written; return which.

    Without a time, wait for ever. An end of the other side can be read.
    """
    poll = select.poll()
    poll.register(fd, select.POLLIN | (select.POLLOUT if write else 0))
    found = poll.poll(None if timeout_s is None else math.ceil(timeout_s * 1000))
    events = found[0][1] if found else 0
    return bool(events & ~select.POLLOUT), bool(events & select.POLLOUT)


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


def listen(folder: str, name: str) -> socket.socket | None:
    """Become the process called `name` and listen; None if another one is it already.

    One that is about to end is waited for, at most `TAKE_OVER_S`. The socket is never wider than 0600.
    Raises SessionCoreError for a path that something foreign occupies.
    """
    return None if own(folder, name) is None else bind(folder, name)


def own(folder: str, name: str) -> int | None:
    """Take the lock of the process called `name` for the life of this one; None if another serves under this name.

    One that is about to end is waited for, at most `TAKE_OVER_S`.
    """
    lock = os.open(_lock_path(folder, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + TAKE_OVER_S
    while not try_lock(lock):
        if time.monotonic() > deadline or _is_served(os.path.join(folder, f"{name}.sock")):
            os.close(lock)
            return None
        time.sleep(_RETRY_S)
    return lock


def is_locked(folder: str, name: str) -> bool:
    """Whether another process is the one called `name`. A lock of one's own on that name is lost."""
    lock = os.open(_lock_path(folder, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return not try_lock(lock)
    finally:
        os.close(lock)


def _lock_path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.lock")


def bind(folder: str, name: str) -> socket.socket:
    """Listen on the socket called `name`, which nobody else may do now; it is never wider than 0600.

    Raises SessionCoreError for a path that something foreign occupies.
    """
    path = os.path.join(folder, f"{name}.sock")
    _remove_leftover(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
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


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file, which ends with this process; False if another process has it."""
    try:
        os.lockf(descriptor, os.F_TLOCK, 0)
    except (BlockingIOError, PermissionError):
        return False
    return True


def peer_pid(connection: socket.socket) -> int:
    """Return the process that listens, or has listened last, at the other end."""
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
