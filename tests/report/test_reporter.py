"""The reporter on a real terminal."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from session_core.protocol.program_status import Clear, Kind, Report, State, encode
from session_core.report import Reporter
from session_core.report.channel import Channel
from session_core.report.lifecycle import Lifecycle
from session_core.report.ownership import VARIABLE

from .pty_end import Program, PtyEnd

APP = "agent"
NESTED = """
import subprocess, sys
from session_core.report import Reporter
START = "from session_core.report import Reporter\\n"
with Reporter("outer") as outer:
    outer.working()
    inner = START + "with Reporter('inner') as it: it.done(); print(it.active)"
    subprocess.run([sys.executable, "-c", inner], check=True)
    outer.idle()
subprocess.run([sys.executable, "-c", inner], check=True)
"""
FORKED = """
import os
from session_core.report import Reporter
with Reporter("parent") as reporter:
    reporter.working()
    if os.fork() == 0:
        reporter.error("child")
        reporter.close()
        os._exit(0)
    os.wait()
"""
DEV_TTY = """
import os, subprocess, sys
from session_core.report import Reporter
script = "from session_core.report import Reporter; Reporter('inner', terminal='/dev/tty').done()"
def run_without_descriptors():
    null = subprocess.DEVNULL
    subprocess.run([sys.executable, "-c", script], check=True, stdin=null, stdout=null, stderr=null)
with Reporter("outer") as outer:
    outer.working()
    run_without_descriptors()
