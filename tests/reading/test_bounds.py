"""What comes back is small unless more is asked for: the newest lines, whole, and what was left out is counted."""

from pathlib import Path
from typing import Any

import pytest

from session_core import Client, Format, SessionCoreError, What

from ..host.programs import python
from ..host.waiting import exit_of
from .outputs import READ_BYTES, opened, printed

pytestmark = pytest.mark.anyio

_LINES = "".join(f"{number:05} wörld 🙂\r\n" for number in range(1, 20_001)) + "LAST"
_EACH = len("00001 wörld 🙂".encode()) + 1


async def _pane(core: Client, folder: Path, *, columns: int = 80, rows: int = 24) -> str:
    source = "say(''.join(f'{n:05} wörld 🙂\\r\\n' for n in range(1, 20001)) + 'LAST')\nready()\nrest()"
    return await opened(core, folder, source, columns=columns, rows=rows)


@pytest.mark.parametrize(
    ("asked", "bytes_"),
    [
        ({}, 8000),
        ({"what": What.TAIL, "lines": 2000}, 4000),
        ({"what": What.SINCE, "offset": 0}, 4000),
        ({"what": What.FIND, "pattern": "wörld", "context": 0}, 4000),
        ({"what": What.SINCE, "offset": 0, "max_bytes": 100}, 100),
        ({"what": What.TAIL, "lines": 2000, "max_bytes": 20_000}, 20_000),
    ],
    ids=["screen", "tail", "since", "find", "less", "more"],
)
async def test_the_newest_lines_that_fit_are_kept_whole(
    core: Client, tmp_path: Path, asked: dict[str, Any], bytes_: int
) -> None:
    pane = await _pane(core, tmp_path, columns=200, rows=1000)
    read = await core.read_pane(pane, **asked)
    lines = read.text.split("\n")
    assert lines[-1] == ("20000 wörld 🙂" if "pattern" in asked else "LAST")
    assert all(line == f"{number:05} wörld 🙂" for number, line in enumerate(lines[:-1], 20_001 - len(lines[:-1]))) or (
        "pattern" in asked
    )
    assert bytes_ - 2 * _EACH < len(read.text.encode()) <= bytes_
    assert read.left_out_lines > 0


async def test_a_tail_of_a_thousand_lines_has_the_last_one_and_counts_the_rest(core: Client, tmp_path: Path) -> None:
    pane = await _pane(core, tmp_path)
    read = await core.read_pane(pane, what=What.TAIL, lines=1000, max_bytes=READ_BYTES)
    lines = read.text.split("\n")
    assert (len(lines), lines[0], lines[-1]) == (1000, "19002 wörld 🙂", "LAST")
    assert read.left_out_lines > 500


async def test_since_counts_every_line_that_it_leaves_out(core: Client, tmp_path: Path) -> None:
    pane = await _pane(core, tmp_path)
    read = await core.read_pane(pane, what=What.SINCE, offset=0)
    assert read.left_out_lines + len(read.text.split("\n")) == 20_001


@pytest.mark.parametrize("count", [1, 5, 40])
async def test_a_tail_that_has_everything_says_that_nothing_is_left_out(
    core: Client, tmp_path: Path, count: int
) -> None:
    pane = await printed(core, tmp_path, "\r\n\r\n".join(f"line {number}" for number in range(count)), rows=10)
    read = await core.read_pane(pane, what=What.TAIL, lines=count)
    assert read.text.split("\n") == [f"line {number}" for number in range(count)]
    assert read.left_out_lines == 0
    if count > 1:
        assert (await core.read_pane(pane, what=What.TAIL, lines=count - 1)).left_out_lines > 0


async def test_of_one_long_line_the_end_is_kept_and_the_rest_counted_in_bytes(core: Client, tmp_path: Path) -> None:
    pane = await opened(core, tmp_path, "say('é' * 150_000 + 'END')\nready()\nrest()")
    read = await core.read_pane(pane, what=What.SINCE, offset=0)
    assert read.text.endswith("ééEND")
    assert set(read.text) == set("éEND")
    assert 3998 <= len(read.text.encode()) <= 4000
    assert read.left_out_bytes + len(read.text.encode()) == 300_003
    assert read.left_out_lines == 0


async def test_the_most_that_can_be_asked_for_comes_in_one_answer(core: Client, tmp_path: Path) -> None:
    pane = await _pane(core, tmp_path)
    read = await core.read_pane(pane, what=What.SINCE, offset=0, max_bytes=READ_BYTES)
    assert READ_BYTES - 2 * _EACH < len(read.text.encode()) <= READ_BYTES
    with pytest.raises(SessionCoreError):
        await core.read_pane(pane, max_bytes=READ_BYTES + 1)


@pytest.mark.parametrize("style", [Format.ANSI, Format.HTML])
async def test_a_screen_with_styles_that_is_too_large_is_refused(core: Client, tmp_path: Path, style: Format) -> None:
    wide = (await core.open_pane(["cat"], columns=1000, rows=1000)).pane
    cells = "".join(f"\x1b[38;2;{at % 256};7;{at // 256};7;4;1mé" for at in range(240 * 250))
    full = await opened(core, tmp_path, f"say({cells!r})\nready()\nrest()", columns=240, rows=250)
    for pane, asked in ((wide, {}), (full, {"max_bytes": 250_000})):
        with pytest.raises(SessionCoreError) as raised:
            await core.read_pane(pane, format=style, **asked)  # type: ignore[arg-type]
        assert raised.value.code == "limit_reached"
        assert len((await core.read_pane(pane)).text.encode()) <= 8000


@pytest.mark.parametrize("what", [What.TAIL, What.SINCE, What.FIND, What.TURN, What.COMMAND])
async def test_only_the_screen_has_styles(core: Client, what: What) -> None:
    pane = (await core.open_pane(["cat"])).pane
    with pytest.raises(SessionCoreError, match="Only the screen"):
        await core.read_pane(pane, what=what, format=Format.ANSI)


async def test_what_short_programs_print_is_read_after_their_end_every_time(core: Client) -> None:
    for number in range(30):
        pane = (await core.open_pane(["sh", "-c", f"printf tail-%d {number}; exit 7"])).pane
        assert (await exit_of(core, pane)).code == 7
        assert (await core.read_pane(pane)).text == f"tail-{number}"
        assert (await core.read_pane(pane, what=What.SINCE, offset=0)).text == f"tail-{number}"
        await core.close_pane(pane)


async def test_the_last_byte_and_the_last_report_of_five_megabytes_are_there(core: Client, tmp_path: Path) -> None:
    source = """
        say(b"x" * 79 + b"\\r\\n" + b"".join(b"%07d %s\\r\\n" % (at, b"y" * 40) for at in range(100_000)))
        say("the end")
        report("state=done:msg=RU5E")
    """
    status = await core.open_pane(python(tmp_path, source))
    assert (await exit_of(core, status.pane)).code == 0
    read = await core.read_pane(status.pane, what=What.SINCE, offset=0)
    assert read.text.endswith("the end")
    assert read.missed_bytes == 0
    assert read.left_out_lines + len(read.text.split("\n")) == 100_002
    records = (await core.read_status(status.pane)).records
    assert [(record.state, record.msg) for record in records] == [("done", "END")]
