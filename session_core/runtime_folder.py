"""Where the sockets, locks, logs and kept state of one user's panebridge are. Standard library only.

`$PANEBRIDGE_DIR`, else `panebridge` in `$XDG_RUNTIME_DIR`, else in `/run/user/UID` (so that a client whose
environment was cleaned meets the same host), else `/tmp/panebridge-UID`. The folder must belong to the user,
be no link and be closed to others; it is refused otherwise, never mended.
A folder too long for a socket address is replaced by a short one that is named after its hash.
"""

import os
import stat
import sys

from session_core.errors import Code, SessionCoreError

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""Longest address of a unix socket, without its NUL."""
LONGEST_NAME = len("/bridge.sock")


def open_runtime_folder() -> str:
    """Return the folder, made if it is missing. Raises SessionCoreError with `unsafe_folder`."""
    chosen = os.environ.get("PANEBRIDGE_DIR")
    folder = os.path.abspath(chosen) if chosen else _default_folder()
    if len(os.fsencode(folder)) + LONGEST_NAME > SOCKET_PATH_BYTES:
        folder = _short_folder(folder)
    make_private(folder)
    return folder


def open_state_folder(runtime: str) -> str:
    """Return the folder of what outlives a host, made if it is missing, for the host of a runtime folder.

    It is `panebridge` in `$XDG_STATE_HOME` (`~/.local/state`) for the user's default host, which is on a disk, and
    `state` beside the sockets of any other. Raises SessionCoreError with `unsafe_folder`.
    """
    folder = _state_place(runtime)
    make_private(folder)
    return folder


def has_kept_panes(runtime: str) -> bool:
    """Whether the last host of a runtime folder has left panes, which the next one knows: each has an output log."""
    try:
        return bool(os.listdir(os.path.join(_state_place(runtime), "output")))
    except OSError:
        return False


def _state_place(runtime: str) -> str:
    if runtime in (_default_folder(), _shared_place()):
        home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        return os.path.join(home, "panebridge")
    return os.path.join(runtime, "state")


def _default_folder() -> str:
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{os.getuid()}"):
        if parent and _is_private(parent):
            return os.path.join(parent, "panebridge")
    return _shared_place()


def _shared_place() -> str:
    return f"/tmp/panebridge-{os.getuid()}"


def _short_folder(folder: str) -> str:
    from hashlib import sha256

    make_private(_shared_place())
    return os.path.join(_shared_place(), sha256(os.fsencode(folder)).hexdigest()[:20])


def _is_private(folder: str) -> bool:
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    closed = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and closed and os.access(folder, os.W_OK)


def make_private(folder: str) -> None:
    """Make `folder` with mode 0700, or check that it is one of the user's own that others cannot enter."""
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise _unsafe(folder, f"cannot be made ({error.strerror})") from error
    if not _is_private(folder):
        raise _unsafe(folder, "is a link, belongs to another user, or is open to others")


def _unsafe(folder: str, why: str) -> SessionCoreError:
    return SessionCoreError(
        Code.UNSAFE_FOLDER,
        f"The folder {folder} {why}.",
        "Set PANEBRIDGE_DIR to a folder of your own with mode 0700, or mend this one.",
    )
