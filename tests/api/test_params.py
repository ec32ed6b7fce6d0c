"""Parameters of every method: what is taken, what is refused, and that unknown fields are ignored."""

import base64
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import ValidationError

from session_core.api.methods import KEYED, METHODS, NOTICES, Repeat
from session_core.api.requests import (
    LINES,
    READ_BYTES,
    SIZE,
    TAGS,
    TEXT_CHARACTERS,
    WAIT_SECONDS,
    Format,
    Standing,
    What,
)
from session_core.model.guard import OnDraft, When
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Until
from session_core.model.status import Observed
from session_core.model.text_watch import NEEDLE_CHARACTERS

SECONDS_BAD: list[Any] = [None, -0.1, WAIT_SECONDS + 1, "long", [], float("nan"), float("inf"), float("-inf")]
REF_BAD: list[Any] = [None, "", "x" * 65, 1, [], {}, "\udcff"]
SIZE_BAD: list[Any] = [None, 0, 1, -5, SIZE + 1, 2.5, "wide", [], float("nan"), float("inf")]


@dataclass(frozen=True)
class Contract:
    """The least that a method takes, other good values, and bad ones; `MISSING` leaves a field out."""

    least: dict[str, Any] = field(default_factory=dict)
    good: dict[str, list[Any]] = field(default_factory=dict)
    bad: dict[str, list[Any]] = field(default_factory=dict)


MISSING: Any = object()
PANE = {"pane": "p1"}
PANE_GOOD = {"pane": ["x" * 64, "π", "a b"]}
PANE_BAD = {"pane": [MISSING, *REF_BAD]}
LONG_AUTHOR = "x" * 201
KEY_GOOD: dict[str, list[Any]] = {"key": [None, "k", "x" * 200]}
KEY_BAD: dict[str, list[Any]] = {"key": ["", 5, LONG_AUTHOR]}
VIEWER = {"viewer": 1}
VIEWER_BAD: dict[str, list[Any]] = {"viewer": [MISSING, None, "one", 1.5, []]}
INJECTED_GOOD: dict[str, list[Any]] = {
    **PANE_GOOD,
    "author": ["x" * 200],
    "answers": [None, 0, 7],
    "if_state": [None, *Observed],
    "if_revision": [None, 0, 7],
    "if_occupant": [None, "vim", "42"],
    "on_draft": [*OnDraft, "hold"],
    "when": [*When, "settled"],
    "secret": [True],
    "hold_s": [0.1, WAIT_SECONDS],
    **KEY_GOOD,
    "from_pane": [None, "p2"],
    "wait_s": [0, WAIT_SECONDS],
}
INJECTED_BAD: dict[str, list[Any]] = {
    **PANE_BAD,
    "author": [None, 5, LONG_AUTHOR, "\udcff"],
    "answers": [-1, 1.5, "now", []],
    "if_state": ["", "resting", 1],
    "if_revision": [-1, 1.5, "now", []],
    "if_occupant": [5, [], LONG_AUTHOR],
    "on_draft": [None, "", "merge"],
    "when": [None, "", "later"],
    "secret": [None, "perhaps", 2, []],
    "hold_s": [None, 0, -1, WAIT_SECONDS + 1, "long", float("nan")],
    **KEY_BAD,
    "from_pane": [5, [], "x" * 65],
    "wait_s": [None, -0.1, WAIT_SECONDS + 1, "long", float("nan")],
}

STOOD: dict[str, Any] = {"epoch": "e", "revision": 7}

