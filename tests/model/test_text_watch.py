"""A text that is searched for is found where it is new; what was there before, and what was written, is not."""

from collections.abc import Sequence

import pytest

from session_core.model.text_watch import (
    LINE_CHARACTERS,
    TextMatch,
    TextWatch,
    echoes,
    piece_limits,
    pieces,
    where_on,
)

NEEDLE = "MARK-9"
MORE = "and more"


def _watch(before: Sequence[str] = (), written: str = "") -> TextWatch:
    return TextWatch(NEEDLE, before, list(echoes(written)))


def _found(watch: TextWatch, *screens: Sequence[str]) -> TextMatch | None:
    """Show one screen after another; return the first match."""
    return next((match for lines in screens if (match := watch.look(lines, 0))), None)


# ---- where it was


def test_a_match_names_its_line_its_place_and_the_output_read() -> None:
    assert _watch().look(["a", f"b {NEEDLE} c"], 77) == TextMatch(f"b {NEEDLE} c", 1, 2, 77)


def test_the_first_of_several_matches_is_told() -> None:
    match = _found(_watch(), ["x", f"1 {NEEDLE} {NEEDLE}", f"2 {NEEDLE}"])
    assert match is not None
    assert (match.row, match.column) == (1, 2)


@pytest.mark.parametrize(("left", "right"), [(0, 1000), (500, 500), (1000, 0), (0, 0), (299, 299)])
def test_a_long_line_is_cut_around_its_match(left: int, right: int) -> None:
    match = _found(_watch(), ["a" * left + NEEDLE + "b" * right])
    assert match is not None
    assert NEEDLE in match.line
    assert len(match.line) <= LINE_CHARACTERS
    assert match.column == left


def test_the_line_of_a_match_is_made_harmless() -> None:
    match = _found(_watch(), [f"\x1b[31m\u202e{NEEDLE}\x07"])
    assert match is not None
    assert not set("\x1b\u202e\x07") & set(match.line)


def test_a_text_is_literal() -> None:
    watch = TextWatch("a.*[b]", [], [])
    assert _found(watch, ["axxb", "a.*b"]) is None
    assert _found(watch, ["a.*[b]"]) is not None


def test_upper_and_lower_case_are_two_things() -> None:
    assert _found(_watch(), [NEEDLE.lower()]) is None


# ---- what is new

OLD = (
    ("it stays", ["a", NEEDLE], [["a", NEEDLE, "b"]]),
    ("it moves up", ["a", "b", NEEDLE], [["b", NEEDLE, "c"], [NEEDLE, "c", "d"]]),
    ("it moves down", [NEEDLE], [["new", NEEDLE]]),
    ("its line grows behind it", [f"1 {NEEDLE}"], [[f"1 {NEEDLE} 2"], [f"1 {NEEDLE} 2 3"]]),
    ("its line is cut behind it", [f"1 {NEEDLE} 2"], [[f"1 {NEEDLE}"]]),
    ("it leaves", [NEEDLE, "a"], [["a", "b"], ["b", "c"]]),
    ("one of two leaves", [NEEDLE, "a", NEEDLE], [["a", NEEDLE, "b"]]),
    (
        "its line loses its beginning at the top",
        [f"long {NEEDLE}", "a"],
        [[f"ng {NEEDLE}", "a", "b"], [NEEDLE, "a", "b"]],
    ),
    ("a line at the top loses its first match", [f"{NEEDLE} {NEEDLE}"], [[f"9 {NEEDLE}"]]),
)


@pytest.mark.parametrize(("before", "screens"), [case[1:] for case in OLD], ids=[case[0] for case in OLD])
def test_a_match_from_before_is_never_found(before: Sequence[str], screens: Sequence[Sequence[str]]) -> None:
    assert _found(_watch(before), *screens) is None


NEW = (
    ("below the old one", ["a", NEEDLE], [["a", NEEDLE, NEEDLE]], 2),
    ("as the old one moves up", ["a", NEEDLE], [[NEEDLE, NEEDLE]], 1),
    ("again in the line of the old one", [NEEDLE], [[f"{NEEDLE} {NEEDLE}"]], 0),
    ("before the old one in its line", [f"a {NEEDLE}"], [[f"{NEEDLE} a {NEEDLE}"]], 0),
    ("after the old one has left", [NEEDLE, "a"], [["a", "b"], ["b", NEEDLE]], 1),
    ("in a line that was there without it", ["MARK"], [["MARK-"], [NEEDLE]], 0),
    ("in the top line where none was", ["a"], [[NEEDLE]], 0),
    ("with other text before it", [f"1 {NEEDLE}"], [[f"1 {NEEDLE}", f"2 {NEEDLE}"]], 1),
)


