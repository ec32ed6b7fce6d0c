"""Each condition of a write against each fact of its pane, and the order in which they are looked at."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from session_core.errors import Code, SessionCoreError
from session_core.model.draft import DraftView
from session_core.model.guard import Conditions, Facts, Hold, OnDraft, When, judge
from session_core.model.status import Observed, Occupant, RecordView
from session_core.protocol.program_status import Kind, State

SECRETS = ("PROGRAM-MSG", "PROGRAM-TITLE", "PROGRAM-APP", "PROGRAM-NAME", "PROGRAM-ID")
DRAFT = DraftView(12, 90.0)
EDITOR = Occupant(4242, 1.0, "PROGRAM-NAME")


def record(state: State = State.BLOCKED, revision: int = 77) -> RecordView:
    """Return a record all of whose texts are a program's."""
    return RecordView(
        id="PROGRAM-ID",
        state=state,
        app="PROGRAM-APP",
        kind=Kind.PERMISSION,
        progress=None,
        title="PROGRAM-TITLE",
        msg="PROGRAM-MSG",
        revision=revision,
        at=80.0,
    )


IDLE = Facts(
    pane="p1",
    state=Observed.IDLE,
    turn_revision=50,
    lead=record(State.IDLE, 50),
    occupant=EDITOR,
    draft=None,
    password=False,
    settled_since_write=True,
)
ASKS: dict[str, Any] = {"state": Observed.BLOCKED, "lead": record(), "turn_revision": 77}
"""Facts of a pane that is blocked on the question of revision 77."""

HOLDS: dict[str, Any] = {"on_draft": OnDraft.HOLD}
SETTLED: dict[str, Any] = {"when": When.SETTLED}
Verdict = Code | Hold | None


def verdict(conditions: dict[str, Any], facts: dict[str, Any], now: float = 100.0) -> Verdict:
    """Return the code of a refusal, why the write is held, or None for one that may go."""
    try:
        return judge(Conditions(**conditions), replace(IDLE, **facts), now)
    except SessionCoreError as refused:
        return refused.code


