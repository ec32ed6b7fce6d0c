"""The output of a turn: what came between `working` and the program's rest."""

from pathlib import Path

import pytest

from session_core import Client, SessionCoreError, What

from ..host.programs import python
from ..host.waiting import exit_of, reported, status_when

pytestmark = pytest.mark.anyio

_AGENT = """
    say("welcome\\r\\n")
    report("state=idle")
    for line in sys.stdin:
        name = line.strip()
        report("state=working")
        say(f"thinking of {name}\\r\\nhalf")
        if name == "wait":
            ready("amid")
            sys.stdin.readline()
        if name == "ask":
            report("state=blocked:kind=question")
            sys.stdin.readline()
            report("state=working")
        say(" and half\\r\\n")
        report("state=done" if name != "fail" else "state=error")
        say("prompt> ")
    say("the end\\r\\n")
"""


async def _agent(core: Client, folder: Path) -> str:
    pane = (await core.open_pane(python(folder, _AGENT), columns=80, rows=24)).pane
    await status_when(core, pane, lambda status: status.state == "idle")
    return pane


async def _turn(core: Client, pane: str) -> str:
    return (await core.read_pane(pane, what=What.TURN)).text


async def test_a_turn_is_what_came_between_working_and_rest(core: Client, tmp_path: Path) -> None:
    pane = await _agent(core, tmp_path)
    for name in ("one", "fail", "two"):
        await core.write_pane(pane, name, submit=True, wait_s=10)
        assert await _turn(core, pane) == f"thinking of {name}\nhalf and half"


async def test_a_turn_that_goes_on_is_shown_so_far(core: Client, tmp_path: Path) -> None:
    pane = await _agent(core, tmp_path)
    await core.write_pane(pane, "wait", submit=True)
    await reported(core, pane, "amid")
    assert await _turn(core, pane) == "thinking of wait\nhalf"


async def test_a_question_is_a_part_of_its_turn(core: Client, tmp_path: Path) -> None:
    pane = await _agent(core, tmp_path)
    asked = await core.write_pane(pane, "ask", submit=True, wait_s=10)
    assert asked.wait is not None
    assert asked.wait.outcome == "blocked"
    assert await _turn(core, pane) == "thinking of ask\nhalf"
    record = asked.wait.panes[0].record
    assert record is not None
    await core.write_pane(pane, "yes", submit=True, answers=record.revision, wait_s=10)
    text = await _turn(core, pane)
    assert text.startswith("thinking of ask\nhalf")
    assert text.endswith("and half")


async def test_the_turn_of_a_program_that_ends_amid_it_ends_with_the_program(core: Client, tmp_path: Path) -> None:
    command = python(tmp_path, 'report("state=working")\nsay("last words\\r\\n")')
    pane = (await core.open_pane(command)).pane
    await exit_of(core, pane)
    assert await _turn(core, pane) == "last words"


async def test_a_command_of_a_shell_is_a_turn(core: Client) -> None:
    pane = (await core.open_pane(["bash"])).pane
    await core.run_command(pane, "echo worked")
    assert (await _turn(core, pane)).split("\n")[0] == "worked"


async def test_a_pane_that_was_never_at_work_has_no_turn(core: Client) -> None:
    pane = (await core.open_pane(["cat"])).pane
    with pytest.raises(SessionCoreError, match="not been at work"):
        await core.read_pane(pane, what=What.TURN)
