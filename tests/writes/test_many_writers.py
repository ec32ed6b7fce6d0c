"""Many writers and a person at once: every message whole, with its own submit, and never anything inside."""

import re
from functools import partial
from pathlib import Path

import anyio
import pytest

from session_core import Client, Delivery, SessionCoreError, connect

from ..host.hosts import RunningHost
from .panes import PASTES, Logged, logger

pytestmark = pytest.mark.anyio

_WRITERS, _LETTERS = 20, 5000
_MESSAGE = re.compile(rb"msg-(\d\d) x{%d}\r" % _LETTERS)


def _text(number: int) -> str:
    return f"msg-{number:02} " + "x" * _LETTERS


async def _write(client: Client, pane: str, numbers: range, deliveries: list[Delivery]) -> None:
    """Write one message after the other, as one caller does."""
    for number in numbers:
        receipt = await client.write_pane(pane, _text(number), submit=True, on_draft="hold")
        deliveries.append(receipt.ticket.status)


def _submits_are_reads_of_their_own(program: Logged) -> bool:
    return program.reads.count(b"\r") == _WRITERS


@pytest.mark.parametrize("modes", ["", PASTES], ids=["plain", "pastes"])
async def test_messages_of_twenty_writers_are_whole_and_each_submitted_by_itself(
    core: Client, host: RunningHost, tmp_path: Path, modes: str
) -> None:
    program = await logger(core, tmp_path, modes=modes)
    async with connect(folder=str(host.folder), start=False) as other, anyio.create_task_group() as tasks:
        for number in range(_WRITERS):
            client = (core, other)[number % 2]
            tasks.start_soon(partial(client.write_pane, submit=True), program.pane, _text(number))
    got = await program.got_bytes(_WRITERS * len(_text(0) + "\r"))
    numbers = [int(found) for found in _MESSAGE.findall(got)]
    assert sorted(numbers) == list(range(_WRITERS))
    assert _MESSAGE.sub(b"", got) == b""
    # Calls of one client that were made at once are taken in the order of their lines on its connection.
    assert [number for number in numbers if number % 2 == 0] == list(range(0, _WRITERS, 2))
    assert [number for number in numbers if number % 2 == 1] == list(range(1, _WRITERS, 2))
    assert _submits_are_reads_of_their_own(program)


async def test_letters_of_a_person_who_types_meanwhile_are_never_inside_a_message(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=PASTES)
    deliveries: list[Delivery] = []

    async def type_and_submit(person: Client) -> None:
        for _ in range(5):
            for key in (b"h", b"h", b"h", b"h", b"\r"):
                await person.send_keystrokes(program.pane, key)

    async with (
        connect(folder=str(host.folder), start=False) as other,
        connect(folder=str(host.folder), start=False) as person,
        anyio.create_task_group() as tasks,
    ):
        half = _WRITERS // 2
        tasks.start_soon(_write, core, program.pane, range(half), deliveries)
        tasks.start_soon(_write, other, program.pane, range(half, _WRITERS), deliveries)
        tasks.start_soon(type_and_submit, person)
    got = await program.got_bytes(_WRITERS * len(_text(0) + "\r") + 25)
    numbers = [int(found) for found in _MESSAGE.findall(got)]
    assert len(deliveries) == _WRITERS
    assert [number for number in numbers if number < half] == list(range(half))
    assert [number for number in numbers if number >= half] == list(range(half, _WRITERS))
    # Nothing was written while a sentence was half typed, so the sentences are whole, too.
    assert _MESSAGE.sub(b"", got) == b"hhhh\r" * 5


async def test_writers_that_would_not_wait_for_the_person_are_refused_and_leave_no_trace(
    core: Client, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path)
    codes: list[str] = []

    async def write(number: int) -> None:
        try:
            await core.write_pane(program.pane, _text(number), submit=True)
        except SessionCoreError as error:
            codes.append(error.code.value)

    await core.send_keystrokes(program.pane, b"hhhh")
    async with anyio.create_task_group() as tasks:
        for number in range(_WRITERS):
            tasks.start_soon(write, number)
    assert codes == ["human_draft"] * _WRITERS
    await core.send_keystrokes(program.pane, b"\r")
    await core.write_pane(program.pane, "after")
    await program.got(b"hhhh\rafter")
