"""Only what a person types ends `done` and `error`."""

import os
from pathlib import Path

import pytest

from session_core import Client, State

from .programs import python
from .waiting import exit_of, reported, status_eventually, status_when

pytestmark = pytest.mark.anyio

_FINISHED = """
    tty.setraw(0)
    report("state=done:app=make:msg=QnVpbHQgMyB0YXJnZXRz")
    report("state=error:id=e:app=lint")
    report("state=blocked:id=b:kind=permission")
    report("state=working:id=w")
    ready()
    rest()
"""


async def _finished(core: Client, tmp_path: Path) -> str:
    pane = (await core.open_pane(python(tmp_path, _FINISHED))).pane
    await reported(core, pane)
    return pane


def _states(records: object) -> dict[str, State]:
    assert isinstance(records, tuple)
    return {record.id: record.state for record in records}


_BEFORE = {"": State.DONE, "b": State.BLOCKED, "e": State.ERROR, "ready": State.IDLE, "w": State.WORKING}


async def test_nothing_that_a_tool_does_ends_them(core: Client, tmp_path: Path) -> None:
    pane = await _finished(core, tmp_path)
    await core.read_pane(pane)
    await core.read_pane(pane, lines=100)
    (question,) = [record for record in (await core.read_status(pane)).records if record.id == "b"]
    await core.write_pane(pane, "echo hi", submit=True, author="tool", answers=question.revision)
    await core.send_keys(pane, ["Up", "C-l"], answers=question.revision)
    await core.set_pane(pane, columns=90, rows=30)
    await core.list_panes()
    await core.wait([pane], timeout_s=0)
    status = await core.read_status(pane)
    assert _states(status.records) == _BEFORE
    assert status.records[0].msg == "Built 3 targets"
    assert status.acknowledged == ()


async def test_no_answer_of_the_host_ends_them(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        report("state=done")
        say("\\x1b]7501;?\\x07\\x1b[c\\x1b[6n\\x1b[5n")
        got = b""
        while not got.endswith(b"\\x1b[0n"):
            got += os.read(0, 100)
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    status = await reported(core, pane)
    assert (status.root, status.acknowledged) == (State.DONE, ())


async def test_a_keystroke_makes_them_idle_and_the_ledger_says_who_and_which(core: Client, tmp_path: Path) -> None:
    pane = await _finished(core, tmp_path)
    receipt = await core.send_keystrokes(pane, b"y", person="ada")
    assert sorted(receipt.acknowledged) == ["", "e"]
    status = await core.read_status(pane)
    assert _states(status.records) == _BEFORE | {"": State.IDLE, "e": State.IDLE}
    root, error = status.records[0], status.records[2]
    assert (root.app, root.msg, error.app) == ("make", None, "lint")
    (seen,) = status.acknowledged
    assert (seen.by, sorted(seen.records)) == ("ada", ["", "e"])
    assert seen.at >= status.occupant.started if status.occupant else False


async def test_a_second_keystroke_acknowledges_nothing_more(core: Client, tmp_path: Path) -> None:
    pane = await _finished(core, tmp_path)
    await core.send_keystrokes(pane, b"y", person="ada")
    first = (await core.read_status(pane)).acknowledged
    assert (await core.send_keystrokes(pane, b"y", person="bob")).acknowledged == ()
    assert (await core.read_status(pane)).acknowledged == first


async def test_a_record_whose_program_has_ended_goes(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["bash", "--norc", "--noprofile", "-i"])).pane
    source = 'report("state=working:id=w")\nreport("state=done:msg=b2s=")\nsys.stdin.readline()'
    await core.write_pane(pane, " ".join(python(tmp_path, source)), submit=True)
    await status_when(core, pane, lambda status: status.root is State.DONE)
    await core.write_pane(pane, "", submit=True)
    await status_eventually(core, pane, lambda status: len(status.records) == 1)
    receipt = await core.send_keystrokes(pane, b"l")
    assert receipt.acknowledged == ("",)
    assert (await core.read_status(pane)).records == ()


async def test_a_new_report_is_unseen_again(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        report("state=done")
        ready()
        os.read(0, 1)
        report("state=done")
        ready("again")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    await core.send_keystrokes(pane, b"x")
    assert (await reported(core, pane, "again")).root is State.DONE


async def test_done_stays_after_the_exit(core: Client) -> None:
    command = ["sh", "-c", r"printf '\033]7501;state=done:msg=b2s=\033\\'"]
    pane = (await core.open_pane(command, environment=dict(os.environ))).pane
    await exit_of(core, pane)
    status = await core.read_status(pane)
    assert (status.root, status.records[0].msg) == (State.DONE, "ok")
