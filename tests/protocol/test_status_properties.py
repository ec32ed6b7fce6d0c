"""OSC 7501 for any body: nothing raises, what is built is read back, a rejection counts exactly once."""

from hypothesis import example, given
from hypothesis import strategies as st

from session_core.protocol import limits
from session_core.protocol.events import EventStream
from session_core.protocol.program_status import (
    Clear,
    Query,
    Rejected,
    Report,
    State,
    encode,
    is_id,
    parse,
)
from session_core.protocol.text import has_controls

from .reading import chunked, read
from .strategies import MANY, bodies, chunk_sizes, clears, reports

_ENDS_A_STRING = b"\x07\x18\x1a\x1b"
terminators = st.sampled_from([b"\x1b\\", b"\x07"])


@MANY
@given(reports() | clears, terminators)
def test_what_is_built_is_read_back_equal(status: Report | Clear, terminator: bytes) -> None:
    sequence = encode(status, terminator)
    assert sequence.startswith(b"\x1b]7501;")
    assert sequence.endswith(terminator)
    assert parse(sequence[len(b"\x1b]7501;") : -len(terminator)]) == status


@MANY
@given(reports() | clears, terminators, chunk_sizes)
def test_what_is_built_arrives_through_the_stream_in_any_chunks(
    status: Report | Clear, terminator: bytes, sizes: list[int]
) -> None:
    sequence = encode(status, terminator)
    assert len(sequence) <= limits.STATUS_SEQUENCE
    stream = EventStream()
    (event,) = read(*chunked(sequence, sizes), stream=stream)
    assert (event.meaning, event.start, event.end) == (status, 0, len(sequence))
    assert event.terminator == terminator
    assert stream.statistics.reports == 1


@MANY
@given(bodies)
@example(b"state=idle:title=====")
@example(b"state=idle:msg=\xff")
def test_any_body_is_read_without_raising_and_what_is_accepted_keeps_the_rules(body: bytes) -> None:
    status = parse(body)
    if isinstance(status, Report):
        _check_rules(status)
    elif isinstance(status, Clear):
        assert status.id == "" or is_id(status.id.encode())
    else:
        assert isinstance(status, Query | Rejected)


def _check_rules(report: Report) -> None:
    assert report.id == "" or is_id(report.id.encode())
    assert report.kind is None or report.state is State.BLOCKED
    if report.progress is not None:
        assert report.state in (State.WORKING, State.BLOCKED)
        assert 0 <= report.progress <= 100
    assert report.app is None or 0 < len(report.app) <= limits.STATUS_APP
    for text, limit in ((report.title, limits.STATUS_TITLE), (report.msg, limits.STATUS_MSG)):
        if text is not None:
            assert 0 < len(text.encode()) <= limit
            assert not has_controls(text)


@MANY
@given(bodies)
def test_an_accepted_body_builds_a_sequence_that_means_the_same(body: bytes) -> None:
    status = parse(body)
    if isinstance(status, Report | Clear):
        (event,) = read(encode(status))
        assert event.meaning == status


@MANY
@given(st.lists(bodies, max_size=4), terminators)
def test_each_body_in_the_stream_counts_exactly_once_as_what_it_is(drawn: list[bytes], terminator: bytes) -> None:
    stream = EventStream()
    expected = []
    for body in (body.translate(None, _ENDS_A_STRING) for body in drawn):
        sequence = b"\x1b]7501;" + body + terminator
        stream.feed(sequence)
        expected.append(parse(body) if len(sequence) <= limits.STATUS_SEQUENCE else None)
    counted = stream.statistics
    assert counted.rejected_reports == sum(isinstance(status, Rejected) for status in expected)
    assert counted.reports == sum(isinstance(status, Report | Clear) for status in expected)
    assert counted.oversized_strings == expected.count(None)
    assert counted.aborted_strings == 0


@MANY
@given(bodies)
def test_a_query_is_the_question_mark_alone_and_nothing_behind_it_is_stored(body: bytes) -> None:
    """OSC 7501 section 5: a reply-shaped body is neither answered nor stored (D9)."""
    for asked in (body, b"?" + body):
        bare = asked.translate(None, bytes(range(0x20)))
        assert isinstance(parse(asked), Query) == (bare == b"?")
        if bare.startswith(b"?"):
            assert isinstance(parse(asked), Query | Rejected)


@MANY
@given(bodies)
def test_a_key_over_its_limit_drops_the_report_whatever_else_it_says(body: bytes) -> None:
    for key in (b"k" * 17, b"K" * 17, b"\xff" * 17):
        assert isinstance(parse(body + b":" + key + b"=v"), Rejected)


@MANY
@given(bodies)
def test_an_unusable_id_never_reaches_the_root_record(body: bytes) -> None:
    """OSC 7501 section 1: an `id` that is present but unusable MUST NOT fall back to the root."""
    for bad in (b"", b"a//b", b"bad!", b"n" * 33, b"\xff"):
        pair = b"id=" + bad
        for joined in (body + b":" + pair, pair + b":" + body, b"state=clear:" + pair + b":" + body):
            assert not isinstance(parse(joined), Report | Clear)
