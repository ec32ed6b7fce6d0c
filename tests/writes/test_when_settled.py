"""A write for `settled` waits until the pane is at rest, each in its order and after the turn of the one before."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, connect

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import BOUND_S, reported, status_eventually
from .panes import lines_when, refusal, shell, turns, typing

pytestmark = pytest.mark.anyio

_WORKS = r"""
    # A line is a turn that takes a moment; what is written before its end is early, and is said to be.
    log = open(sys.argv[1], "a", buffering=1)
    report("state=idle")
    ready()
    while True:
        line = os.read(0, 4096).decode().strip()
        report("state=working")
        early = select.select([0], [], [], 0.02)[0]
        log.write(line + (" early" if early else "") + "\n")
        report("state=done:msg=b2s=")
"""


async def _worker(core: Client, tmp_path: Path) -> tuple[str, Path]:
    path = tmp_path / "lines"
    path.touch()
    pane = (await core.open_pane(python(tmp_path, _WORKS, str(path)))).pane
    await reported(core, pane)
    return pane, path


async def test_each_write_comes_after_the_turn_of_the_one_before(core: Client, tmp_path: Path) -> None:
    pane, path = await _worker(core, tmp_path)
    tickets = [
        (await core.write_pane(pane, f"task {number}", submit=True, when="settled")).ticket for number in range(10)
    ]
    assert tickets[0].status is Delivery.DELIVERED
    assert {(ticket.status, ticket.reason) for ticket in tickets[2:]} == {(Delivery.HELD, "not_settled")}
    assert await lines_when(path, 10) == [f"task {number}" for number in range(10)]
    ended = await core.wait([pane], since=tickets[-1].id, timeout_s=BOUND_S)
    assert (ended.outcome, ended.panes[0].state) == ("settled", "done")
    assert (await core.held_writes(pane)).tickets == ()


async def test_held_writes_outlive_the_client_that_asked(core: Client, host: RunningHost, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    async with connect(folder=str(host.folder), start=False) as other:
        for number in range(3):
            ticket = (await other.write_pane(pane, f"task {number} done", submit=True, when="settled")).ticket
            assert ticket.status is Delivery.HELD
    assert len((await core.held_writes(pane)).tickets) == 3
    await core.write_pane(pane, "now done", submit=True)
    assert await lines_when(path, 5) == ["long work", "now done", *(f"task {number} done" for number in range(3))]


async def test_a_write_waits_through_a_question_and_comes_after_its_answer(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    receipt = await core.write_pane(pane, "ask blocked", submit=True, wait_s=BOUND_S)
    assert receipt.wait is not None
    question = receipt.wait.panes[0].record
    assert question is not None
    held = (await core.write_pane(pane, "later done", submit=True, when="settled")).ticket
    assert held.status is Delivery.HELD
    await core.write_pane(pane, "answer done", submit=True, answers=question.revision)
    ended = await core.wait([pane], since=held.id, timeout_s=BOUND_S)
    assert ended.outcome == "settled"
    assert await lines_when(path, 3) == ["ask blocked", "answer done", "later done"]


async def test_a_shell_with_prompt_marks_gets_each_command_at_its_prompt(core: Client, tmp_path: Path) -> None:
    pane = await shell(core)
    path = tmp_path / "out"
    for number in range(5):
        await core.write_pane(pane, f"read -t 0; echo {number} $? >> {path}", submit=True, when="settled")
    # `read -t 0` succeeds where input is waiting.
    assert await lines_when(path, 5) == [f"{number} 1" for number in range(5)]


async def test_a_draft_also_holds_what_waits_for_rest(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    await core.write_pane(pane, "tool done", submit=True, when="settled", on_draft="hold")
    await typing(core, pane, b"person ")
    await core.send_keystrokes(pane, b"done\r")
    assert await lines_when(path, 3) == ["long work", "person done", "tool done"]


async def test_a_person_who_types_during_a_turn_takes_nothing_away_that_waits_for_its_end(
    core: Client, tmp_path: Path
) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    await core.write_pane(pane, "tool done", submit=True, when="settled")
    await typing(core, pane, b"person ")
    assert len((await core.held_writes(pane)).tickets) == 1
    await core.send_keystrokes(pane, b"done\r")
    assert await lines_when(path, 3) == ["long work", "person done", "tool done"]


async def test_what_is_next_goes_when_the_one_before_it_is_cancelled(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    first = (await core.write_pane(pane, "never", submit=True, when="settled", on_draft="hold")).ticket
    await typing(core, pane, b"per")
    second = (await core.write_pane(pane, "tool", submit=True, on_draft="hold")).ticket
    await core.send_keystrokes(pane, b"son\r")
    await lines_when(path, 2)
    assert [ticket.id for ticket in (await core.held_writes(pane)).tickets] == [first.id, second.id]
    await core.cancel_write(first.id)
    assert await lines_when(path, 3) == ["long work", "person", "tool"]


async def test_what_is_next_goes_when_the_one_before_it_expires(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    await core.write_pane(pane, "never", submit=True, when="settled", on_draft="hold", hold_s=0.2)
    await typing(core, pane, b"per")
    await core.write_pane(pane, "tool", submit=True, on_draft="hold")
    await core.send_keystrokes(pane, b"son\r")
    assert await lines_when(path, 3) == ["long work", "person", "tool"]


async def test_a_pane_that_ends_refuses_what_it_holds(core: Client, tmp_path: Path) -> None:
    pane, _ = await turns(core, tmp_path)
    await core.write_pane(pane, "long work", submit=True)
    await status_eventually(core, pane, lambda status: status.state == "working")
    held = (await core.write_pane(pane, "never", submit=True, when="settled")).ticket
    outcomes: list[str] = []

    async def wait() -> None:
        outcomes.append((await core.wait([pane], since=held.id, timeout_s=BOUND_S)).outcome)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        await core.send_keys(pane, ["C-c"])
    assert outcomes == ["not_delivered"]
    assert (await refusal(core.cancel_write(held.id))).code is Code.NO_SUCH_TICKET