@pytest.mark.parametrize(("before", "screens", "row"), [case[1:] for case in NEW], ids=[case[0] for case in NEW])
def test_a_match_that_comes_is_found_where_it_is(
    before: Sequence[str], screens: Sequence[Sequence[str]], row: int
) -> None:
    match = _found(_watch(before), *screens)
    assert match is not None
    assert match.row == row


def test_a_match_is_found_once() -> None:
    watch = _watch()
    assert _found(watch, [NEEDLE]) is not None
    assert _found(watch, [NEEDLE], ["a", NEEDLE]) is None


# ---- what was written

WRITTEN = f"please say {NEEDLE} soon, {MORE}"
BOXED = ("╭──────────────╮", "│ > please say │", f"│ {NEEDLE} soon,│", "╰──────────────╯")
BROKEN = ("│ please say MA │", "│ RK-9 soon,    │")

ECHOES = (
    ("whole", WRITTEN, [["$", f"$ {WRITTEN}"]]),
    ("as it grows", WRITTEN, [[f"$ {WRITTEN[:at]}"] for at in range(len(WRITTEN) + 1)]),
    ("wrapped by the right edge", WRITTEN, [["$ please say", f"{NEEDLE} soon, and", "more"]]),
    ("in a box", WRITTEN, [BOXED]),
    ("broken within it", WRITTEN, [BROKEN]),
    ("twice, in a box and then above it", WRITTEN, [BOXED, [f"> {WRITTEN}", *BOXED[:1]], [f"> {WRITTEN}", "thinking"]]),
    ("again after each key", WRITTEN, [[f"> {WRITTEN}"], [], [f"> {WRITTEN}"], [], [f"> {WRITTEN}"]]),
    ("several lines, in the first", f"say {NEEDLE}\n{MORE}", [[f"> say {NEEDLE}", f"> {MORE}"]]),
    ("several lines, in the last", f"{MORE}\nsay {NEEDLE}", [[f"> {MORE}", f"> say {NEEDLE}"]]),
    ("at the start", f"{NEEDLE} is the word", [[f"$ {NEEDLE} is the word"]]),
    ("at the start, as it grows", f"{NEEDLE} is", [[f"$ {NEEDLE} is"[:at]] for at in range(13)]),
    ("at the start, in a box and then above it", f"{NEEDLE} is", [[f"│ {NEEDLE} is │"], [f"> {NEEDLE} is", "│ │"]]),
    ("alone", NEEDLE, [[f"$ {NEEDLE}"]]),
    ("twice in one text", f"say {NEEDLE} {NEEDLE}", [[f"> say {NEEDLE} {NEEDLE}"]]),
    ("with tabs and other blanks", f"say\t  {NEEDLE}", [[f"> say        {NEEDLE}"]]),
)


@pytest.mark.parametrize(("written", "screens"), [case[1:] for case in ECHOES], ids=[case[0] for case in ECHOES])
@pytest.mark.parametrize("before", [(), (f"old {NEEDLE}",)])
def test_what_was_written_is_never_found_however_it_is_shown(
    written: str, screens: Sequence[Sequence[str]], before: Sequence[str]
) -> None:
    assert _found(_watch(before, written), *([*before, *lines] for lines in screens)) is None


@pytest.mark.parametrize(("written", "screens"), [case[1:] for case in ECHOES], ids=[case[0] for case in ECHOES])
def test_what_is_printed_after_an_echo_is_found(written: str, screens: Sequence[Sequence[str]]) -> None:
    watch = _watch((), written)
    assert _found(watch, *screens) is None
    match = _found(watch, [*screens[-1], f"{NEEDLE}: yes"])
    assert match is not None
    assert match.row == len(screens[-1])


