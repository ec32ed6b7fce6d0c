"""Bytes as the lines that went by, and where they end amid a character or a sequence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.protocol.events import EventStream
from session_core.screen.engine import EngineName, Size
from session_core.screen.plain import LOOK_BACK_BYTES, PlainLines, cut_lines, plain_lines, unfinished

SIZE = Size(80, 24)
ENGINES: tuple[EngineName, ...] = ("ghostty", "pyte")


def _plain(data: bytes, engine: EngineName) -> PlainLines:
    return plain_lines(data, SIZE, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("data", "lines", "end"),
    [
        (b"", [], ""),
        (b"a", ["a"], ""),
        (b"a\r\nb\r\n", ["a", "b"], "\n"),
        (b"a\r\n\r\n\r\nb\r\n\r\n", ["a", "", "", "b"], "\n\n"),
        (b"\r\n\r\n", [], "\n\n"),
        (b"ask: \x1b[0m", ["ask:"], " "),
        (b"  ", [], "  "),
        (b"a\r\n\x1b]2;a title\x07", ["a"], "\n"),
        (b"1 %\r50 %\r100 %\r\n", ["100 %"], "\n"),
        (b"x" * 200, ["x" * 200], ""),
        (b"one\r\ntwo\x1b[A\rONE\r\n", ["ONE", "two"], ""),
    ],
)
def test_lines_are_what_was_shown_and_the_end_is_what_came_after_them(
    data: bytes, lines: list[str], end: str, engine: EngineName
) -> None:
    assert _plain(data, engine) == PlainLines(lines, 0, end)


@pytest.mark.parametrize(
    ("engine", "count", "line", "most"), [("ghostty", 70_000, 8, 20_000), ("pyte", 6000, 68, 256 * 1024 // 68)]
)
def test_of_very_many_lines_the_newest_come_and_the_others_are_counted(
    engine: EngineName, count: int, line: int, most: int
) -> None:
    fill = "." * (line - 8)
    plain = _plain(b"".join(f"{number:06}{fill}\r\n".encode() for number in range(count)), engine)
    assert plain.lines == [f"{number:06}{fill}" for number in range(count - len(plain.lines), count)]
    assert plain.left_out + len(plain.lines) == count
    assert most - 1 <= len(plain.lines) <= most


def test_a_line_of_megabytes_on_a_narrow_screen_stays_within_bounds() -> None:
    plain = plain_lines(b"x" * 4_000_000 + b"END", Size(2, 5), "auto")
    assert plain.lines[-1].endswith("xEND")
    assert sum(map(len, plain.lines)) <= 200_000


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_no_bytes_are_an_error(data: bytes) -> None:
    plain = plain_lines(data, SIZE, "auto")
    assert all("\n" not in line for line in plain.lines)


_PIECES = st.lists(
    st.sampled_from(
        ["a", "é", "中", "🙂", "\x1b[1;38;5;3m", "\x1b[?25l", "\x1b]2;t\x07", "\x1b]8;;u\x1b\\", "\x1b(B", "\n"]
    ),
    min_size=1,
    max_size=12,
)


@given(_PIECES, st.integers(0, 200))
@settings(deadline=None)
def test_output_that_is_cut_anywhere_is_whole_up_to_where_it_is_said_to_be(pieces: list[str], cut: int) -> None:
    encoded = [piece.encode() for piece in pieces]
    data = b"".join(encoded)[:cut]
    stream = EventStream()
    stream.feed(data)
    end = stream.unfinished
    end -= unfinished(data[max(0, end - LOOK_BACK_BYTES) : end])
    bounds, at = [0], 0
    for piece in encoded:
        at += len(piece)
        bounds.append(at)
    assert end == max(bound for bound in bounds if bound <= cut)


def test_what_is_joined_to_the_next_character_is_not_whole() -> None:
    assert unfinished("x👨\u200d".encode()) == len("👨\u200d".encode())
    assert unfinished("x🏳\ufe0f\u200d".encode()) == len("🏳\ufe0f\u200d".encode())
    assert unfinished("x👨\u200d👩".encode()) == 0


@given(st.lists(st.text(max_size=20), max_size=20), st.integers(1, 100))
def test_the_newest_lines_that_fit_are_kept_whole_or_the_end_of_the_last_one(lines: list[str], most: int) -> None:
    kept, cut = cut_lines(lines, most)
    size = len("\n".join(kept).encode(errors="replace"))
    assert size <= most
    if cut or (lines and not kept):
        assert len(kept) <= 1
        assert len(lines[-1].encode(errors="replace")) - size == cut or "\ufffd" in kept[0]
        return
    assert kept == lines[len(lines) - len(kept) :]
    if len(kept) < len(lines):
        assert len("\n".join(lines[-len(kept) - 1 :]).encode(errors="replace")) > most
