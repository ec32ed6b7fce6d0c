"""Which event ends which record. OSC 7501 section 4; that `idle` goes too is our own choice."""

from collections.abc import Callable

import pytest

from session_core.model.changes import Cause, Change
from session_core.model.pane import PaneModel
from session_core.model.status import ExitStatus, Life

from .panes import ALTERNATE_OFF, ALTERNATE_ON, PROMPT, RESET, declare, feed, new_pane, of_records, states

ALL = {"i": "idle", "w": "working", "b": "blocked", "d": "done", "e": "error"}
FINISHED = {"d": "done", "e": "error"}
NONE: dict[str, str] = {}

Event = Callable[[PaneModel], list[Change]]


def _feeding(data: bytes) -> Event:
    return lambda pane: feed(pane, data)


def _exit(pane: PaneModel) -> list[Change]:
    return pane.live(Life.EXITED, 1.0, ExitStatus(code=3))


def _time_passes(pane: PaneModel) -> list[Change]:
    return feed(pane, b"text\x1b]2;title\x07", now=1e9)


TABLE: dict[str, tuple[Event, dict[str, str], Cause | None]] = {
    "a prompt": (_feeding(PROMPT), FINISHED, Cause.PROMPT),
    "a prompt with options": (_feeding(b"\x1b]133;A;cl=m;aid=12\x07"), FINISHED, Cause.PROMPT),
    "an initial prompt": (_feeding(b"\x1b]133;A;k=i\x1b\\"), FINISHED, Cause.PROMPT),
    "a secondary prompt": (_feeding(b"\x1b]133;A;k=s\x07"), ALL, None),
    "a continuation": (_feeding(b"\x1b]133;A;k=c\x07"), ALL, None),
    "a right prompt": (_feeding(b"\x1b]133;A;k=r\x07"), ALL, None),
    "a prompt on the alternate screen": (_feeding(ALTERNATE_ON + PROMPT), ALL, None),
    "a prompt after the alternate screen": (
        _feeding(ALTERNATE_ON + ALTERNATE_OFF + PROMPT),
        FINISHED,
        Cause.PROMPT,
    ),
    "mark B": (_feeding(b"\x1b]133;B\x07"), ALL, None),
    "mark C": (_feeding(b"\x1b]133;C\x07"), ALL, None),
    "mark D": (_feeding(b"\x1b]133;D;1\x07"), ALL, None),
    "mark N": (_feeding(b"\x1b]133;N\x07"), ALL, None),
    "mark P": (_feeding(b"\x1b]133;P\x07"), ALL, None),
    "RIS": (_feeding(RESET), NONE, Cause.RESET),
    "RIS on the alternate screen": (_feeding(ALTERNATE_ON + RESET), NONE, Cause.RESET),
    "DECSTR": (_feeding(b"\x1b[!p"), ALL, None),
    "the alternate screen": (_feeding(ALTERNATE_ON), ALL, None),
    "the main screen": (_feeding(ALTERNATE_ON + ALTERNATE_OFF), ALL, None),
    "a query": (_feeding(b"\x1b]7501;?\x07"), ALL, None),
    "a clear": (_feeding(b"\x1b]7501;state=clear\x07"), NONE, Cause.CLEAR),
    "a title": (_feeding(b"\x1b]2;title\x07"), ALL, None),
    "progress": (_feeding(b"\x1b]9;4;1;50\x07"), ALL, None),
    "a resize": (lambda pane: pane.resized(10, 10, 1.0), ALL, None),
    "the end of its program": (lambda pane: pane.program_ended(1, 1.0), FINISHED, Cause.PROGRAM_END),
    "the end of another program": (lambda pane: pane.program_ended(2, 1.0), ALL, None),
    "the exit": (_exit, FINISHED, Cause.EXIT),
    "a long time": (_time_passes, ALL, None),
}


@pytest.mark.parametrize("event", TABLE)
def test_an_event_leaves_what_its_row_says(event: str) -> None:
    pane = new_pane()
    declare(pane, *(f"state={word}:id={key}" for key, word in ALL.items()), group=1)
    happen, left, cause = TABLE[event]
    changes = happen(pane)
    assert states(pane) == left
    gone = [(key, word, None) for key, word in ALL.items() if key not in left]
    assert of_records(changes) == gone
    assert {change.cause for change in changes if change.record is not None} == ({cause} if gone else set())


@pytest.mark.parametrize("word", ["idle", "working", "blocked"])
def test_the_root_and_children_end_alike(word: str) -> None:
    pane = new_pane()
    declare(pane, f"state={word}", f"state={word}:id=a/b", "state=done:id=a")
    feed(pane, PROMPT)
    assert states(pane) == {"a": "done"}


def test_an_end_of_a_program_leaves_records_of_others_and_of_nobody() -> None:
    pane = new_pane()
    declare(pane, "state=working:id=mine", group=7)
    declare(pane, "state=working:id=other", group=8)
    declare(pane, "state=working:id=nobody", group=None)
    pane.program_ended(7, 1.0)
    assert states(pane) == {"other": "working", "nobody": "working"}


def test_a_record_belongs_to_the_program_that_reported_it_last() -> None:
    pane = new_pane()
    declare(pane, "state=working", group=7)
    assert declare(pane, "state=working", group=8) == []
    pane.program_ended(7, 1.0)
    assert states(pane) == {"": "working"}
    pane.program_ended(8, 2.0)
    assert states(pane) == NONE


def test_a_report_after_a_prompt_in_one_read_survives_and_one_before_it_does_not() -> None:
    working = b"\x1b]7501;state=working\x07"
    pane = new_pane()
    feed(pane, PROMPT + working)
    assert states(pane) == {"": "working"}
    feed(pane, working + PROMPT)
    assert states(pane) == NONE


def test_RIS_leaves_the_alternate_screen_so_that_the_next_prompt_counts() -> None:  # noqa: N802
    pane = new_pane()
    feed(pane, ALTERNATE_ON + RESET + b"\x1b]7501;state=working\x07" + PROMPT)
    assert states(pane) == NONE


def test_silence_of_an_hour_changes_no_record_and_its_time_stays() -> None:
    pane = new_pane()
    declare(pane, "state=blocked:kind=question", now=10.0)
    feed(pane, b"\x1b]2;a spinner's title\x07", now=3610.0)
    view = pane.status().records[0]
    assert (view.state.value, view.at, pane.status().state_at) == ("blocked", 10.0, 10.0)
