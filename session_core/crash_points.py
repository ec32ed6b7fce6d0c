"""Named instants at which a test has this process killed, so that it can be seen that nothing is lost there.

`PANEBRIDGE_KILL_AT` names a file, each line of which is `STEP:COUNT` or `STEP:COUNT:SIGNAL`: a process that finds one
counts how often it reaches the first line's STEP from then on, and at COUNT takes the line away, with the last one the
file, and ends itself by SIGKILL or that signal. So many processes die as there are lines. Without the variable, which
no user sets, a step costs one call.
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


def _killer(file: str) -> Callable[[str], None]:
    step, left, number = "", 0, signal.SIGKILL

    def reach(reached_step: str) -> None:
        nonlocal step, left, number
        if not step:
            step, left, number = _first_line(file)
        if reached_step == step:
            left -= 1
            if left == 0:
                _take_line(file)
                os.kill(os.getpid(), number)

    return reach


def _first_line(file: str) -> tuple[str, int, signal.Signals]:
    try:
        with open(file) as lines:
            step, count, *name = lines.readline().strip().split(":")
    except FileNotFoundError:
        return "", 0, signal.SIGKILL
    return step, int(count), signal.Signals[name[0]] if name else signal.SIGKILL


def _take_line(file: str) -> None:
    with open(file) as lines:
        rest = lines.readlines()[1:]
    if rest:
        with open(f"{file}.rest", "w") as kept:
            kept.writelines(rest)
        os.replace(f"{file}.rest", file)
    else:
        os.unlink(file)


def _chosen() -> Callable[[str], None]:
    file = os.environ.get("PANEBRIDGE_KILL_AT")
    return _killer(file) if file else _nothing


reached: Callable[[str], None] = _chosen()
"""Say that a step is reached now."""
