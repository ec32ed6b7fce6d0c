"""The output of one command of a shell, by its place or its number, also while it runs."""

import pytest

from session_core import Client, SessionCoreError, What

from .outputs import shown_when

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shell(core: Client) -> str:
    """A bash at its prompt."""
    pane = (await core.open_pane(["bash"], columns=80, rows=24)).pane
    await core.wait([pane])
    return pane


async def test_the_last_and_the_nth_command_are_read_by_their_number(core: Client, shell: str) -> None:
    for word in ("one", "two", "three"):
        await core.run_command(shell, f"echo {word}; echo more; ! test {word} = two")
    last = await core.read_pane(shell, what=What.COMMAND)
    assert (last.text, last.missed_bytes, last.left_out_lines) == ("three\nmore", 0, 0)
    assert last.command is not None
    assert (last.command.number, last.command.exit_code) == (3, 0)
    assert last.end == last.command.end
    for number, word, code in ((2, "two", 1), (-2, "two", 1), (1, "one", 0), (-3, "one", 0)):
        read = await core.read_pane(shell, what=What.COMMAND, number=number)
        assert read.text == f"{word}\nmore"
        assert read.command is not None
        assert (read.command.exit_code, read.command.line) == (code, f"echo {word}; echo more; ! test {word} = two")


async def test_a_command_that_runs_shows_what_it_has_printed_so_far(core: Client, shell: str) -> None:
    await core.write_pane(shell, "echo so far; read; echo rest", submit=True)
    await shown_when(core, shell, "\nso far")
    running = await core.read_pane(shell, what=What.COMMAND)
    assert running.text == "so far"
    assert running.command is not None
    assert (running.command.end, running.command.exit_code) == (None, None)
    ticket = (await core.write_pane(shell, "", submit=True)).ticket.id
    await core.wait([shell], since=ticket)
    assert (await core.read_pane(shell, what=What.COMMAND)).text.split("\n")[-1] == "rest"


async def test_progress_bars_are_shown_as_they_stood_at_the_end(core: Client, shell: str) -> None:
    loop = r"for at in 10 50 100; do printf '\rload %s%%' $at; done; printf '\rload done\033[K\n'"
    several = r"printf 'a 0\nb 0\n'; printf '\033[2Aa 9\033[K\nb 9\033[K\n'"
    await core.run_command(shell, f"{loop}; {several}")
    assert (await core.read_pane(shell, what=What.COMMAND)).text == "load done\na 9\nb 9"


async def test_long_lines_come_unwrapped_and_blank_ones_stay(core: Client, shell: str) -> None:
    await core.run_command(shell, "printf 'x%.0s' $(seq 300); printf '\\n\\nend\\n\\n'")
    assert (await core.read_pane(shell, what=What.COMMAND)).text == "x" * 300 + "\n\nend"


async def test_only_the_newest_lines_come_where_they_are_asked_for(core: Client, shell: str) -> None:
    await core.run_command(shell, "seq 1 50")
    read = await core.read_pane(shell, what=What.COMMAND, lines=3)
    assert (read.text, read.left_out_lines) == ("48\n49\n50", 47)


@pytest.mark.parametrize("number", [0, 9, -9])
async def test_a_command_that_is_not_known_is_refused_and_the_known_ones_are_named(
    core: Client, shell: str, number: int
) -> None:
    await core.run_command(shell, "true")
    await core.run_command(shell, "true")
    with pytest.raises(SessionCoreError) as raised:
        await core.read_pane(shell, what=What.COMMAND, number=number)
    assert raised.value.code == "bad_request"
    assert "1 to 2" in raised.value.next_step


async def test_a_program_that_is_no_shell_has_no_commands(core: Client) -> None:
    pane = (await core.open_pane(["cat"])).pane
    with pytest.raises(SessionCoreError, match="Known are: none"):
        await core.read_pane(pane, what=What.COMMAND)


async def test_the_last_command_of_a_shell_that_has_exited_is_read(core: Client, shell: str) -> None:
    ran = await core.run_command(shell, "echo bye; exit 3")
    assert ran.exit is not None
    read = await core.read_pane(shell, what=What.COMMAND)
    assert read.text.split("\n")[0] == "bye"
