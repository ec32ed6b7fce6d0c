"""Which program may report for a terminal."""

import os
import subprocess
import sys

import pytest

from session_core.report.ownership import VARIABLE, claim, has_other_owner, release

DEVICE = 34816
PID = os.getpid()
ALIVE = os.getppid()


def dead_pid() -> int:
    """The pid of a process that has just been reaped."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    return child.pid


def test_a_living_owner_of_the_same_terminal_keeps_it() -> None:
    environ = {VARIABLE: f"{DEVICE}:{ALIVE}"}
    assert has_other_owner(environ, DEVICE, PID)
    assert not claim(environ, DEVICE, PID)
    assert environ == {VARIABLE: f"{DEVICE}:{ALIVE}"}


def test_an_owner_that_belongs_to_another_user_counts_as_living() -> None:
    assert has_other_owner({VARIABLE: f"{DEVICE}:1"}, DEVICE, PID)


def test_a_program_does_not_silence_itself() -> None:
    assert claim({VARIABLE: f"{DEVICE}:{PID}"}, DEVICE, PID)


@pytest.mark.parametrize(
    "stale",
    ["", ":", "x", f"{DEVICE}", f"{DEVICE + 1}:{ALIVE}"]
    + [f"{DEVICE}:{pid}" for pid in ("", "0", "-1", "٣", "9999999999", "9" * 5000)],
)
def test_a_mark_that_means_no_living_owner_here_is_replaced(stale: str) -> None:
    environ = {VARIABLE: stale}
    assert claim(environ, DEVICE, PID)
    assert environ == {VARIABLE: f"{DEVICE}:{PID}"}


def test_a_dead_owner_is_replaced() -> None:
    environ = {VARIABLE: f"{DEVICE}:{dead_pid()}"}
    assert claim(environ, DEVICE, PID)


def test_only_its_own_mark_is_taken_away() -> None:
    mine, other = {VARIABLE: f"{DEVICE}:{PID}"}, {VARIABLE: f"{DEVICE}:{ALIVE}"}
    release(mine, DEVICE, PID)
    release(other, DEVICE, PID)
    assert (mine, other) == ({}, {VARIABLE: f"{DEVICE}:{ALIVE}"})