CONTRACTS: dict[str, Contract] = {
    "hello": Contract(
        {"protocol": 1, "client": "me"},
        {"protocol": [0, 99], "client": ["", "x" * 200]},
        {
            "protocol": [MISSING, None, "one", 1.5, []],
            "client": [MISSING, None, 5, "x" * 201, "\udcff"],
        },
    ),
    "list_panes": Contract(),
    "subscribe": Contract(
        {},
        {"output": [None, True, False], "since": [None, 0, 2**53], "epoch": [None, "e", "x" * 64]},
        {"output": ["perhaps", 2, []], "since": [-1, 1.5, "t1", []], "epoch": [5, [], "x" * 65]},
    ),
    "stop": Contract(),
    "read_status": Contract(PANE, PANE_GOOD, PANE_BAD),
    "close_pane": Contract(PANE, PANE_GOOD | KEY_GOOD, PANE_BAD | KEY_BAD),
    "read_pane": Contract(
        PANE,
        {
            **PANE_GOOD,
            "what": [*What, "since"],
            "lines": [None, 1, LINES],
            "since": [None, 0, 2**53, "t7"],
            "offset": [None, 0, 2**53],
            "number": [-64, -1, 1, 2**31],
            "pattern": [None, "a", "(", "x" * 1000],
            "regex": [True],
            "context": [0, 100],
            "format": [*Format, "html"],
            "max_bytes": [None, 1, READ_BYTES],
        },
        {
            **PANE_BAD,
            "what": [None, "", "all", 1],
            "lines": [0, -1, LINES + 1, 1.5, "all", []],
            "since": [-1, 1.5, "t" * 33, [], float("nan")],
            "offset": [-1, 1.5, "end", []],
            "number": [None, 1.5, "last", []],
            "pattern": ["", 5, "x" * 1001, "\udcff"],
            "regex": [None, "perhaps", 2],
            "context": [None, -1, 101, 1.5],
            "format": [None, "", "png"],
            "max_bytes": [0, -1, READ_BYTES + 1, 1.5, "all"],
        },
    ),
    "write_pane": Contract(
        {**PANE, "text": "go"},
        {
            **INJECTED_GOOD,
            "text": ["", "\x00\r\n", "x" * TEXT_CHARACTERS],
            "submit": [True],
            "multiline": ["paste", "lines"],
        },
        {
            **INJECTED_BAD,
            "text": [MISSING, None, 5, [], "x" * (TEXT_CHARACTERS + 1), "\udcff"],
            "submit": [None, "perhaps", 2, []],
            "multiline": [None, "", "merge"],
        },
    ),
    "send_keys": Contract(
        {**PANE, "keys": ["Enter"]},
        {**INJECTED_GOOD, "keys": [["C-c", "x"], ["Up"] * 1000]},
        {**INJECTED_BAD, "keys": [MISSING, None, [], "Enter", [1], [None], ["Up"] * 1001]},
    ),
    "run_command": Contract(
        {**PANE, "command": "make"},
        {
            **PANE_GOOD,
            "command": ["\x00\r\n", "x" * TEXT_CHARACTERS],
            "timeout_s": [0.001, WAIT_SECONDS],
            "max_bytes": [1, READ_BYTES],
            "author": ["", "x" * 200],
            "from_pane": [None, "p2"],
            **KEY_GOOD,
        },
        {
            **PANE_BAD,
            **KEY_BAD,
            "command": [MISSING, None, "", 5, [], "x" * (TEXT_CHARACTERS + 1), "\udcff"],
            "timeout_s": [None, 0, -1, WAIT_SECONDS + 1, "long", float("nan"), float("inf")],
            "max_bytes": [None, 0, -1, 1.5, READ_BYTES + 1, "all", []],
            "author": [None, 5, LONG_AUTHOR, "\udcff"],
            "from_pane": [5, [], "x" * 65],
        },
    ),
    "held_writes": Contract(PANE, PANE_GOOD, PANE_BAD),
    "read_ticket": Contract({"ticket": "t1"}, {"ticket": ["t" * 32]}, {"ticket": [MISSING, None, 5, "t" * 33]}),
    "cancel_write": Contract(
        {"ticket": "t1"}, {"ticket": ["t" * 32], **KEY_GOOD}, {"ticket": [MISSING, None, 5, "t" * 33], **KEY_BAD}
    ),
    "acknowledge": Contract(
        PANE, {**PANE_GOOD, **KEY_GOOD, "person": ["ann"]}, {**PANE_BAD, **KEY_BAD, "person": [None, 5, LONG_AUTHOR]}
    ),
    "attach": Contract(
        PANE,
        {
            **PANE_GOOD,
            "columns": [None, 2, SIZE],
            "rows": [None, 2, SIZE],
            "person": ["ann"],
            "read_only": [True],
        },
        {
            **PANE_BAD,
            "columns": SIZE_BAD[1:],
            "rows": SIZE_BAD[1:],
            "person": [None, 5, LONG_AUTHOR],
            "read_only": [None, "perhaps", 2],
        },
    ),
    "viewer_input": Contract(
        {**VIEWER, "data": "aA=="},
        {"data": ["", "AP8="], **KEY_GOOD},
        {**VIEWER_BAD, **KEY_BAD, "data": [MISSING, None, 5, [], "a", "aA="]},
    ),
    "viewer_size": Contract(
        {**VIEWER, "columns": 80, "rows": 24},
        {"columns": [2, SIZE], "rows": [2, SIZE]},
        {**VIEWER_BAD, "columns": [MISSING, *SIZE_BAD], "rows": [MISSING, *SIZE_BAD]},
    ),
    "detach": Contract(VIEWER, {"viewer": [0, 99]}, VIEWER_BAD),
    "send_keystrokes": Contract(
        {**PANE, "data": "aA=="},
        {**PANE_GOOD, **KEY_GOOD, "data": ["", "AP8="], "person": ["ann", "x" * 200]},
        {
            **PANE_BAD,
            **KEY_BAD,
            "data": [MISSING, None, 5, [], "a", "aA", "aA="],
            "person": [None, 5, LONG_AUTHOR],
        },
    ),
    "set_pane": Contract(
        PANE,
        {
            **PANE_GOOD,
            **KEY_GOOD,
            "name": [None, "", "_", "build-1.x", "A" * 64],
            "columns": [None, 2, SIZE],
            "rows": [None, 2, SIZE],
            "tags": [None, [], ["review"], ["a/b:c.d-e_f", "x" * 32], ["t"] * TAGS],
        },
        {
            **PANE_BAD,
            **KEY_BAD,
            "name": ["1a", "-a", "a b", "a\n", "a/b", "é", "A" * 65, 5],
            "columns": SIZE_BAD[1:],
            "rows": SIZE_BAD[1:],
            "tags": ["review", [""], ["two words"], ["x" * 33], ["-a"], ["a\u200b"], [1], ["t"] * (TAGS + 1)],
        },
    ),
    "reopen_pane": Contract(
        PANE,
        PANE_GOOD | KEY_GOOD | {"environment": [None, {}, {"A": "b"}]},
        PANE_BAD | KEY_BAD | {"environment": [5, [], {"A": 1}, {"A": None}]},
    ),
    "read_audit": Contract(
        {},
        {"pane": [None, "x" * 64], "limit": [1, 10_000]},
        {"pane": ["x" * 65, 5, []], "limit": [None, 0, 10_001, 1.5, "many"]},
    ),
    "open_pane": Contract(
        {"command": ["sh"]},
        {
            **KEY_GOOD,
            "command": [["sh", ""], ["a"] * 1000],
            "folder": [None, "/tmp"],
            "environment": [None, {}, {"A": "b"}],
            "name": [None, "_", "build-1.x", "A" * 64],
            "columns": [2, SIZE],
            "rows": [2, SIZE],
            "shell_integration": [False, True],
        },
        {
            **KEY_BAD,
            "command": [MISSING, None, [], "sh -c true", [1], [None], ["a"] * 1001],
            "folder": [5, []],
            "environment": [5, [], {"A": 1}, {"A": None}],
            "name": ["", "1a", "-a", "a b", "a\n", "a/b", "é", "A" * 65, 5],
            "columns": SIZE_BAD,
            "rows": SIZE_BAD,
            "shell_integration": [None, "perhaps", 2, []],
        },
    ),
    "wait": Contract(
        {"panes": ["p1"]},
        {
            "panes": [["p1", "build"], ["p1"] * 256],
            "until": [*Until, "blocked"],
            "mode": [*Mode, "all"],
            "since": [None, 0, 2**53, "t7"],
            "timeout_s": [0, 0.5, WAIT_SECONDS],
            "text": [None, "a", "$ ", "x" * NEEDLE_CHARACTERS],
            "quiet_s": [0.1, 2, WAIT_SECONDS],
            "start_grace_s": [0.1, 30, WAIT_SECONDS],
            "stood": [None, STOOD, STOOD | {"offsets": {"p1": 9}}],
        },
        {
            "panes": [MISSING, None, [], "p1", [""], ["x" * 65], [1], ["p1"] * 257],
            "until": [None, "", "silent", "SETTLED", 1],
            "mode": [None, "some", 1],
            "since": [-1, 1.5, "t" * 33, [], float("nan")],
            "timeout_s": SECONDS_BAD,
            "text": ["", 5, [], "x" * (NEEDLE_CHARACTERS + 1), "\udcff"],
            "quiet_s": [0, *SECONDS_BAD],
            "start_grace_s": [0, *SECONDS_BAD],
            "stood": [5, [], {}, {"revision": 7}, STOOD | {"revision": -1}, STOOD | {"offsets": {"p1": "end"}}],
        },
    ),
}

