"""Who may report for a terminal: only the outermost program, so that a nested one never overwrites it.

The owner leaves `PANEBRIDGE_REPORTER=<terminal device number>:<pid>` in its environment, and its children
inherit it. An owner counts while its process lives and the terminal is the same one; any other value is stale
and is replaced. Whether a process lives is asked with signal 0, which is not delivered.
Deliberately absent: locks. The variable only travels from parent to child, so two programs never race for it.
"""

import os
import re
from collections.abc import MutableMapping

VARIABLE = "PANEBRIDGE_REPORTER"
_PID = re.compile(r"[1-9][0-9]{0,9}\Z")


def has_other_owner(environ: MutableMapping[str, str], device: int, pid: int) -> bool:
    """Whether a living process other than `pid` reports for terminal `device`."""
    owner_device, _, owner = environ.get(VARIABLE, "").partition(":")
    if owner_device != str(device) or not _PID.match(owner) or int(owner) == pid:
        return False
    return _is_alive(int(owner))


def claim(environ: MutableMapping[str, str], device: int, pid: int) -> bool:
    """Make `pid` the owner of `device`; False and no change if another one lives."""
    if has_other_owner(environ, device, pid):
        return False
    environ[VARIABLE] = f"{device}:{pid}"
    return True


def release(environ: MutableMapping[str, str], device: int, pid: int) -> None:
    """Take the mark of `pid` and `device` away; another mark stays."""
    if environ.get(VARIABLE) == f"{device}:{pid}":
        del environ[VARIABLE]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
