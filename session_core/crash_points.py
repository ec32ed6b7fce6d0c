"""Named instants at which a test has this process killed, so that it can be seen that nothing is lost there.

`PANEBRIDGE_KILL_AT` is `STEP:COUNT:FILE` or `STEP:COUNT:FILE:SIGNAL`: when STEP is reached for the COUNT-th time or
later and there is a FILE, the process takes a byte off that, which removes an empty one, and ends itself by SIGKILL or
that signal: so many hosts die as FILE has bytes. With `told::FILE` it is FILE that says `STEP:COUNT`: a process that
finds it takes it away, and counts from then. Without the variable, which no user sets, a step costs one call.
"""

import os
import signal
from collections.abc import Callable

STEPS = (
    "output_read",
    "output_noted",
    "event_applied",
    "committing",
    "committed",
    "screen_feeding",
    "screen_fed",
    "reply_queued",
    "ticket_issued",
    "input_writing",
    "input_written",
    "acknowledged",
    "exit_seen",
    "exit_committed",
)
"""Every step, in about the order of a byte's way out and back in."""


def _nothing(_: str) -> None:
    return


def _killer(step: str, count: int, file: str, number: signal.Signals) -> Callable[[str], None]:
    left = count

    def reach(reached_step: str) -> None:
        nonlocal left
        if reached_step != step:
            return
        left -= 1
        if left <= 0 and _take_one(file):
            os.kill(os.getpid(), number)

    return reach


def _killer_when_told(file: str) -> Callable[[str], None]:
    step, left = "", 0

    def reach(reached_step: str) -> None:
        nonlocal step, left
        if not step:
            step, left = _told(file)
        if reached_step == step:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return reach


def _told(file: str) -> tuple[str, int]:
    try:
        with open(file) as told:
            step, _, count = told.read().partition(":")
        os.unlink(file)
    except FileNotFoundError:
        return "", 0
    return step, int(count)


def _take_one(file: str) -> bool:
    """Take a byte off a file, the file itself with the last one; False if there is none."""
    try:
        left = os.path.getsize(file) - 1
        if left > 0:
            os.truncate(file, left)
        else:
            os.unlink(file)
    except FileNotFoundError:
        return False
    return True


def _chosen() -> Callable[[str], None]:
    step, count, file, name, *_ = [*os.environ.get("PANEBRIDGE_KILL_AT", "").split(":"), "", "", ""]
    if step == "told" and file:
        return _killer_when_told(file)
    if step not in STEPS or not count.isdecimal() or not file:
        return _nothing
    return _killer(step, int(count), file, signal.Signals[name] if name else signal.SIGKILL)


reached: Callable[[str], None] = _chosen()
"""Say that a step is reached now."""