def test_a_text_that_is_written_twice_has_two_echoes() -> None:
    watch = _watch((), f"{NEEDLE}\n{NEEDLE}")
    assert _found(watch, [f"$ {NEEDLE}"], [f"$ {NEEDLE}", f"$ {NEEDLE}"]) is None
    assert _found(watch, [f"$ {NEEDLE}", f"$ {NEEDLE}", NEEDLE]) is not None


def test_an_echo_that_was_shown_before_the_search_takes_no_match_from_it() -> None:
    watch = TextWatch(NEEDLE, [f"$ {NEEDLE}"], [NEEDLE], [NEEDLE])
    assert _found(watch, [f"$ {NEEDLE}", NEEDLE]) is not None


def test_an_echo_whose_beginning_has_left_the_screen_is_one() -> None:
    words = " ".join(f"word{number}" for number in range(300))
    screen = [f"{words} say {NEEDLE}"[-800:][at : at + 80] for at in range(0, 800, 80)]
    assert _found(_watch((), f"{words} say {NEEDLE}"), screen) is None


def test_a_text_that_is_written_while_it_is_searched_for_is_no_output() -> None:
    written: list[str] = []
    watch = TextWatch(NEEDLE, [], written)
    written.extend(echoes(WRITTEN))
    assert _found(watch, [WRITTEN]) is None


@pytest.mark.parametrize("needle", ["│", "──", "|", " "])
def test_a_text_of_frames_alone_is_found_beside_what_was_written(needle: str) -> None:
    assert TextWatch(needle, [], list(echoes("say yes"))).look([f"a{needle}b"], 0) is not None


def test_the_lines_of_a_text_are_its_echoes_without_blanks_and_frames() -> None:
    assert echoes("a b\r\n\n │c│\td \n  \n") == ("ab", "cd")


# ---- pieces

DATA = b"one\ntwo\r\n\nthree without an end"


@pytest.mark.parametrize("line_feeds", [0, 1, 2, 5])
@pytest.mark.parametrize("size", [1, 2, 4, 7, 1000])
def test_pieces_are_the_whole_in_order_and_none_is_longer_or_holds_more_lines(line_feeds: int, size: int) -> None:
    cut = list(pieces(DATA, line_feeds, size))
    assert b"".join(cut) == DATA
    assert all(0 < len(piece) <= size for piece in cut)
    assert all(piece.count(b"\n") <= max(line_feeds, 1) for piece in cut)
    if not line_feeds:
        assert all(piece == b"\n" or b"\n" not in piece for piece in cut)


def test_a_piece_ends_between_two_lines_rather_than_within_one() -> None:
    assert list(pieces(b"abc\ndef\nghi", 5, 9)) == [b"abc\ndef\n", b"ghi"]


@pytest.mark.parametrize("columns", [1, 2, 80])
@pytest.mark.parametrize("rows", [1, 2, 24])
def test_a_piece_is_less_than_a_screen_and_less_than_a_line_where_care_is_needed(columns: int, rows: int) -> None:
    line_feeds, size = piece_limits(columns, rows, careful=False)
    assert 0 <= line_feeds <= rows // 3
    assert columns <= size <= max(columns * rows // 3, columns)
    assert piece_limits(columns, rows, careful=True) == (0, columns)


def test_care_is_needed_while_a_match_is_shown() -> None:
    watch = _watch()
    assert not watch.careful
    watch.look([NEEDLE], 0)
    assert watch.careful
    watch.look(["gone"], 0)
    assert not watch.careful


# ---- going on

GOES_ON: list[tuple[list[str], list[str], int | None]] = [
    (["a", "b", "$"], ["a", "b", "$ ls", "c"], 0),
    (["a", "b", "$"], ["x", "a", "b", "$ ls"], 1),
    (["a", "b", "$"], ["a", "b", "a", "b", "c"], 2),
    (["cut line", "b", "$"], ["this is a cut line", "b", "c"], 0),
    (["a", "b", "$"], ["a", "c", "$"], None),
    (["a", "b", "$"], [], None),
    (["", "$"], ["", "$"], None),
    (["$"], ["$"], None),
    ([], ["a"], None),
]


@pytest.mark.parametrize(("before", "lines", "begin"), GOES_ON)
def test_where_lines_go_on_after_those_before(before: list[str], lines: list[str], begin: int | None) -> None:
    assert where_on(before, lines) == begin
