"""What a script learns from the exit code, and that every mistake is one line and never a traceback."""

import os
import subprocess
from pathlib import Path

import pytest

from .commands import BOUND_S, PANEBRIDGE, Panebridge

pytestmark = [pytest.mark.usefixtures("host"), pytest.mark.slow]

_ABOUT_A_PANE = [
    ("status",),
    ("send", "text"),
    ("keys", "Enter"),
    ("held",),
    ("ack",),
    ("wait",),
    ("read",),
    ("close",),
]


def test_the_outcome_of_a_wait_is_its_exit_code(panebridge: Panebridge) -> None:
    working = panebridge.declare("state=working")
    done = panebridge.declare("state=done:msg=b2s=")
    blocked = panebridge.declare("state=blocked:kind=permission:msg=R28/")
    ended = panebridge.open("sh", "-c", "exit 3")
    bound = ("--timeout", str(BOUND_S))
    assert panebridge("wait", done, *bound).code == 0
    assert panebridge("wait", working, "--timeout", "0").code == 4
    stopped = panebridge("wait", blocked, *bound)
    assert (stopped.code, stopped.out.split()) == (5, [blocked, "blocked", "blocked", "Go?"])
    gone = panebridge("wait", ended, "--until", "exited", *bound)
    assert (gone.code, gone.out.split()) == (6, [ended, "exited", "exited", "3"])
    both = panebridge("wait", done, working, *bound)
    assert (both.code, [line.split()[1] for line in both.out.splitlines()]) == (0, ["settled", "checkin"])
    assert panebridge("wait", "--all", done, working, "--timeout", "0").code == 4


def test_a_pane_that_does_not_exist_is_3_and_the_known_ones_are_named(panebridge: Panebridge) -> None:
    pane = panebridge.open("cat")
    for command, *rest in _ABOUT_A_PANE:
        ended = panebridge(command, "p999", *rest)
        assert ended.code == 3
        assert ended.mistake == f"There is no pane 'p999'. Panes: {pane}."


def test_a_mistake_on_the_command_line_is_2(panebridge: Panebridge) -> None:
    for words in (
        ("frobnicate",),
        ("wait",),
        ("wait", "p1", "--until", "finished"),
        ("send", "p1"),
        ("send", "p1", "text", "--answers", "all"),
        ("keys", "p1"),
        ("cancel",),
        ("ack",),
        ("attach",),
        ("run", "--columns", "1", "--", "cat"),
        ("mcp", "--read-write"),
        ("report", "asleep"),
    ):
        ended = panebridge(*words)
        assert ended.code == 2, words
        assert ended.out == ""
        assert "usage:" in ended.err.lower(), words


def test_what_cannot_be_done_is_1_and_one_line_says_why(panebridge: Panebridge) -> None:
    taken = panebridge.open("sh", "-c", "exit 0")
    panebridge.status_when(taken, lambda status: status.life == "exited")
    for words, why in (
        (("run", "--", "no-such-program-anywhere"), "There is no program 'no-such-program-anywhere'"),
        (("run", "--", "/etc/passwd"), "not executable"),
        (("run", "--folder", "/no/such/folder", "--", "cat"), "/no/such/folder"),
        (("run", "--name", "no spaces", "--", "cat"), "`name`"),
        (("send", taken, "text"), "has exited"),
        (("keys", taken, "Enter"), "has exited"),
        (("cancel", "t999"), "There is no held write 't999'"),
        (("wait", taken, "--since", "t999", "--timeout", "0"), "There is no ticket 't999'"),
        (("attach", taken), "attach needs a terminal"),
        (("wait", taken, "--timeout", "-1"), "`timeout_s`"),
    ):
        ended = panebridge(*words)
        assert ended.code == 1, words
        assert why in ended.mistake


def test_without_a_host_reading_says_so_and_starts_none(panebridge: Panebridge, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    alone = Panebridge(str(tmp_path))
    for words in (("ls",), ("wait", "p1")):
        ended = alone(*words)
        assert ended.code == 1
        assert ended.mistake.startswith(f"No host runs in {tmp_path}.")
    assert not (tmp_path / "host.sock").exists()
    assert alone("stop").out == "Nothing was running.\n"


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for words in (("run", "--", "cat"), ("stop",)):
        ended = Panebridge(str(tmp_path))(*words)
        assert ended.code == 1
        assert "open to others" in ended.mistake
    assert list(tmp_path.iterdir()) == []


def test_an_empty_home_is_no_obstacle(panebridge: Panebridge) -> None:
    ended = panebridge("run", "--", "cat", HOME="")
    assert (ended.code, ended.err) == (0, "")
    assert panebridge("ls", HOME="").code == 0


@pytest.mark.parametrize("words", [("run", "--", "cat"), ("run", "--folder", "/", "--", "cat"), ("ls",)])
def test_a_current_folder_that_was_deleted_is_no_obstacle(
    panebridge: Panebridge, tmp_path: Path, words: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    ended = subprocess.run(
        ["sh", "-c", script, "sh", PANEBRIDGE, *words],
        env=panebridge.environment(),
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_start_that_the_system_refuses_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "keeper.start").mkdir()
    ended = Panebridge(str(tmp_path))("run", "--", "cat")
    assert ended.code == 1
    assert "keeper.start" in ended.mistake


def test_a_reader_that_closes_its_end_causes_no_complaint(panebridge: Panebridge) -> None:
    panebridge.open("cat")
    closed, writer = os.pipe()
    os.close(closed)
    try:
        ended = subprocess.run(
            [PANEBRIDGE, "ls"],
            env=panebridge.environment(),
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=BOUND_S,
            check=False,
        )
    finally:
        os.close(writer)
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 1
