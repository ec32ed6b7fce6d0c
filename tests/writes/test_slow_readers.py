"""A program that reads slowly, or whole lines, or not at all: nothing is cut, nothing is lost, nobody else waits."""

import hashlib
import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, WriteReceipt
from session_core.model.input_queue import QUEUE_BYTES

from ..host.programs import python
from ..host.waiting import exit_of, reported
from .panes import logger, refusal

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_SLOW = r"""
    # Begins to read when it is told to, a byte at a time at first, and keeps a digest of what it was promised.
    tty.setraw(0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    ready()
    signal.sigwait({signal.SIGUSR1})
    left, got = int(sys.argv[1]), bytearray()
    for _ in range(500):
        got += os.read(0, 1)
        time.sleep(0.0005)
    while len(got) < left:
        got += os.read(0, 65536)
    open(sys.argv[2], "wb").write(got)
    ready("taken")
    rest()
"""


def _numbered_lines(size: int) -> str:
    return "".join(f"line {number:06}\n" for number in range(size // 12))


async def _slow_reader(core: Client, tmp_path: Path, count: int) -> str:
    pane = (await core.open_pane(python(tmp_path, _SLOW, str(count), str(tmp_path / "got")))).pane
    await reported(core, pane)
    return pane


async def _let_it_read(core: Client, pane: str) -> None:
    status = await core.read_status(pane)
    assert status.occupant is not None
    os.kill(status.occupant.pid, signal.SIGUSR1)


async def test_a_large_text_reaches_a_slow_reader_whole_while_others_are_answered(core: Client, tmp_path: Path) -> None:
    text = _numbered_lines(200_000).replace("\n", "\r")
    pane = await _slow_reader(core, tmp_path, len(text))
    receipts: list[WriteReceipt] = []

    async def write() -> None:
        receipts.append(await core.write_pane(pane, text, multiline="lines"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        for _ in range(20):
            (status,) = (await core.list_panes()).panes
            assert status.life == "running"
            assert receipts == []
        await _let_it_read(core, pane)
    await reported(core, pane, "taken")
    got = (tmp_path / "got").read_bytes()
    assert hashlib.sha256(got).digest() == hashlib.sha256(text.encode()).digest()
    assert (receipts[0].ticket.status, receipts[0].ticket.bytes) == (Delivery.DELIVERED, len(text))


async def test_many_short_lines_reach_a_reader_of_lines_whole(core: Client, tmp_path: Path) -> None:
    text = _numbered_lines(200_000)
    got = tmp_path / "got"
    pane = (
        await core.open_pane(["sh", "-c", f"stty -echo; printf '\\033]7501;state=idle:id=ready\\033\\\\'; cat > {got}"])
    ).pane
    await reported(core, pane)
    ticket = (await core.write_pane(pane, text, multiline="lines", secret=True)).ticket
    assert ticket.status is Delivery.DELIVERED
    await core.send_keys(pane, ["C-d"], secret=True)
    assert (await exit_of(core, pane)).code == 0
    assert hashlib.sha256(got.read_bytes()).digest() == hashlib.sha256(text.encode()).digest()


async def test_a_reader_of_lines_that_echoes_gets_them_whole_though_nobody_looks(core: Client, tmp_path: Path) -> None:
    text = _numbered_lines(200_000)
    got = tmp_path / "got"
    pane = (await core.open_pane(["sh", "-c", f"tee {got}"])).pane
    ticket = (await core.write_pane(pane, text, multiline="lines")).ticket
    assert ticket.status is Delivery.DELIVERED
    await core.send_keys(pane, ["C-d"])
    assert (await exit_of(core, pane)).code == 0
    assert hashlib.sha256(got.read_bytes()).digest() == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize("size", [20_000, 4095])
async def test_a_line_that_a_reader_of_lines_cannot_take_is_refused_whole(
    core: Client, tmp_path: Path, size: int
) -> None:
    got = tmp_path / "got"
    pane = (await core.open_pane(["sh", "-c", f"cat > {got}"])).pane
    error = await refusal(core.write_pane(pane, "x" * size, submit=True))
    assert error.code is Code.TERMINAL_LINE_TOO_LONG
    assert str(size) in error.message
    assert "4094" in error.message
    await core.write_pane(pane, "y" * 4094, submit=True)
    await core.send_keys(pane, ["C-d"])
    assert (await exit_of(core, pane)).code == 0
    assert got.read_bytes() == b"y" * 4094 + b"\n"


async def test_the_limit_counts_bytes_and_what_a_person_has_typed_on_the_line(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["sh", "-c", "cat > /dev/null"])).pane
    assert (await refusal(core.write_pane(pane, "é" * 2048))).code is Code.TERMINAL_LINE_TOO_LONG
    assert (await core.write_pane(pane, "é" * 2047)).ticket.bytes == 4094


async def test_what_is_on_the_line_from_an_earlier_write_counts(core: Client, tmp_path: Path) -> None:
    got = tmp_path / "got"
    pane = (await core.open_pane(["sh", "-c", f"cat > {got}"])).pane
    await core.write_pane(pane, "a" * 3000)
    assert (await refusal(core.write_pane(pane, "b" * 3000, submit=True))).code is Code.TERMINAL_LINE_TOO_LONG
    await core.write_pane(pane, "c" * 1000, submit=True)
    await core.write_pane(pane, "d" * 4000, submit=True)
    await core.send_keys(pane, ["C-d"])
    assert (await exit_of(core, pane)).code == 0
    assert got.read_bytes() == b"a" * 3000 + b"c" * 1000 + b"\n" + b"d" * 4000 + b"\n"


async def test_a_program_that_does_not_read_is_told_of_and_nothing_is_lost(core: Client, tmp_path: Path) -> None:
    text = _numbered_lines(200_000).replace("\n", "\r")
    pane = await _slow_reader(core, tmp_path, len(text))
    free = await logger(core, tmp_path)
    receipts: list[WriteReceipt] = []

    async def write() -> None:
        receipts.append(await core.write_pane(pane, text, submit=True, multiline="lines"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        await core.write_pane(free.pane, "free", submit=True)
        await free.got(b"free\r")
    ticket = receipts[0].ticket
    assert ticket.status is Delivery.UNKNOWN
    assert 0 < ticket.bytes < len(text)
    assert receipts[0].started is None
    await _let_it_read(core, pane)
    await reported(core, pane, "taken")
    assert (tmp_path / "got").read_bytes() == text.encode()


_PIECE = "x" * 1_000_000
_PIECES = QUEUE_BYTES // len(_PIECE)
_TOO_MUCH = QUEUE_BYTES % len(_PIECE) + 200_000
"""More than is left, and more than the terminal itself takes."""


async def test_a_full_queue_takes_all_of_a_write_or_none_of_it(core: Client, tmp_path: Path) -> None:
    pane = await _slow_reader(core, tmp_path, _PIECES * len(_PIECE) + 3)
    async with anyio.create_task_group() as tasks:
        for _ in range(_PIECES):
            tasks.start_soon(core.write_pane, pane, _PIECE)
        await anyio.wait_all_tasks_blocked()
        error = await refusal(core.write_pane(pane, "y" * _TOO_MUCH))
        assert error.code is Code.QUEUE_FULL
        assert "not reading" in error.message
        await core.send_keystrokes(pane, b"\x0c")
        tasks.start_soon(core.write_pane, pane, "zz")
        await anyio.wait_all_tasks_blocked()
        await _let_it_read(core, pane)
        await reported(core, pane, "taken")
    assert (tmp_path / "got").read_bytes() == _PIECE.encode() * _PIECES + b"\x0czz"


async def test_keystrokes_that_do_not_fit_are_refused_and_acknowledge_nothing(core: Client, tmp_path: Path) -> None:
    source = 'tty.setraw(0)\nreport("state=done")\nready()\nrest()'
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with anyio.create_task_group() as tasks:
        for _ in range(_PIECES):
            tasks.start_soon(core.write_pane, pane, _PIECE)
        await anyio.wait_all_tasks_blocked()
        assert (await refusal(core.send_keystrokes(pane, b"h" * _TOO_MUCH))).code is Code.QUEUE_FULL
        status = await core.read_status(pane)
        assert (status.root, status.draft, status.acknowledged) == ("done", None, ())
        tasks.cancel_scope.cancel()
