"""Waiting for one pane: what ends a wait, and what never does."""

import os
from pathlib import Path

import anyio
import pytest

from session_core import Cause, Client, Code, Observed, Outcome, SessionCoreError, Until

from .programs import PROMPT, python
from .waiting import BOUND_S, exit_of, reported, status_when

pytestmark = pytest.mark.anyio

_TURNS = """
    tty.setcbreak(0)
    report("state=idle")
    ready()
    while True:
        word = sys.stdin.readline().strip()
        report("state=working")
        if word == "block":
            report("state=blocked:kind=question:msg=UnVuIHRlc3RzPw==")
        elif word == "die":
            sys.exit(4)
        report("state=done:msg=b2s=")
"""


async def _turns(core: Client, tmp_path: Path) -> str:
    pane = (await core.open_pane(python(tmp_path, _TURNS))).pane
    await reported(core, pane)
    return pane


async def test_a_pane_at_rest_ends_a_wait_at_once(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    looked = await core.wait([pane], timeout_s=BOUND_S)
    assert (looked.outcome, looked.panes[0].state) == (Outcome.SETTLED, Observed.IDLE)


async def test_an_old_rest_never_ends_a_wait_for_what_follows(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    since = (await core.list_panes()).revision
    looked = await core.wait([pane], since=since, timeout_s=0)
    assert (looked.outcome, looked.panes[0].outcome) == (Outcome.CHECKIN, Outcome.CHECKIN)


async def test_a_wait_since_a_write_ends_with_what_that_write_led_to(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    for _ in range(30):
        receipt = await core.write_pane(pane, "go", submit=True)
        ended = await core.wait([pane], since=receipt.ticket.revision, timeout_s=BOUND_S)
        assert ended.outcome is Outcome.SETTLED
        assert ended.panes[0].revision > receipt.ticket.revision
        assert ended.panes[0].state is Observed.DONE


async def test_what_happened_between_two_calls_is_not_missed(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    receipt = await core.write_pane(pane, "block", submit=True)
    await status_when(core, pane, lambda status: status.state == "done")
    looked = await core.wait([pane], since=receipt.ticket.revision, timeout_s=0)
    assert looked.outcome is Outcome.SETTLED


async def test_a_blocked_program_ends_a_wait_for_rest(core: Client, tmp_path: Path) -> None:
    source = """
        report("state=working")
        ready()
        sys.stdin.readline()
        report("state=blocked:kind=question:msg=UnVuIHRlc3RzPw==")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    receipt = await core.write_pane(pane, "", submit=True)
    during = await core.wait([pane], since=receipt.ticket.revision, timeout_s=BOUND_S)
    after = await core.wait([pane], timeout_s=0)
    assert {during.outcome, after.outcome} == {Outcome.BLOCKED}
    status = await core.read_status(pane)
    assert [(record.kind, record.msg) for record in status.records if not record.id] == [("question", "Run tests?")]


async def test_a_wait_for_the_exit_goes_on_through_rest_and_blocks(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    await core.write_pane(pane, "block", submit=True)
    await status_when(core, pane, lambda status: status.state == "done")
    assert (await core.wait([pane], until=Until.EXITED, timeout_s=0)).outcome is Outcome.CHECKIN
    assert (await core.wait([pane], until=Until.BLOCKED, timeout_s=0)).outcome is Outcome.CHECKIN
    await core.write_pane(pane, "die", submit=True)
    ended = await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
    assert (ended.outcome, ended.panes[0].cause) == (Outcome.EXITED, Cause.EXIT)
    assert (await core.read_status(pane)).exit == await exit_of(core, pane)


@pytest.mark.parametrize("until", [until for until in Until if until is not Until.TEXT])
async def test_an_exit_ends_every_wait_also_one_that_begins_later(core: Client, tmp_path: Path, until: Until) -> None:
    pane = await _turns(core, tmp_path)
    outcomes: list[Outcome] = []

    async def wait(since: int) -> None:
        outcomes.append((await core.wait([pane], until=Until.EXITED, since=since, timeout_s=10)).outcome)

    since = (await core.read_status(pane)).revision
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait, since)
        await core.write_pane(pane, "die", submit=True)
    since = (await core.list_panes()).revision
    outcomes += [(await core.wait([pane], until=until, since=number, timeout_s=0)).outcome for number in (0, since)]
    assert outcomes == [Outcome.EXITED] * 3


async def test_a_wait_whose_time_is_up_checks_in_and_loses_nothing(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    since = (await core.list_panes()).revision
    first = await core.wait([pane], since=since, timeout_s=0.01)
    assert first.outcome is Outcome.CHECKIN
    assert first.revision >= since
    await core.write_pane(pane, "go", submit=True)
    second = await core.wait([pane], since=first.revision, timeout_s=BOUND_S)
    assert second.outcome is Outcome.SETTLED


async def test_a_keystroke_that_acknowledges_is_no_news_for_a_wait(core: Client, tmp_path: Path) -> None:
    source = 'tty.setraw(0)\nreport("state=done:id=ready")\nrest()'
    pane = (await core.open_pane(python(tmp_path, source))).pane
    since = (await reported(core, pane)).revision
    receipt = await core.send_keystrokes(pane, b"x")
    assert receipt.acknowledged == ("ready",)
    assert (await core.wait([pane], since=since, timeout_s=0)).outcome is Outcome.CHECKIN


async def test_a_revision_of_another_host_asks_to_read_anew(core: Client, tmp_path: Path) -> None:
    pane = await _turns(core, tmp_path)
    looked = await core.wait([pane], since=1_000_000_000, timeout_s=BOUND_S)
    assert looked.outcome is Outcome.RESYNC


async def test_a_program_that_declares_nothing_is_never_called_idle(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "echo quiet; exec sleep 1000"])).pane
    assert (await core.wait([pane], timeout_s=0.05)).outcome is Outcome.CHECKIN


async def test_a_shell_with_prompt_marks_rests_at_its_next_prompt(core: Client) -> None:
    command = ["bash", "--norc", "--noprofile", "-i"]
    environment = os.environ | {"PS1": PROMPT, "PS0": r"\e]133;C\a"}
    pane = (await core.open_pane(command, environment=environment)).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    receipt = await core.write_pane(pane, "echo out", submit=True)
    ended = await core.wait([pane], since=receipt.ticket.revision, timeout_s=BOUND_S)
    assert (ended.outcome, ended.panes[0].cause) == (Outcome.SETTLED, Cause.PROMPT)
    assert "\nout\n" in (await core.read_pane(pane)).text


async def test_a_wait_for_a_pane_that_does_not_exist_is_an_error(core: Client) -> None:
    with pytest.raises(SessionCoreError) as raised:
        await core.wait(["p999"], timeout_s=BOUND_S)
    assert raised.value.code is Code.NO_SUCH_PANE
    assert "p999" in str(raised.value)
