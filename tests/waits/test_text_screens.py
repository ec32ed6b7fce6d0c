"""A wait for a text over the change of the screen: what comes back into sight has been there before."""

from pathlib import Path

import pytest

from session_core import Client, Outcome

from .programs import Puppet, open_puppet
from .waiting import look, settled_open, shows, waiting

pytestmark = pytest.mark.anyio

MARK = "MARK-9"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


@pytest.fixture(scope="module", params=["auto", pytest.param("pyte", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines."""
    return str(request.param)


async def _old(core: Client, puppet: Puppet) -> None:
    puppet.say(f"old: {MARK}\r\n")
    await shows(core, puppet.pane, MARK)


async def test_the_main_screen_that_comes_back_is_old_and_what_follows_on_it_is_new(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    await _old(core, puppet)
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say(f"{ENTER}\x1b[2J\x1b[Hin a pager")
        await shows(core, puppet.pane, "in a pager")
        puppet.say(f"{LEAVE}back")
        await shows(core, puppet.pane, "back")
        await settled_open(core)
        assert not results
        puppet.say(f"\r\nnew: {MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"new: {MARK}"


@pytest.mark.parametrize("together", [True, False])
async def test_a_wait_that_begins_on_the_alternate_screen_knows_the_main_one(
    core: Client, tmp_path: Path, strings: tuple[str, int], together: bool
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    await _old(core, puppet)
    puppet.say(f"{ENTER}\x1b[2J\x1b[Hin a pager")
    await shows(core, puppet.pane, "in a pager")
    receipt = await core.write_pane(puppet.pane, "q", submit=False)
    async with waiting(core, [puppet.pane], text=MARK, since=receipt.ticket.id) as results:
        puppet.say(f"{LEAVE}new: {MARK}\r\n" if together else f"{LEAVE}back")
        if not together:
            await shows(core, puppet.pane, "back")
            await settled_open(core)
            assert not results
            puppet.say(f"\r\nnew: {MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"new: {MARK}"


async def test_what_the_program_said_before_it_changed_the_screen_is_found_later(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    receipt = await core.write_pane(puppet.pane, "go", submit=True)
    puppet.say(f"new: {MARK}\r\n{ENTER}\x1b[2J\x1b[Hin a pager")
    await shows(core, puppet.pane, "in a pager")
    outcome = await look(core, puppet.pane, text=MARK, since=receipt.ticket.id)
    assert outcome.match is not None
    assert (outcome.outcome, outcome.match.line) == (Outcome.TEXT, f"new: {MARK}")


async def test_what_the_alternate_screen_shows_already_is_old(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.say(f"{ENTER}\x1b[2J\x1b[Hold: {MARK}")
    await shows(core, puppet.pane, MARK)
    receipt = await core.write_pane(puppet.pane, "j", submit=False)
    puppet.say("\x1b[3Hmoved")
    await shows(core, puppet.pane, "moved")
    assert (await look(core, puppet.pane, text=MARK, since=receipt.ticket.id)).outcome is Outcome.CHECKIN
    puppet.say(f"\x1b[4Hnew: {MARK}")
    await shows(core, puppet.pane, "new")
    outcome = await look(core, puppet.pane, text=MARK, since=receipt.ticket.id)
    assert outcome.match is not None
    assert outcome.match.line == f"new: {MARK}"


async def test_what_is_shown_for_a_moment_in_one_piece_of_output_is_found(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    async with waiting(core, [puppet.pane], text=MARK) as results:
        puppet.say(f"{ENTER}\x1b[2J\x1b[H{MARK}{LEAVE}back")
    assert results[0].outcome is Outcome.TEXT


async def test_old_lines_that_a_taller_screen_brings_back_are_old(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, rows=5)
    await _old(core, puppet)
    puppet.say("".join(f"line {number}\r\n" for number in range(8)) + "begun")
    await shows(core, puppet.pane, "begun")
    async with waiting(core, [puppet.pane], text=MARK) as results:
        await core.set_pane(puppet.pane, columns=100, rows=30)
        puppet.say("\r\nafter")
        await shows(core, puppet.pane, "after")
        await settled_open(core)
        assert not results
        puppet.say(f"\r\nnew: {MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"new: {MARK}"
