"""What a viewer sees first is the present screen, painted, and nothing that its terminal would answer."""

import re
from pathlib import Path

import pytest

from session_core import Client

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import reported
from .viewers import painted, viewer

pytestmark = pytest.mark.anyio

_QUESTIONS = re.compile(
    rb"\x1b\[[0-9;?>=]*n|\x1b\[[>=]?[0-9]*c|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9;]*\$p|\x1b\[[0-9;]*t|\x1b\[\?u|\x1b\[>[0-9]*q"
    rb"|\x1b\]|\x1bP|\x1b_|\x05"
)

_SCREENS = {
    "plain": r'say("one\r\ntwo\r\n$ ")',
    "questions": r"""
    for number in range(50):
        say("\x1b[6n\x1b[c\x1b[>c\x1b[5n\x1b[>q\x1b[?u\x1b[?2026$p\x1b]7501;?\x07\x1b]11;?\x07\x1bP+q544e\x1b\\\\")
        say(f"line {number}\r\n")
        while select.select([0], [], [], 0)[0]:
            os.read(0, 65536)
    """,
    "evil": r"""
    say("\x1b]2;rm -rf x\x07\x1b[21t\x1b]52;c;?\x07\x1b]52;c;ZXZpbA==\x07\x1b]7501;state=done:app=agent\x07shown\r\n")
    """,
    "colours_and_wide": r"""
    say("\x1b[31mred \x1b[1;4mbold\x1b[m 中文 e\u0301 \U0001F642\r\n\x1b[48;5;21m   \x1b[m|\x1b[5;10Hthere\x1b[3;3H")
    """,
    "alternate": r'say("main\r\n\x1b[?1049h\x1b[H\x1b[2Jalternate\x1b[?25l\x1b[4;4Hx\x1b[?1000h\x1b[?2004h")',
    "margins": r'say("\x1b[3;6r\x1b[?6h\x1b[Hinside\r\n\x1b[2;2Hx")',
    "full_width": r'say("x" * 80 + "y" * 80)',
    "scrolled": r'say("\r\n".join(f"line {number}" for number in range(200)))',
}


async def _showing(core: Client, tmp_path: Path, name: str) -> str:
    source = (
        "tty.setraw(0)\n" + _SCREENS[name].replace("\n    ", "\n").strip() + '\nreport("state=idle:id=ready")\nrest()\n'
    )
    pane = (await core.open_pane(python(tmp_path, source), columns=80, rows=24)).pane
    await reported(core, pane)
    return pane


@pytest.mark.parametrize("name", _SCREENS)
async def test_it_paints_what_reading_the_pane_shows(
    core: Client, host: RunningHost, tmp_path: Path, name: str
) -> None:
    pane = await _showing(core, tmp_path, name)
    read = await core.read_pane(pane)
    for _ in range(2):
        async with viewer(host, pane) as person:
            attached = person.viewing.attached
            assert (attached.pane, attached.columns, attached.rows) == (pane, read.columns, read.rows)
            screen = painted(attached.columns, attached.rows, person.first)
    cursor = screen.cursor
    assert screen.text() == read.text
    assert (cursor.column, cursor.row, screen.alternate) == (read.cursor_column, read.cursor_row, read.alternate)


@pytest.mark.parametrize("name", _SCREENS)
async def test_a_terminal_that_answers_everything_has_nothing_to_answer(
    core: Client, host: RunningHost, tmp_path: Path, name: str
) -> None:
    pane = await _showing(core, tmp_path, name)
    async with viewer(host, pane) as person:
        assert _QUESTIONS.findall(person.first) == []
    screen = painted(80, 24, b"")
    assert screen.feed(person.first) == b""


async def test_modes_that_the_program_has_set_are_set_for_the_viewer(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _showing(core, tmp_path, "alternate")
    async with viewer(host, pane) as person:
        screen = painted(80, 24, person.first)
    assert (screen.alternate, screen.mode(1000), screen.mode(2004), screen.cursor.visible) == (True, True, True, False)


async def test_the_history_changes_no_record_when_somebody_attaches(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _showing(core, tmp_path, "evil")
    before = await core.read_status(pane)
    for _ in range(3):
        async with viewer(host, pane) as person:
            assert b"7501" not in person.first
    after = await core.read_status(pane)
    assert (after.records, after.revision, after.changes) == (before.records, before.revision, before.changes)
    assert [record.app for record in after.records if not record.id] == ["agent"]
