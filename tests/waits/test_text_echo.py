"""A wait for a text never ends by the text that was written, however the program shows it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from session_core import Client, Outcome

from ..host.programs import python
from ..host.waiting import BOUND_S, reported
from .programs import bash, open_puppet
from .waiting import look, shows, waiting

pytestmark = pytest.mark.anyio

MARK = "MARK-9"


@pytest.fixture(scope="module", params=["auto", pytest.param("pyte", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines."""
    return str(request.param)


async def test_the_terminal_s_own_echo_is_no_output(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings, raw=False)
    receipt = await core.write_pane(puppet.pane, f"say {MARK} soon", submit=True)
    async with waiting(core, [puppet.pane], text=MARK, since=receipt.ticket.id) as results:
        await shows(core, puppet.pane, MARK)
        puppet.say(f"out: {MARK}\r\n")
    (outcome,) = results[0].panes
    assert outcome.match is not None
    assert (outcome.outcome, outcome.match.line, outcome.match.column) == (Outcome.TEXT, f"out: {MARK}", len("out: "))


async def test_an_echo_alone_leaves_the_wait_open(core: Client, tmp_path: Path, strings: tuple[str, int]) -> None:
    puppet = await open_puppet(core, tmp_path, strings, raw=False)
    receipt = await core.write_pane(puppet.pane, f"say {MARK}", submit=True)
    await shows(core, puppet.pane, MARK)
    outcome = await look(core, puppet.pane, text=MARK, since=receipt.ticket.id)
    assert (outcome.outcome, outcome.match) == (Outcome.CHECKIN, None)


@pytest.mark.parametrize("marks", [True, False])
async def test_a_shell_s_echo_is_no_output_and_what_its_command_prints_is(core: Client, marks: bool) -> None:
    pane = await bash(core, marks=marks)
    for number in range(5):
        receipt = await core.write_pane(pane, f"sleep 0; echo {MARK}-{number}", submit=True)
        ended = await core.wait([pane], text=f"{MARK}-{number}", since=receipt.ticket.id, timeout_s=BOUND_S)
        assert ended.panes[0].match is not None
        assert (ended.outcome, ended.panes[0].match.line) == (Outcome.TEXT, f"{MARK}-{number}")
        assert ended.panes[0].match.column == 0


@pytest.mark.parametrize("columns", range(18, 26))
async def test_an_echo_that_wraps_over_the_right_edge_is_no_output(core: Client, columns: int) -> None:
    pane = await bash(core, marks=False, columns=columns)
    receipt = await core.write_pane(pane, f"true; echo {MARK}; true", submit=True)
    ended = await core.wait([pane], text=MARK, since=receipt.ticket.id, timeout_s=BOUND_S)
    match = ended.panes[0].match
    assert match is not None
    assert (match.line, match.column) == (MARK, 0)


_BOX = """
    # Draws what it reads into a box, again from the start at each key; Enter moves it into the lines above the box.
    tty.setraw(0)
    say("\\x1b[?1049h" if sys.argv[1] == "alternate" else "\\x1b[2J")
    above, typed, WIDTH = [], "", 30

    def draw():
        rows = [typed[at : at + WIDTH] for at in range(0, len(typed) + 1, WIDTH)]
        box = ["╭" + "─" * (WIDTH + 2) + "╮", *("│ " + row.ljust(WIDTH) + " │" for row in rows)]
        say("\\x1b[H\\x1b[J" + "\\r\\n".join([*above[-15:], *box, "╰" + "─" * (WIDTH + 2) + "╯"]))

    draw()
    ready()
    while True:
        for key in os.read(0, 100).decode():
            if key == "\\r":
                for at in range(0, len(typed), WIDTH):
                    above.append("▌ " + typed[at : at + WIDTH])
                typed = ""
                above.append("thinking")
                draw()
                above.append("answer: " + sys.argv[2])
            else:
                typed += key
            draw()
"""


@pytest.mark.parametrize("screen", ["alternate", "main"])
@pytest.mark.parametrize(
    "prompt",
    [
        f"please say {MARK}",
        f"a prompt so long that it breaks {MARK} in the box",
        f"a prompt that is cut within {MARK} there",
        f"{MARK} is what the answer must be",
    ],
)
async def test_a_program_that_draws_its_input_again_and_again_has_not_said_it(
    core: Client, tmp_path: Path, screen: str, prompt: str
) -> None:
    pane = (await core.open_pane(python(tmp_path, _BOX, screen, MARK))).pane
    await reported(core, pane)
    receipt = await core.write_pane(pane, prompt, submit=True)
    ended = await core.wait([pane], text=MARK, since=receipt.ticket.id, timeout_s=BOUND_S)
    match = ended.panes[0].match
    assert match is not None
    assert (ended.outcome, match.line.strip()) == (Outcome.TEXT, f"answer: {MARK}")


@pytest.mark.parametrize("lines", [(f"first {MARK}", "second"), ("first", f"second {MARK}")])
async def test_no_line_of_a_paste_is_output(
    core: Client, tmp_path: Path, strings: tuple[str, int], lines: Sequence[str]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, raw=False)
    receipt = await core.write_pane(puppet.pane, "\n".join(lines), submit=True, multiline="lines")
    async with waiting(core, [puppet.pane], text=MARK, since=receipt.ticket.id) as results:
        await shows(core, puppet.pane, lines[-1])
        puppet.say(f"{MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == MARK


async def test_the_echoes_of_earlier_writes_are_no_output_either(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings, raw=False)
    first = await core.write_pane(puppet.pane, f"one {MARK}", submit=True)
    await core.write_pane(puppet.pane, f"two {MARK}", submit=True)
    async with waiting(core, [puppet.pane], text=MARK, since=first.ticket.id) as results:
        await shows(core, puppet.pane, f"two {MARK}")
        await core.write_pane(puppet.pane, f"three {MARK}", submit=True)
        await shows(core, puppet.pane, f"three {MARK}")
        puppet.say(f"out {MARK}\r\n")
    assert results[0].panes[0].match is not None
    assert results[0].panes[0].match.line == f"out {MARK}"
