"""The gate holds a frame back until it is whole or too large, and passes on what asks something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_core.model.update_gate import FRAME_BYTES, Gate, UpdateGate

_QUESTIONS = {
    "cursor": b"\x1b[6n",
    "extended cursor": b"\x1b[?6n",
    "primary attributes": b"\x1b[c",
    "secondary attributes": b"\x1b[>c",
    "attributes by escape": b"\x1bZ",
    "mode": b"\x1b[?2026$p",
    "version": b"\x1b[>q",
    "keyboard flags": b"\x1b[?u",
    "size": b"\x1b[18t",
    "background": b"\x1b]11;?\x07",
    "setting": b"\x1bP$qm\x1b\\",
    "capability": b"\x1bP+q544e\x1b\\",
}


def test_an_open_gate_passes_everything_on_at_once() -> None:
    gate = UpdateGate()
    assert gate.pass_on(b"text") == b"text"
    assert gate.standing is Gate.OPEN
    assert gate.open() == b""


def test_a_closed_gate_holds_a_frame_and_gives_it_back_whole() -> None:
    gate = UpdateGate()
    gate.close()
    assert gate.pass_on(b"\x1b[2J") + gate.pass_on(b"\x1b[Htext\x1b[1;31m") == b""
    assert (gate.standing, gate.behind) == (Gate.HOLDING, 18)
    assert gate.open() == b"\x1b[2J\x1b[Htext\x1b[1;31m"
    assert (gate.standing, gate.behind) == (Gate.OPEN, 0)


def test_nothing_of_a_frame_is_in_the_next() -> None:
    gate = UpdateGate()
    for frame in (b"one", b"two"):
        gate.close()
        gate.pass_on(frame)
        assert gate.open() == frame


@pytest.mark.parametrize("question", _QUESTIONS.values(), ids=_QUESTIONS.keys())
def test_a_question_is_passed_on_at_once_with_what_came_before_it(question: bytes) -> None:
    for cut in range(len(question)):
        gate = UpdateGate()
        gate.close()
        passed = gate.pass_on(b"before" + question[:cut]) + gate.pass_on(question[cut:])
        assert passed == b"before" + question, cut
        assert (gate.standing, gate.behind) == (Gate.ASKED, len(passed)), cut


def test_after_a_question_the_rest_of_its_frame_is_passed_on_and_the_next_frame_is_held() -> None:
    gate = UpdateGate()
    gate.close()
    gate.pass_on(b"\x1b[6n")
    assert gate.pass_on(b"rest") == b"rest"
    assert (gate.standing, gate.behind) == (Gate.ASKED, 8)
    gate.close()
    assert gate.standing is Gate.ASKED
    assert gate.open() == b""
    gate.close()
    assert gate.pass_on(b"next") == b""


def test_what_asks_nothing_is_held() -> None:
    gate = UpdateGate()
    gate.close()
    assert (
        gate.pass_on(b"\x1b[2J\x1b[1;31mtext \x1b]8;;http://x/?q\x1b\\\x1b[2 \x1b[K\x1b[?25l\x1b]0;title?\x07") == b""
    )


def test_a_frame_that_is_too_large_is_passed_on() -> None:
    gate = UpdateGate()
    gate.close()
    held = b"x" * FRAME_BYTES
    assert gate.pass_on(held) == b""
    assert gate.pass_on(b"y") == held + b"y"
    assert gate.pass_on(b"z") == b"z"


def test_a_frame_that_asks_and_is_too_large_is_none_any_longer() -> None:
    gate = UpdateGate()
    gate.close()
    gate.pass_on(b"\x1b[6n")
    assert gate.pass_on(b"x" * FRAME_BYTES) == b"x" * FRAME_BYTES
    assert (gate.standing, gate.behind) == (Gate.OPEN, 0)


@given(st.lists(st.tuples(st.sampled_from(["close", "open", "pass"]), st.binary(max_size=9)), max_size=30))
def test_every_byte_comes_out_once_and_in_order(steps: list[tuple[str, bytes]]) -> None:
    gate, given_bytes, passed = UpdateGate(), b"", b""
    for step, data in steps:
        if step == "close":
            gate.close()
        elif step == "open":
            passed += gate.open()
        else:
            given_bytes += data
            passed += gate.pass_on(data)
    assert passed + gate.open() == given_bytes
