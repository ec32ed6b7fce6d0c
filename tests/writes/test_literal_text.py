"""Text is literal: no key names, no shell, no formats."""

from pathlib import Path

import pytest

from session_core import Client, Delivery

from .panes import PASTES, logger

pytestmark = pytest.mark.anyio

_TEXTS = (
    "ls;",
    ";",
    "Enter",
    "C-c",
    "-l",
    "--",
    "$HOME 'q' \"z\"",
    "a  b",
    "  a ",
    r"\r",
    r"\x03\n",
    "#{pane_id}",
    "%s %d %%",
    "`id` $(id) !!",
    "{{x}} <y> &z|",
    "\ta\tb",
    "^C",
    "~.",
    "é 中 \N{GRINNING FACE} e\N{COMBINING ACUTE ACCENT}",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL} \N{RIGHT-TO-LEFT OVERRIDE}x",
)


@pytest.mark.parametrize("modes", ["", PASTES, r"\x1b[?1h\x1b=\x1b[>31u"], ids=["plain", "pastes", "keys"])
async def test_each_text_arrives_byte_for_byte(core: Client, tmp_path: Path, modes: str) -> None:
    program = await logger(core, tmp_path, modes=modes)
    for text in _TEXTS:
        ticket = (await core.write_pane(program.pane, text)).ticket
        assert (ticket.status, ticket.bytes, ticket.removed) == (Delivery.DELIVERED, len(text.encode()), 0)
    await program.got("".join(_TEXTS).encode())


async def test_each_text_that_is_submitted_has_its_own_carriage_return(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    for text in _TEXTS:
        await core.write_pane(program.pane, text, submit=True)
    await program.got(b"".join(text.encode() + b"\r" for text in _TEXTS))
    assert program.reads.count(b"\r") == len(_TEXTS)


async def test_an_empty_text_without_submit_writes_nothing(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    ticket = (await core.write_pane(program.pane, "")).ticket
    assert (ticket.status, ticket.bytes) == (Delivery.DELIVERED, 0)
    await core.write_pane(program.pane, "x")
    await program.got(b"x")


async def test_an_empty_text_with_submit_is_enter_alone(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    assert (await core.write_pane(program.pane, "", submit=True)).ticket.bytes == 1
    assert (await core.write_pane(program.pane, "\n", submit=True)).ticket.bytes == 1
    await program.got(b"\r\r")