GOOD = [(m, key, value) for m, c in CONTRACTS.items() for key, values in c.good.items() for value in values]
BAD = [(m, key, value) for m, c in CONTRACTS.items() for key, values in c.bad.items() for value in values]


def _named(value: Any) -> str:
    return "missing" if value is MISSING else ascii(value)[:30]


def test_every_method_and_every_parameter_is_in_these_tables() -> None:
    assert set(CONTRACTS) == set(METHODS)
    for name, contract in CONTRACTS.items():
        fields = set(METHODS[name].params.model_fields)
        assert set(contract.bad) == fields
        assert set(contract.least) | set(contract.good) == fields


def test_reading_is_told_apart_from_doing() -> None:
    doing = {name for name, method in METHODS.items() if not method.read_only}
    assert {"list_panes", "read_status", "read_pane", "wait", "held_writes", "stop"}.isdisjoint(doing)
    assert {"open_pane", "write_pane", "send_keys", "run_command", "cancel_write", "send_keystrokes", "attach"} <= doing
    to_viewers = {"viewer_output", "viewer_screen", "viewer_ended"}
    assert set(NOTICES) == {"changes", "gap", "output", "waiting", "stopping"} | to_viewers


def test_whatever_changes_something_carries_a_key_or_belongs_to_its_connection() -> None:
    for name, method in METHODS.items():
        keyed = method.repeat in KEYED
        assert keyed is ("key" in method.params.model_fields), name
        assert keyed or method.read_only or method.repeat is Repeat.NEVER, name
        assert method.lasts is None or method.lasts in method.params.model_fields, name


