"""The example, as a person and a terminal see it."""

import signal

import pytest

from session_core.protocol.program_status import Clear, Kind, Query, Report, State, reply

from .pty_end import Program

PATH = "examples/declaring_program.py"
FAST = [PATH, "--pace", "0"]
DEVICE_REPLY = b"\x1b[?62;22c"
QUERY = b"\x1b]7501;?\x1b\\\x1b[c"
PROMPT = b"> "


def said(state: State, msg: str | None = None, kind: Kind | None = None) -> Report:
    """A report of the program itself."""
    return Report(state=state, app="demo-agent", msg=msg, kind=kind)


IDLE, CLEAR = said(State.IDLE), Clear()
ASKED = said(State.BLOCKED, "Run deploy to production?", Kind.PERMISSION)


def converse(*lines: tuple[bytes, bytes]) -> list[object]:
    """Type each line at its prompt, leave, and return what was declared from the first idle to clear."""
    with Program([*FAST, "--no-query"]) as program:
        for prompt, line in (*lines, (PROMPT, b"exit")):
            program.wait_for(prompt)
            program.enter(line + b"\n")
        first, *between, last = program.end()[0]
    assert (first, last) == (IDLE, CLEAR)
    return list(between)


def test_a_line_is_a_turn_from_working_to_done() -> None:
    assert converse((PROMPT, b"write a poem")) == [
        said(State.WORKING, "write a poem"),
        said(State.DONE, "Finished: write a poem"),
    ]


def test_deploy_waits_for_permission_and_goes_on_after_yes() -> None:
    assert converse((PROMPT, b"now deploy it"), (b"[y/n] ", b"what"), (b"[y/n] ", b"y")) == [
        said(State.WORKING, "now deploy it"),
        ASKED,
        said(State.WORKING, "Deploying to production"),
        said(State.DONE, "Finished: now deploy it"),
    ]


def test_deploy_rests_after_no() -> None:
    assert converse((PROMPT, b"deploy"), (b"[y/n] ", b"n")) == [said(State.WORKING, "deploy"), ASKED, IDLE]


def test_fail_ends_in_error_which_stays_until_the_next_turn() -> None:
    assert converse((PROMPT, b"fail please"), (PROMPT, b""), (PROMPT, b"again")) == [
        said(State.WORKING, "fail please"),
        said(State.ERROR, "Failed: fail please"),
        said(State.WORKING, "again"),
        said(State.DONE, "Finished: again"),
    ]


def test_spawned_work_has_its_own_record_and_holds_done_back() -> None:
    with Program([*FAST, "--no-query"]) as program:
        program.wait_for(PROMPT)
        program.enter(b"spawn\n")
        program.wait_for(b"state=done:app=demo-agent:msg=")
        program.enter(b"exit\n")
        declared, status = program.end()
    child = Report(state=State.WORKING, id="spawned", app="demo-agent", title="Spawned work", msg="Counting")
    assert declared == [
        IDLE,
        said(State.WORKING, "spawn"),
        child,
        said(State.WORKING, "1 background task running"),
        Report(state=State.DONE, id="spawned", app="demo-agent", title="Spawned work", msg="Counted"),
        Clear("spawned"),
        said(State.DONE, "Finished: spawn"),
        CLEAR,
    ]
    assert status == 0


def test_it_asks_first_and_reports_after_a_reply_that_never_becomes_a_line() -> None:
    with Program(FAST) as program:
        program.wait_for(QUERY)
        program.enter(b"typed" + reply(b"\x1b\\")[:20])
        program.enter(reply(b"\x1b\\")[20:] + DEVICE_REPLY + b" early")
        program.wait_for(PROMPT)
        program.enter(b" and late\n")
        program.wait_for(PROMPT)
        program.enter(b"exit\n")
        declared, status = program.end()
    turn = [said(State.WORKING, "typed early and late"), said(State.DONE, "Finished: typed early and late")]
    assert (declared, status) == ([Query(), IDLE, *turn, CLEAR], 0)
    assert b"states=" not in program.output.seen


@pytest.mark.parametrize("answer", [DEVICE_REPLY, DEVICE_REPLY + reply(b"\x07")])
def test_it_stays_silent_where_reports_are_not_understood(answer: bytes) -> None:
    with Program(FAST) as program:
        program.wait_for(QUERY)
        program.enter(answer)
        program.wait_for(PROMPT)
        program.enter(b"write\n")
        program.wait_for(PROMPT)
        program.enter(b"exit\n")
        declared, status = program.end()
    assert (declared, status) == ([Query()], 0)


def test_a_reply_that_comes_too_late_is_no_part_of_a_line() -> None:
    assert converse((PROMPT, reply(b"\x07") + DEVICE_REPLY + b"write")) == [
        said(State.WORKING, "write"),
        said(State.DONE, "Finished: write"),
    ]


def test_a_variable_replaces_the_option() -> None:
    with Program(FAST, {"DECLARING_PROGRAM_NO_QUERY": "1"}) as program:
        program.wait_for(PROMPT)
        program.enter(b"\x04")
        assert program.end() == ([IDLE, CLEAR], 0)


def test_control_c_ends_a_turn_and_then_the_program() -> None:
    with Program([*FAST, "--no-query"]) as program:
        program.wait_for(PROMPT)
        program.enter(b"deploy\n")
        program.wait_for(b"[y/n] ")
        program.enter(b"\x03")
        program.wait_for(PROMPT)
        program.enter(b"\x03")
        assert program.end() == ([IDLE, said(State.WORKING, "deploy"), ASKED, IDLE, CLEAR], 0)


def test_an_interrupt_while_it_asks_restores_the_terminal() -> None:
    script = f'trap : INT; stty -a; "$0" {PATH}; stty -a'
    start = "import os, sys; os.execvp('sh', ['sh', '-c', sys.argv[1], sys.executable])"
    with Program(["-c", start, script]) as program:
        program.wait_for(QUERY)
        program.enter(b"\x03")
        program.end()
    modes = [line for line in program.output.seen.replace(b"\r", b"").split(b"\n") if b"icanon" in line]
    assert len(modes) == 2
    assert modes[0] == modes[1]


def test_a_termination_clears() -> None:
    with Program([*FAST, "--no-query"]) as program:
        program.wait_for(PROMPT)
        program.interrupt(signal.SIGTERM)
        assert program.end() == ([IDLE, CLEAR], 128 + signal.SIGTERM)
