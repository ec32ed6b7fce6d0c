"""Sequences that programs really send, and that have taken readers down or leaked onto screens."""

from pathlib import Path

import pytest

from session_core import Client

from ..host.hosts import RunningHost
from .showing import shown

pytestmark = pytest.mark.anyio

_HARMLESS = [
    b"\x1b[?4m",
    b"\x1b[>4;?m",
    b"\x1b[>4;2m",
    b"\x1b[?1;1H",
    b"\x1b[=1;1u",
    b"\x1b[>q",
    b"\x1b[48m",
    b"\x1b[12'z",
    b"\x1b[1'~",
]
# What agents send when they start: queries, keyboard modes, bracketed paste, focus, colours, sync, titles.
_START_UP = (
    b"\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;2m\x1b[?u\x1b[c\x1b[>0q\x1b]11;?\x1b\\\x1b]10;?\x07\x1b[?2026$p\x1b[14t"
    b"\x1b]0;\xe2\x9c\xb3 agent\x07\x1b]9;4;3;\x07\x1bP+q5443;524742\x1b\\\x1b[?25l"
    b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
    b"\x1b[38;2;215;119;87m\x1b[48:2::40:40:40m\x1b[1m\x1b[4:3m\x1b[58:2::255:0:0m\x1b[0m\x1b[39m\x1b[49m\x1b[?7l\x1b[?7h"
)
_REPORT = b"\x1b]7501;state=done:id=late\x1b\\"


async def test_no_sequence_keeps_what_follows_from_being_read(core: Client, tmp_path: Path) -> None:
    read = await shown(core, tmp_path, *(sequence + b"ok\r\n" for sequence in _HARMLESS), _REPORT)
    assert read.text == "\n".join(["ok"] * len(_HARMLESS))
    status = await core.read_status(read.pane)
    assert status.life == "running"
    assert "late" in {record.id for record in status.records}


async def test_the_start_of_an_agent_shows_nothing_but_its_text(core: Client, tmp_path: Path) -> None:
    pieces = [b"%d\r\n" % number + _START_UP for number in range(100)]
    read = await shown(core, tmp_path, *pieces, b"end", _REPORT, rows=120)
    assert read.text == "\n".join(map(str, range(100))) + "\nend"
    assert "late" in {record.id for record in (await core.read_status(read.pane)).records}


async def test_a_flood_of_what_is_not_understood_fills_no_log(core: Client, host: RunningHost, tmp_path: Path) -> None:
    before = host.log.count("\n")
    await shown(core, tmp_path, b"".join(_HARMLESS) * 200)
    assert host.log.count("\n") - before <= 1


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"A\x1b[4:3mB\x1b[58:2::255:0:0mC\x1b[38:2::1:2:3mD\x1b[m\x1b[<uE\x1b_Ga=q;AAAA\x1b\\F"
            b"\x1bP+q544e\x1b\\G\x1b[?2026hH\x1b[?2026lI",
            "ABCDEFGHI",
        ),
        (b"a\x1b[3bz", "aaaaz"),
        (b"\x1b(0lqk\x1b(B", "┌─┐"),
        (b"A\x1bPtmux;\x1b\x1b]7501;state=done:app=job\x07\x1b\\B", "AB"),
        (b"A\x1bPtmux;\x1b\x1bPtmux;\x1b\x1b\x1b\x1b]7501;state=done:app=job\x07\x1b\x1b\\\x1b\\B", "AB"),
    ],
    ids=["new_colours_keyboards_and_images", "repeat", "line_drawing", "wrapped_for_tmux", "wrapped_twice"],
)
async def test_no_part_of_a_sequence_is_shown_as_text(core: Client, tmp_path: Path, data: bytes, text: str) -> None:
    assert (await shown(core, tmp_path, data)).text == text


async def test_every_byte_of_them_may_come_alone(core: Client, tmp_path: Path) -> None:
    data = b"A\x1b[4:3mB\x1b[58:2::255:0:0mC\x1b[<uD\x1b_Ga=q;AA\x1b\\E\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\F\x1b]133;A\x07G"
    read = await shown(core, tmp_path, *(data[at : at + 1] for at in range(len(data))))
    assert read.text == "ABCDEFG"


async def test_a_report_that_is_wrapped_for_tmux_counts_whole_and_one_wrapped_twice_not(
    core: Client, tmp_path: Path
) -> None:
    once = b"\x1bPtmux;\x1b\x1b]7501;state=done:app=job:id=once\x07\x1b\\"
    twice = b"\x1bPtmux;" + once.replace(b"\x1b", b"\x1b\x1b").replace(b"once", b"twice") + b"\x1b\\"
    read = await shown(core, tmp_path, once + twice)
    records = (await core.read_status(read.pane)).records
    assert ("once", "done", "job") in {(record.id, record.state, record.app) for record in records}
    assert "twice" not in {record.id for record in records}
    assert read.text == ""
