"""Sequences reach a terminal whole and in order, and its failures reach nobody."""

import errno
import os
import re
import select
import signal
import threading
from pathlib import Path

import pytest

from session_core.protocol.program_status import Report, State
from session_core.report import build
from session_core.report.terminal import HELD_SEQUENCES, Terminal

from .pty_end import PtyEnd, statuses

LONG = build("working", msg="m" * 2048)
IDLE = build("idle")
CANCELLED = re.compile(rb"\x1b\]7501;[^\x1b\x18]*\x1b?\x18")
UNTORN = re.compile(rb"(?:\x1b\]7501;[^\x1b\x18]*(?:\x1b\\|\x1b?\x18)|\x18)*")
WORKING = Report(state=State.WORKING, msg="m" * 2048)


def end_with_idle(terminal: Terminal, pane: PtyEnd) -> None:
    """Write a last report and let the terminal take everything up to it."""
    reader = threading.Thread(target=pane.read_until, args=(IDLE,))
    reader.start()
    terminal.write(IDLE)
    while reader.is_alive():
        terminal.flush()


def test_a_path_and_a_descriptor_of_one_terminal_have_one_number(pane: PtyEnd) -> None:
    by_path = Terminal(pane.path)
    assert by_path.device == Terminal(pane.slave).device == pane.device
    by_path.write(LONG)
    by_path.close()
    assert pane.take() == LONG


@pytest.mark.parametrize(
    ("place", "code"), [(os.devnull, errno.ENOTTY), ("/nowhere", errno.ENOENT), (987, errno.ENOTTY)]
)
def test_what_is_no_terminal_is_refused(place: int | str, code: int) -> None:
    with pytest.raises(OSError, match=r"not a terminal|No such file") as refusal:
        Terminal(place)
    assert refusal.value.errno == code


def test_a_file_is_refused_and_keeps_its_content(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(OSError, match="not a terminal"):
        Terminal(str(file))
    assert file.read_text() == "kept"


def test_a_refused_path_leaves_no_descriptor_open(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    lowest = os.dup(0)
    os.close(lowest)
    with pytest.raises(OSError, match="not a terminal"):
        Terminal(str(file))
    again = os.dup(0)
    os.close(again)
    assert again == lowest


def test_what_a_stopped_terminal_does_not_take_goes_out_in_order_once_it_does(pane: PtyEnd) -> None:
    terminal = Terminal(pane.slave)
    pane.stop()
    terminal.write(build("working"))
    terminal.write(build("done"))
    assert not terminal.broken
    pane.go_on()
    terminal.write(build("idle"))
    assert pane.said() == [Report(state=state) for state in (State.WORKING, State.DONE, State.IDLE)]


def test_the_oldest_of_too_many_held_sequences_is_dropped(pane: PtyEnd) -> None:
    terminal = Terminal(pane.slave)
    pane.stop()
    for number in range(HELD_SEQUENCES + 1):
        terminal.write(build("working", progress=number % 100, id=str(number)))
    pane.go_on()
    terminal.flush()
    said = pane.said()
    assert len(said) == HELD_SEQUENCES
    assert said[0] == Report(state=State.WORKING, progress=1, id="1")


def test_a_sequence_that_was_cut_off_is_cancelled_and_sent_again_whole(pane: PtyEnd) -> None:
    os.set_blocking(pane.slave, False)
    terminal = Terminal(pane.slave)
    terminal.write(LONG * 40)
    end_with_idle(terminal, pane)
    assert CANCELLED.search(pane.output)
    assert UNTORN.fullmatch(pane.output)
    assert statuses(pane.output)[-41:] == [WORKING] * 40 + [Report(state=State.IDLE)]


def test_a_signal_handler_writes_after_the_sequence_that_it_interrupts(pane: PtyEnd) -> None:
    os.set_blocking(pane.slave, False)
    terminal = Terminal(pane.slave)
    seen: list[bytes] = []

    def write_from_within(*_: object) -> None:
        if select.select([pane.master], [], [], 0)[0]:
            if not seen:
                terminal.write(build("done"))
            seen.append(os.read(pane.master, 65536))
        signal.setitimer(signal.ITIMER_REAL, 0.002)

    before = signal.signal(signal.SIGALRM, write_from_within)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    try:
        terminal.write(LONG * 8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    end_with_idle(terminal, pane)
    output = b"".join(seen) + pane.output
    assert UNTORN.fullmatch(output)
    assert statuses(output)[-10:] == [WORKING] * 8 + [Report(state=State.DONE), Report(state=State.IDLE)]


def test_a_terminal_that_hung_up_is_given_up(pane: PtyEnd) -> None:
    terminal = Terminal(pane.slave)
    pane.hang_up()
    terminal.write(LONG)
    assert terminal.broken
    terminal.write(LONG)


def test_a_file_that_took_the_descriptor_over_is_not_written_to(pane: PtyEnd, tmp_path: Path) -> None:
    fd = os.dup(pane.slave)
    terminal = Terminal(fd)
    with open(tmp_path / "log", "w") as log:
        os.dup2(log.fileno(), fd)
        terminal.write(LONG)
        os.close(fd)
    assert terminal.broken
    assert (tmp_path / "log").read_text() == ""
