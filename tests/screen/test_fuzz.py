"""Any bytes, any cuts, any resizes: no exception, no unbounded buffer, a screen that reads."""

from itertools import pairwise
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from session_core.protocol.scanner import Scanner
from session_core.screen import EngineName, ScreenEngine, Size, open_screen
from session_core.screen.pyte_cells import width_of
from session_core.screen.pyte_engine import PyteScreen
from session_core.screen.pyte_front import SEQUENCE_LIMIT, STRING_LIMIT

from .conftest import GHOSTTY
from .soup import sizes, soup

each_engine = pytest.mark.parametrize("engine", [GHOSTTY, "pyte"])
steps = st.lists(soup | sizes, max_size=8)
thorough = settings(max_examples=150, deadline=None)


def read_everything(screen: ScreenEngine) -> None:
    size, cursor = screen.size, screen.cursor
    assert 0 <= cursor.column < size.columns
    assert 0 <= cursor.row < size.rows
    rows = screen.rows(0, screen.row_count)
    assert len(rows) == screen.row_count >= size.rows
    assert len(screen.text().split("\n")) <= size.rows
    assert len(screen.tail(5)) <= 5
    screen.snapshot()
    screen.ansi()
    screen.html()
    str(screen.title).encode()
    assert 0 <= screen.kitty_flags < 32


def observed(screen: ScreenEngine) -> tuple[object, ...]:
    rows = tuple(screen.rows(0, screen.row_count))
    modes = tuple(screen.mode(number) for number in (1, 6, 7, 25, 66, 1000, 1004, 1049, 2004, 2026))
    return rows, screen.cursor, screen.alternate, screen.title, screen.kitty_flags, modes


@each_engine
@thorough
@given(steps=steps)
def test_nothing_raises_and_the_screen_reads(engine: str, steps: list[bytes | tuple[int, int]]) -> None:
    screen = open_screen(20, 6, engine=cast(EngineName, engine), scrollback_rows=50)
    for step in steps:
        if isinstance(step, bytes):
            assert isinstance(screen.feed(step), bytes)
        else:
            screen.resize(*step)
    read_everything(screen)
    screen.close()


@each_engine
@thorough
@given(data=soup, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_cuts_change_neither_the_screen_nor_the_replies(engine: str, data: bytes, cuts: list[int]) -> None:
    whole = open_screen(20, 6, engine=cast(EngineName, engine))
    pieces = open_screen(20, 6, engine=cast(EngineName, engine))
    replies = whole.feed(data)
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    joined = b"".join(pieces.feed(data[left:right]) for left, right in pairwise(edges))
    assert joined == replies
    assert observed(pieces) == observed(whole)
    whole.close()
    pieces.close()


@each_engine
@thorough
@given(data=soup, cuts=st.lists(st.integers(0, 200), max_size=6))
@example(b"\x1b\x00[?6n", [2])
@example(b"\x1bP+q544e\x1b\\", [5])
def test_what_the_scanner_calls_ordinary_need_not_be_looked_at(engine: str, data: bytes, cuts: list[int]) -> None:
    looked_at = open_screen(20, 6, engine=cast(EngineName, engine))
    pieces = open_screen(20, 6, engine=cast(EngineName, engine))
    scanner, replies = Scanner(), b""
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    for left, right in pairwise(edges):
        scanner.feed(data[left:right])
        replies += pieces.feed(data[left:right], ordinary=scanner.ordinary)
    assert replies == looked_at.feed(data)
    assert observed(pieces) == observed(looked_at)
    looked_at.close()
    pieces.close()


@each_engine
@settings(max_examples=60, deadline=None)
@given(data=soup)
def test_a_snapshot_of_any_screen_paints_it_again(engine: str, data: bytes) -> None:
    screen = open_screen(20, 6, engine=cast(EngineName, engine))
    copy = open_screen(20, 6, engine=cast(EngineName, engine))
    screen.feed(data)
    copy.feed(screen.snapshot())
    assert (copy.text(), copy.cursor, copy.alternate) == (screen.text(), screen.cursor, screen.alternate)
    screen.close()
    copy.close()


@thorough
@given(steps=steps)
def test_the_portable_engine_stays_within_its_limits(steps: list[bytes | tuple[int, int]]) -> None:
    pane = PyteScreen(Size(20, 6), 50)
    for step in steps:
        if isinstance(step, bytes):
            pane.feed(step)
        else:
            pane.resize(*step)
        screen = pane._screen
        assert pane._front.held_bytes <= SEQUENCE_LIMIT + STRING_LIMIT + 2
        assert len(screen.history) <= 50
        assert set(screen.buffer) <= set(range(screen.lines))
        for line in range(screen.lines):
            check_row([cell.data for cell in screen.row(line).cells(screen.columns)])
            assert all(0 <= column < screen.columns for column in screen.row(line))


def check_row(texts: list[str]) -> None:
    """An empty cell is the right half of the wide character before it, and nothing else is."""
    for column, text in enumerate(texts):
        if not text:
            assert column > 0
            assert texts[column - 1]
            assert width_of(texts[column - 1][0]) == 2
        elif width_of(text[0]) == 2:
            assert column + 1 < len(texts)
            assert not texts[column + 1]


@each_engine
@pytest.mark.parametrize("opener", [b"\x1b]0;", b"\x1bP", b"\x1b_G", b"\x1b[", b"\x1b]52;c;"])
def test_megabytes_inside_one_sequence_are_survived(engine: str, opener: bytes) -> None:
    screen = open_screen(20, 6, engine=cast(EngineName, engine))
    screen.feed(opener)
    for _ in range(40):
        screen.feed(b"1;" * 32_768)
    screen.feed(b"\x18\x1b[Hok")
    assert screen.text().startswith("ok")
    screen.close()
