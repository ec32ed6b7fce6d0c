"""Bytes toward a program: exact, whole and in order; a full terminal is told, not waited for."""

import hashlib
from pathlib import Path

import anyio
import pytest

from session_core import Client, Delivery, SessionCoreError, connect

from .hosts import RunningHost
from .programs import python
from .waiting import BOUND_S, reported

pytestmark = pytest.mark.anyio

_TAKE = """
    # Takes as many bytes as it was told to, in raw mode, and keeps them.
    tty.setraw(0)
    ready()
    got = bytearray()
    while len(got) < int(sys.argv[1]):
        got += os.read(0, 65536)
    open(sys.argv[2], "wb").write(got)
    ready("taken")
    rest()
"""


async def _taker(core: Client, tmp_path: Path, count: int) -> str:
    pane = (await core.open_pane(python(tmp_path, _TAKE, str(count), str(tmp_path / "got")))).pane
    await reported(core, pane)
    return pane


async def _taken(core: Client, tmp_path: Path, pane: str) -> bytes:
    await reported(core, pane, "taken")
    return (tmp_path / "got").read_bytes()


async def test_text_arrives_as_it_is_and_submit_adds_one_carriage_return(core: Client, tmp_path: Path) -> None:
    expected = "héllo ✓ \t[A".encode() + b"\r"
    pane = await _taker(core, tmp_path, len(expected))
    revision = (await core.list_panes()).revision
    ticket = (await core.write_pane(pane, "héllo ✓ \t[A", submit=True, author="test")).ticket
    assert (ticket.pane, ticket.author, ticket.revision) == (pane, "test", revision)
    assert (ticket.status, ticket.bytes, ticket.removed) == (Delivery.DELIVERED, len(expected), 0)
    assert await _taken(core, tmp_path, pane) == expected


async def test_an_empty_text_with_submit_is_one_carriage_return(core: Client, tmp_path: Path) -> None:
    pane = await _taker(core, tmp_path, 1)
    assert (await core.write_pane(pane, "", submit=True)).ticket.bytes == 1
    assert await _taken(core, tmp_path, pane) == b"\r"


async def test_keystrokes_are_passed_on_byte_by_byte(core: Client, tmp_path: Path) -> None:
    typed = bytes(range(256))
    pane = await _taker(core, tmp_path, len(typed))
    receipt = await core.send_keystrokes(pane, typed)
    assert (receipt.pane, receipt.acknowledged) == (pane, ())
    assert await _taken(core, tmp_path, pane) == typed


async def test_a_megabyte_arrives_whole(core: Client, tmp_path: Path) -> None:
    text = "".join(f"{number:07d}," for number in range(125_000))
    pane = await _taker(core, tmp_path, len(text))
    ticket = (await core.write_pane(pane, text)).ticket
    assert (ticket.status, ticket.bytes) == (Delivery.DELIVERED, len(text))
    got = await _taken(core, tmp_path, pane)
    assert hashlib.sha256(got).digest() == hashlib.sha256(text.encode()).digest()


async def test_nothing_lands_inside_a_write(core: Client, host: RunningHost, tmp_path: Path) -> None:
    size = 100_000
    redraw = b"\x0c"  # a key that leaves no draft behind
    pane = await _taker(core, tmp_path, 4 * (size + 1) + 4)
    async with connect(folder=str(host.folder), start=False) as other, anyio.create_task_group() as tasks:
        for client, letter in ((core, "a"), (other, "b"), (core, "c"), (other, "d")):
            tasks.start_soon(lambda c, t: c.write_pane(pane, t, submit=True), client, letter * size)
            tasks.start_soon(client.send_keystrokes, pane, redraw)
    got = await _taken(core, tmp_path, pane)
    whole = {letter * size for letter in (b"a", b"b", b"c", b"d")}
    assert {part.strip(redraw) for part in got.split(b"\r")} == whole | {b""}


async def test_a_program_that_does_not_read_holds_up_nobody(core: Client, host: RunningHost, tmp_path: Path) -> None:
    stuck = (await core.open_pane(python(tmp_path, "tty.setraw(0)\nready()\nrest()"))).pane
    await reported(core, stuck)
    free = await _taker(core, tmp_path, 3)
    async with anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(core.write_pane, stuck, "─" * 1_000_000)
        assert (await core.write_pane(free, "abc")).ticket.status is Delivery.DELIVERED
        assert await _taken(core, tmp_path, free) == b"abc"
        with pytest.raises(SessionCoreError) as raised:
            await core.write_pane(stuck, "─" * 1_000_000)
        assert raised.value.code == "queue_full"
        await core.close_pane(stuck)


@pytest.mark.parametrize("character", ["─", "\N{GRINNING FACE}", "\x01"], ids=ascii)
async def test_a_text_too_long_is_refused_and_the_connection_lives(
    core: Client, tmp_path: Path, character: str
) -> None:
    pane = await _taker(core, tmp_path, 1)
    with anyio.fail_after(BOUND_S), pytest.raises(SessionCoreError) as raised:
        await core.write_pane(pane, character * 1_000_001)
    assert raised.value.code in ("bad_request", "queue_full", "line_too_long")
    assert (await core.read_status(pane)).life == "running"


async def test_a_text_of_the_longest_length_arrives_whole(core: Client, tmp_path: Path) -> None:
    text = "\N{GRINNING FACE}" * 1_000_000
    pane = await _taker(core, tmp_path, len(text.encode()))
    assert (await core.write_pane(pane, text)).ticket.status is Delivery.DELIVERED
    assert await _taken(core, tmp_path, pane) == text.encode()


async def test_half_a_character_pair_and_no_keystrokes_are_bad_requests(core: Client, tmp_path: Path) -> None:
    pane = await _taker(core, tmp_path, 1)
    for call in (core.write_pane(pane, "\ud800"), core.send_keystrokes(pane, b"")):
        with pytest.raises(SessionCoreError) as raised:
            await call
        assert raised.value.code == "bad_request"
