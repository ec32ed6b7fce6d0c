"""Characters survive any cut, marks and joiners swallow nothing, and bad bytes harm nobody."""

import base64
import json
from pathlib import Path

import pytest

from session_core import Client, What

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import exit_of, reported
from ..host.wire import code, wire
from .showing import read_when, shown

pytestmark = pytest.mark.anyio

_REPORT = b"\x1b]7501;state=done:id=late\x1b\\"


async def test_a_picture_cut_inside_its_characters_is_whole(core: Client, tmp_path: Path) -> None:
    data = ("─" * 4000).encode()
    read = await shown(core, tmp_path, *(data[at : at + 4097] for at in range(0, len(data), 4097)), rows=60)
    assert read.text == "\n".join(["─" * 80] * 50)


@pytest.mark.parametrize("character", "é中🙂")
async def test_a_character_may_come_byte_by_byte(core: Client, tmp_path: Path, character: str) -> None:
    data = f"<{character}>".encode()
    read = await shown(core, tmp_path, *(data[at : at + 1] for at in range(len(data))))
    assert read.text == f"<{character}>"


async def test_half_a_character_at_the_end_of_a_program_is_one_replacement(core: Client) -> None:
    pane = (await core.open_pane(["printf", r"ab\342"])).pane
    await exit_of(core, pane)
    assert (await core.read_pane(pane)).text in ("ab\ufffd", "ab")
    assert (await core.read_pane(pane, what=What.SINCE, offset=0)).text in ("ab\ufffd", "ab")


async def test_a_message_cut_inside_its_base64_is_decoded(core: Client, tmp_path: Path) -> None:
    message = "héllo ✓"
    report = b"\x1b]7501;state=blocked:kind=question:id=late:msg=" + base64.b64encode(message.encode()) + b"\x1b\\"
    for cut in (len(report) - 5, len(report) - 12):
        read = await shown(core, tmp_path, report[:cut], report[cut:])
        assert [record.msg for record in (await core.read_status(read.pane)).records if record.id == "late"] == [
            message
        ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ok \u2714\ufe0f 12 tests passed", "12 tests passed"),
        ("dev \U0001f469\u200d\U0001f4bb ready", " ready"),
        ("a\u200bb", "b"),
        ("\ufeffhello", "hello"),
        ("x\u200fy", "y"),
        ("e\u0301 and \u0301 alone", "e\u0301 and"),
    ],
    ids=["variation_selector", "joined_emoji", "zero_width_space", "byte_order_mark", "direction", "combining"],
)
async def test_what_follows_a_character_without_width_is_shown(
    core: Client, tmp_path: Path, text: str, words: str
) -> None:
    assert words in (await shown(core, tmp_path, text.encode() + b"\r\n")).text


@pytest.mark.parametrize(
    ("text", "column"), [("é", 1), ("e\u0301", 1), ("中", 2), ("🙂", 2), ("─", 1), ("a\u200bb", 2)]
)
async def test_the_cursor_is_behind_what_was_drawn(core: Client, tmp_path: Path, text: str, column: int) -> None:
    assert (await shown(core, tmp_path, text.encode())).cursor_column == column


@pytest.mark.parametrize("cut", [0, 1, 2])
async def test_the_tail_of_a_character_is_no_control(core: Client, tmp_path: Path, cut: int) -> None:
    data = b"\xe2\x80\x9dA\r\n" + b"A\xc2\x9b31mB\r\n" + _REPORT
    read = await shown(core, tmp_path, data[:cut] or b"\0", data[cut:])
    lines = read.text.split("\n")
    assert lines[0] == "”A"
    assert lines[1].startswith("A")
    assert lines[1].endswith("31mB")
    assert "late" in {record.id for record in (await core.read_status(read.pane)).records}


async def test_bad_bytes_are_replaced_and_the_text_around_them_is_shown(core: Client, tmp_path: Path) -> None:
    read = await shown(core, tmp_path, b"\xff\xfe\xb0\xa1A\r\n", b"\xed\xa0\x80B\r\n", b"\x1b]0;t\xf0\x9f\x92\x07")
    first, second = read.text.split("\n")
    assert set(first) == {"\ufffd", "A"}
    assert set(second) == {"\ufffd", "B"}
    status = await core.read_status(read.pane)
    assert status.title is not None
    assert status.title.startswith("t")


async def test_names_with_bad_bytes_break_no_answer(core: Client, host: RunningHost, tmp_path: Path) -> None:
    folder = tmp_path.joinpath("dir\udcff")
    folder.mkdir()
    program = folder / "name\udcff"
    program.symlink_to("/bin/cat")
    source = r"""
        os.chdir(sys.argv[1].encode("utf-8", "surrogateescape"))
        say(b"\x1b]7;file:///" + os.getcwdb() + b"\x07")
        os.environb[b"BAD"] = b"\xff"
        ready()
        os.execv(os.fsencode(sys.argv[2]), [b"\xff\xfe"])
    """
    command = python(tmp_path, source)
    script = f'exec "$0" "$@" {tmp_path}/dir* {tmp_path}/dir*/name*'
    pane = (await core.open_pane(["sh", "-c", script, *command])).pane
    await reported(core, pane)
    await core.write_pane(pane, "echoed", submit=True)
    await read_when(core, pane, lambda read: read.text == "echoed\nechoed")
    async with wire(host.socket) as client:
        for method, params in (("list_panes", {}), ("read_status", {"pane": pane}), ("read_pane", {"pane": pane})):
            answer = await client.call(method, **params)
            json.dumps(answer["result"], ensure_ascii=False).encode()


async def test_half_of_a_character_pair_in_a_request_is_refused_and_nothing_else_is(
    core: Client, host: RunningHost
) -> None:
    pane = (await core.open_pane(["cat"])).pane
    async with wire(host.socket) as client:
        refused = await client.call("write_pane", pane=pane, text="\ud800", author="test")
        assert code(refused) == "bad_request"
        assert "result" in await client.call("read_pane", pane=pane)
    assert (await core.read_pane(pane)).text == ""
