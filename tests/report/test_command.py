"""`panebridge report`, as a script runs it."""

import os
import subprocess
import sys

import pytest

from session_core.protocol.program_status import Clear, Kind, Report, State
from session_core.report import main
from session_core.report.ownership import VARIABLE

from .pty_end import ROOT, Program, PtyEnd

RUN = "import sys; from session_core.report import main; sys.exit(main(sys.argv[1:]))"


def test_a_script_on_a_terminal_declares_every_field() -> None:
    arguments = ["blocked", "--msg", "-", "--title", "My job", "--kind", "permission", "--progress", "40"]
    with Program(["-c", RUN, *arguments, "--id", "build/test", "--app", "deploy"]) as program:
        said, status = program.end()
    assert said == [
        Report(
            state=State.BLOCKED,
            id="build/test",
            kind=Kind.PERMISSION,
            progress=40,
            app="deploy",
            title="My job",
            msg="-",
        )
    ]
    assert (program.output.seen.startswith(b"\x1b]7501;"), status) == (True, 0)


@pytest.mark.parametrize(("arguments", "id"), [([], ""), (["--id", "build"], "build")])
def test_clear_takes_one_record_or_all(pane: PtyEnd, arguments: list[str], id: str) -> None:
    assert main(["clear", "--tty", pane.path, *arguments]) == 0
    assert pane.said() == [Clear(id)]


def test_without_a_terminal_it_is_silent_and_succeeds() -> None:
    command = [sys.executable, "-c", RUN, "working"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_dev_tty_without_a_terminal_is_silent_and_succeeds() -> None:
    command = [sys.executable, "-c", RUN, "working", "--tty", "/dev/tty"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, start_new_session=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ([], "STATE"),
        (["busy"], "idle"),
        (["working", "--progress", "101"], "give a whole number from 0 to 100"),
        (["working", "--progress", "half"], "--progress"),
        (["blocked", "--kind", "password"], "give one of permission, question, auth"),
        (["idle", "--id", "a b"], "give names joined by single '/'"),
        (["clear", "--id", ""], "leave --id out for the program itself"),
        (["clear", "--msg", "bye"], "leave out --msg"),
        (["idle", "--app", "my app"], "give one name"),
        (["idle", "--tty", "/nowhere"], "give a terminal such as /dev/tty"),
        (["idle", "--tty", os.devnull], "give a terminal such as /dev/tty"),
    ],
)
def test_a_mistake_says_what_to_do_and_ends_with_2(
    arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("usage: panebridge report")
    assert advice in printed.err.rpartition("panebridge report: error:")[2]
    assert printed.out == ""


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    help = capsys.readouterr().out
    assert help.count("\n  panebridge report ") == 2
    for option in ("--msg", "--title", "--kind", "--progress", "--id", "--app", "--tty"):
        assert option in help


def test_the_examples_of_the_help_work(capsys: pytest.CaptureFixture[str], pane: PtyEnd) -> None:
    main(["--help"])
    help = capsys.readouterr().out
    for line in help.splitlines():
        if line.startswith("  panebridge report "):
            script = f'{sys.executable} -c "$RUN" {line.removeprefix("  panebridge report ")} --tty {pane.path}'
            environ = os.environ | {"RUN": RUN}
            subprocess.run(["sh", "-c", script], cwd=ROOT, env=environ, check=True)
    assert [type(status) for status in pane.said()] == [Report, Report]


def test_a_script_inside_an_owner_declares_only_records_of_its_own(pane: PtyEnd) -> None:
    os.environ[VARIABLE] = f"{pane.device}:{os.getppid()}"
    for arguments in (["done"], ["clear"], ["working", "--id", "build"], ["clear", "--id", "build"]):
        assert main([*arguments, "--tty", pane.path]) == 0
    assert pane.said() == [Report(state=State.WORKING, id="build"), Clear("build")]
