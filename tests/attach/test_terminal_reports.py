"""What a viewer's terminal sends by itself reaches the program only where the program asked for that."""

import re
from pathlib import Path

import pytest

from session_core import Client

from ..host.hosts import RunningHost
from ..host.waiting import eventually
from ..writes.panes import go_on, logger
from .viewers import viewer

pytestmark = pytest.mark.anyio

_ANSWERS = (
    b"\x1b[24;80R\x1b[?24;80R\x1b[?62;22c\x1b[>1;10;0c\x1bP!|7E565445\x1b\\\x1b[0n\x1b[?2026;2$y\x1b[4;1$y"
    b"\x1bP>|xterm(370)\x1b\\\x1bP1+r544e=787465726d\x1b\\\x1bP1$r0m\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\"
    b"\x1b]52;c;ZXZpbA==\x07\x1b]lrm -rf x\x1b\\\x1b]7501;?:states=idle\x07\x1b[?11u\x1b_Gi=31;OK\x1b\\"
    b"\x1b[48;24;80;480;800t\x1b[8;24;80t\x1b[?997;1n"
)
_FOCUS = b"\x1b[I\x1b[O"
_MOUSE = b"\x1b[<35;32;46M\x1b[<0;1;1m\x1b[M !!\x1b[67;32;46M"
_REDRAW = b"\x0c"
_RELEASES = b"\x1b[97;1:3u\x1b[57441;2u\x1b[57441;1:3u"


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("modes", ["", r"\x1b[?1004h\x1b[?1003h\x1b[>11u\x1b[?2048h\x1b[?2031h"], ids=["none", "all"])
async def test_answers_never_reach_the_program_however_they_are_cut(
    core: Client, host: RunningHost, tmp_path: Path, modes: str, size: int
) -> None:
    program = await logger(core, tmp_path, modes=modes)
    async with viewer(host, program.pane) as person:
        await person.send_pieces(_ANSWERS, size=size)
        await person.send(_REDRAW)
    await core.write_pane(program.pane, "end")
    await eventually(lambda: program.data.endswith(b"end"))
    # A program that asked for the size in the stream gets the host's own report of it.
    assert re.sub(rb"\x1b\[48;[\d;]+t", b"", program.data) == _REDRAW + b"end"


@pytest.mark.parametrize(
    ("modes", "data"),
    [
        (r"\x1b[?1004h", _FOCUS),
        (r"\x1b[?1000h", _MOUSE),
        (r"\x1b[?1002h\x1b[?1006h", _MOUSE),
        (r"\x1b[?1003h\x1b[?1006h", _MOUSE),
        (r"\x1b[?9h", _MOUSE),
        (r"\x1b[>11u", _RELEASES),
    ],
    ids=["focus", "mouse_1000", "mouse_1002", "mouse_1003", "mouse_9", "kitty"],
)
async def test_events_reach_the_program_that_asked_for_them_and_no_other(
    core: Client, host: RunningHost, tmp_path: Path, modes: str, data: bytes
) -> None:
    program = await logger(core, tmp_path, then=modes)
    async with viewer(host, program.pane) as person:
        for part in (_FOCUS, _MOUSE, _RELEASES):
            await person.send(part)
        await person.send(b"x")
        await program.got(b"x")
        await go_on(core, program)
        for part in (_FOCUS, _MOUSE, _RELEASES):
            await person.send(part)
        await person.send(b"y")
        await program.got(b"x" + data + b"y")


async def test_events_stop_when_the_program_asks_no_more(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b[?1004h\x1b[?1003h", then=r"\x1b[?1004l\x1b[?1003l")
    async with viewer(host, program.pane) as person:
        await person.send(_FOCUS + _MOUSE)
        await program.got(_FOCUS + _MOUSE)
        await go_on(core, program)
        await person.send(_FOCUS + _MOUSE + b"x")
        await program.got(_FOCUS + _MOUSE + b"x")


async def test_each_query_gets_one_answer_though_three_terminals_answer_it(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, then=r"\x1b[5;7H\x1b[6n\x1b[c\x1b[>c\x1b]7501;?\x07\x1b[5n")
    async with (
        viewer(host, program.pane) as one,
        viewer(host, program.pane) as two,
        viewer(host, program.pane, read_only=True) as three,
    ):
        await go_on(core, program)
        for person in (one, two, three):
            await person.send(_ANSWERS)
        await core.write_pane(program.pane, "end")
        await eventually(lambda: program.data.endswith(b"end"))
    expected = rb"\x1b\[5;7R\x1b\[\?[\d;]+c\x1b\[>[\d;]+c\x1b\]7501;\?:[^\x07]+\x07\x1b\[0nend"
    assert re.fullmatch(expected, program.data), program.data


async def test_a_paste_of_a_person_reaches_the_program_as_it_is(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b[?2004h")
    paste = b"\x1b[200~one\rtwo \x1b[A\x1b[24;80R\x1b]52;c;x\x07 three\x1b[201~"
    async with viewer(host, program.pane) as person:
        await person.send_pieces(paste, size=5)
        await program.got(paste)
    assert (await core.read_status(program.pane)).draft is not None


async def test_a_read_only_viewer_sends_nothing_to_the_program(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b[?1004h\x1b[?1003h")
    async with viewer(host, program.pane, read_only=True) as watching:
        await watching.send(b"x\r" + _FOCUS + _MOUSE + b"\x1b[200~y\x1b[201~")
    await core.write_pane(program.pane, "end")
    await program.got(b"end")
