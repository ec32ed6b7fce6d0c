"""The JSON-RPC 2.0 envelopes of the core API.

`read` turns one line into a `Request`, `Notice`, `Answer` or `Failure`, and raises `SessionCoreError` with
`bad_request` for anything else; the `write_` functions build whole lines. A failure carries our stable code
and the next step in `data`, since JSON-RPC's own numbers say nothing about panes.
"""

import json
from dataclasses import dataclass
from typing import Any, TypeGuard

from pydantic_core import from_json

from session_core.errors import Code, NoSuchPane, SessionCoreError

_ERROR_NUMBERS = {
    Code.BAD_REQUEST: -32602,
    Code.UNKNOWN_METHOD: -32601,
    Code.LINE_TOO_LONG: -32600,
    Code.INTERNAL: -32603,
}
_SERVER_ERROR = -32000
_CODES = {code.value: code for code in Code}


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants an answer."""

    id: int
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """A call without an answer: `cancel` from a client, `changes` and `gap` from the host."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request, as plain JSON."""

    id: int
    result: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a request; `id` is None when the request could not be read."""

    id: int | None
    error: SessionCoreError


Message = Request | Notice | Answer | Failure


def read(line: bytes) -> Message:
    """Read one line."""
    value = _parse(line)
    if not isinstance(value, dict):
        raise _bad("the line is not a JSON object")
    if "method" in value:
        return _read_call(value)
    identity = value.get("id")
    if "error" in value:
        return Failure(identity if _is_id(identity) else None, _read_error(value["error"]))
    if "result" in value and _is_id(identity):
        return Answer(identity, value["result"])
    raise _bad("the object is neither a request nor an answer")


def _parse(line: bytes) -> Any:
    try:
        return from_json(line)
    except ValueError:
        pass
    try:
        # Slower, and the only one that takes the lone surrogates by which Python carries bytes that are no UTF-8.
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _bad("the line is not JSON") from error


def _read_call(value: dict[str, Any]) -> Request | Notice:
    method, params, identity = value["method"], value.get("params", {}), value.get("id")
    if not isinstance(method, str) or not isinstance(params, dict):
        raise _bad("`method` must be a string and `params` an object")
    if identity is None:
        return Notice(method, params)
    if not _is_id(identity):
        raise _bad("`id` must be a whole number")
    return Request(identity, method, params)


def _is_id(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_error(value: Any) -> SessionCoreError:
    fields = value if isinstance(value, dict) else {}
    data = fields.get("data")
    data = data if isinstance(data, dict) else {}
    name = data.get("code")
    code = _CODES.get(name, Code.INTERNAL) if isinstance(name, str) else Code.INTERNAL
    message, next_step = str(fields.get("message", "")), str(data.get("next_step", ""))
    if code is Code.NO_SUCH_PANE:
        return NoSuchPane.heard(message, next_step)
    return SessionCoreError(code, message, next_step)


def _bad(what: str) -> SessionCoreError:
    return SessionCoreError(Code.BAD_REQUEST, f"Not a JSON-RPC 2.0 message: {what}.", "Send one object a line.")


def write_request(request: Request) -> bytes:
    """Build the line of a request."""
    return _line({"id": request.id, "method": request.method, "params": request.params})


def write_notice(notice: Notice) -> bytes:
    """Build the line of a notification."""
    return _line({"method": notice.method, "params": notice.params})


def write_answer(identity: int, result: bytes) -> bytes:
    """Build the line of an answer around a result that is JSON already."""
    return b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (identity, result)


def write_failure(failure: Failure) -> bytes:
    """Build the line of an error."""
    error = failure.error
    body = {
        "code": _ERROR_NUMBERS.get(error.code, _SERVER_ERROR),
        "message": error.message,
        "data": {"code": error.code.value, "next_step": error.next_step},
    }
    return _line({"id": failure.id, "error": body})


def _line(fields: dict[str, Any]) -> bytes:
    text = json.dumps({"jsonrpc": "2.0", **fields}, separators=(",", ":"), ensure_ascii=False)
    # An environment may hold bytes that are no UTF-8; Python carries them as lone surrogates.
    return text.encode(errors="surrogatepass") + b"\n"
