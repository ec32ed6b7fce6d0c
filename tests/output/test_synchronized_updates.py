"""A reader sees the frame before a synchronized update or the one after it, never the gap between."""

import re
from pathlib import Path

import pytest

from session_core import Client, Format, Outcome, PaneText, Until, What

from ..host.programs import python
from ..host.waiting import BOUND_S, reported
from .showing import read_when, saying

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_BEGINS, _ENDS = b"\x1b[?2026h", b"\x1b[?2026l"


async def test_reads_within_an_update_give_the_frame_before_it_and_say_so(core: Client, tmp_path: Path) -> None:
    frames = [_BEGINS + b"\x1b[2J", b"\x1b[Hframe" + _ENDS] * 5
    program = await saying(core, tmp_path, b"frame", *frames)
    await program.say_on()
    reads = [await program.say_on() for _ in frames]
    assert {(read.text, read.updating) for read in reads[1::2]} == {("frame", False)}
    # A test that is held up for longer than an update may take sees it cut short.
    assert ("frame", True) in {(read.text, read.updating) for read in reads[::2]}


async def test_of_many_updates_none_is_ever_seen_half(core: Client, tmp_path: Path) -> None:
    source = r"""
        ready()
        for number in range(300):
            say("\x1b[?2026h\x1b[2J")
            time.sleep(0.001)
            say(f"\x1b[H<{number}>\r\n" + "row\r\n" * 20 + f"<{number}>\x1b[?2026l")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    seen: list[PaneText] = []

    def last(read: PaneText) -> bool:
        seen.append(read)
        return "<299>" in read.text

    await read_when(core, pane, last)
    drawn = [read.text.split("\n") for read in seen if read.text or read.updating]
    for first, *rows, end in drawn[drawn[0] == [""] :]:
        assert first == end
        assert rows == ["row"] * 20


@pytest.mark.parametrize("until", [Until.QUIET, Until.SETTLED])
async def test_silence_within_an_update_is_no_quiet_until_it_is_overdue(
    core: Client, tmp_path: Path, until: Until
) -> None:
    source = r"""
        tty.setraw(0)
        say("before")
        os.read(0, 1)
        say("\x1b[?2026h\x1b[2J\x1b[Hhalf")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await read_when(core, pane, lambda read: read.text == "before")
    await core.send_keystrokes(pane, b"x")
    await read_when(core, pane, lambda read: read.updating or read.text == "half")
    ended = await core.wait([pane], until=until, quiet_s=0.05, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.QUIET
    read = await core.read_pane(pane)
    assert (read.text, read.updating) == ("half", False)


async def test_an_update_that_ends_lets_silence_count_again(core: Client, tmp_path: Path) -> None:
    program = await saying(core, tmp_path, b"before", _BEGINS + b"\x1b[2J", b"\x1b[Hafter" + _ENDS)
    for _ in range(3):
        await program.say_on()
    quiet = await core.wait([program.pane], until=Until.QUIET, quiet_s=0.05, timeout_s=BOUND_S)
    assert quiet.outcome is Outcome.QUIET
    assert await program.screen() == "after"


async def test_an_update_that_the_program_does_not_live_to_end_is_shown(core: Client, tmp_path: Path) -> None:
    source = r'say("before\x1b[?2026h\r\nhalf")'
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
    read = await core.read_pane(pane)
    assert (read.text, read.updating) == ("before\nhalf", False)


async def test_a_program_that_asks_within_an_update_has_its_answer_at_once(core: Client, tmp_path: Path) -> None:
    source = r"""
        tty.setraw(0)
        say("before\x1b[?2026h\x1b[2J\x1b[3;4H\x1b[6n")
        answer = os.read(0, 100)
        say("\x1b[H" + repr(answer) + "\x1b[?2026l")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    assert (await core.read_pane(pane)).text == repr(b"\x1b[3;4R")


async def test_answers_to_questions_within_an_update_come_in_their_order(core: Client, tmp_path: Path) -> None:
    source = r"""
        tty.setraw(0)
        say("\x1b[?2026h\x1b[2J\x1b[5n\x1b]7501;?\x1b\\\x1b[?2026$p\x1bP+q5463\x1b\\\x1b[c")
        answer = b""
        while not answer.endswith(b"c"):
            answer += os.read(0, 100)
        say("\x1b[H" + answer.replace(b"\x1b", b"^").decode() + "\x1b[?2026l")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    answers = (await core.read_pane(pane)).text
    assert re.fullmatch(r"\^\[0n\^\]7501;[^^]*\^\\\^\[\?2026;1\$y\^P1\+r5463\^\\\^\[\?[0-9;]+c", answers), answers


async def test_reads_after_a_question_within_an_update_give_the_frame_before_it(core: Client, tmp_path: Path) -> None:
    source = r"""
        tty.setraw(0)
        say("before")
        ready()
        for number in range(5):
            os.read(0, 1)
            say("\x1b[?2026h\x1b[2J\x1b[3;4H\x1b[6n")
            os.read(0, 100)
            say("half\r\n")
            report(f"state=idle:id=asked{number}")
            os.read(0, 1)
            say("\x1b[2J\x1b[Hbefore\x1b[?2026l")
            report(f"state=idle:id=drawn{number}")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    amid: list[PaneText] = []
    for number in range(5):
        await core.send_keystrokes(pane, b"x")
        await reported(core, pane, f"asked{number}")
        amid += [
            await core.read_pane(pane),
            await core.read_pane(pane, lines=5),
            await core.read_pane(pane, what=What.FIND, pattern="[a-z]+", regex=True),
            await core.read_pane(pane, format=Format.ANSI),
        ]
        await core.send_keystrokes(pane, b"x")
        await reported(core, pane, f"drawn{number}")
        read = await core.read_pane(pane)
        assert (read.text, read.updating) == ("before", False)
    # A test that is held up for longer than an update may take sees it cut short.
    whole = [read for read in amid if read.updating]
    assert {read.what for read in whole} == {What.SCREEN, What.TAIL, What.FIND}
    assert all("before" in read.text and "half" not in read.text for read in whole)


async def test_a_status_reported_within_an_update_is_known_at_once(core: Client, tmp_path: Path) -> None:
    program = await saying(core, tmp_path, b"before", _BEGINS + b"\x1b[2J\x1b]7501;state=done:id=within\x1b\\")
    await program.say_on()
    await program.say_on()
    status = await core.read_status(program.pane)
    assert "within" in {record.id for record in status.records}
