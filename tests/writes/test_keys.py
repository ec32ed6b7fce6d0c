"""Keys are named, encoded for what the program has asked of its keyboard, and never typed as text."""

from pathlib import Path

import pytest

from session_core import Client, Code, Delivery, ExitStatus

from ..host.waiting import exit_of, status_eventually, status_when
from .panes import go_on, logger, refusal, shell

pytestmark = pytest.mark.anyio

_APPLICATION_CURSOR = r"\x1b[?1h"
_KITTY = r"\x1b[>1u"


async def test_control_c_ends_a_program_by_its_signal(core: Client) -> None:
    pane = (await core.open_pane(["sleep", "100"])).pane
    ticket = (await core.send_keys(pane, ["C-c"])).ticket
    assert ticket.bytes == 1
    assert await exit_of(core, pane) == ExitStatus(signal="SIGINT")


async def test_control_c_ends_the_command_of_a_shell_and_not_the_shell(core: Client) -> None:
    pane = await shell(core)
    await core.write_pane(pane, "sleep 100", submit=True)
    status = await status_when(core, pane, lambda status: status.shell == "command")
    await status_eventually(core, pane, lambda status: status.occupant is not None and status.occupant.name == "sleep")
    await core.send_keys(pane, ["C-c"])
    ended = await core.wait([pane], since=status.revision, timeout_s=10)
    assert (ended.outcome, (await core.read_status(pane)).life) == ("settled", "running")


async def test_enter_is_a_carriage_return_and_keys_come_in_order(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    ticket = (
        await core.send_keys(program.pane, ["a", "Enter", "C-j", "Tab", "S-Tab", "Escape", "BSpace", "M-x"])
    ).ticket
    expected = b"a\r\n\t\x1b[Z\x1b\x7f\x1bx"
    assert (ticket.status, ticket.bytes) == (Delivery.DELIVERED, len(expected))
    await program.got(expected)


@pytest.mark.parametrize(
    ("name", "nearest"), [("Entr", "Enter"), ("enter", "Enter"), ("Ctrl+C", "C-C"), ("PageUpp", "PageUp")]
)
async def test_an_unknown_name_is_refused_with_the_nearest_and_no_key_is_pressed(
    core: Client, tmp_path: Path, name: str, nearest: str
) -> None:
    program = await logger(core, tmp_path)
    error = await refusal(core.send_keys(program.pane, ["x", name, "y"]))
    assert error.code is Code.UNKNOWN_KEY
    assert repr(name) in error.message
    assert nearest in error.message
    await core.send_keys(program.pane, ["z"])
    await program.got(b"z")


async def test_an_unknown_name_is_told_at_once_where_the_keys_would_be_held(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await core.send_keystrokes(program.pane, b"draft")
    assert (await refusal(core.send_keys(program.pane, ["Entr"], on_draft="hold"))).code is Code.UNKNOWN_KEY
    assert (await core.held_writes(program.pane)).tickets == ()


async def test_arrows_follow_the_application_cursor_mode(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_APPLICATION_CURSOR, then=r"\x1b[?1l")
    await core.send_keys(program.pane, ["Up", "S-Up", "Home"])
    await go_on(core, program)
    await core.send_keys(program.pane, ["Up", "S-Up", "Home"])
    await program.got(b"\x1bOA\x1b[1;2A\x1bOH" + b"\x1b[A\x1b[1;2A\x1b[H")


async def test_keys_follow_the_kitty_protocol_while_it_is_pushed(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_KITTY, then=r"\x1b[<u")
    names = ["C-c", "Escape", "S-Enter", "a", "Enter"]
    await core.send_keys(program.pane, names)
    await go_on(core, program)
    await core.send_keys(program.pane, names)
    await program.got(b"\x1b[99;5u\x1b[27u\x1b[13;2ua\r" + b"\x03\x1b\ra\r")


async def test_keys_that_are_held_are_encoded_for_the_modes_at_their_delivery(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, then=_APPLICATION_CURSOR)
    await core.send_keystrokes(program.pane, b"d")
    await core.send_keys(program.pane, ["Up"], on_draft="hold")
    await go_on(core, program)
    await core.send_keystrokes(program.pane, b"\x15")
    await program.got(b"d\x15\x1bOA")
