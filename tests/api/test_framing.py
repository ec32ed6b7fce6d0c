"""Lines out of a byte stream: any chunking gives the same ones, and nothing grows beyond the bound."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.api.framing import LINE_BYTES, LineFramer, LineTooLong

LIMIT = 20
streams = st.lists(st.sampled_from([b"\n", b" ", b"\t", b"\r", b"a", b"{}", b"\x00\xff", b"x" * 9])).map(b"".join)
sizes = st.lists(st.integers(0, 7), max_size=60)


def _chunks(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    return [*chunks, data]


def test_a_line_cut_anywhere_comes_out_whole() -> None:
    framer = LineFramer()
    assert framer.feed(b'{"a"') == []
    assert framer.feed(b"") == []
    assert framer.feed(b":1}\n{}\n[") == [b'{"a":1}', b"{}"]
    assert framer.feed(b"]\n") == [b"[]"]


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \r"])
def test_blank_lines_are_skipped(blank: bytes) -> None:
    assert LineFramer().feed(b"a\n" + blank + b"\nb\n" + blank + b"\n") == [b"a", b"b"]


def test_a_carriage_return_stays_with_its_line() -> None:
    assert LineFramer().feed(b"a\r\n") == [b"a\r"]


@given(data=streams, sizes=sizes)
@settings(max_examples=300, deadline=None, database=None)
def test_any_chunking_gives_the_lines_of_the_whole_stream(data: bytes, sizes: list[int]) -> None:
    framer = LineFramer()
    lines = [line for chunk in _chunks(data, sizes) for line in framer.feed(chunk)]
    assert lines == [line for line in data.split(b"\n")[:-1] if line.strip()]


@given(data=streams, sizes=sizes)
@settings(max_examples=300, deadline=None, database=None)
def test_any_chunking_raises_exactly_when_some_line_is_over_the_limit(data: bytes, sizes: list[int]) -> None:
    framer = LineFramer(LIMIT)
    too_long = any(len(line) > LIMIT for line in data.split(b"\n"))
    raised = False
    try:
        for chunk in _chunks(data, sizes):
            framer.feed(chunk)
    except LineTooLong:
        raised = True
    assert raised == too_long


def test_a_line_of_the_limit_is_accepted_whole_and_byte_by_byte() -> None:
    line = b"x" * LIMIT
    assert LineFramer(LIMIT).feed(line + b"\n") == [line]
    framer = LineFramer(LIMIT)
    assert [found for byte in line + b"\n" for found in framer.feed(bytes([byte]))] == [line]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\nnext\n"])
def test_one_byte_more_is_refused_with_or_without_its_newline(ending: bytes) -> None:
    with pytest.raises(LineTooLong):
        LineFramer(LIMIT).feed(b"x" * (LIMIT + 1) + ending)


def test_a_line_that_never_ends_is_refused_as_soon_as_it_is_too_long() -> None:
    framer = LineFramer(LIMIT)
    for _ in range(LIMIT):
        assert framer.feed(b"x") == []
    with pytest.raises(LineTooLong):
        framer.feed(b"x")


def test_the_count_begins_anew_with_each_line() -> None:
    framer = LineFramer(LIMIT)
    for _ in range(10):
        assert framer.feed(b"x" * (LIMIT - 1)) == []
        assert framer.feed(b"y\n") == [b"x" * (LIMIT - 1) + b"y"]


def test_the_limit_is_that_of_the_contract_unless_given() -> None:
    framer = LineFramer()
    assert framer.feed(b"x" * LINE_BYTES) == []
    assert framer.feed(b"\n") == [b"x" * LINE_BYTES]
    with pytest.raises(LineTooLong):
        framer.feed(b"x" * (LINE_BYTES + 1))
