"""The end of a program inside a shell: what it left unfinished goes, what it finished stays."""

import os
import signal
from pathlib import Path

import pytest

from session_core import Cause, Client, Outcome, Signal, State, What

from .processes import state_letter
from .programs import PROMPT, python
from .waiting import BOUND_S, eventually, process_gone, reported, status_eventually, status_when

pytestmark = pytest.mark.anyio

_BASH = ["bash", "--norc", "--noprofile", "-i"]
_WORKER = """
    report("state=done:id=x:msg=b2s=")
    report("state=blocked:id=b")
    report("state=idle:id=i")
    report("state=working:app=w")
    ready("up")
    rest()
"""


async def _shell(core: Client, prompt: str) -> str:
    pane = await core.open_pane(_BASH, environment=os.environ | {"PS1": prompt})
    return pane.pane


async def _start(core: Client, pane: str, command: list[str]) -> int:
    """Run `command` in the shell of the pane; return its pid once it has reported."""
    await core.write_pane(pane, " ".join(command), submit=True)
    status = await reported(core, pane, "up")
    assert status.occupant is not None
    return status.occupant.pid


async def test_without_prompt_marks_the_records_of_a_killed_program_go_and_its_done_stays(
    core: Client, tmp_path: Path
) -> None:
    pane = await _shell(core, "$ ")
    assert (await core.read_status(pane)).signal is Signal.NONE
    pid = await _start(core, pane, python(tmp_path, _WORKER))
    declared = await core.read_status(pane)
    assert (declared.signal, declared.state) == (Signal.DECLARED, "blocked")
    os.kill(pid, signal.SIGKILL)
    status = await status_when(core, pane, lambda status: len(status.records) == 1)
    assert [(record.id, record.state) for record in status.records] == [("x", State.DONE)]
    assert (status.signal, status.state, status.life) == (Signal.NONE, "done", "running")


async def test_with_prompt_marks_the_same_happens_at_the_prompt(core: Client, tmp_path: Path) -> None:
    pane = await _shell(core, PROMPT)
    before = await status_when(core, pane, lambda status: status.shell == "prompt")
    assert (before.signal, before.state) == (Signal.PROMPT, "idle")
    pid = await _start(core, pane, python(tmp_path, _WORKER))
    assert (await core.read_status(pane)).signal is Signal.DECLARED
    os.kill(pid, signal.SIGKILL)
    status = await status_when(core, pane, lambda status: status.signal is Signal.PROMPT)
    assert [(record.id, record.state) for record in status.records] == [("x", State.DONE)]


async def test_a_wait_that_began_before_the_kill_says_that_no_final_report_came(core: Client, tmp_path: Path) -> None:
    pane = await _shell(core, PROMPT)
    await status_when(core, pane, lambda status: status.shell == "prompt")
    source = """
        report("state=working:app=w")
        report("state=done:id=x")
        ready("up")
        sys.stdin.readline()
        os.kill(0, signal.SIGKILL)
    """
    await _start(core, pane, python(tmp_path, source))
    receipt = await core.write_pane(pane, "", submit=True)
    ended = await core.wait([pane], since=receipt.ticket.revision, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.SETTLED
    assert ended.panes[0].cause in (Cause.PROGRAM_END, Cause.PROMPT)


async def test_a_program_that_only_asked_leaves_no_signal_behind(core: Client, tmp_path: Path) -> None:
    pane = await _shell(core, "$ ")
    source = """
        tty.setcbreak(0)
        say("\\x1b]7501;?\\x1b\\\\\\\\")
        os.read(0, 1)
        open(sys.argv[1], "w").write(str(os.getpid()))
        rest()
    """
    path = tmp_path / "pid"
    await core.write_pane(pane, " ".join(python(tmp_path, source, str(path))), submit=True)
    await eventually(lambda: path.exists() and path.read_text() != "")
    assert (await core.read_status(pane)).signal is Signal.DECLARED
    os.kill(int(path.read_text()), signal.SIGKILL)
    await status_eventually(core, pane, lambda status: status.signal is Signal.NONE)


async def test_a_record_lives_as_long_as_any_process_of_its_group(core: Client, tmp_path: Path) -> None:
    pane = await _shell(core, "$ ")
    source = """
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            rest()
        open(sys.argv[1], "w").write(str(child))
        report("state=working")
        ready("up")
        sys.stdin.readline()
    """
    path = tmp_path / "child"
    leader = await _start(core, pane, python(tmp_path, source, str(path)))
    child = int(path.read_text())
    await core.write_pane(pane, "", submit=True)
    await process_gone(leader)
    await core.write_pane(pane, r"printf '\033]7501;state=idle:id=seen\033\\'", submit=True)
    status = await reported(core, pane, "seen")
    assert status.root is State.WORKING
    os.kill(child, signal.SIGKILL)
    await status_when(core, pane, lambda status: status.root is None)


async def test_a_program_that_is_stopped_keeps_its_records(core: Client, tmp_path: Path) -> None:
    pane = await _shell(core, "$ ")
    pid = await _start(core, pane, python(tmp_path, _WORKER))
    await core.send_keystrokes(pane, b"\x1a")
    await eventually(lambda: state_letter(pid) == "T")
    (question,) = [record for record in (await core.read_status(pane)).records if record.state is State.BLOCKED]
    say = r"printf '\033]7501;state=idle:id=seen\033\\'"
    await core.write_pane(pane, say, submit=True, answers=question.revision)
    assert (await reported(core, pane, "seen")).root is State.WORKING


async def test_a_prompt_on_the_alternate_screen_ends_nothing(core: Client, tmp_path: Path) -> None:
    source = """
        report("state=working")
        say("\\x1b[?1049h\\x1b]133;A\\x07")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    assert (await reported(core, pane)).root is State.WORKING


async def test_a_full_reset_drops_every_record(core: Client, tmp_path: Path) -> None:
    source = """
        report("state=done")
        report("state=working:id=a")
        say("\\x1bc")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    assert [record.id for record in (await reported(core, pane)).records] == ["ready"]


_PAINTER = r"""
    say("\x1b[?1049h\x1b[2J\x1b[Hpainted")
    report("state=working:id=painter")
    ready("up")
    rest()
"""


async def test_the_prompt_after_a_program_that_was_killed_on_the_alternate_screen_counts(
    core: Client, tmp_path: Path
) -> None:
    marks = {"PS1": PROMPT, "PS0": r"\[\e]133;C\a\]"}
    pane = (await core.open_pane(_BASH, environment=os.environ | marks)).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    for _ in range(2):
        pid = await _start(core, pane, python(tmp_path, _PAINTER))
        assert (await core.read_status(pane)).shell == "command"
        os.kill(pid, signal.SIGKILL)
        status = await status_when(core, pane, lambda status: status.shell == "prompt")
        assert (status.signal, status.state, status.records) == (Signal.PROMPT, "idle", ())


async def test_a_command_after_such_a_program_has_its_own_output(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["bash"])).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    os.kill(await _start(core, pane, python(tmp_path, _PAINTER)), signal.SIGKILL)
    await status_when(core, pane, lambda status: status.shell == "prompt")
    await core.run_command(pane, "seq 3")
    read = await core.read_pane(pane, what=What.COMMAND)
    assert read.alternate
    assert read.text == "1\n2\n3"
