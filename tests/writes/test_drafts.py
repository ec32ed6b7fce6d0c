"""While a person has something half typed, nothing is written; what is held goes once they are through."""

import re
import time
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, Outcome, SessionCoreError, Until

from ..host.waiting import BOUND_S
from .panes import logger, refusal, typing

pytestmark = pytest.mark.anyio

_DRAFT = b"half a sen"


async def test_a_write_is_refused_with_the_size_and_the_age_of_the_draft(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    before = time.time()
    status = await typing(core, program.pane, _DRAFT)
    assert status.draft is not None
    assert status.draft.characters == len(_DRAFT)
    assert before <= status.draft.at <= time.time()
    for call in (
        core.write_pane(program.pane, "tool", submit=True),
        core.send_keys(program.pane, ["C-c"]),
        core.write_pane(program.pane, ""),
    ):
        error = await refusal(call)
        assert error.code is Code.HUMAN_DRAFT
        assert re.search(rf"\b{len(_DRAFT)}\b.*\b\d+ s ago", error.message)
        assert "hold" in error.next_step
    await core.send_keystrokes(program.pane, b"\r")
    await core.write_pane(program.pane, "tool", submit=True)
    await program.got(_DRAFT + b"\r" + b"tool\r")


@pytest.mark.parametrize(
    "ending",
    [b"\r", b"\n", b"\x15", b"\x03", b"tence\r", b"\x7f" * len(_DRAFT), b"\x7f" * 30, b"\x1b[13u"],
    ids=[
        "enter",
        "newline",
        "clear",
        "interrupt",
        "more_and_enter",
        "backspaces",
        "too_many_backspaces",
        "kitty_enter",
    ],
)
async def test_what_is_held_is_delivered_in_order_once_the_person_is_through(
    core: Client, tmp_path: Path, ending: bytes
) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, _DRAFT)
    tickets = [
        (await core.write_pane(program.pane, f"tool {number}", submit=True, on_draft="hold")).ticket
        for number in range(3)
    ]
    assert [(ticket.status, ticket.reason, ticket.bytes) for ticket in tickets] == [
        (Delivery.HELD, "human_draft", 0)
    ] * 3
    assert [ticket.id for ticket in (await core.held_writes(program.pane)).tickets] == [ticket.id for ticket in tickets]
    await core.send_keystrokes(program.pane, ending)
    await program.got(_DRAFT + ending + b"tool 0\rtool 1\rtool 2\r")
    status = await core.read_status(program.pane)
    assert (status.draft, (await core.held_writes(program.pane)).tickets) == (None, ())


async def test_a_draft_that_was_erased_by_half_is_still_one(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, "größer".encode())
    await core.send_keystrokes(program.pane, b"\x7f" * 5)
    status = await core.read_status(program.pane)
    assert status.draft is not None
    assert status.draft.characters == 1
    assert (await refusal(core.write_pane(program.pane, "tool"))).code is Code.HUMAN_DRAFT


async def test_keys_that_type_nothing_make_no_draft(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    keys = b"\x1b[A\x1bOB\x0c\x1b[1;5C\x1b[24~\x01"
    await core.send_keystrokes(program.pane, keys)
    assert (await core.read_status(program.pane)).draft is None
    await core.write_pane(program.pane, "tool")
    await program.got(keys + b"tool")


async def test_a_held_write_that_is_cancelled_is_never_typed(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, _DRAFT)
    first, second = [
        (await core.write_pane(program.pane, text, on_draft="hold")).ticket for text in ("first", "second")
    ]
    cancelled = await core.cancel_write(first.id)
    assert (cancelled.id, cancelled.status, cancelled.reason) == (first.id, Delivery.REFUSED, "cancelled")
    assert [ticket.id for ticket in (await core.held_writes(program.pane)).tickets] == [second.id]
    await core.send_keystrokes(program.pane, b"\r")
    await program.got(_DRAFT + b"\rsecond")
    for ticket in (first.id, second.id, "t0"):
        assert (await refusal(core.cancel_write(ticket))).code is Code.NO_SUCH_TICKET


async def test_a_held_write_expires_and_a_later_one_does_not(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, _DRAFT)
    short = (await core.write_pane(program.pane, "short", on_draft="hold", hold_s=0.05)).ticket
    await core.write_pane(program.pane, "long", on_draft="hold")
    ended = await core.wait([program.pane], since=short.id, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.NOT_DELIVERED
    assert [ticket.status for ticket in (await core.held_writes(program.pane)).tickets] == [Delivery.HELD]
    await core.send_keystrokes(program.pane, b"\r")
    await program.got(_DRAFT + b"\rlong")


async def test_a_held_write_does_not_outlive_its_program(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["sh", "-c", "stty raw -echo; read x"])).pane
    await typing(core, pane, b"abc")
    held = (await core.write_pane(pane, "tool", on_draft="hold")).ticket
    status = await core.read_status(pane)
    assert status.occupant is not None
    await core.close_pane(pane)
    again = await logger(core, tmp_path)
    ended = await core.wait([again.pane], since=held.id, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.NOT_DELIVERED


async def test_a_pane_holds_a_hundred_writes_and_refuses_one_more(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    await typing(core, program.pane, b"x")
    for number in range(100):
        await core.write_pane(program.pane, f"{number:02}", on_draft="hold")
    error = await refusal(core.write_pane(program.pane, "more", on_draft="hold"))
    assert error.code is Code.LIMIT_REACHED
    await core.send_keystrokes(program.pane, b"\x15")
    await program.got(b"x\x15" + b"".join(b"%02d" % number for number in range(100)))


async def test_a_draft_is_news_for_a_wait_on_changes_and_no_turn(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    since = (await core.list_panes()).revision
    await typing(core, program.pane, b"x")
    assert (await core.read_status(program.pane)).revision > since
    assert (await core.wait([program.pane], until=Until.SETTLED, since=since, timeout_s=0)).outcome is Outcome.CHECKIN


async def test_a_write_never_lands_in_a_sentence_that_is_typed_letter_by_letter(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    refusals: list[Code] = []
    written: list[str] = []

    async def write() -> None:
        for number in range(200):
            try:
                await core.write_pane(program.pane, f"<{number}>")
                written.append(f"<{number}>")
            except SessionCoreError as error:
                refusals.append(error.code)

    async def person() -> None:
        for _ in range(20):
            for letter in b"sentence\r":
                await core.send_keystrokes(program.pane, bytes([letter]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        tasks.start_soon(person)
    assert set(refusals) <= {Code.HUMAN_DRAFT}
    total = 20 * len("sentence\r") + len("".join(written))
    got = await program.got_bytes(total)
    assert re.sub(rb"<\d+>", b"", got) == b"sentence\r" * 20
    assert set(re.split(rb"<\d+>", got)) <= {b"sentence\r" * count for count in range(21)}
