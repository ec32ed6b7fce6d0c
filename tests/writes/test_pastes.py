"""Text of several lines is one paste where the program takes one, and its submit is a key of its own after it."""

from pathlib import Path

import pytest

from session_core import Client, Code, Delivery

from ..host.waiting import exit_of, status_eventually
from .panes import PASTES, go_on, logger, refusal, shell

pytestmark = pytest.mark.anyio

_LINES = "one\ntwo\nthree"
_PASTE = b"\x1b[200~one\rtwo\rthree\x1b[201~"
_LINES_BY_THEMSELVES = b"one\rtwo\rthree"


async def test_lines_are_one_paste_and_the_submit_is_a_read_of_its_own(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    for _ in range(50):
        ticket = (await core.write_pane(program.pane, _LINES, submit=True)).ticket
        assert (ticket.status, ticket.pasted, ticket.bytes) == (Delivery.DELIVERED, True, len(_PASTE) + 1)
    await program.got((_PASTE + b"\r") * 50)
    assert program.reads == [_PASTE, b"\r"] * 50


async def test_without_submit_no_carriage_return_follows(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    await core.write_pane(program.pane, _LINES)
    await core.write_pane(program.pane, "next")
    await program.got(_PASTE + b"next")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n"], ids=ascii)
async def test_a_text_that_ends_in_a_line_end_is_submitted_once(core: Client, tmp_path: Path, end: str) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    await core.write_pane(program.pane, _LINES + end, submit=True)
    await core.write_pane(program.pane, "line" + end, submit=True)
    await program.got(_PASTE + b"\rline\r")
    assert program.reads == [_PASTE, b"\r", b"line", b"\r"]


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=ascii)
async def test_line_ends_of_every_kind_are_one_carriage_return_in_a_paste(
    core: Client, tmp_path: Path, end: str
) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    await core.write_pane(program.pane, _LINES.replace("\n", end), submit=True)
    await program.got(_PASTE + b"\r")


@pytest.mark.parametrize("modes", ["", PASTES], ids=["without_paste", "with_paste"])
async def test_a_long_line_is_no_paste_and_has_one_submit(core: Client, tmp_path: Path, modes: str) -> None:
    program = await logger(core, tmp_path, modes=modes)
    ticket = (await core.write_pane(program.pane, "x" * 1600, submit=True)).ticket
    assert not ticket.pasted
    await program.got(b"x" * 1600 + b"\r")
    assert program.reads[-1] == b"\r"


async def test_a_program_that_takes_no_paste_gets_no_lines_unless_the_caller_wants_them_one_by_one(
    core: Client, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    error = await refusal(core.write_pane(program.pane, _LINES, submit=True))
    assert error.code is Code.MULTILINE
    assert "lines" in error.next_step
    ticket = (await core.write_pane(program.pane, _LINES, submit=True, multiline="lines")).ticket
    assert (ticket.pasted, ticket.status) == (False, Delivery.DELIVERED)
    await program.got(_LINES_BY_THEMSELVES + b"\r")


async def test_markers_stop_when_the_program_switches_paste_off(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=PASTES, then=r"\x1b[?2004l")
    await core.write_pane(program.pane, _LINES)
    await go_on(core, program)
    assert (await refusal(core.write_pane(program.pane, _LINES))).code is Code.MULTILINE
    await core.write_pane(program.pane, _LINES, multiline="lines")
    await program.got(_PASTE + _LINES_BY_THEMSELVES)


async def test_markers_stop_when_a_shell_gives_way_to_a_program_that_takes_no_paste(
    core: Client, tmp_path: Path
) -> None:
    pane = await shell(core)
    got = tmp_path / "got"
    await core.write_pane(pane, f"cat > {got}; exit", submit=True)
    await status_eventually(core, pane, lambda status: status.occupant is not None and status.occupant.name == "cat")
    assert (await refusal(core.write_pane(pane, _LINES))).code is Code.MULTILINE
    await core.write_pane(pane, _LINES, submit=True, multiline="lines")
    await core.send_keys(pane, ["C-d"])
    assert (await exit_of(core, pane)).code == 0
    assert got.read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("text", "data", "removed"),
    [
        ("a\x1b[201~b\nc", b"\x1b[200~ab\rc\x1b[201~", 1),
        ("a\x9b201~b\nc\x9b200~", b"\x1b[200~ab\rc\x1b[201~", 2),
        ("a\x1b[200~\x1b[201~\nrm -rf x", b"\x1b[200~a\rrm -rf x\x1b[201~", 2),
        ("a\x1b[20\x1b[201~1~b\nc", b"\x1b[200~a[201~b\rc\x1b[201~", 2),
        ("\x1b]52;c;ZQ==\x07x", b"]52;c;ZQ==x", 2),
        ("a\x03b\x04c\x00d\x7fe\x85f", b"abcdef", 5),
        ("\x1b\x1b[A", b"[A", 2),
    ],
    ids=ascii,
)
async def test_markers_and_controls_inside_a_text_are_left_out_and_counted(
    core: Client, tmp_path: Path, text: str, data: bytes, removed: int
) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    ticket = (await core.write_pane(program.pane, text, submit=True)).ticket
    assert ticket.removed == removed
    await program.got(data + b"\r")