TABLE: list[tuple[str, dict[str, Any], dict[str, Any], Verdict]] = [
    ("nothing is demanded and nobody is in the way", {}, {}, None),
    *[(f"a pane that is {state}", {}, {"state": state}, None) for state in Observed if state is not Observed.BLOCKED],
    ("nothing is known of it", {}, {"state": Observed.UNKNOWN, "lead": None, "occupant": None}, None),
    # own pane
    ("from another pane", {"from_pane": "p2"}, {}, None),
    ("from its own pane", {"from_pane": "p1"}, {}, Code.OWN_PANE),
    # if_state
    ("the state that was demanded", {"if_state": Observed.IDLE}, {}, None),
    ("another state", {"if_state": Observed.IDLE}, {"state": Observed.WORKING}, Code.PRECONDITION_FAILED),
    ("an unknown state", {"if_state": Observed.IDLE}, {"state": Observed.UNKNOWN}, Code.PRECONDITION_FAILED),
    ("the unknown state that was demanded", {"if_state": Observed.UNKNOWN}, {"state": Observed.UNKNOWN}, None),
    ("done is not idle", {"if_state": Observed.DONE}, {}, Code.PRECONDITION_FAILED),
    # if_revision
    ("the revision of the last turn", {"if_revision": 50}, {}, None),
    ("a later revision than the last turn", {"if_revision": 51}, {}, None),
    ("an earlier revision than the last turn", {"if_revision": 49}, {}, Code.PRECONDITION_FAILED),
    ("revision zero", {"if_revision": 0}, {}, Code.PRECONDITION_FAILED),
    ("revision zero of a pane without a turn", {"if_revision": 0}, {"turn_revision": 0}, None),
    # if_occupant
    ("the occupant by name", {"if_occupant": "PROGRAM-NAME"}, {}, None),
    ("the occupant by pid", {"if_occupant": "4242"}, {}, None),
    ("another name", {"if_occupant": "sh"}, {}, Code.PRECONDITION_FAILED),
    ("a part of the name", {"if_occupant": "PROGRAM"}, {}, Code.PRECONDITION_FAILED),
    ("a part of the pid", {"if_occupant": "42"}, {}, Code.PRECONDITION_FAILED),
    ("no name at all", {"if_occupant": ""}, {}, Code.PRECONDITION_FAILED),
    ("nobody to be seen", {"if_occupant": "sh"}, {"occupant": None}, Code.PRECONDITION_FAILED),
    # password
    ("a password is read", {}, {"password": True}, Code.PASSWORD),
    ("a password is read and this is a secret", {"secret": True}, {"password": True}, None),
    ("a secret where no password is read", {"secret": True}, {}, None),
    ("a password is read and the write could wait", SETTLED | HOLDS, {"password": True}, Code.PASSWORD),
    # blocked
    ("blocked and no answer", {}, ASKS, Code.BLOCKED),
    ("blocked and no answer, whatever is done on a draft", HOLDS, ASKS, Code.BLOCKED),
    ("blocked and the answer to this question", {"answers": 77}, ASKS, None),
    ("blocked and the answer to an earlier question", {"answers": 76}, ASKS, Code.STALE_ANSWER),
    ("blocked and the answer to a later question", {"answers": 78}, ASKS, Code.STALE_ANSWER),
    ("an answer where nobody asks", {"answers": 77}, {}, Code.STALE_ANSWER),
    ("an answer to what is idle now", {"answers": 50}, {}, Code.STALE_ANSWER),
    ("an answer where nothing is known", {"answers": 1}, {"lead": None}, Code.STALE_ANSWER),
    ("an answer to question zero", {"answers": 0}, {"lead": None}, Code.STALE_ANSWER),
    ("blocked and the state is demanded", {"if_state": Observed.BLOCKED}, ASKS, Code.BLOCKED),
    ("blocked and all is named", {"if_state": Observed.BLOCKED, "if_revision": 77, "answers": 77}, ASKS, None),
    ("an answer in time for its rest", SETTLED | {"answers": 77}, ASKS, Hold.NOT_SETTLED),
    ("blocked and the write can wait", SETTLED, ASKS, Hold.NOT_SETTLED),
    # draft
    ("a draft", {}, {"draft": DRAFT}, Code.HUMAN_DRAFT),
    ("a draft and the write can wait", HOLDS, {"draft": DRAFT}, Hold.HUMAN_DRAFT),
    ("a draft of one character", {}, {"draft": DraftView(1, 99.0)}, Code.HUMAN_DRAFT),
    ("a draft in a pane at work", {}, {"draft": DRAFT, "state": Observed.WORKING}, Code.HUMAN_DRAFT),
    ("a draft in a pane that asks", {"answers": 77}, ASKS | {"draft": DRAFT}, Code.HUMAN_DRAFT),
    ("a draft and a secret", {"secret": True}, {"draft": DRAFT, "password": True}, Code.HUMAN_DRAFT),
    ("a draft where only rest is waited for", SETTLED, {"draft": DRAFT}, Code.HUMAN_DRAFT),
    ("both in the way", SETTLED | HOLDS, {"draft": DRAFT, "state": Observed.WORKING}, Hold.HUMAN_DRAFT),
    # settled
    *[
        (f"at rest: {state}", SETTLED, {"state": state}, None)
        for state in (Observed.IDLE, Observed.DONE, Observed.ERROR)
    ],
    *[
        (f"not at rest: {state}", SETTLED, {"state": state, "lead": None}, Hold.NOT_SETTLED)
        for state in (Observed.WORKING, Observed.UNKNOWN, Observed.BLOCKED)
    ],
    ("at rest, but not since the last write", SETTLED, {"settled_since_write": False}, Hold.NOT_SETTLED),
    ("not since the last write, and now", {}, {"settled_since_write": False}, None),
    ("a draft, before the write is due", SETTLED, {"draft": DRAFT, "settled_since_write": False}, Hold.NOT_SETTLED),
    ("a draft, once the write is due", SETTLED, {"draft": DRAFT}, Code.HUMAN_DRAFT),
]


