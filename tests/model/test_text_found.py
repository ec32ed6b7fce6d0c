"""A text among printed lines, through a real screen: found exactly when it is printed anew, however output is cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise

import hypothesis.strategies as st
from hypothesis import given, settings

from session_core.host.pane_text import WRITTEN, PaneText
from session_core.model.text_watch import TextMatch
from session_core.screen import EngineName, open_screen

ENGINES: tuple[EngineName, ...] = ("ghostty", "pyte") if find_spec("pyghostty") else ("pyte",)
NEEDLE = "MARK-9"
"""Its parts and its cases are printed, too."""

engines = st.sampled_from(ENGINES)
columns = st.sampled_from((7, 10, 16, 40))
rows = st.sampled_from((2, 3, 5, 12))
near = st.sampled_from(("", "a", "b c", "MARK", "-9", "mark-9", "MARK-", "xyz" * 4, "$ ", "1 2 3 4 5 6 7 8"))
plain = near.map(str.strip)
with_needle = st.builds("{}{}{}".format, st.sampled_from(("", "a ", "b c: ", "xyz" * 4)), st.just(NEEDLE), near)
printed = st.lists(st.one_of(plain, plain, plain, with_needle), max_size=12)
cuts = st.lists(st.integers(1, 60), max_size=30)


@dataclass
class Terminal:
    """A pane's text with output read so far, and what was found in it."""

    engine: EngineName
    columns: int
    rows: int

    def __post_init__(self) -> None:
        self.screen = open_screen(self.columns, self.rows, engine=self.engine)
        self.read = 0
        self.text = PaneText(self.screen, lambda: self.read)
        self.found: list[TextMatch] = []

    def print(self, lines: Sequence[str], sizes: Sequence[int] = ()) -> None:
        """Print lines, read in pieces of these sizes and then the rest."""
        data = "".join(line + "\r\n" for line in lines).encode()
        ends = [0]
        for size in sizes:
            ends.append(min(ends[-1] + size, len(data)))
        for begin, end in pairwise([*ends, len(data)]):
            self.read += end - begin
            self.text.feed(data[begin:end])

    def check(self, lines: Sequence[str]) -> None:
        """Expect the first of these lines that holds the text, as far as it was printed then, and nothing else."""
        expected = [line for line in lines if NEEDLE in line][:1]
        assert len(self.found) == len(expected)
        for match, line in zip(self.found, expected, strict=True):
            assert NEEDLE in match.line
            assert match.line in line
            assert match.offset <= self.read
        self.screen.close()


@given(engines, columns, rows, printed, printed, cuts)
@settings(max_examples=300, deadline=None, database=None)
def test_a_text_is_found_exactly_when_it_is_printed_anew(
    engine: EngineName, columns: int, rows: int, before: list[str], after: list[str], sizes: list[int]
) -> None:
    terminal = Terminal(engine, columns, rows)
    terminal.print(before)
    terminal.text.watch(NEEDLE, terminal.text.mark(), terminal.found.append)
    terminal.print(after, sizes)
    terminal.check(after)


@given(engines, columns, rows, printed, printed, printed, cuts)
@settings(max_examples=300, deadline=None, database=None)
def test_a_search_that_begins_later_finds_what_came_since_its_mark(
    engine: EngineName,
    columns: int,
    rows: int,
    before: list[str],
    between: list[str],
    after: list[str],
    sizes: list[int],
) -> None:
    terminal = Terminal(engine, columns, rows)
    terminal.print(before)
    mark = terminal.text.mark()
    terminal.print(between, sizes)
    terminal.text.watch(NEEDLE, mark, terminal.found.append)
    terminal.print(after, sizes)
    terminal.check([*between, *after])


@given(
    engines,
    st.sampled_from((16, 40)),
    st.sampled_from((5, 12)),
    printed,
    st.builds(
        "{}{}{}".format,
        st.sampled_from(("", "say ", "please write down ", "1 2 3 4 5 6 7 8 ")),
        st.just(NEEDLE),
        st.sampled_from(("", " soon", " and then go on with the rest")),
    ),
    st.lists(plain, max_size=4),
    st.booleans(),
    cuts,
)
@settings(max_examples=300, deadline=None, database=None)
def test_an_echo_is_never_found_and_what_is_printed_after_it_is(
    engine: EngineName,
    columns: int,
    rows: int,
    before: list[str],
    written: str,
    between: list[str],
    answered: bool,
    sizes: list[int],
) -> None:
    terminal = Terminal(engine, columns, rows)
    terminal.print(before)
    terminal.text.note_write("t1", 5, written.encode())
    mark = terminal.text.marked("t1")
    assert mark is not None
    terminal.text.watch(NEEDLE, mark, terminal.found.append)
    terminal.print([f"$ {written}", *between], sizes)
    assert not terminal.found
    answers = [f"out: {NEEDLE}"] if answered else []
    terminal.print(answers, sizes)
    terminal.check(answers)


def test_every_line_of_a_long_text_is_known_as_an_echo() -> None:
    terminal = Terminal("pyte", 40, 12)
    written = [f"say {NEEDLE}", *(f"line {number}" for number in range(200)), "x" * 5000 + NEEDLE]
    terminal.text.note_write("t1", 5, "\n".join(written).encode())
    terminal.text.watch(NEEDLE, terminal.text.mark(), terminal.found.append)
    terminal.print(written)
    assert not terminal.found


def test_after_a_resize_what_is_above_the_screen_is_old_still() -> None:
    terminal = Terminal("pyte", 40, 5)
    terminal.print([NEEDLE, *("a line that wraps once it is narrow" for _ in range(9))])
    terminal.text.watch(NEEDLE, terminal.text.mark(), terminal.found.append)
    terminal.screen.resize(10, 5)
    terminal.text.resized()
    terminal.print(["more", "and more"])
    assert not terminal.found
    terminal.print([NEEDLE])
    terminal.check([NEEDLE])


def test_a_search_that_was_given_up_finds_nothing() -> None:
    terminal = Terminal("pyte", 40, 5)
    stop = terminal.text.watch(NEEDLE, terminal.text.mark(), terminal.found.append)
    stop()
    stop()
    terminal.print([NEEDLE])
    assert not terminal.found


def test_of_all_that_was_written_only_so_much_is_kept() -> None:
    terminal = Terminal("pyte", 40, 12)
    for number in range(100):
        terminal.text.note_write("t", number, b"x" * (WRITTEN // 20) + b"\n" + str(number).encode())
    written = terminal.text.mark().written
    assert written[-1] == "99"
    assert WRITTEN // 2 < sum(map(len, written)) <= WRITTEN
