"""Acknowledging ends `done` and `error`, keeps who is alive visible, and is written down.

That an acknowledged record becomes idle with its app while its reporter lives is our own choice.
"""

import pytest

from session_core.model.changes import Cause
from session_core.model.pane import LEDGER_ENTRIES
from session_core.model.status import Acknowledgement, Life

from .panes import PROMPT, declare, feed, new_pane, of_records, report, states


@pytest.mark.parametrize("word", ["done", "error"])
def test_a_finished_record_becomes_idle_with_its_app_and_no_texts(word: str) -> None:
    pane = new_pane()
    declare(pane, f"state={word}:app=brew:title=VA==:msg=YQ==", now=1.0)
    changes = pane.acknowledge("ann", 5.0)
    assert of_records(changes) == [("", word, "idle")]
    assert changes[0].cause is Cause.ACKNOWLEDGE
    view = pane.status().records[0]
    assert (view.state.value, view.app, view.title, view.msg) == ("idle", "brew", None, None)
    assert (view.revision, view.at) == (changes[0].revision, 5.0)


@pytest.mark.parametrize("word", ["idle", "working", "blocked"])
def test_an_unfinished_record_stays_as_it_is(word: str) -> None:
    pane = new_pane()
    declare(pane, f"state={word}:msg=YQ==")
    before = list(pane.records)
    assert pane.acknowledge("ann", 1.0) == []
    assert list(pane.records) == before
    assert pane.status().acknowledged == ()


@pytest.mark.parametrize("ending", ["prompt", "program end", "exit"])
def test_a_finished_record_goes_when_its_reporter_is_over(ending: str) -> None:
    pane = new_pane()
    declare(pane, "state=done", group=7)
    match ending:
        case "prompt":
            feed(pane, PROMPT)
        case "program end":
            pane.program_ended(7, 1.0)
        case "exit":
            pane.live(Life.EXITED, 1.0)
    assert states(pane) == {"": "done"}
    assert of_records(pane.acknowledge("ann", 2.0)) == [("", "done", None)]
    assert states(pane) == {}


@pytest.mark.parametrize("again", ["state=done", "state=error:app=x"])
def test_a_finished_record_whose_reporter_came_back_becomes_idle(again: str) -> None:
    pane = new_pane()
    feed(pane, report("state=done") + PROMPT + report(again))
    pane.acknowledge("ann", 2.0)
    assert states(pane) == {"": "idle"}


def test_an_acknowledged_record_still_names_its_children() -> None:
    pane = new_pane()
    declare(pane, "state=done:app=deploy", "state=working:id=east")
    pane.acknowledge("ann", 1.0)
    assert [view.app for view in pane.status().records] == ["deploy", "deploy"]


def test_an_acknowledged_record_still_ends_with_its_program() -> None:
    pane = new_pane()
    declare(pane, "state=done", group=7)
    pane.acknowledge("ann", 1.0)
    pane.program_ended(7, 2.0)
    assert states(pane) == {}


def test_acknowledging_keeps_the_order_in_which_records_were_updated() -> None:
    pane = new_pane(capacity=3)
    declare(pane, "state=done:id=a", "state=working:id=b", "state=working:id=c")
    pane.acknowledge("ann", 1.0)
    declare(pane, "state=working:id=d")
    assert list(states(pane)) == ["b", "c", "d"]


def test_acknowledging_twice_changes_nothing_and_is_written_down_once() -> None:
    pane = new_pane()
    declare(pane, "state=done")
    pane.acknowledge("ann", 1.0)
    assert pane.acknowledge("bob", 2.0) == []
    assert list(pane.ledger) == [Acknowledgement("ann", 1.0, ("",))]


def test_the_ledger_names_who_when_and_which_records() -> None:
    pane = new_pane()
    declare(pane, "state=done", "state=error:id=a/b", "state=working:id=c")
    pane.acknowledge("ann", 7.5)
    assert pane.status().acknowledged == (Acknowledgement("ann", 7.5, ("", "a/b")),)
    declare(pane, "state=error:id=c")
    pane.acknowledge("bob", 9.0)
    assert pane.status().acknowledged[-1] == Acknowledgement("bob", 9.0, ("c",))
    assert [entry.by for entry in pane.ledger] == ["ann", "bob"]


def test_the_ledger_keeps_the_newest_entries_only() -> None:
    pane = new_pane()
    for number in range(LEDGER_ENTRIES + 3):
        declare(pane, "state=done")
        pane.acknowledge(f"person {number}", float(number))
    assert [entry.at for entry in pane.ledger] == [float(n) for n in range(3, LEDGER_ENTRIES + 3)]
