"""The queue toward a program: in order, whole, bounded, and nothing that was taken is lost."""

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from session_core.model.input_queue import QUEUE_BYTES, Entry, InputQueue, Origin


def _entry(data: bytes, origin: Origin = Origin.INJECTED, author: str = "tool") -> Entry:
    return Entry(origin, author, data)


def _drain(queue: InputQueue, most: int = 1 << 30) -> list[bytes]:
    """Write at most `most` bytes of each head, as a slow terminal takes them."""
    written = []
    while head := queue.head():
        piece = bytes(head[:most])
        written.append(piece)
        queue.wrote(len(piece))
    return written


def test_entries_come_out_whole_and_in_order() -> None:
    queue = InputQueue()
    assert queue.push([_entry(b"injected"), _entry(b"\r")])
    assert queue.push([_entry(b"reply", Origin.REPLY)])
    assert queue.push([_entry(b"k", Origin.KEYSTROKE, "ann")])
    assert _drain(queue) == [b"injected", b"\r", b"reply", b"k"]
    assert (queue.taken, queue.written, queue.pending) == (15, 15, 0)


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_a_terminal_that_takes_little_at_once_gets_every_byte_once(most: int) -> None:
    queue = InputQueue()
    queue.push([_entry(b"abcdefg"), _entry(b"hi"), _entry(b"j")])
    pieces = _drain(queue, most)
    assert b"".join(pieces) == b"abcdefghij"
    assert max(map(len, pieces)) <= most


def test_what_is_pushed_during_a_partial_write_lands_behind_it() -> None:
    queue = InputQueue()
    queue.push([_entry(b"abcdef")])
    queue.wrote(2)
    queue.push([_entry(b"KEY", Origin.KEYSTROKE)])
    assert bytes(queue.head()) == b"cdef"
    assert (queue.taken, queue.written, queue.pending) == (9, 2, 7)
    assert _drain(queue) == [b"cdef", b"KEY"]


def test_a_write_of_nothing_keeps_the_head() -> None:
    queue = InputQueue()
    queue.push([_entry(b"ab")])
    queue.wrote(0)
    assert bytes(queue.head()) == b"ab"


def test_empty_entries_leave_no_empty_head() -> None:
    queue = InputQueue()
    assert queue.push([])
    assert queue.push([_entry(b""), _entry(b"a"), _entry(b""), _entry(b"b")])
    assert _drain(queue) == [b"a", b"b"]


def test_an_empty_queue_has_an_empty_head() -> None:
    assert bytes(InputQueue().head()) == b""


def test_the_bound_is_reached_exactly_and_one_byte_more_is_refused() -> None:
    queue = InputQueue()
    assert queue.push([_entry(b"x" * QUEUE_BYTES)])
    assert not queue.push([_entry(b"y")])
    queue.wrote(1)
    assert queue.push([_entry(b"y")])
    assert not queue.push([_entry(b"z")])
    assert queue.pending == QUEUE_BYTES


def test_entries_that_do_not_all_fit_are_all_refused_and_nothing_is_lost() -> None:
    queue = InputQueue()
    queue.push([_entry(b"first")])
    assert not queue.push([_entry(b"a"), _entry(b"x" * (QUEUE_BYTES - 5)), _entry(b"b")])
    assert (queue.taken, queue.pending) == (5, 5)
    assert _drain(queue) == [b"first"]


def test_dropping_empties_the_queue_and_says_how_many_bytes_were_never_written() -> None:
    queue = InputQueue()
    queue.push([_entry(b"abc"), _entry(b"defg")])
    queue.wrote(2)
    assert queue.drop() == 5
    assert (queue.pending, queue.taken, queue.written) == (0, 2, 2)
    assert queue.drop() == 0
    queue.push([_entry(b"later")])
    assert _drain(queue) == [b"later"]


BIG = QUEUE_BYTES // 3
pieces = st.one_of(st.binary(max_size=6), st.integers(0, 255).map(lambda byte: bytes([byte]) * BIG))


class QueueMachine(RuleBasedStateMachine):
    """The reference is a list of the bytes of each entry."""

    @initialize()
    def begin(self) -> None:
        self.queue = InputQueue()
        self.entries: list[bytes] = []
        self.taken = 0

    @rule(data=st.lists(pieces, max_size=4))
    def push(self, data: list[bytes]) -> None:
        waiting = sum(map(len, self.entries))
        size = sum(map(len, data))
        taken = self.queue.push([_entry(piece) for piece in data])
        assert taken == (waiting + size <= QUEUE_BYTES)
        if taken:
            self.entries += [piece for piece in data if piece]
            self.taken += size

    @rule(share=st.floats(0, 1))
    def write_a_part(self, share: float) -> None:
        if self.entries:
            count = int(len(self.entries[0]) * share)
            self.queue.wrote(count)
            self.entries[0] = self.entries[0][count:]
            self.entries = [entry for entry in self.entries if entry]

    @rule()
    def write_the_head(self) -> None:
        self.queue.wrote(len(self.queue.head()))
        self.entries = self.entries[1:]

    @rule(luck=st.integers(0, 4))
    def drop(self, luck: int) -> None:
        if luck == 0:
            dropped = sum(map(len, self.entries))
            assert self.queue.drop() == dropped
            self.entries = []
            self.taken -= dropped

    @invariant()
    def the_head_is_the_rest_of_one_entry(self) -> None:
        assert bytes(self.queue.head()) == (self.entries[0] if self.entries else b"")

    @invariant()
    def the_counts_add_up(self) -> None:
        waiting = sum(map(len, self.entries))
        assert self.queue.pending == waiting <= QUEUE_BYTES
        assert (self.queue.taken, self.queue.written) == (self.taken, self.taken - waiting)


QueueMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None, database=None)
test_a_queue_driven_at_random_holds_what_a_list_holds = QueueMachine.TestCase