@pytest.mark.parametrize("name", METHODS)
def test_the_least_is_enough_and_unknown_fields_are_ignored(name: str) -> None:
    method, least = METHODS[name], CONTRACTS[name].least
    taken = method.params.model_validate(least)
    assert method.params.model_validate({**least, "invented_tomorrow": [1]}) == taken
    assert set(taken.model_dump()) == set(method.params.model_fields)


@pytest.mark.parametrize(("name", "key", "value"), GOOD, ids=_named)
def test_a_good_value_is_taken_as_it_is(name: str, key: str, value: Any) -> None:
    taken = getattr(METHODS[name].params.model_validate({**CONTRACTS[name].least, key: value}), key)
    if key == "stood" and value:
        value = Standing.model_validate(value)
    assert taken == (base64.b64decode(value) if key == "data" else value)


@pytest.mark.parametrize(("name", "key", "value"), BAD, ids=_named)
def test_a_bad_value_is_refused_and_the_error_names_its_field(name: str, key: str, value: Any) -> None:
    given = {**CONTRACTS[name].least, key: value}
    if value is MISSING:
        del given[key]
    with pytest.raises(ValidationError) as raised:
        METHODS[name].params.model_validate(given)
    assert {error["loc"][0] for error in raised.value.errors(include_url=False)} == {key}


@pytest.mark.parametrize("data", ["%%%%", "é", "aA==!", "aA==\naA==", "-_-_"])
def test_keystrokes_that_are_not_base64_are_refused(data: str) -> None:
    with pytest.raises(ValidationError):
        METHODS["send_keystrokes"].params.model_validate({"pane": "p1", "data": data})


def test_a_wait_is_for_rest_of_any_pane_unless_asked_otherwise() -> None:
    wait = METHODS["wait"].params.model_validate({"panes": ["p1"]}).model_dump()
    assert wait == {
        "panes": ["p1"],
        "until": Until.SETTLED,
        "mode": Mode.ANY,
        "since": None,
        "timeout_s": 45.0,
        "text": None,
        "quiet_s": QUIET_S,
        "start_grace_s": START_GRACE_S,
        "stood": None,
    }


def test_params_cannot_be_changed_once_they_are_read() -> None:
    params = METHODS["read_status"].params.model_validate(PANE)
    with pytest.raises(ValidationError):
        setattr(params, "pane", "p2")  # noqa: B010
