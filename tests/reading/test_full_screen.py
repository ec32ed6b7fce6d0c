"""Of a full-screen program a read shows what is visible; once it has left, only what the main screen shows."""

from pathlib import Path

import pytest

from session_core import Client, What

from ..host.waiting import reported
from .outputs import opened, read_on

pytestmark = pytest.mark.anyio

_EDITOR = """
    tty.setraw(0)
    say("before\\r\\n")
    report("state=working")
    say("\\x1b[?1049h\\x1b[2J\\x1b[1;1HTITLE\\x1b[5;3Hbody\\x1b[24;1H-- status --")
    ready("up")
    os.read(0, 1)
    say("\\x1b[5;3HBODY\\x1b[K")
    ready("edited")
    os.read(0, 1)
    report("state=done")
    say("\\x1b[5;3Hdone")
    ready("over")
    os.read(0, 1)
    say("\\x1b[?1049lafter\\r\\n")
    ready("left")
    rest()
"""
_VISIBLE = ["TITLE", "", "", "", "  body"]


async def _step(core: Client, pane: str, name: str) -> int:
    """Let the program go on to its next step; return the offset of before."""
    end = (await core.read_pane(pane)).end
    await core.write_pane(pane, "x")
    await reported(core, pane, name)
    return end


async def test_since_shows_what_is_visible_until_the_program_has_left(core: Client, tmp_path: Path) -> None:
    pane = await opened(core, tmp_path, _EDITOR, sign="up")
    whole = await read_on(core, pane)
    assert (whole.text.split("\n")[:5], whole.alternate, whole.missed_bytes) == (_VISIBLE, True, 0)
    amid = await _step(core, pane, "edited")
    edited = await read_on(core, pane, amid)
    assert edited.text.split("\n")[4] == "  BODY"
    assert edited.text.split("\n")[-1] == "-- status --"
    await _step(core, pane, "over")
    await _step(core, pane, "left")
    assert (await read_on(core, pane, amid)).text == "after\n"
    assert (await read_on(core, pane)).text == "before\nafter\n"
    assert (await core.read_pane(pane)).text == "before\nafter"


async def test_the_turn_of_a_full_screen_program_is_what_is_visible(core: Client, tmp_path: Path) -> None:
    pane = await opened(core, tmp_path, _EDITOR, sign="up")
    going_on = await core.read_pane(pane, what=What.TURN)
    assert going_on.text.split("\n")[:5] == _VISIBLE
    await _step(core, pane, "edited")
    await _step(core, pane, "over")
    ended = await core.read_pane(pane, what=What.TURN)
    # It ended while the alternate screen was shown, and shows what that did then.
    assert ended.text.split("\n")[4] == "  BODY"
    await _step(core, pane, "left")
    assert (await core.read_pane(pane, what=What.TURN)).text.split("\n")[4] == "  BODY"


async def test_a_turn_within_a_full_screen_program_is_gone_once_it_has_left(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        say("\\x1b[?1049h\\x1b[Hpicture")
        report("state=working")
        say("\\x1b[3;3Hpart")
        report("state=done")
        ready()
        os.read(0, 1)
        say("\\x1b[?1049l")
        ready("left")
        rest()
    """
    pane = await opened(core, tmp_path, source)
    assert (await core.read_pane(pane, what=What.TURN)).text == "picture\n\n  part"
    await _step(core, pane, "left")
    assert (await core.read_pane(pane, what=What.TURN)).text == ""


async def test_a_command_that_runs_full_screen_is_what_is_visible(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["bash"], columns=80, rows=24)).pane
    await core.wait([pane])
    await core.write_pane(
        pane, r"printf '\033[?1049h\033[2;2Hfull'; read; printf '\033[?1049l'; echo gone", submit=True
    )
    await core.wait([pane], text="full")
    running = await core.read_pane(pane, what=What.COMMAND)
    assert (running.text, running.alternate) == ("\n full", True)
    assert running.command is not None
    assert running.command.end is None
    ticket = (await core.write_pane(pane, "", submit=True)).ticket.id
    await core.wait([pane], since=ticket)
    ended = await core.read_pane(pane, what=What.COMMAND)
    assert ended.text.split("\n")[-1] == "gone"
    assert "full" not in ended.text
