"""The output log against a log that keeps everything."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.model.output_log import LOG_BYTES, LoggedOutput, OutputLog


def _filled(chunks: list[bytes], limit: int = LOG_BYTES) -> OutputLog:
    log = OutputLog(limit)
    for chunk in chunks:
        log.append(chunk)
    return log


@given(
    st.lists(st.binary(min_size=1, max_size=12), max_size=12),
    st.integers(1, 40),
    st.integers(-3, 150),
    st.none() | st.integers(-3, 150),
)
@settings(max_examples=400, deadline=None, database=None)
def test_a_read_is_the_whole_output_between_two_offsets_less_what_is_gone(
    chunks: list[bytes], limit: int, begin: int, end: int | None
) -> None:
    log, whole = _filled(chunks, limit), b"".join(chunks)
    asked_from, asked_to = max(begin, 0), len(whole) if end is None else min(max(end, 0), len(whole))
    first = min(max(asked_from, log.begin), asked_to)
    read = log.read(begin, end)
    assert read.data == whole[first:asked_to]
    assert read.missed == max(0, min(log.begin, asked_to) - asked_from)
    assert len(read.data) + read.missed == max(0, asked_to - asked_from)
    assert read.begin == first or not read.data


@given(st.lists(st.binary(min_size=1, max_size=30), max_size=30), st.integers(1, 50))
@settings(max_examples=200, deadline=None, database=None)
def test_at_least_the_limit_is_kept_and_at_most_one_chunk_more(chunks: list[bytes], limit: int) -> None:
    log, total = OutputLog(limit), 0
    for chunk in chunks:
        log.append(chunk)
        total += len(chunk)
        kept = log.end - log.begin
        assert log.end == total
        assert min(total, limit) <= kept < limit + max(map(len, chunks))


def test_every_cut_of_a_log_in_chunks_is_right() -> None:
    chunks = [b"abc", b"d", b"efgh", b"ij"]
    log, whole = _filled(chunks), b"abcdefghij"
    for begin in range(len(whole) + 1):
        for end in range(begin, len(whole) + 1):
            assert log.read(begin, end) == LoggedOutput(begin, whole[begin:end], 0)


def test_a_new_log_has_nothing_and_misses_nothing() -> None:
    log = OutputLog()
    assert (log.begin, log.end) == (0, 0)
    assert log.read(0) == LoggedOutput(0, b"", 0)
    assert log.read(5, 9).data == b""
    assert log.read(5, 9).missed == 0


def test_what_is_gone_is_counted_and_what_has_not_come_yet_is_not() -> None:
    log = _filled([b"0123456789"] * 3, limit=10)
    assert (log.begin, log.end) == (20, 30)
    assert log.read(0) == LoggedOutput(20, b"0123456789", 20)
    assert log.read(5, 15).missed == 10
    assert log.read(5, 15).data == b""
    assert log.read(15, 25) == LoggedOutput(20, b"01234", 5)
    assert log.read(28, 99) == LoggedOutput(28, b"89", 0)
    assert log.read(40, 99).missed == 0


@pytest.mark.parametrize("size", [1, 7, 4096, 65_536, 3 * LOG_BYTES])
def test_the_default_bound_holds_for_chunks_of_any_size(size: int) -> None:
    log = OutputLog()
    for _ in range(max(3, 2 * LOG_BYTES // size)):
        log.append(b"x" * size)
    assert LOG_BYTES <= log.end - log.begin < LOG_BYTES + size
