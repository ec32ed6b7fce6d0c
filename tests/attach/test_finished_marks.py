"""`done` and `error` end when a person types in the pane, and by nothing else that a terminal or a tool does."""

import time
from pathlib import Path

import pytest

from session_core import Client, State

from ..host.hosts import RunningHost
from ..host.waiting import eventually, status_eventually
from ..writes.panes import Logged, logger
from .viewers import viewer

pytestmark = pytest.mark.anyio

_FINISHED = r"\x1b]7501;state=done:app=make:msg=b2s=\x07\x1b]7501;state=error:id=e\x07"
_ASKED_FOR = r"\x1b[?1004h\x1b[?1003h\x1b[?1006h\x1b[>11u"
_BEFORE = {"": State.DONE, "e": State.ERROR, "ready": State.IDLE}
_AFTER = {"": State.IDLE, "e": State.IDLE, "ready": State.IDLE}

_NO_TYPING = {
    "focus_out": b"\x1b[O",
    "focus_in": b"\x1b[I",
    "pointer": b"\x1b[<35;32;46M" * 20,
    "click": b"\x1b[<0;3;4M\x1b[<0;3;4m",
    "old_mouse": b"\x1b[M !!",
    "shift_alone": b"\x1b[57441;2u",
    "shift_let_go": b"\x1b[57441;1:3u",
    "key_let_go": b"\x1b[97;1:3u",
    "arrow_let_go": b"\x1b[1;1:3A",
    "cursor_position": b"\x1b[24;80R",
    "attributes": b"\x1b[?62;22c\x1b[>1;10;0c\x1bP!|7E565445\x1b\\",
    "status": b"\x1b[0n\x1b[?2026;2$y",
    "version": b"\x1bP>|xterm(370)\x1b\\",
    "colours": b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b]4;1;rgb:ff/00/00\x07",
    "clipboard": b"\x1b]52;c;ZXZpbA==\x07",
    "another_status": b"\x1b]7501;?:states=idle\x1b\\",
    "resize": b"\x1b[48;24;80;480;800t\x1b[8;24;80t",
    "scheme": b"\x1b[?997;1n",
    "keyboard": b"\x1b[?11u\x1b_Gi=31;OK\x1b\\",
}


async def _finished(core: Client, tmp_path: Path, modes: str = "") -> Logged:
    return await logger(core, tmp_path, modes=modes + _FINISHED)


async def _states(core: Client, program: Logged) -> dict[str, State]:
    return {record.id: record.state for record in (await core.read_status(program.pane)).records}


@pytest.mark.parametrize("modes", ["", _ASKED_FOR], ids=["not_asked_for", "asked_for"])
async def test_what_a_terminal_sends_by_itself_ends_nothing_also_in_pieces(
    core: Client, host: RunningHost, tmp_path: Path, modes: str
) -> None:
    program = await _finished(core, tmp_path, modes)
    async with viewer(host, program.pane) as person:
        for name, data in _NO_TYPING.items():
            for size in (len(data), len(data) - 1, len(data) // 2 + 1, 2, 1):
                await person.send_pieces(data, size=size)
            assert await _states(core, program) == _BEFORE, name
        status = await core.read_status(program.pane)
        assert (status.acknowledged, status.draft, status.keystroke_at) == ((), None, None)


async def test_attaching_looking_resizing_and_all_tools_end_nothing(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await _finished(core, tmp_path)
    async with viewer(host, program.pane, read_only=True, size=(60, 20)) as watching:
        await watching.send(b"x\r\x1b[200~y\x1b[201~")
        await watching.viewing.resize(70, 21)
        async with viewer(host, program.pane, size=(90, 30)) as person:
            await person.viewing.resize(91, 31)
        await core.read_pane(program.pane)
        await core.read_pane(program.pane, lines=10)
        await core.write_pane(program.pane, "echo hi", submit=True)
        await core.send_keys(program.pane, ["Up", "C-l"])
        await core.set_pane(program.pane, columns=100, rows=30)
        await core.list_panes()
        await core.wait([program.pane], timeout_s=0)
    assert await _states(core, program) == _BEFORE
    assert (await core.read_status(program.pane)).records[0].msg == "ok"
    await program.got(b"echo hi\r\x1b[A\x0c")


@pytest.mark.parametrize(
    "typed",
    [b"x", b"\x1b[A", b"\x1b[97;1:1u", b"\x0c", b"\x1b[200~text\x1b[201~", b"\x1b[I\x1b[<35;32;46Mx\x1b[O"],
    ids=["letter", "arrow", "kitty_press", "control", "paste", "letter_between_reports"],
)
async def test_a_key_or_a_paste_ends_both_and_the_ledger_says_who_and_when(
    core: Client, host: RunningHost, tmp_path: Path, typed: bytes
) -> None:
    program = await _finished(core, tmp_path)
    async with viewer(host, program.pane, person="ada") as person:
        before = time.time()
        await person.send(typed)
        assert await _states(core, program) == _AFTER
    status = await core.read_status(program.pane)
    (seen,) = status.acknowledged
    assert (seen.by, sorted(seen.records)) == ("ada", ["", "e"])
    assert before <= seen.at <= time.time()
    assert status.records[0].app == "make"
    assert status.records[0].msg is None
    assert status.keystroke_at is not None


async def test_an_escape_alone_is_a_key_after_a_moment(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await _finished(core, tmp_path)
    async with viewer(host, program.pane) as person:
        await person.send(b"\x1b")
        await status_eventually(core, program.pane, lambda status: status.root is State.IDLE)
    await program.got(b"\x1b")


async def test_a_key_that_is_cut_in_two_ends_them_once(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await _finished(core, tmp_path)
    async with viewer(host, program.pane) as person:
        await person.send_pieces(b"\x1b[1;5C", size=4)
        await eventually(lambda: program.data == b"\x1b[1;5C")
    status = await core.read_status(program.pane)
    assert (status.root, len(status.acknowledged)) == (State.IDLE, 1)


async def test_a_person_can_say_that_they_have_seen_it_without_typing(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await _finished(core, tmp_path)
    receipt = await core.acknowledge(program.pane, person="bob")
    assert sorted(receipt.acknowledged) == ["", "e"]
    assert (await core.acknowledge(program.pane, person="eve")).acknowledged == ()
    status = await core.read_status(program.pane)
    assert [seen.by for seen in status.acknowledged] == ["bob"]
    assert await _states(core, program) == _AFTER
    assert program.data == b""


async def test_a_question_is_not_ended_by_a_key(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b]7501;state=blocked:kind=permission:msg=b2s=\x07")
    before = (await core.read_status(program.pane)).records
    async with viewer(host, program.pane) as person:
        await person.send(b"y")
        await person.send(b"\x1b[200~text\x1b[201~")
        await core.acknowledge(program.pane)
    status = await core.read_status(program.pane)
    assert (status.records, status.acknowledged) == (before, ())


async def test_the_ledger_keeps_the_newest_last(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_FINISHED, then=_FINISHED)
    for name in ("ada", "bob", "eve"):
        async with viewer(host, program.pane, person=name) as person:
            await person.send(b"\x07")
            await status_eventually(core, program.pane, lambda status: status.root is State.DONE)
    status = await core.read_status(program.pane)
    assert [seen.by for seen in status.acknowledged] == ["ada", "bob", "eve"]
    assert sorted(seen.at for seen in status.acknowledged) == [seen.at for seen in status.acknowledged]
