"""A flood in one pane holds up no other, and its end is shown, with what was skipped."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, What

from ..host.programs import python
from ..host.waiting import BOUND_S, reported
from .showing import read_when

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_FLOOD = r"""
    # Writes without a pause, in colours, until a key is pressed.
    tty.setraw(0)
    ready()
    lines = "".join(f"\x1b[32mPASS\x1b[0m \x1b[1;34mtests/{n}.py\x1b[0m [{n}%]" + "." * 40 + "\r\n" for n in range(500))
    say(lines)
    while not select.select([0], [], [], 0)[0]:
        say(lines)
    say("\x1b[?2004h\x1b]0;over\x07the end")
    ready("over")
    rest()
"""
_CALLS = 50


async def test_other_panes_are_served_during_a_flood(core: Client, tmp_path: Path) -> None:
    flood = (await core.open_pane(python(tmp_path, _FLOOD))).pane
    quiet = (await core.open_pane(["cat"])).pane
    await reported(core, flood)
    begun = (await core.read_pane(flood, what=What.TAIL, lines=1)).end
    with anyio.fail_after(BOUND_S):
        for _ in range(_CALLS):
            await core.read_status(flood)
            await core.read_pane(quiet)
            await core.list_panes()
        await core.write_pane(quiet, "echoed", submit=True)
        await read_when(core, quiet, lambda read: read.text == "echoed\nechoed")
    assert (await core.read_pane(flood)).end > begun


async def test_the_end_of_a_flood_is_shown_and_its_modes_and_title_hold(core: Client, tmp_path: Path) -> None:
    flood = (await core.open_pane(python(tmp_path, _FLOOD), columns=120, rows=30)).pane
    await reported(core, flood)
    await core.write_pane(flood, "x")
    await reported(core, flood, "over")
    read = await core.read_pane(flood)
    lines = read.text.split("\n")
    assert lines[-1] == "the end"
    assert [line.split()[0] for line in lines[:-1]] == ["PASS"] * 29
    assert lines[-2] == "PASS tests/499.py [499%]" + "." * 40
    assert read.title == "over"
    assert (await core.write_pane(flood, "a\nb")).ticket.pasted


async def test_a_frame_of_more_than_is_kept_unparsed_says_what_was_skipped(
    core: Client, tmp_path: Path, engine: str
) -> None:
    source = r"""
        say("\x1b[?2026h" + "".join(f"{number:0999}\r\n" for number in range(400)) + "\x1b[?2026lend")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source), columns=1000, rows=20)).pane
    await reported(core, pane)
    reads = [
        await core.read_pane(pane),
        await core.read_pane(pane, what=What.TAIL, lines=1),
        await core.read_pane(pane, what=What.FIND, pattern="end"),
        await core.read_pane(pane, what=What.SINCE, offset=0),
    ]
    assert [read.text[-9:] for read in reads] == ["00399\nend", "end", "00399\nend", "00399\nend"]
    assert [read.skipped_bytes > 200_000 for read in reads] == [engine == "pyte"] * 3 + [False]


async def test_slow_output_that_nobody_reads_is_not_skipped(core: Client, tmp_path: Path) -> None:
    source = r"""
        # A header, and then far more than is kept unparsed, with pauses in it.
        say("header\r\n")
        for number in range(80):
            say(f"\x1b[3;1H{number}" + "\x1b[5;5Hspin" * 400)
            time.sleep(0.02)
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    read = await core.read_pane(pane)
    assert (read.skipped_bytes, read.text.split("\n")[:3]) == (0, ["header", "", "79"])


async def test_reading_the_output_again_shows_all_that_is_kept(core: Client, tmp_path: Path) -> None:
    source = r"""
        say("".join(f"{number:07}\r\n" for number in range(40_000)))
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    since = await core.read_pane(pane, what=What.SINCE, offset=0, max_bytes=200_000)
    rows = since.text.rstrip("\n").split("\n")
    assert rows == [f"{number:07}" for number in range(40_000 - len(rows), 40_000)]
    assert len(rows) > 15_000