run_without_descriptors()
"""


def report(state: State, msg: str | None = None, id: str = "") -> Report:
    """A report of the reporters here."""
    return Report(state=state, app=APP, msg=msg, id=id)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_every_report_repeats_app_and_title_and_equal_ones_are_said_once(pane: PtyEnd) -> None:
    reporter = Reporter(APP, title="My agent", terminal=pane.slave)
    for _ in range(2):
        reporter.working("Reading", progress=5)
    reporter.blocked(Kind.PERMISSION, "Run it?")
    reporter.error("no")
    assert pane.said() == [
        Report(state=State.WORKING, app=APP, title="My agent", msg="Reading", progress=5),
        Report(state=State.BLOCKED, app=APP, title="My agent", msg="Run it?", kind=Kind.PERMISSION),
        Report(state=State.ERROR, app=APP, title="My agent", msg="no"),
    ]


def test_a_turn_ends_in_done_and_the_automatic_idle_is_swallowed(pane: PtyEnd) -> None:
    reporter = Reporter(APP, terminal=pane.slave)
    reporter.working()
    reporter.done("42")
    reporter.idle()
    assert pane.said() == [report(State.WORKING), report(State.DONE, "42")]


def test_done_is_held_back_for_the_length_of_background_work(pane: PtyEnd) -> None:
    reporter = Reporter(APP, terminal=pane.slave)
    reporter.working()
    with reporter.background():
        reporter.done()
        assert pane.said() == [report(State.WORKING), report(State.WORKING, "1 background task running")]
    assert pane.said() == [report(State.DONE)]


def test_a_child_record_has_its_own_state_and_clears_what_is_beneath(pane: PtyEnd) -> None:
    reporter = Reporter(APP, terminal=pane.slave)
    with reporter.child("build", title="Build") as build:
        build.child("test/unit").done()
        build.clear()
        build.working()
    assert pane.said() == [
        report(State.DONE, id="build/test/unit"),
        Clear("build"),
        Report(state=State.WORKING, app=APP, id="build", title="Build"),
        Clear("build"),
    ]
    build.clear()
    assert pane.take() == b""


def test_leaving_clears_once_and_silences_everything(pane: PtyEnd) -> None:
    with Reporter(APP, terminal=pane.slave) as reporter:
        child = reporter.child("build")
        reporter.idle()
        child.working()
        pane.take()
    assert pane.said() == [Clear()]
    reporter.close()
    reporter.working()
    reporter.resend()
    with reporter.background():
        child.done()
        child.clear()
    assert (pane.take(), reporter.active) == (b"", False)


def test_a_reporter_that_declared_nothing_erases_nothing(pane: PtyEnd) -> None:
    with Reporter(APP, terminal=pane.slave):
        pass
    assert pane.take() == b""


def test_a_finished_job_can_leave_its_result(pane: PtyEnd) -> None:
    with Reporter(APP, terminal=pane.slave, keep_finished=True) as reporter:
        reporter.done("Built")
    assert pane.said() == [report(State.DONE, "Built")]


def test_the_state_can_be_said_again(pane: PtyEnd) -> None:
    reporter = Reporter(APP, terminal=pane.slave)
    reporter.idle()
    reporter.child("build").working()
    pane.take()
    reporter.resend()
    assert pane.said() == [report(State.IDLE), report(State.WORKING, id="build")]


def test_mistakes_are_errors_with_and_without_a_terminal(pane: PtyEnd) -> None:
    for terminal in (pane.slave, os.devnull):
        reporter = Reporter(APP, terminal=terminal)
        with pytest.raises(ValueError, match="0 to 100"):
            reporter.working(progress=101)
        with pytest.raises(ValueError, match="permission, question, auth"):
            reporter.blocked("password")
        with pytest.raises(ValueError, match="names joined"):
            reporter.child("")
    with pytest.raises(ValueError, match="one name"):
        Reporter("my agent")
    assert pane.take() == b""


def test_without_a_terminal_nothing_is_written_and_nothing_owned(tmp_path: Path) -> None:
    with open(tmp_path / "log", "wb") as log, Reporter(APP, terminal=log.fileno()) as reporter:
        reporter.working()
        assert not reporter.active
        assert VARIABLE not in os.environ
    assert (tmp_path / "log").read_bytes() == b""


def test_a_terminal_that_goes_away_is_no_exception(pane: PtyEnd) -> None:
    with Reporter(APP, terminal=pane.slave) as reporter:
        pane.hang_up()
        reporter.working()
        assert not reporter.active
        reporter.done()


def test_the_owner_leaves_its_mark_while_it_reports(pane: PtyEnd) -> None:
    with Reporter(APP, terminal=pane.slave):
        assert os.environ[VARIABLE] == f"{pane.device}:{os.getpid()}"
        with Reporter(APP, terminal=pane.slave) as second:
            assert second.active
        assert VARIABLE in os.environ
    assert VARIABLE not in os.environ


def test_a_mark_for_another_terminal_does_not_silence(pane: PtyEnd) -> None:
    os.environ[VARIABLE] = f"{pane.device + 1}:{os.getppid()}"
    assert Reporter(APP, terminal=pane.slave).active


def test_a_program_inside_a_living_owner_is_silent_and_reports_once_it_is_gone() -> None:
    with Program(["-c", NESTED]) as program:
        said, status = program.end()
    assert said == [
        Report(state=State.WORKING, app="outer"),
        Report(state=State.IDLE, app="outer"),
        Clear(),
        Report(state=State.DONE, app="inner"),
        Clear(),
    ]
    assert status == 0
    assert program.output.seen.index(b"False") < program.output.seen.index(b"True")


def test_dev_tty_is_known_as_the_terminal_that_it_stands_for() -> None:
    with Program(["-c", DEV_TTY]) as program:
        said, status = program.end()
    assert said == [
        Report(state=State.WORKING, app="outer"),
        Clear(),
        Report(state=State.DONE, app="inner"),
    ]
    assert status == 0


def test_a_forked_copy_is_silent() -> None:
    with Program(["-c", FORKED]) as program:
        said, status = program.end()
    assert said == [Report(state=State.WORKING, app="parent"), Clear()]
    assert status == 0


def test_a_signal_handler_can_close_in_the_middle_of_a_report(pane: PtyEnd) -> None:
    channel = Channel(pane.slave, Lifecycle(APP))
    channel.perform(channel.lifecycle.declare, report(State.WORKING))

    def interrupted() -> list[bytes]:
        signal.raise_signal(signal.SIGUSR1)
        return [encode(report(State.ERROR))]

    before = signal.signal(signal.SIGUSR1, lambda *_: channel.close(keep_finished=False))
    try:
        channel.perform(interrupted)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert pane.said() == [report(State.WORKING), Clear()]


@pytest.mark.usefixtures("eager_threads")
def test_threads_share_one_order_of_decisions_and_bytes(pane: PtyEnd) -> None:
    reporter = Reporter(APP, terminal=pane.slave)
    ready = threading.Barrier(4)

    def work(name: str) -> None:
        child = reporter.child(name)
        ready.wait()
        for number in range(100):
            child.working(str(number))
            reporter.working("ab"[number % 2])

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    said = pane.said_while(lambda: any(thread.is_alive() for thread in threads))
    reports = [status for status in said if isinstance(status, Report)]
    for number in range(4):
        mine = [status for status in reports if status.id == f"t{number}"]
        assert mine == [report(State.WORKING, str(step), f"t{number}") for step in range(100)]
    roots = [status for status in reports if not status.id]
    assert all(first != second for first, second in pairwise(roots))