@pytest.mark.parametrize(("conditions", "facts", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_a_write_is_allowed_held_or_refused(
    conditions: dict[str, Any], facts: dict[str, Any], expected: Verdict
) -> None:
    assert verdict(conditions, facts) is expected


IN_ORDER: list[tuple[str, Verdict, dict[str, Any], dict[str, Any]]] = [
    ("own pane", Code.OWN_PANE, {"from_pane": "p1"}, {}),
    ("state", Code.PRECONDITION_FAILED, {"if_state": Observed.DONE}, {}),
    ("revision", Code.PRECONDITION_FAILED, {"if_revision": 1}, {}),
    ("occupant", Code.PRECONDITION_FAILED, {"if_occupant": "sh"}, {}),
    ("password", Code.PASSWORD, {}, {"password": True}),
    ("stale answer", Code.STALE_ANSWER, {"answers": 1}, {}),
    ("draft, to be held for", Hold.HUMAN_DRAFT, {"on_draft": OnDraft.HOLD}, {"draft": DRAFT}),
]
"""What is wrong, in the order in which it is told; each row is wrong in its own way and right in all others."""


@pytest.mark.parametrize("first", range(len(IN_ORDER)))
def test_of_several_faults_the_first_of_the_order_is_told(first: int) -> None:
    conditions: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for _, _, condition, fact in IN_ORDER[first:]:
        conditions |= condition
        facts |= fact
    assert verdict(conditions, facts) is IN_ORDER[first][1]


def test_the_order_tells_apart_what_has_one_code() -> None:
    words = {"state": "if_state", "revision": "if_revision", "occupant": "if_occupant"}
    rows = [row for row in IN_ORDER if row[0] in words]
    for (name, _, condition, _), (_, _, later, _) in pairwise(rows):
        with pytest.raises(SessionCoreError) as refused:
            judge(Conditions(**condition, **later), IDLE, 100.0)
        assert words[name] in refused.value.message


REFUSALS = [row for row in TABLE if isinstance(row[3], Code)]


@pytest.mark.parametrize(("conditions", "facts"), [row[1:3] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_a_refusal_says_what_to_do_next_and_no_word_of_the_program(
    conditions: dict[str, Any], facts: dict[str, Any]
) -> None:
    with pytest.raises(SessionCoreError) as refused:
        judge(Conditions(**conditions), replace(IDLE, **facts), 100.0)
    text = str(refused.value)
    assert not any(secret in text for secret in SECRETS)
    assert refused.value.next_step
    assert "Nothing was typed." in text


@pytest.mark.parametrize(
    ("conditions", "facts", "words"),
    [
        ({}, {"draft": DRAFT}, ["12 typed characters", "10 s ago", "p1", "hold"]),
        ({}, {"draft": DraftView(3, 100.0)}, ["3 typed characters", " 0 s ago"]),
        ({}, {"draft": DraftView(3, 160.0)}, [" 0 s ago"]),
        ({}, ASKS, ["p1", "answers=77"]),
        ({"answers": 76}, ASKS, ["76", "p1"]),
        ({"if_revision": 49}, {}, ["if_revision=49", "50"]),
        ({"if_state": Observed.DONE}, {}, ["if_state=done", "idle"]),
        ({}, {"password": True}, ["p1", "secret=true"]),
        ({"from_pane": "p1"}, {}, ["p1"]),
    ],
)
def test_a_refusal_names_the_numbers(conditions: dict[str, Any], facts: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SessionCoreError) as refused:
        judge(Conditions(**conditions), replace(IDLE, **facts), 100.0)
    assert [word for word in words if word not in str(refused.value)] == []


def test_the_hint_of_a_refusal_leads_to_a_write_that_is_allowed() -> None:
    assert verdict({}, ASKS) is Code.BLOCKED
    assert verdict({"answers": 77}, ASKS) is None
    assert verdict(HOLDS, {"draft": DRAFT}) is Hold.HUMAN_DRAFT
    assert verdict(HOLDS, {}) is None
