"""The envelopes: what is written is read back, and what is no envelope is `bad_request` and nothing worse."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.api import messages
from session_core.api.messages import Answer, Failure, Notice, Request
from session_core.errors import Code, HostLost, NoSuchPane, SessionCoreError

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
params = st.dictionaries(st.text(), plain, max_size=4)
nearly_envelopes = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("jsonrpc", "method", "id", "params", "result", "error"), plain)
)
FEW = settings(max_examples=100, deadline=None, database=None)


def _body(line: bytes) -> dict[str, Any]:
    """Return the object of a line, which must be a single one."""
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    value: dict[str, Any] = json.loads(line)
    assert value.pop("jsonrpc") == "2.0"
    return value


@given(st.integers(), st.text(), params)
@FEW
def test_a_request_is_read_back(identity: int, method: str, params: dict[str, Any]) -> None:
    request = Request(identity, method, params)
    line = messages.write_request(request)
    assert _body(line) == {"id": identity, "method": method, "params": params}
    assert messages.read(line) == request


@given(st.text(), params)
@FEW
def test_a_notice_is_read_back_and_has_no_id(method: str, params: dict[str, Any]) -> None:
    notice = Notice(method, params)
    line = messages.write_notice(notice)
    assert "id" not in _body(line)
    assert messages.read(line) == notice


@given(st.integers(), plain)
@FEW
def test_an_answer_is_read_back(identity: int, result: Any) -> None:
    line = messages.write_answer(identity, json.dumps(result).encode())
    assert _body(line) == {"id": identity, "result": result}
    assert messages.read(line) == Answer(identity, result)


@given(st.none() | st.integers(), st.sampled_from(Code), st.text(), st.text())
@FEW
def test_a_failure_is_read_back(identity: int | None, code: Code, message: str, next_step: str) -> None:
    line = messages.write_failure(Failure(identity, SessionCoreError(code, message, next_step)))
    assert set(_body(line)) == {"id", "error"}
    failure = messages.read(line)
    assert isinstance(failure, Failure)
    assert failure.id == identity
    assert (failure.error.code, failure.error.message, failure.error.next_step) == (code, message, next_step)


@pytest.mark.parametrize(
    ("code", "number"),
    [
        (Code.BAD_REQUEST, -32602),
        (Code.UNKNOWN_METHOD, -32601),
        (Code.LINE_TOO_LONG, -32600),
        (Code.INTERNAL, -32603),
        (Code.NO_SUCH_PANE, -32000),
        (Code.QUEUE_FULL, -32000),
    ],
)
def test_a_failure_carries_the_number_that_json_rpc_has_for_it(code: Code, number: int) -> None:
    assert _body(messages.write_failure(Failure(1, SessionCoreError(code, "m"))))["error"]["code"] == number


def test_special_errors_travel_with_their_code_and_next_step() -> None:
    for error in (NoSuchPane("x", ("p1", "p2")), HostLost(Code.HOST_GONE, "It went away.", "Connect anew.")):
        read = messages.read(messages.write_failure(Failure(3, error)))
        assert isinstance(read, Failure)
        assert (read.error.code, str(read.error)) == (error.code, str(error))


def test_the_error_of_a_missing_pane_lists_some_of_those_there_are() -> None:
    assert NoSuchPane("x", ()).next_step == "There are no panes; open one first."
    many = tuple(f"p{number}" for number in range(30))
    listed = NoSuchPane("x", many).next_step
    assert "p19" in listed
    assert "p20" not in listed
    assert listed.endswith("….")


@pytest.mark.parametrize("line", [b'{"method":"m"}', b'{"method":"m","id":null}', b' {"method":"m","x":1}\r'])
def test_params_may_be_left_out_and_unknown_fields_are_ignored(line: bytes) -> None:
    assert messages.read(line) == Notice("m", {})


MALFORMED = [
    b"",
    b"nonsense",
    b"{",
    b'{"method":"m"} {}',
    b"\xff\xfe",
    b'"\xc3"',
    b"null",
    b"1",
    b"[]",
    b'"method"',
    b'[{"method":"m"}]',
    b"{}",
    b'{"id":1}',
    b'{"id":1,"params":{}}',
    b'{"result":1}',
    b'{"id":null,"result":1}',
    b'{"id":"1","result":1}',
    b'{"id":1.0,"result":1}',
    b'{"method":1}',
    b'{"method":null,"id":1}',
    b'{"method":["m"],"id":1}',
    b'{"method":"m","params":[]}',
    b'{"method":"m","params":null}',
    b'{"method":"m","params":"x"}',
    b'{"method":"m","id":"1"}',
    b'{"method":"m","id":1.5}',
    b'{"method":"m","id":true}',
    b'{"method":"m","id":{}}',
    b'{"method":"m","id":%s}' % (b"9" * 5000),
]


@pytest.mark.parametrize("line", MALFORMED, ids=lambda line: line[:40].decode(errors="replace"))
def test_what_is_no_envelope_is_a_bad_request_that_says_what_to_do(line: bytes) -> None:
    with pytest.raises(SessionCoreError) as raised:
        messages.read(line)
    assert raised.value.code is Code.BAD_REQUEST
    assert raised.value.next_step


@pytest.mark.parametrize("opener", [b"[", b'{"params":'])
def test_an_endlessly_nested_line_is_a_bad_request(opener: bytes) -> None:
    with pytest.raises(SessionCoreError) as raised:
        messages.read(opener * 200_000)
    assert raised.value.code is Code.BAD_REQUEST


def test_an_answer_whose_id_is_a_bool_is_a_bad_request() -> None:
    with pytest.raises(SessionCoreError):
        messages.read(b'{"id":true,"result":1}')


@given(st.binary(max_size=60) | (plain | nearly_envelopes).map(lambda value: json.dumps(value).encode()))
@FEW
def test_any_line_is_read_or_is_a_bad_request(line: bytes) -> None:
    refused = None
    try:
        assert isinstance(messages.read(line), Request | Notice | Answer | Failure)
    except SessionCoreError as error:
        refused = error.code
    assert refused in (None, Code.BAD_REQUEST)


@pytest.mark.parametrize(
    "error",
    [
        "null",
        "1",
        "[]",
        "{}",
        '{"code":-32603}',
        '{"message":"m"}',
        '{"data":null}',
        '{"data":[]}',
        '{"data":{"code":"invented_tomorrow"}}',
        '{"data":{"code":null}}',
        '{"data":{"code":7}}',
        '{"data":{"code":[]}}',
    ],
)
def test_an_error_of_an_unknown_code_or_shape_is_internal(error: str) -> None:
    failure = messages.read(f'{{"id":4,"error":{error}}}'.encode())
    assert isinstance(failure, Failure)
    assert (failure.id, failure.error.code) == (4, Code.INTERNAL)


@pytest.mark.parametrize("identity", ["null", '"4"', "4.0", "[]"])
def test_a_failure_whose_id_is_unreadable_belongs_to_no_request(identity: str) -> None:
    failure = messages.read(f'{{"id":{identity},"error":{{"message":"m"}}}}'.encode())
    assert isinstance(failure, Failure)
    assert (failure.id, failure.error.message) == (None, "m")


def test_an_error_wins_over_a_result_and_a_method_over_both() -> None:
    assert isinstance(messages.read(b'{"id":1,"result":1,"error":{}}'), Failure)
    assert isinstance(messages.read(b'{"id":1,"result":1,"error":{},"method":"m"}'), Request)
