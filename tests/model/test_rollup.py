"""One state out of many: the order, ties, and where the state comes from without any record.

The order `blocked > working > error > done > idle` is our own choice: OSC 7501 section 7 leaves it open.
"""

from itertools import combinations, permutations

import pytest

from session_core.model.rollup import leading
from session_core.model.status import Observed
from session_core.protocol.program_status import State

from .panes import COMMAND, PROMPT, declare, feed, new_pane, report, states

ORDER = ("blocked", "working", "error", "done", "idle")


@pytest.mark.parametrize(("urgent", "other"), list(combinations(ORDER, 2)))
def test_the_more_urgent_of_two_states_leads_in_either_order(urgent: str, other: str) -> None:
    for first, second in ((urgent, other), (other, urgent)):
        pane = new_pane()
        declare(pane, f"state={first}:id=a", f"state={second}:id=b")
        assert pane.state.value == urgent


@pytest.mark.parametrize("word", ORDER)
def test_a_child_counts_like_the_root(word: str) -> None:
    pane = new_pane()
    declare(pane, "state=idle", f"state={word}:id=a/b/c")
    assert pane.state.value == word
    assert pane.status().root is State.IDLE


@pytest.mark.parametrize("ids", list(permutations(("", "a", "b"))))
def test_among_equals_the_newest_leads_whatever_its_id(ids: tuple[str, ...]) -> None:
    pane = new_pane()
    declare(pane, *(f"state=blocked:id={identity}" if identity else "state=blocked" for identity in ids))
    lead = leading(pane.records)
    assert lead is not None
    assert lead.report.id == ids[-1]


def test_an_identical_report_does_not_become_the_newest() -> None:
    pane = new_pane()
    declare(pane, "state=working:id=a", "state=working:id=b", "state=working:id=a")
    lead = leading(pane.records)
    assert lead is not None
    assert lead.report.id == "b"


def test_all_five_states_at_once_leave_in_order_of_urgency() -> None:
    pane = new_pane()
    declare(pane, *(f"state={word}:id={word}" for word in ORDER))
    for word in ORDER:
        assert pane.state.value == word
        declare(pane, f"state=clear:id={word}")
    assert pane.state.value == "unknown"


def test_a_finished_child_does_not_hide_a_working_root() -> None:
    pane = new_pane()
    declare(pane, "state=working:app=agent", "state=done:id=t1:msg=UnVuIHRlc3RzPw==")
    assert pane.state.value == "working"
    assert states(pane) == {"": "working", "t1": "done"}
    declare(pane, "state=done:app=agent")
    assert pane.state.value == "done"


def test_a_finished_root_with_a_working_child_is_working() -> None:
    pane = new_pane()
    declare(pane, "state=working:id=t1", "state=done")
    status = pane.status()
    assert (status.state, status.root) == (Observed.WORKING, State.DONE)


def test_without_a_root_record_the_root_state_is_absent() -> None:
    pane = new_pane()
    declare(pane, "state=blocked:id=a")
    status = pane.status()
    assert (status.state, status.root) == (Observed.BLOCKED, None)


def test_nothing_leads_an_empty_store() -> None:
    assert leading([]) is None


def test_without_records_the_prompt_marks_say_the_state() -> None:
    pane = new_pane()
    assert pane.state.value == "unknown"
    feed(pane, PROMPT)
    seen = []
    for data in (COMMAND, report("state=done"), report("state=clear"), PROMPT):
        seen.append(pane.state.value)
        feed(pane, data)
    assert [*seen, pane.state.value] == ["idle", "working", "done", "working", "idle"]


def test_a_word_that_is_no_state_changes_nothing() -> None:
    pane = new_pane()
    declare(pane, "state=working")
    for body in ("state=napping", "STATE=idle", "state=Idle"):
        assert declare(pane, body) == []
    assert pane.state.value == "working"
    declare(pane, "state=blocked:kind=coffee")
    blocked = pane.status().records[0]
    assert (blocked.state, blocked.kind) == (State.BLOCKED, None)
    declare(pane, "state=working:progress=101")
    working = pane.status().records[0]
    assert (working.state, working.progress) == (State.WORKING, None)
