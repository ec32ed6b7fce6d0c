"""What hypothesis draws: hostile soups of terminal bytes, chunk sizes, valid reports, bodies of any shape."""

from binascii import b2a_base64

from hypothesis import settings
from hypothesis import strategies as st

from session_core.protocol import limits
from session_core.protocol.program_status import Clear, Kind, Report, State

MANY = settings(max_examples=300, deadline=None, database=None)
FEW = settings(max_examples=40, deadline=None, database=None)

_OPENERS = [b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b^", b"\x1bX", b"\x1b", b"\x1b[", b"\x1b[?", b"\x9d", b"\x90"]
_ENDINGS = [b"\x1b\\", b"\x07", b"\x18", b"\x1a", b"\\", b"\x9c", b"\x1bc", b"c", b"\x1b\x1b"]
_BODIES = [
    b"7501;state=working:app=x",
    b"7501;state=clear:id=a//b",
    b"7501;?",
    b"7501;",
    b"7501",
    b"133;A",
    b"133;D;1",
    b"0;title",
    b"9;4;1;40",
    b"99;e=1;SGk",
    b"777;notify;a;b",
    b"7;file://box/a%20b",
    b"7501;state=idle:x=" + b"a" * 4074,
    b"a" * 4085,
]
_SWITCHES = [
    b"\x1b[?1049h",
    b"\x1b[?47l",
    b"\x1b[?1049;25h",
    b"\x1b[?1048h",
    b"?1049h",
    b"1049",
    b";47",
    b"1",
    b";",
]
_FINALS = [b"h", b"l", b"m"]
_MIDDLES = [b"", b"", b"\x9c", b"\x9d", b"\x07", b"\x18", b"\x1a", b"\x1b", b"\xe2\x80\x9d", b"\n", b"\\"]
_STRINGS = st.tuples(
    st.sampled_from(_OPENERS[:5]),
    st.sampled_from(_BODIES),
    st.sampled_from(_MIDDLES),
    st.sampled_from([b"", b":app=y", b"]0;inner"]),
    st.sampled_from(_ENDINGS[:4]),
).map(b"".join)
_PIECES = st.one_of(
    _STRINGS,
    st.sampled_from(_OPENERS),
    st.sampled_from(_ENDINGS),
    st.sampled_from(_BODIES),
    st.sampled_from(_SWITCHES),
    st.sampled_from(_FINALS),
    st.binary(max_size=6),
)
soups = st.lists(_PIECES, max_size=30).map(b"".join)
"""Bytes in which strings open, end, abort and overflow far more often than in random ones."""

chunk_sizes = st.lists(st.one_of(st.integers(0, 4), st.integers(0, 5000)), max_size=30)

_NAME_CHARACTERS = "abzABZ019_.+-"
names = st.text(_NAME_CHARACTERS, min_size=1, max_size=limits.STATUS_ID_SEGMENT)
ids = st.lists(names, max_size=limits.STATUS_ID_LEVELS).map("/".join).filter(lambda text: len(text) <= limits.STATUS_ID)
_TEXT_CHARACTERS = st.characters(exclude_categories=("Cc", "Cs"))


def _texts(limit: int) -> st.SearchStrategy[str | None]:
    long = st.sampled_from(["t", "é", "安", "🦀", "=+/"]).map(lambda one: one * (limit // len(one.encode())))
    drawn = st.text(_TEXT_CHARACTERS, min_size=1, max_size=limit // 4)
    return st.one_of(st.none(), drawn, long)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Draw a report that keeps every rule of OSC 7501 section 2."""
    state = draw(st.sampled_from(State))
    kinds = st.none() | st.sampled_from(Kind) if state is State.BLOCKED else st.none()
    measured = state in (State.WORKING, State.BLOCKED)
    return Report(
        state=state,
        id=draw(ids),
        kind=draw(kinds),
        progress=draw(st.none() | st.integers(0, 100) if measured else st.none()),
        app=draw(st.none() | names),
        title=draw(_texts(limits.STATUS_TITLE)),
        msg=draw(_texts(limits.STATUS_MSG)),
    )


clears = st.builds(Clear, ids)

_KNOWN_KEYS = [b"state", b"id", b"kind", b"progress", b"app", b"title", b"msg"]
_KEYS = [*_KNOWN_KEYS, b"x", b"Id", b"", b"k" * 16, b"k" * 17]
_VALUES = [
    *(state.value.encode() for state in State),
    b"clear",
    b"",
    b"a/b",
    b"a//b",
    b"permission",
    b"100",
    b"101",
    b"9" * 5000,
    b"SGk=",
    b"SGk",
    b"SGk==",
    b"YQpi",
    b"_-_-",
    b"a" * 33,
    b"A" * 257,
    b"A" * 2733,
]
_FITTING_PAIRS = [
    b"kind=permission",
    b"kind=dance",
    b"progress=100",
    b"progress=101",
    b"progress=007",
    b"app=" + b"a" * 32,
    b"app=a/b",
    b"id=a/b",
    b"title=SGk=",
    b"msg=SGk",
    b"msg=YcKF",
    b"msg=QR==",
    b"title=" + b"A" * 256,
    b"msg=" + b2a_base64(b"m" * 2048, newline=False),
    b"msg=" + b2a_base64(b"m" * 2049, newline=False),
]
_LOOSE_PAIRS = st.tuples(
    st.sampled_from(_KEYS) | st.binary(max_size=4),
    st.sampled_from([b"=", b" = ", b"==", b""]),
    st.sampled_from(_VALUES) | st.binary(max_size=6),
).map(b"".join)
_PAIRS = st.sampled_from(_FITTING_PAIRS) | _LOOSE_PAIRS
_STATE_PAIRS = st.sampled_from([b"state=%s" % value for value in _VALUES[:6]])
bodies = st.one_of(
    st.lists(_PAIRS, max_size=6).map(b":".join),
    st.tuples(_STATE_PAIRS, st.sampled_from(_FITTING_PAIRS)).map(b":".join),
    st.tuples(_STATE_PAIRS, _PAIRS, _PAIRS).map(b":".join),
    st.binary(max_size=40),
    st.sampled_from([b"?", b"??", b" ?", b"?:", b"?:states=idle"]),
)
"""Bodies of any shape: well formed, nearly so, and not at all."""
