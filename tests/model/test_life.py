"""A pane's life and size: which steps exist, and that nothing is applied after the end."""

import pytest

from session_core.model.changes import Cause, Revisions, Subject
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.status import ExitStatus, Life, Observed, Occupant, Signal

from .panes import COMMAND, PROMPT, QUERY, RESET, declare, feed, new_pane, report, states

LEGAL = {
    (Life.STARTING, Life.RUNNING),
    (Life.STARTING, Life.EXITED),
    (Life.STARTING, Life.LOST),
    (Life.RUNNING, Life.EXITED),
    (Life.RUNNING, Life.LOST),
    (Life.EXITED, Life.STARTING),
    (Life.LOST, Life.STARTING),
}


def _in_life(life: Life) -> PaneModel:
    spec = PaneSpec(pane="p1", name=None, command=("true",), columns=80, rows=24)
    pane = PaneModel(spec, Revisions(), 0.0)
    if life is not Life.STARTING:
        pane.live(life, 1.0)
    return pane


@pytest.mark.parametrize("after", Life)
@pytest.mark.parametrize("before", Life)
def test_a_pane_takes_the_steps_that_a_process_can_take_and_no_other(before: Life, after: Life) -> None:
    pane = _in_life(before)
    logged = list(pane.log)
    if (before, after) in LEGAL:
        change = pane.live(after, 2.0)[-1]
        assert (change.subject, change.before, change.after) == (Subject.LIFE, before.value, after.value)
        assert pane.life is after
        return
    with pytest.raises(ValueError, match=f"from {before} to {after}"):
        pane.live(after, 2.0)
    assert pane.life is before
    assert list(pane.log) == logged


def test_a_new_pane_begins_with_one_change() -> None:
    pane = _in_life(Life.STARTING)
    (opened,) = pane.log
    assert (opened.subject, opened.cause, opened.before, opened.after, opened.at) == (
        Subject.LIFE,
        Cause.OPEN,
        None,
        "starting",
        0.0,
    )


def test_the_exit_comes_after_the_records_that_it_ends() -> None:
    pane = new_pane()
    declare(pane, "state=working", "state=done:id=a")
    changes = pane.live(Life.EXITED, 5.0, ExitStatus(code=3))
    assert [(change.subject, change.cause) for change in changes] == [
        (Subject.RECORD, Cause.EXIT),
        (Subject.LIFE, Cause.EXIT),
    ]
    status = pane.status()
    assert (status.exit, status.shell, status.signal) == (ExitStatus(code=3), None, Signal.NONE)
    assert (status.state, status.life) == (Observed.DONE, Life.EXITED)


@pytest.mark.parametrize(
    "data",
    [
        report("state=working"),
        report("state=done:id=kept"),
        report("state=clear"),
        QUERY,
        PROMPT,
        COMMAND,
        b"\x1b]133;D;9\x07",
        RESET,
        b"\x1b[?1049h",
        b"\x1b]2;late\x07",
        b"\x1b]7;file://box/late\x07",
        b"\x1b]9;late\x07",
        b"\x1b]9;4;1;99\x07",
    ],
)
def test_nothing_is_applied_after_the_exit(data: bytes) -> None:
    pane = new_pane()
    declare(pane, "state=error:id=kept", "state=working")
    pane.live(Life.EXITED, 1.0, ExitStatus(signal="SIGKILL"))
    before, standing = pane.status(), pane.standing
    assert feed(pane, data, now=2.0) == []
    assert pane.status() == before
    assert pane.standing == standing
    assert not pane.alternate
    assert states(pane) == {"kept": "error"}


def test_what_had_finished_can_still_be_acknowledged_after_the_exit() -> None:
    pane = new_pane()
    declare(pane, "state=done")
    pane.live(Life.EXITED, 1.0)
    pane.acknowledge("ann", 2.0)
    assert states(pane) == {}
    assert pane.status().state is Observed.UNKNOWN


def test_a_new_size_is_one_change_and_the_same_size_is_none() -> None:
    pane = new_pane()
    (change,) = pane.resized(100, 30, 1.0)
    assert (change.subject, change.cause) == (Subject.SIZE, Cause.REQUEST)
    assert pane.resized(100, 30, 2.0) == []
    assert len(pane.resized(100, 31, 3.0)) == len(pane.resized(101, 31, 4.0)) == 1
    assert (pane.status().columns, pane.status().rows) == (101, 31)


def test_a_new_occupant_is_one_change_and_the_same_occupant_is_none() -> None:
    pane = new_pane()
    vim = Occupant(10, 1.0, "vim")
    (change,) = pane.occupied(vim, 1.0)
    assert change.subject is Subject.OCCUPANT
    assert pane.occupied(Occupant(10, 1.0, "vim"), 2.0) == []
    assert len(pane.occupied(Occupant(10, 2.0, "vim"), 3.0)) == 1
    assert len(pane.occupied(None, 4.0)) == 1
    assert pane.status().occupant is None


def test_four_panes_that_a_reader_must_tell_apart_look_different() -> None:
    silent, idle, finished, failed = (new_pane() for _ in range(4))
    declare(idle, "state=idle")
    declare(finished, "state=working", "state=done:msg=YQ==", now=3.0)
    declare(failed, "state=working")
    failed.live(Life.EXITED, 4.0, ExitStatus(code=3))
    looks = [pane.status() for pane in (silent, idle, finished, failed)]
    assert [(look.life, look.state, look.signal) for look in looks] == [
        (Life.RUNNING, Observed.UNKNOWN, Signal.NONE),
        (Life.RUNNING, Observed.IDLE, Signal.DECLARED),
        (Life.RUNNING, Observed.DONE, Signal.DECLARED),
        (Life.EXITED, Observed.UNKNOWN, Signal.NONE),
    ]
    assert (looks[2].records[0].msg, looks[2].records[0].at) == ("a", 3.0)
    assert looks[3].exit == ExitStatus(code=3)
    assert [look.changes for look in looks] == [2, 4, 5, 6]
