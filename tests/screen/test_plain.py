"""Output as plain lines, in both engines; and which of them fit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.screen.engine import EngineName, Size
from session_core.screen.plain import cut_lines, plain_lines

from .soup import soup

SIZE = Size(20, 6)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\r\n\r\n", []),
        (b"one\r\ntwo", ["one", "two"]),
        (b"\r\n\r\nthird\r\n\r\n", ["", "", "third"]),
        (b"one  \r\n", ["one"]),
        (b"10%\r55%\r100%", ["100%"]),
        (b"a long line\rshort\x1b[K\r\n", ["short"]),
        (b"\x1b[31mred\x1b[0m \x1b[1mbold", ["red bold"]),
        (b"a\r\nb\x1b[A\rA\r\n\n", ["A", "b"]),
        ("漢字 é 🙂".encode(), ["漢字 é 🙂"]),
        (b"x" * 50, ["x" * 50]),
        ("漢".encode() * 25, ["漢" * 25]),
        (b"before\r\n\x1b[?1049h\x1b[2Jinside\x1b[?1049lafter", ["before", "after"]),
        (b"before\r\n\x1b[?1049h\x1b[H\x1b[2Jinside", ["inside"]),
        (b"\x1b]0;title\x07\x1b]7501;state=done\x1b\\shown\x1b[c\x05", ["shown"]),
    ],
)
def test_lines_are_what_a_person_saw(engine: EngineName, data: bytes, lines: list[str]) -> None:
    shown = plain_lines(data, SIZE, engine)
    assert (shown.lines, shown.left_out) == (lines, 0)


def test_more_lines_than_a_screen_are_all_there(engine: EngineName) -> None:
    data = b"".join(b"line %d\r\n" % number for number in range(5000))
    shown = plain_lines(data, SIZE, engine)
    assert (shown.lines, shown.left_out) == ([f"line {number}" for number in range(5000)], 0)


def test_lines_that_are_too_many_are_counted_and_the_newest_are_kept(engine: EngineName) -> None:
    data = b"".join(b"%d\r\n" % number for number in range(30_000)) + b"end"
    shown = plain_lines(data, SIZE, engine)
    assert shown.lines[-2:] == ["29999", "end"]
    assert shown.lines[0] == str(shown.left_out)
    assert shown.left_out + len(shown.lines) == 30_001


def test_rows_that_are_wrapped_push_no_line_out_uncounted(engine: EngineName) -> None:
    data = b"first\r\n" + b"".join(b"%04d" % number + b"x" * 36 + b"\r\n" for number in range(2500))
    shown = plain_lines(data, Size(2, 4), engine)
    assert shown.left_out == 0
    assert (shown.lines[0], len(shown.lines)) == ("first", 2501)


@given(data=st.binary(max_size=400) | soup)
@settings(max_examples=100, deadline=None, database=None)
def test_any_bytes_give_lines(data: bytes) -> None:
    for name in ("auto", "pyte"):
        shown = plain_lines(data, SIZE, name)
        assert shown.left_out == 0
        assert not any({"\n", "\r", "\x1b"} & set(line) for line in shown.lines)


@given(st.lists(st.text(max_size=8), max_size=8), st.integers(1, 60))
@settings(max_examples=300, deadline=None, database=None)
def test_the_last_lines_that_fit_are_kept_and_no_more_would_fit(lines: list[str], most: int) -> None:
    kept, cut = cut_lines(lines, most)
    size = len("\n".join(kept).encode(errors="replace"))
    assert size <= most
    if cut or (kept and kept != lines[len(lines) - len(kept) :]):
        assert len(kept) == 1
        assert size + cut == len(lines[-1].encode(errors="replace"))
    elif len(kept) < len(lines):
        assert size + 1 + len(lines[-len(kept) - 1].encode(errors="replace")) > most


def test_of_one_line_that_does_not_fit_the_end_is_kept_in_whole_characters() -> None:
    assert cut_lines(["one", "漢字é"], 4) == (["é"], 6)
    assert cut_lines(["漢"], 2) == ([""], 3)
    assert cut_lines(["abc"], 3) == (["abc"], 0)
    assert cut_lines([], 5) == ([], 0)
