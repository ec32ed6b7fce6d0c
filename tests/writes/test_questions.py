"""A blocked pane asks a question: a write must name the one that it answers."""

from pathlib import Path

import pytest

from session_core import Client, Code, Delivery, RecordView, State

from ..host.programs import python
from ..host.waiting import reported, status_when
from .panes import refusal

pytestmark = pytest.mark.anyio

_ASKS = r"""
    # Asks a question, then another one after the answer, and reports what it was answered.
    tty.setcbreak(0)
    report("state=blocked:kind=permission:msg=UnVuPw==")
    ready()
    log = open(sys.argv[1], "a", buffering=1)
    for question in ("V2hlcmU/", "V2hlbj8="):
        line = b""
        while not line.endswith((b"\n", b"\x1b[B")):
            line += os.read(0, 1)
        log.write(line.hex() + "\n")
        report("state=blocked:kind=question:msg=" + question)
    rest()
"""


async def _asking(core: Client, tmp_path: Path) -> tuple[str, Path]:
    path = tmp_path / "answers"
    path.touch()
    pane = (await core.open_pane(python(tmp_path, _ASKS, str(path)))).pane
    await reported(core, pane)
    return pane, path


async def _question(core: Client, pane: str, msg: str) -> RecordView:
    def asked(record: RecordView) -> bool:
        return record.state is State.BLOCKED and record.msg == msg

    status = await status_when(core, pane, lambda status: any(map(asked, status.records)))
    return next(filter(asked, status.records))


async def test_a_write_that_names_no_question_is_refused_and_told_how_to_answer(core: Client, tmp_path: Path) -> None:
    pane, path = await _asking(core, tmp_path)
    question = await _question(core, pane, "Run?")
    for call in (core.write_pane(pane, "y", submit=True), core.send_keys(pane, ["Enter"])):
        error = await refusal(call)
        assert error.code is Code.BLOCKED
        assert f"answers={question.revision}" in error.next_step
    assert path.read_text() == ""


async def test_the_right_answer_is_delivered_and_the_same_one_again_is_stale(core: Client, tmp_path: Path) -> None:
    pane, path = await _asking(core, tmp_path)
    first = await _question(core, pane, "Run?")
    receipt = await core.write_pane(pane, "y", submit=True, answers=first.revision)
    assert receipt.ticket.status is Delivery.DELIVERED
    second = await _question(core, pane, "Where?")
    error = await refusal(core.write_pane(pane, "y", submit=True, answers=first.revision))
    assert error.code is Code.STALE_ANSWER
    await core.send_keys(pane, ["Down"], answers=second.revision)
    await _question(core, pane, "When?")
    assert [bytes.fromhex(line) for line in path.read_text().split()] == [b"y\n", b"\x1b[B"]


async def test_an_answer_to_a_pane_that_asks_nothing_is_stale(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, "tty.setraw(0)\nready()\nrest()"))).pane
    revision = (await reported(core, pane)).revision
    assert (await refusal(core.write_pane(pane, "y", answers=revision))).code is Code.STALE_ANSWER


async def test_an_answer_to_another_question_of_the_same_moment_is_stale(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        report("state=blocked:id=a")
        report("state=blocked:id=b")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    records = {record.id: record for record in (await reported(core, pane)).records}
    assert (await refusal(core.write_pane(pane, "y", answers=records["a"].revision))).code is Code.STALE_ANSWER
    await core.write_pane(pane, "y", answers=records["b"].revision)


async def test_a_question_of_a_child_blocks_the_pane_under_a_working_root(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        report("state=working")
        report("state=blocked:id=build/test:kind=auth")
        ready()
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    status = await reported(core, pane)
    assert (status.state, status.root) == ("blocked", State.WORKING)
    assert (await refusal(core.write_pane(pane, "y"))).code is Code.BLOCKED


async def test_a_person_may_always_type_into_a_blocked_pane(core: Client, tmp_path: Path) -> None:
    pane, path = await _asking(core, tmp_path)
    await core.send_keystrokes(pane, b"n\n")
    await _question(core, pane, "Where?")
    assert bytes.fromhex(path.read_text()) == b"n\n"
