"""A wait for a text finds it wherever and whenever the program prints it, once, and never what was there before."""

from pathlib import Path

import pytest

from session_core import Client, Mode, Outcome

from ..host.waiting import BOUND_S, exit_of
from .programs import open_puppet, strings
from .waiting import answer, look, settled_open, shows, waiting

pytestmark = pytest.mark.anyio

MARK = "MARK-9"
ROWS = 10


@pytest.fixture(scope="module", params=["auto", pytest.param("pyte", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines."""
    return str(request.param)


async def test_the_answer_has_the_line_and_its_place(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say(f"\x1b[2J\x1b[4;1Ha line\r\n\x1b[32mso\x1b[m it is: \x1b[1m{MARK}\x1b[m, and more\r\n")
    (outcome,) = results[0].panes
    match = outcome.match
    assert match is not None
    assert (outcome.outcome, match.line, match.row) == (Outcome.TEXT, f"so it is: {MARK}, and more", 4)
    assert match.column == len("so it is: ")
    assert match.offset > 0


async def test_a_text_that_wraps_over_the_right_edge_is_found(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, columns=20)
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say("x" * 17 + MARK + "\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == "x" * 17 + MARK


async def test_one_that_is_on_the_screen_already_is_old_and_the_next_one_is_new(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, rows=ROWS)
    puppet.say(f"{MARK}\r\n")
    await shows(core, puppet.pane, MARK)
    receipt = await core.write_pane(puppet.pane, "again", submit=True)
    async with waiting(core, [puppet.pane], text=MARK, since=receipt.ticket.id) as results:
        puppet.say("some\r\nmore\r\nlines\r\n")
        await shows(core, puppet.pane, "lines")
        # The old one is drawn anew in its place, as a screen that is repainted does.
        puppet.say(f"\x1b7\x1b[H\x1b[K{MARK}\x1b8then\r\n")
        await shows(core, puppet.pane, "then")
        await settled_open(core)
        assert not results
        puppet.say(f"{MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert (results[0].panes[0].match.line, results[0].panes[0].match.row) == (MARK, 5)


async def test_a_new_one_is_found_also_as_it_pushes_the_old_one_off_the_screen(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, rows=ROWS)
    puppet.say(f"\x1b[2J\x1b[H{MARK}\r\n" + "\r\n".join("abcdefgh"))
    await shows(core, puppet.pane, "h")
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say(f"\r\n{MARK}\r\n")
    assert results[0].outcome is Outcome.TEXT


@pytest.mark.parametrize("lines", [0, 50, 5000])
async def test_what_is_printed_between_the_write_and_the_wait_is_found(
    core: Client, tmp_path: Path, strings: tuple[str, int], lines: int
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, rows=ROWS)
    puppet.say("".join(f"before {number}\r\n" for number in range(lines)) + "begun")
    await shows(core, puppet.pane, "begun")
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    puppet.say(f"\r\nout: {MARK}\r\n" + "after\r\n" * 50 + "end")
    await shows(core, puppet.pane, "end")
    outcome = await look(core, puppet.pane, text=MARK, since=receipt.ticket.id)
    assert outcome.match is not None
    assert (outcome.outcome, outcome.match.line) == (Outcome.TEXT, f"out: {MARK}")


@pytest.mark.parametrize("by", ["ticket", "revision"])
async def test_a_ticket_and_its_revision_are_the_same_beginning(
    core: Client, tmp_path: Path, strings: tuple[str, int], by: str
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    ticket = (await core.write_pane(puppet.pane, "go", submit=True)).ticket
    puppet.say(f"out: {MARK}\r\nend")
    await shows(core, puppet.pane, "end")
    since: int | str = ticket.id if by == "ticket" else ticket.revision
    assert (await look(core, puppet.pane, text=MARK, since=since)).outcome is Outcome.TEXT


async def test_a_text_on_the_alternate_screen_is_found_and_also_when_it_is_left_at_once(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say(f"\x1b[?1049h\x1b[5;10H{MARK}")
    assert results[0].panes[0].match is not None
    assert (results[0].panes[0].match.row, results[0].panes[0].match.column) == (4, 9)
    puppet.say("\x1b[?1049l")


@pytest.mark.parametrize("cut", [b"MA\x1b[1mRK-\x1b[m9", b"MARK- \b9", "MÄRK-漢字".encode()])
async def test_a_text_is_what_the_screen_shows_and_not_how_it_was_printed(
    core: Client, tmp_path: Path, strings: tuple[str, int], cut: bytes
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    wanted = "MÄRK-漢字" if b"\xc3" in cut else MARK
    async with waiting(core, [puppet.pane], text=wanted) as results:
        puppet.say(f"so: {cut.decode()}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"so: {wanted}"


async def test_a_text_in_a_flood_of_output_is_found(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], text=MARK, timeout_s=3 * BOUND_S) as results:
        puppet.tell(rf"flood here: {MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"here: {MARK}"


async def test_the_last_output_before_the_exit_counts_before_the_exit(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    receipt = await core.write_pane(puppet.pane, "end", submit=True)
    async with (
        waiting(core, [puppet.pane], text=MARK) as found,
        waiting(core, [puppet.pane], text="never") as missed,
    ):
        puppet.say(f"{MARK}\r\n")
        puppet.tell("die 3")
    assert [one[0].outcome for one in (found, missed)] == [Outcome.TEXT, Outcome.EXITED]
    await exit_of(core, puppet.pane)
    late = await answer(core, puppet.pane, text=MARK, since=receipt.ticket.id)
    assert (late.outcome, late.exit and late.exit.code) == (Outcome.TEXT, 3)


async def test_each_wait_goes_on_where_the_one_before_ended(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    since: int | str = receipt.ticket.id
    for number in range(3):
        first = await core.wait([puppet.pane], text="step", since=since, timeout_s=0.01)
        assert first.outcome is Outcome.CHECKIN, number
        puppet.say(f"step {number}\r\nend {number}\r\n")
        await shows(core, puppet.pane, f"end {number}")
        second = await core.wait([puppet.pane], text="step", since=first.revision, timeout_s=0)
        assert second.panes[0].match is not None, number
        assert second.panes[0].match.line == f"step {number}"
        since = second.revision


async def test_a_match_that_comes_between_two_calls_is_not_lost(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], text="step") as results:
        puppet.say("step 1\r\n")
    puppet.say("step 2\r\nend")
    await shows(core, puppet.pane, "end")
    outcome = await look(core, puppet.pane, text="step", since=results[0].revision)
    assert outcome.match is not None
    assert outcome.match.line == "step 2"


async def test_a_text_in_all_panes_is_waited_for_in_each_also_over_several_calls(core: Client, tmp_path: Path) -> None:
    with strings(tmp_path, "1") as one, strings(tmp_path, "2") as two:
        first, second = [await open_puppet(core, tmp_path, made) for made in (one, two)]
        panes = [first.pane, second.pane]
        since = (await core.wait(panes, text=MARK, mode=Mode.ALL, timeout_s=0)).revision
        first.say(f"first: {MARK}\r\n")
        await shows(core, first.pane, MARK)
        half = await core.wait(panes, text=MARK, mode=Mode.ALL, since=since, timeout_s=0)
        assert [one.outcome for one in half.panes] == [Outcome.TEXT, Outcome.CHECKIN]
        assert half.outcome is Outcome.CHECKIN
        second.say(f"second: {MARK}\r\n")
        whole = await core.wait(panes, text=MARK, mode=Mode.ALL, since=half.revision, timeout_s=BOUND_S)
    assert [one.match.line if one.match else "" for one in whole.panes] == [f"first: {MARK}", f"second: {MARK}"]
