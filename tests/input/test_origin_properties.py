"""Any bytes in any chunks: nothing is lost, the kinds are those of one chunk and of the naive classifier."""

import re

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from session_core.model.input_grammar import TABLE, Segment
from session_core.model.input_origin import STRING_BYTES, OriginClassifier

from .feeding import chunked, feed, kind_of_each_byte, single_bytes
from .oracle import NaiveClassifier
from .test_keystrokes import TYPED
from .test_reports import EXAMPLES

MANY = settings(max_examples=200, deadline=None, database=None)

_WHOLE = [data for examples in EXAMPLES.values() for data in examples] + list(TYPED.values())
_PIECES = [
    *(b"\x1b" + byte for byte in (b"", b"[", b"O", b"]", b"P", b"_", b"^", b"X", b"[M", b"[<", b"[?", b"\\")),
    *(b"\x1b[200~", b"\x1b[201~", b"[201~", b"\x1b[20", b"~", b"1~", b"\x07", b"\\", b"\x18", b"\r", b"\x7f"),
    *(
        b"I",
        b"R",
        b"u",
        b"M",
        b"t",
        b"c",
        b"n",
        b"$y",
        b";",
        b":3",
        b"1;2",
        b"-",
        b" ",
        b"&w",
        b"0",
        b"57441",
    ),
    *("é".encode(), b"\xc3", b"\xa9", b"\x9b", b"\xff", b"x", b"A"),
]
soups = st.lists(
    st.sampled_from(_PIECES) | st.sampled_from(_WHOLE) | st.binary(min_size=1, max_size=4), max_size=20
).map(b"".join)
anything = soups | st.binary(max_size=200)
chunk_sizes = st.lists(st.integers(0, 12), max_size=30)
_MOUSE_BEYOND_ASCII = re.compile(rb"\x1b\[M(?s:.){0,3}[\x80-\xff]")


def _bytes(segments: list[Segment]) -> bytes:
    return b"".join(segment.data for segment in segments)


@MANY
@given(anything, chunk_sizes)
def test_no_byte_is_lost_added_or_moved(data: bytes, sizes: list[int]) -> None:
    classifier = OriginClassifier()
    out = feed(*chunked(data, sizes), classifier=classifier)
    assert len(_bytes(out)) + classifier.buffered == len(data)
    assert _bytes(out + classifier.expire(1e9)) == data
    assert classifier.buffered == 0


@MANY
@given(anything, chunk_sizes)
@example(b"\x1b[M \xc3\xa0!", [5])
def test_the_kind_of_a_byte_does_not_depend_on_the_chunks(data: bytes, sizes: list[int]) -> None:
    whole, parts = OriginClassifier(), OriginClassifier()
    expected = kind_of_each_byte(feed(data, classifier=whole))
    assert kind_of_each_byte(feed(*chunked(data, sizes), classifier=parts)) == expected
    assert kind_of_each_byte(feed(*single_bytes(data))) == expected
    assert parts.buffered == whole.buffered
    assert parts.next_deadline() == whole.next_deadline()
    assert kind_of_each_byte(parts.expire(1e9)) == kind_of_each_byte(whole.expire(1e9))


@MANY
@given(soups)
@example(b"\x1b]\x1b]0;x\x07")
@example(b"\x1b[1 2R")
@example(b"\x1bO\x1b[200~\x1b[201~I")
def test_the_kinds_are_those_of_the_naive_classifier(data: bytes) -> None:
    assume(not _MOUSE_BEYOND_ASCII.search(data))
    naive, classifier = NaiveClassifier(), OriginClassifier()
    naive.feed(data)
    assert kind_of_each_byte(feed(data, classifier=classifier)) == naive.kinds
    assert classifier.buffered == len(naive.held)


@MANY
@given(st.lists(st.tuples(anything, st.floats(0, 2), st.booleans()), max_size=10))
def test_with_any_pauses_nothing_is_lost_and_the_buffer_keeps_its_bound(
    steps: list[tuple[bytes, float, bool]],
) -> None:
    classifier = OriginClassifier()
    now, fed, out = 0.0, b"", b""
    for data, pause, expires in steps:
        now += pause
        if expires:
            out += _bytes(classifier.expire(now))
        out += _bytes(classifier.feed(data, now))
        fed += data
        assert out == fed[: len(out)]
        assert len(fed) - len(out) == classifier.buffered <= STRING_BYTES + 1
        deadline = classifier.next_deadline()
        assert (deadline is not None) >= (classifier.buffered > 0)


@MANY
@given(anything)
def test_every_segment_has_bytes_and_a_row(data: bytes) -> None:
    for segment in feed(data):
        assert segment.data
        assert segment.kind in TABLE
        assert (segment.name is None) == (segment.origin != "report") == segment.typing
