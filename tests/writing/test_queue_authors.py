"""Many authors write to one program: it receives each one's entries whole, in order, and submits apart."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from session_core.model.input_queue import QUEUE_BYTES, Entry, InputQueue, Origin

TEXT = Entry(Origin.INJECTED, "tool", b"text")
SUBMIT = Entry(Origin.INJECTED, "tool", b"\r", after_read=True)


def _step(queue: InputQueue, most: int = QUEUE_BYTES) -> bytes:
    piece = bytes(queue.head()[:most])
    queue.wrote(len(piece))
    return piece


def test_a_submit_waits_for_the_text_before_it_to_be_read() -> None:
    queue = InputQueue()
    queue.push([TEXT, SUBMIT])
    assert not queue.waits_for_read
    _step(queue, 3)
    assert not queue.waits_for_read
    _step(queue)
    assert queue.waits_for_read
    assert _step(queue) == b"\r"
    assert not queue.waits_for_read


def test_an_entry_waits_to_be_read_only_before_its_first_byte() -> None:
    queue = InputQueue()
    queue.push([Entry(Origin.INJECTED, "tool", b"abc", after_read=True)])
    assert queue.waits_for_read
    queue.wrote(0)
    assert queue.waits_for_read
    queue.wrote(1)
    assert not queue.waits_for_read


def test_what_comes_behind_a_submit_does_not_wait_itself() -> None:
    queue = InputQueue()
    queue.push([TEXT, SUBMIT])
    queue.push([Entry(Origin.KEYSTROKE, "ann", b"k")])
    _step(queue)
    _step(queue)
    assert bytes(queue.head()) == b"k"
    assert not queue.waits_for_read


def test_an_empty_queue_waits_for_nothing() -> None:
    queue = InputQueue()
    assert not queue.waits_for_read
    queue.push([Entry(Origin.INJECTED, "tool", b"", after_read=True)])
    assert not queue.waits_for_read


def test_a_text_and_its_submit_are_taken_together_or_not_at_all() -> None:
    queue = InputQueue()
    queue.push([Entry(Origin.INJECTED, "tool", b"x" * (QUEUE_BYTES - 4))])
    assert not queue.push([TEXT, SUBMIT])
    assert queue.pending == QUEUE_BYTES - 4
    assert queue.push([TEXT])


@pytest.mark.parametrize("written", [0, 2, 4])
def test_what_is_dropped_leaves_no_submit_behind(written: int) -> None:
    queue = InputQueue()
    queue.push([TEXT, SUBMIT])
    if written:
        _step(queue, written)
    assert queue.drop() == 5 - written
    assert not queue.waits_for_read
    assert bytes(queue.head()) == b""
    assert queue.taken == queue.written == written
    queue.push([TEXT])
    assert bytes(queue.head()) == b"text"


def test_a_head_of_any_size_is_one_entry_alone() -> None:
    queue = InputQueue()
    queue.push([Entry(Origin.INJECTED, name, name.encode() * 1000) for name in "abc"])
    assert [_step(queue) for _ in "abc"] == [name.encode() * 1000 for name in "abc"]


AUTHORS = ("tool", "other tool", "ann", "host")
entries = st.builds(
    lambda author, count, after_read: (author, count, after_read),
    st.sampled_from(AUTHORS),
    st.integers(0, 6),
    st.booleans(),
)
pushes = st.lists(st.lists(entries, max_size=3), max_size=12)
writes = st.lists(st.integers(0, 5), max_size=60)


@settings(max_examples=200, deadline=None, database=None)
@given(pushes, writes)
def test_a_program_receives_each_authors_entries_whole_and_in_order(
    groups: list[list[tuple[str, int, bool]]], counts: list[int]
) -> None:
    """Every entry is marked by its number; pushes and writes of a few bytes take turns."""
    queue = InputQueue()
    taken: list[Entry] = []
    received: list[int] = []
    counting = iter(counts)
    for group in groups:
        first = len(taken)
        made = [
            Entry(Origin.INJECTED, author, bytes((first + offset,)) * count, after_read)
            for offset, (author, count, after_read) in enumerate(group)
        ]
        assert queue.push(made)
        taken += made
        for count in (next(counting, 0), next(counting, 0)):
            if queue.waits_for_read:
                assert taken[queue.head()[0]].after_read
                assert received.count(queue.head()[0]) == 0
            received += _step(queue, count)
    while queue.pending:
        received += _step(queue)
    assert bytes(received) == b"".join(entry.data for entry in taken)
    assert received == sorted(received)
    for author in AUTHORS:
        own = [number for number, entry in enumerate(taken) if entry.author == author]
        assert bytes(byte for byte in received if byte in own) == b"".join(taken[number].data for number in own)
    assert queue.taken == queue.written == len(received)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.integers(0, 6), max_size=8), st.integers(0, 30), st.lists(st.integers(0, 6), max_size=4))
def test_after_a_drop_the_counts_go_on_and_what_is_new_is_written(
    before: list[int], written: int, after: list[int]
) -> None:
    queue = InputQueue()
    queue.push([Entry(Origin.KEYSTROKE, "ann", b"b" * count) for count in before])
    got = b""
    while queue.pending and len(got) < written:
        got += _step(queue, written - len(got))
    assert queue.drop() == sum(before) - len(got)
    queue.push([Entry(Origin.KEYSTROKE, "ann", b"a" * count) for count in after])
    assert queue.pending == sum(after)
    while queue.pending:
        got += _step(queue)
    assert got.count(b"a") == sum(after)
    assert queue.taken == queue.written == len(got)
