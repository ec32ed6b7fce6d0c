"""Results of every method and notice: real values of a real pane come back from JSON as they were."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.api import messages
from session_core.api.messages import Answer, Notice
from session_core.api.methods import METHODS, NOTICES
from session_core.api.requests import What
from session_core.api.results import (
    Attached,
    Audit,
    AuditEntry,
    ChangeBatch,
    Closed,
    CommandRun,
    Gap,
    Greeting,
    HeldWrites,
    KeystrokeReceipt,
    OutputNews,
    PaneList,
    PaneText,
    Stopping,
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
    Waiting,
    WriteReceipt,
)
from session_core.model.changes import Change, Revisions
from session_core.model.commands import Command
from session_core.model.outcomes import Mode, Outcome, SinceWrite, Until, WaitResult, WaitSpec
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.status import ExitStatus, Life, Occupant
from session_core.model.text_watch import TextMatch
from session_core.model.tickets import Delivery, Started, Ticket
from session_core.model.waits import Waits
from session_core.protocol.events import EventStream

BUSY = (
    "\x1b]133;A\x07\x1b]133;C\x07"
    "\x1b]7501;state=working:app=deploy:title=VA==:msg=4pyT:progress=40\x07"
    "\x1b]7501;state=blocked:kind=permission:id=a/b:msg=UnVuIHRlc3RzPw==\x07"
    "\x1b]7501;state=done:id=c\x07\x1b]7501;state=error:id=d\x07\x1b]7501;state=idle:id=e\x07"
    "\x1b]2;títle ✓\x07\x1b]7;file://box/work\x07\x1b]9;4;1;30\x07\x1b]777;notify;head;body\x07"
)


def _pane(name: str, output: str = "", revisions: Revisions | None = None) -> PaneModel:
    spec = PaneSpec(pane=name, name="build", command=("sh", "-c", 'echo "✓"\n'), columns=80, rows=24)
    pane = PaneModel(spec, revisions or Revisions(), 1.25)
    pane.live(Life.RUNNING, 1.5)
    for event in EventStream().feed(output.encode()):
        pane.take(event.meaning, 7, 2.123456789)
    return pane


def _panes() -> list[PaneModel]:
    """Return a silent pane, one of which everything is known, and two that have exited."""
    revisions = Revisions()
    silent, busy = _pane("p1", "", revisions), _pane("p2", BUSY, revisions)
    busy.acknowledge("ann", 3.0)
    busy.occupied(Occupant(4242, 1e9 + 0.1, "vim"), 3.0)
    failed, killed = _pane("p3", BUSY, revisions), _pane("p4", "", revisions)
    failed.live(Life.EXITED, 4.0, ExitStatus(code=3))
    failed.held_by_others = True
    killed.live(Life.EXITED, 4.0, ExitStatus(signal="SIGKILL"))
    return [silent, busy, failed, killed]


def _waits() -> list[WaitResult]:
    """Return a result of every outcome, as `Waits` gives them."""
    panes = {pane.spec.pane: pane for pane in _panes()}
    panes["p5"] = _pane("p5", "\x1b]7501;state=done:msg=YQ==\x07")
    waits = Waits(panes)
    asked = [
        WaitSpec(panes=("p5",)),
        WaitSpec(panes=("p2", "p1")),
        WaitSpec(panes=("p3",), until=Until.EXITED),
        WaitSpec(panes=("p2",), until=Until.CHANGE, since=0),
        WaitSpec(panes=("gone",)),
        WaitSpec(panes=("p1", "p5"), mode=Mode.ALL),
        WaitSpec(panes=("p1",), since=10**6),
    ]
    results = [waits.begin(spec, 5.0, 5.0, 1000) for spec in asked]
    results.append(waits.begin(WaitSpec(panes=("p1",), until=Until.QUIET), 5.0, 9.0, 1000))
    match = TextMatch("ok ✓", 3, 0, 99)
    results.append(waits.begin(WaitSpec(panes=("p2",), until=Until.TEXT), 5.0, 9.0, 1000, {"p2": match}))
    write = SinceWrite("p5", queued=False, early=False, at=-20.0)
    results.append(waits.begin(WaitSpec(panes=("p5",), since=1000, write=write), 5.0, 9.0, 1000))
    results += _of_a_program_that_ended()
    results.append(waits.not_delivered(("p1",), 5.0, 1000))
    lost = _pane("p1", "")
    lost.live(Life.LOST, 1.0)
    results.append(Waits({"p1": lost}).begin(WaitSpec(panes=("p1",)), 5.0, 9.0, 1000))
    return [result for result in results if isinstance(result, WaitResult)]


def _of_a_program_that_ended() -> list[WaitResult]:
    pane = _pane("p1", "\x1b]7501;state=working\x07")
    waits = Waits({"p1": pane})
    number = waits.begin(WaitSpec(panes=("p1",)), 5.0, 9.0, pane.log.revision)
    pane.program_ended(7, 6.0)
    return [result for ended, result in waits.changed("p1", 6.0, pane.log.revision) if ended == number]


def _changes() -> tuple[Change, ...]:
    return tuple(change for pane in _panes() for change in pane.log)


STATUSES = tuple(pane.status(rejected_reports=2) for pane in _panes())
GREETING = Greeting(1, "0.1.0", ("panes", "waits"), "epoch", 12, 4242)
_READ: dict[str, Any] = {
    "pane": "p1",
    "text": "a\r\n\x1b✓\u202e",
    "columns": 80,
    "rows": 24,
    "cursor_column": 3,
    "cursor_row": 4,
    "alternate": True,
    "title": None,
    "left_out_lines": 100,
    "missed_bytes": 0,
    "end": 12,
    "revision": 7,
}
COMMAND = Command(3, "make", "/src", 0, 10, 20, 1.0, 2.0, 9)
TEXTS = [
    *(PaneText(what=what, **_READ) for what in What),
    PaneText(what=What.FIND, found=2, left_out_bytes=5, updating=True, **_READ),
    PaneText(what=What.COMMAND, command=COMMAND, **_READ),
]

TICKETS = (
    Ticket(id="t1", pane="p1", author="a", status=Delivery.DELIVERED, bytes=10, revision=3, at=1.5),
    Ticket(id="t2", pane="p1", author="", status=Delivery.HELD, bytes=0, revision=3, at=1.5, reason="human_draft"),
    Ticket(
        id="t3",
        pane="p1",
        author="a",
        status=Delivery.UNKNOWN,
        bytes=4,
        revision=3,
        at=1.5,
        removed=2,
        pasted=True,
        queued=True,
        key="k",
    ),
)
STARTED: tuple[Started, ...] = (True, False, None, "queued_on_running_turn")
RECEIPTS = [
    WriteReceipt(ticket, started, wait) for ticket in TICKETS for started in STARTED for wait in (None, *_waits())
]

RUNS = [
    CommandRun(
        pane="p1",
        outcome=outcome,
        ticket=ticket,
        exit_code=code,
        output="é\n\x00 two",
        left_out_lines=7,
        left_out_bytes=2**33,
        folder=folder,
        exit=ended,
        waited_s=0.25,
        revision=9,
    )
    for outcome, ticket, code, folder, ended in (
        (Outcome.SETTLED, "t1", 0, "/tmp", None),
        (Outcome.EXITED, "t1", None, None, ExitStatus(code=3)),
        (Outcome.CHECKIN, "t1", None, "/", None),
        (Outcome.NOT_STARTED, "t1", None, "/", None),
        (Outcome.NOT_DELIVERED, None, None, None, None),
    )
]
VALUES: dict[str, list[Any]] = {
    "hello": [GREETING],
    "subscribe": [GREETING],
    "list_panes": [PaneList((), 0, "epoch"), PaneList(STATUSES, 9, "epoch")],
    "read_status": list(STATUSES),
    "open_pane": list(STATUSES),
    "reopen_pane": list(STATUSES),
    "read_audit": [
        Audit(()),
        Audit((AuditEntry("t1", 5.0, "p1", "an agent", 6, "hello ✓"), AuditEntry("t2", 6.0, "p1", "", 9, None))),
    ],
    "set_pane": list(STATUSES),
    "read_pane": TEXTS,
    "wait": list(_waits()),
    "write_pane": RECEIPTS,
    "send_keys": RECEIPTS,
    "run_command": RUNS,
    "held_writes": [HeldWrites(()), HeldWrites(TICKETS)],
    "read_ticket": list(TICKETS),
    "cancel_write": list(TICKETS),
    "acknowledge": [KeystrokeReceipt("p1", ("",))],
    "attach": [Attached(3, "p1", 80, 24, "G1tI")],
    "viewer_input": [None],
    "viewer_size": [None],
    "detach": [None],
    "send_keystrokes": [KeystrokeReceipt("p1", ()), KeystrokeReceipt("p1", ("", "a/b"))],
    "close_pane": [
        Closed("p1", None),
        Closed("p1", ExitStatus(code=0)),
        Closed("p1", ExitStatus(signal="SIGHUP")),
    ],
    "stop": [None],
}
NEWS: dict[str, list[Any]] = {
    "changes": [ChangeBatch(()), ChangeBatch(_changes())],
    "gap": [Gap(9), Gap(9, True)],
    "waiting": [Waiting(3, "e", 9, {}), Waiting(3, "e", 9, {"p1": 77})],
    "stopping": [Stopping()],
    "output": [OutputNews(("p1", "p2"))],
    "viewer_output": [ViewerOutput(3, "AA==")],
    "viewer_screen": [ViewerScreen(3, 80, 24, "AA==")],
    "viewer_ended": [ViewerEnded(3, None), ViewerEnded(3, ExitStatus(code=0))],
}
RESULTS = [(name, value) for name, values in VALUES.items() for value in values]


def test_there_is_a_value_for_every_method_and_notice() -> None:
    assert set(VALUES) == set(METHODS)
    assert set(NEWS) == set(NOTICES)
    assert {result.outcome for result in VALUES["wait"]} == set(Outcome)


@pytest.mark.parametrize(("name", "value"), RESULTS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_result_comes_back_as_it_was(name: str, value: Any) -> None:
    adapter = METHODS[name].result
    assert adapter.validate_json(adapter.dump_json(value)) == value
    assert adapter.validate_python(json.loads(adapter.dump_json(value))) == value


@pytest.mark.parametrize(("name", "value"), RESULTS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_result_comes_back_through_an_answer(name: str, value: Any) -> None:
    adapter = METHODS[name].result
    line = messages.write_answer(5, adapter.dump_json(value))
    assert line.count(b"\n") == 1
    answer = messages.read(line)
    assert isinstance(answer, Answer)
    assert adapter.validate_python(answer.result) == value


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in NEWS for value in NEWS[name]])
def test_a_notice_comes_back_as_it_was(name: str, value: Any) -> None:
    adapter = NOTICES[name]
    notice = messages.read(messages.write_notice(Notice(name, adapter.dump_python(value, mode="json"))))
    assert isinstance(notice, Notice)
    assert adapter.validate_python(notice.params) == value


@pytest.mark.parametrize("name", [name for name, values in VALUES.items() if values != [None]])
def test_a_result_with_a_field_of_a_later_version_is_read(name: str) -> None:
    adapter, value = METHODS[name].result, VALUES[name][0]
    later = {**json.loads(adapter.dump_json(value)), "invented_tomorrow": {"a": 1}}
    assert adapter.validate_python(later) == value


def test_the_words_of_a_status_are_those_of_the_protocol() -> None:
    status = json.loads(METHODS["read_status"].result.dump_json(STATUSES[1]))
    assert (status["life"], status["state"], status["signal"], status["root"]) == (
        "running",
        "blocked",
        "declared",
        "working",
    )
    shown = {record["id"]: (record["state"], record["app"], record["kind"]) for record in status["records"]}
    assert shown["a/b"] == ("blocked", "deploy", "permission")
    assert shown[""] == ("working", "deploy", None)


@given(st.lists(st.sampled_from(BUSY.split("\x07")).map(lambda one: one + "\x07") | st.text(), max_size=12))
@settings(max_examples=60, deadline=None, database=None)
def test_whatever_a_program_says_its_status_comes_back_as_it_was(said: list[str]) -> None:
    adapter = METHODS["read_status"].result
    status = _pane("p1", "".join(said)).status()
    assert adapter.validate_json(adapter.dump_json(status)) == status
