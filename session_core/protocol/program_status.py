"""OSC 7501, the Program Status Protocol, revision 0.4: parse a body, build a report, build the reply.

`parse` returns exactly one of `Report`, `Clear`, `Query` or `Rejected`; it never raises, and a rejected body
must change nothing. Where sources disagree, the strict reading is taken: an unusable `id`, a broken limit or
bad text drops the whole report, also in a pair that a later one replaces.
Deliberately absent: what a report does to earlier ones (`model.records`).
"""

import binascii
import re
from dataclasses import dataclass
from enum import StrEnum

from session_core.protocol import limits
from session_core.protocol.text import has_controls


class State(StrEnum):
    """What a program declares itself to be doing."""

    IDLE = "idle"
    WORKING = "working"
    DONE = "done"
    BLOCKED = "blocked"
    ERROR = "error"


class Kind(StrEnum):
    """What a blocked program waits for."""

    PERMISSION = "permission"
    QUESTION = "question"
    AUTH = "auth"


class Reason(StrEnum):
    """Why a body was rejected."""

    NO_STATE = "no_state"
    BAD_ID = "bad_id"
    BAD_TEXT = "bad_text"
    OVER_LIMIT = "over_limit"
    LIKE_A_QUERY = "like_a_query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One accepted report; `id` is empty for the root record, and an absent field is None."""

    state: State
    id: str = ""
    kind: Kind | None = None
    progress: int | None = None
    app: str | None = None
    title: str | None = None
    msg: str | None = None


@dataclass(frozen=True, slots=True)
class Clear:
    """`state=clear`: the addressed record and all beneath it go; an empty `id` means every record."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """The program asks whether reports are understood."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A body that changes nothing."""

    reason: Reason


Status = Report | Clear | Query | Rejected

_KEY = re.compile(rb"[a-z]+\Z")
_VALUE = re.compile(rb"[A-Za-z0-9_.,+/=-]*\Z")
_NAME = re.compile(rb"[A-Za-z0-9_.+-]+\Z")
_C0 = bytes(range(0x20))
_STATES = {state.value.encode(): state for state in State}
_KINDS = {kind.value.encode(): kind for kind in Kind}
_ENCODED_LIMITS = {
    b"app": limits.STATUS_APP,
    b"title": limits.STATUS_TITLE_ENCODED,
    b"msg": limits.STATUS_MSG_ENCODED,
}
_TEXT_LIMITS = {b"title": limits.STATUS_TITLE, b"msg": limits.STATUS_MSG}
_REPLY_BODY = b"?:states=%s:kinds=%s" % (b",".join(_STATES), b",".join(_KINDS))


class _Reject(Exception):
    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def parse(body: bytes) -> Status:
    """Read the bytes after `7501;`. C0 bytes are dropped first, as a DEC-style parser does."""
    body = body.translate(None, _C0)
    if body == b"?":
        return Query()
    if body.startswith(b"?"):
        return Rejected(Reason.LIKE_A_QUERY)
    try:
        pairs, texts = _read_pairs(body)
    except _Reject as reject:
        return Rejected(reject.reason)
    return _build(pairs, texts)


def _read_pairs(body: bytes) -> tuple[dict[bytes, bytes], dict[bytes, str | None]]:
    pairs: dict[bytes, bytes] = {}
    texts: dict[bytes, str | None] = {}
    for part in body.split(b":"):
        raw_key, equals, raw_value = part.partition(b"=")
        key, value = raw_key.strip(b" "), raw_value.strip(b" ")
        if not equals and key != b"id":
            continue
        if len(key) > limits.STATUS_KEY:
            raise _Reject(Reason.OVER_LIMIT)
        _check_limits(key, value)
        if not _KEY.match(key) or not _VALUE.match(value):
            continue
        if key in _TEXT_LIMITS:
            texts[key] = _decode_text(value, _TEXT_LIMITS[key])
        pairs[key] = value
    return pairs, texts


