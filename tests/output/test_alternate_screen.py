"""A full-screen program's picture and the shell's screen are two, and a reader is told which one it sees."""

from pathlib import Path

import pytest

from session_core import Client, What

from ..host.waiting import exit_of
from .showing import saying

pytestmark = pytest.mark.anyio

_MODES = [47, 1047, 1049]


@pytest.mark.parametrize("mode", _MODES)
async def test_the_main_screen_comes_back_as_it_was(core: Client, tmp_path: Path, mode: int) -> None:
    program = await saying(
        core,
        tmp_path,
        b"main1\r\nmain2\r\n",
        b"\x1b[?%dh\x1b[2J\x1b[HALT" % mode,
        b"\x1b[?%dl" % mode,
        b"back",
    )
    before = await program.say_on()
    inside = await program.say_on()
    after = await program.say_on()
    back = await program.say_on()
    assert (before.text, before.alternate) == ("main1\nmain2", False)
    assert (inside.text, inside.alternate) == ("ALT", True)
    assert (after.text, after.alternate) == ("main1\nmain2", False)
    if mode == 1049:
        assert (after.cursor_column, after.cursor_row) == (0, 2)
        assert back.text == "main1\nmain2\nback"


@pytest.mark.parametrize("mode", _MODES)
async def test_nothing_of_the_alternate_screen_is_scrolled_back(core: Client, tmp_path: Path, mode: int) -> None:
    picture = b"\r\n".join(b"alt %d" % number for number in range(100))
    lines = b"\r\n".join(b"main %d" % number for number in range(50))
    program = await saying(core, tmp_path, lines, b"\x1b[?%dh\x1b[2J\x1b[H" % mode + picture, b"\x1b[?%dl" % mode)
    for _ in range(3):
        await program.say_on()
    tail = await core.read_pane(program.pane, what=What.TAIL, lines=1000)
    assert tail.text == lines.decode().replace("\r", "")
    found = await core.read_pane(program.pane, what=What.FIND, pattern="alt")
    assert found.found == 0


async def test_a_program_that_is_killed_on_the_alternate_screen_leaves_its_picture_and_says_so(
    core: Client,
) -> None:
    script = r"printf 'main\n\033[?1049h\033[HALT'; kill -9 $$"
    pane = (await core.open_pane(["sh", "-c", script])).pane
    assert (await exit_of(core, pane)).signal == "SIGKILL"
    read = await core.read_pane(pane)
    assert (read.text, read.alternate) == ("ALT", True)
