"""Persons, a program and tools at one pane, driven at random beside a plain reading of what must come of it."""

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from session_core.errors import SessionCoreError
from session_core.model.guard import Conditions, OnDraft, When
from session_core.model.input_queue import Origin
from session_core.model.pane import LEDGER_ENTRIES
from session_core.model.status import Observed
from session_core.model.tickets import Delivery

from ..model.panes import report
from .desk import Write, WriteDesk
from .reference import BEGIN, END, ENDING, Expected, Reference

persons = st.sampled_from(("ann", "bob"))
tools = st.sampled_from(("tool", "other tool"))
words = st.sampled_from(("idle", "working", "done", "error", "blocked"))
keys = st.sampled_from((b"a", b"b", b" ", "é".encode(), b"\x7f", b"\r", b"\x15", b"\x03", b"\x1b[A", b"\x1b[D"))
pasted = st.sampled_from((b"x", b"one\rtwo", b"one\ntwo\n", "é\r".encode(), b""))
running = precondition(lambda machine: not machine.reference.exited)
RARELY = st.integers(0, 7).map(lambda number: number == 0)


class WritingMachine(RuleBasedStateMachine):
    """After every step the queue, the draft, the records, the ledger and the tickets are as the reference says."""

    @initialize(bracketed=st.sampled_from((True, True, False)))
    def begin(self, bracketed: bool) -> None:
        self.desk = WriteDesk(bracketed=bracketed)
        self.reference = Reference(bracketed)
        self.received = b""
        self.lost = 0
        self.writes = 0
        self.asked: list[Expected] = []

    # ---- a person

    @running
    @rule(person=persons, typed=st.lists(keys, min_size=1, max_size=3))
    def type(self, person: str, typed: list[bytes]) -> None:
        for key in typed:
            assert bool(self.desk.typed(key, person)) is self.reference.types(person, key)

    @running
    @rule(person=persons, key=st.sampled_from(ENDING))
    def submit_or_clear(self, person: str, key: bytes) -> None:
        assert bool(self.desk.typed(key, person)) is self.reference.types(person, key)

    @running
    @rule(person=persons, text=pasted)
    def paste(self, person: str, text: bytes) -> None:
        changes = self.desk.typed(BEGIN + text + END, person, paste=True)
        assert bool(changes) is self.reference.pastes(person, text)

    @running
    @rule(person=persons)
    def say_that_it_was_seen(self, person: str) -> None:
        assert bool(self.desk.acknowledge(person)) is self.reference.acknowledges(person)

    # ---- the program

    @rule(word=words, number=st.integers(0, 9))
    def report(self, word: str, number: int) -> None:
        """The number makes most reports a new one; after the end none counts."""
        changes = self.desk.printed(report(f"state={word}:progress={number}"))
        records = [change for change in changes if change.record is not None]
        if self.reference.exited:
            assert not changes
        elif records:
            assert records[0].after == word
            self.reference.reports(word, records[0].revision)

    @running
    @rule(now=RARELY)
    def turn_the_echo_off_or_on(self, now: bool) -> None:
        """Nothing is observed by it: a held write is tried at the next change."""
        self.desk.password = self.reference.password = now

    @running
    @rule(now=RARELY)
    def exit(self, now: bool) -> None:
        if now:
            self.lost = self.desk.queue.pending
            self.desk.exited()
            self.reference.exits()

    @rule(most=st.integers(1, 8), times=st.integers(1, 5))
    def read(self, most: int, times: int) -> None:
        for _ in range(times):
            piece = bytes(self.desk.queue.head()[:most])
            self.received += piece
            self.desk.queue.wrote(len(piece))

    # ---- a tool

    @running
    @rule(
        author=tools,
        lines=st.integers(0, 2),
        submit=st.booleans(),
        on_draft=st.sampled_from(OnDraft),
        when=st.sampled_from(When),
    )
    def write(self, author: str, lines: int, submit: bool, on_draft: OnDraft, when: When) -> None:
        self._ask(author, lines, submit, Conditions(on_draft=on_draft, when=when))

    @running
    @rule(author=tools, on_draft=st.sampled_from(OnDraft), when=st.sampled_from(When), if_state=words)
    def write_on_a_condition(self, author: str, on_draft: OnDraft, when: When, if_state: str) -> None:
        self._ask(author, 1, True, Conditions(on_draft=on_draft, when=when, if_state=Observed(if_state)))

    @running
    @rule(author=tools, on_draft=st.sampled_from(OnDraft), late=RARELY)
    def answer(self, author: str, on_draft: OnDraft, late: bool) -> None:
        asked = self.reference.asked or 1
        self._ask(author, 1, True, Conditions(on_draft=on_draft, answers=asked - late))

    def _ask(self, author: str, lines: int, submit: bool, conditions: Conditions) -> None:
        self.writes += 1
        text = "\n".join(f"w{self.writes}.{line}" for line in range(lines))
        write = Write(author, text, submit, conditions, key=f"k{self.writes}")
        fate, expected = self.reference.fate(write), self.reference.expected(write)
        assert self._outcome(expected) == fate
        if fate == "now":
            self.reference.deliver(expected)
        elif fate == "held":
            self.reference.held.append(expected)

    def _outcome(self, expected: Expected) -> str:
        try:
            ticket = self.desk.write(expected.write)
        except SessionCoreError as refused:
            return refused.code.value
        expected.ticket = ticket.id
        self.asked.append(expected)
        held = ticket.status is Delivery.HELD
        assert ticket.bytes == (0 if held else sum(map(len, expected.data)))
        return "held" if held else "now"

    @precondition(lambda self: self.asked)
    @rule(which=st.integers(0, 30))
    def ask_for_the_same_again(self, which: int) -> None:
        """The ticket of its key comes back and nothing is written."""
        expected = self.asked[which % len(self.asked)]
        assert self.desk.write(expected.write) == self.desk.tickets.get(expected.ticket)

    # ---- what must hold

    @invariant()
    def the_program_gets_each_authors_bytes_whole_and_in_order(self) -> None:
        assert [(entry.author, entry.data) for entry in self.desk.entries] == self.reference.sent
        whole = b"".join(data for _, data in self.reference.sent)
        assert whole.startswith(self.received)
        assert len(self.received) + self.desk.queue.pending + self.lost == len(whole)

    @invariant()
    def no_injected_write_lands_in_a_draft(self) -> None:
        """Read from the entries themselves: before each injected one, no person's text was left."""
        line = 0
        for number, entry in enumerate(self.desk.entries):
            if number in self.reference.read_at:
                line = 0
            if entry.origin is Origin.INJECTED:
                assert line == 0
            elif entry.origin is Origin.PASTE:
                line += sum(character >= " " for character in entry.data[len(BEGIN) : -len(END)].decode())
            elif entry.data in ENDING:
                line = 0
            elif not entry.data.startswith(b"\x1b"):
                line = max(0, line - 1) if entry.data == b"\x7f" else line + 1

    @invariant()
    def what_finished_ends_exactly_when_the_reference_says(self) -> None:
        assert self.desk.pane.state.value == self.reference.word
        ledger = [entry.by for entry in self.desk.pane.ledger]
        assert ledger == self.reference.acknowledged[-LEDGER_ENTRIES:]

    @invariant()
    def the_draft_is_the_one_of_the_reference(self) -> None:
        view = self.desk.pane.draft.view
        assert (view.characters if view else 0) == self.reference.line

    @invariant()
    def the_held_writes_are_those_of_the_reference_in_their_order(self) -> None:
        assert [ticket.id for ticket in self.desk.held] == [expected.ticket for expected in self.reference.held]
        for identity, how in self.reference.ended.items():
            ticket = self.desk.tickets.get(identity)
            assert ticket is not None
            assert ticket.status is (Delivery.DELIVERED if how == "now" else Delivery.REFUSED)
            assert ticket.reason == (None if how == "now" else how)


WritingMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None, database=None)
test_persons_a_program_and_tools_at_one_pane_fare_as_a_plain_reading_says = WritingMachine.TestCase