def _check_limits(key: bytes, value: bytes) -> None:
    if key == b"id":
        _check_id(value)
    elif len(value) > _ENCODED_LIMITS.get(key, len(value)):
        raise _Reject(Reason.OVER_LIMIT)


def _check_id(value: bytes) -> None:
    if not is_id(value):
        raise _Reject(Reason.BAD_ID)


def is_id(value: bytes) -> bool:
    """Whether `value` addresses a record beneath the root: names joined by single `/` (section 2)."""
    names = value.split(b"/")
    return (
        len(value) <= limits.STATUS_ID
        and len(names) <= limits.STATUS_ID_LEVELS
        and all(len(name) <= limits.STATUS_ID_SEGMENT and _NAME.match(name) for name in names)
    )


def _decode_text(value: bytes, limit: int) -> str | None:
    core = value.rstrip(b"=")
    padding = -len(core) % 4
    if padding == 3 or len(value) - len(core) not in (0, padding):
        raise _Reject(Reason.BAD_TEXT)
    try:
        raw = binascii.a2b_base64(core + b"=" * padding, strict_mode=True)
        text = raw.decode()
    except ValueError:
        raise _Reject(Reason.BAD_TEXT) from None
    if binascii.b2a_base64(raw, newline=False).rstrip(b"=") != core or has_controls(text):
        raise _Reject(Reason.BAD_TEXT)
    if len(raw) > limit:
        raise _Reject(Reason.OVER_LIMIT)
    return text or None


def _build(pairs: dict[bytes, bytes], texts: dict[bytes, str | None]) -> Status:
    word = pairs.get(b"state", b"")
    identity = pairs.get(b"id", b"").decode()
    if word == b"clear":
        return Clear(identity)
    state = _STATES.get(word)
    if state is None:
        return Rejected(Reason.NO_STATE)
    app = pairs.get(b"app", b"")
    return Report(
        state=state,
        id=identity,
        kind=_KINDS.get(pairs.get(b"kind", b"")) if state is State.BLOCKED else None,
        progress=_read_progress(pairs.get(b"progress", b""), state),
        app=app.decode() if _NAME.match(app) else None,
        title=texts.get(b"title"),
        msg=texts.get(b"msg"),
    )


def _read_progress(value: bytes, state: State) -> int | None:
    digits = value.lstrip(b"0")
    if state not in (State.WORKING, State.BLOCKED) or not value.isdigit() or len(digits) > 3:
        return None
    number = int(digits or b"0")
    return number if number <= 100 else None


def encode(status: Report | Clear, terminator: bytes = b"\x1b\\") -> bytes:
    """Build the whole sequence of a report or a clear.

    The caller keeps the limits of section 2 (`report.clean_text` cuts text to them); what breaks them is
    encoded all the same and a terminal will reject it.
    """
    pairs: list[tuple[bytes, bytes]] = []
    if isinstance(status, Clear):
        pairs.append((b"state", b"clear"))
    else:
        pairs.append((b"state", status.state.value.encode()))
    if status.id:
        pairs.append((b"id", status.id.encode()))
    if isinstance(status, Report):
        pairs += _encode_fields(status)
    return b"\x1b]7501;" + b":".join(b"=".join(pair) for pair in pairs) + terminator


def _encode_fields(report: Report) -> list[tuple[bytes, bytes]]:
    fields: list[tuple[bytes, bytes]] = []
    if report.app:
        fields.append((b"app", report.app.encode()))
    if report.kind:
        fields.append((b"kind", report.kind.value.encode()))
    if report.progress is not None:
        fields.append((b"progress", b"%d" % report.progress))
    if report.title:
        fields.append((b"title", binascii.b2a_base64(report.title.encode(), newline=False)))
    if report.msg:
        fields.append((b"msg", binascii.b2a_base64(report.msg.encode(), newline=False)))
    return fields


def reply(terminator: bytes) -> bytes:
    """The answer to a query: fixed bytes and the query's own terminator (section 5)."""
    return b"\x1b]7501;" + _REPLY_BODY + terminator
