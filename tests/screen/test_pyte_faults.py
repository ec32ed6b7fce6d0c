"""Each fault of pyte that must not reach a pane, closed.

Every row of a table is one small input and the screen that xterm shows for it.
"""

from collections.abc import Iterator

import pytest

from session_core.screen import Cursor, ScreenEngine, Size, open_screen
from session_core.screen.pyte_engine import PyteScreen
from session_core.screen.pyte_front import SEQUENCE_LIMIT, STRING_LIMIT
from session_core.screen.pyte_screen import PaneScreen

RAISED = {
    "private SGR": b"a\x1b[?4mb",
    "private restore": b"a\x1b[?1rb",
    "private position": b"a\x1b[?6n\x1b[?996n\x1b[?1H\x1b[?1A\x1b[?2L\x1b[?1d\x1b[?1;2gb",
    "one parameter too many": b"a\x1b[1;2n\x1b[6;1n\x1b[1;1c\x1b[2;3'zb",
    "too many for a motion": b"\x1b[1;1;1Ha\x1b[1;2Ab",
    "too many for margins": b"\x1b[1;2;3rab",
    "unknown erasures": b"a\x1b[4J\x1b[5Kb",
    "digits that are no digits": "a\x1b[²mb".encode(),
    "origin mode without margins": b"\x1b[?6h\x1b[6n\x1b[1dab",
}

LEAKED = {
    "curly underline": b"a\x1b[4:3mb",
    "colon true colour": b"a\x1b[38:2::1:2:3mb",
    "colon palette colour": b"a\x1b[38:5:196mb",
    "kitty pop": b"a\x1b[<ub",
    "kitty set": b"a\x1b[=1;1ub",
    "tertiary attributes": b"a\x1b[=cb",
    "soft reset": b"a\x1b[!pb",
    "protection": b'a\x1b[1"qb',
    "percent intermediate": b"a\x1b[1%mb",
    "star intermediate": b"a\x1b[1*xb",
    "setting query": b"a\x1bP$qm\x1b\\b",
    "kitty graphics": b"a\x1b_Gi=1,a=q;AAAA\x1b\\b",
    "privacy message": b"a\x1b^pm\x1b\\b",
    "start of string": b"a\x1bXsos\x1b\\b",
    "tmux passthrough": b"a\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\b",
    "screen title": b"a\x1bktitle\x1b\\b",
    "seven bit": b"a\x1b Fb",
    "third charset": b"a\x1b*0b",
    "fourth charset": b"a\x1b+Bb",
    "96 charset": b"a\x1b-Ab",
    "ESC inside CSI": b"a\x1b[3\x1b[31mb",
    "ESC ESC": b"a\x1b\x1b[31mb",
    "title with U+009C": "a\x1b]0;x\u009cy\x07b".encode(),
    "title with U+009B": "a\x1b]0;x\u009by\x07b".encode(),
    "palette of Linux, ended": b"a\x1b]P0112233\x07b",
}

SWALLOWED = {
    "variation selector": ("❤\ufe0f ok".encode(), "❤\ufe0f ok"),
    "joiner": ("👩\u200d👧 ok".encode(), "👩\u200d👧 ok"),
    "zero width space": ("ab\u200bcd".encode(), "abcd"),
    "non joiner": ("ab\u200ccd".encode(), "abcd"),
    "direction marks": ("a\u200e\u200fb".encode(), "ab"),
    "byte order mark": ("\ufeffabc".encode(), "abc"),
    "jamo": ("ᄒ\u1161\u11abX".encode(), "ᄒ\u1161\u11abX"),
    "control characters": (b"a\x05b\x01c\x02d\x1ce", "abcde"),
    "U+009B is no CSI": ("a\u009b31mb".encode(), "a31mb"),
    "ESC inside OSC": (b"a\x1b]0;x\x1b[31mb", "ab"),
    "CAN inside OSC": (b"a\x1b]0;x\x18b", "ab"),
    "SUB inside OSC": (b"a\x1b]0;x\x1ab", "ab"),
    "SUB inside CSI": (b"a\x1b[3\x1ab", "ab"),
    "new sequence inside DCS": (b"a\x1bPx\x1b[31mb", "ab"),
    "text after a broken CSI": ("a\x1b[3日b".encode(), "a日b"),
    "bad UTF-8": (b"a\xff\xc3(b\xe2\x82", "a\ufffd\ufffd(b"),
}

DRAWN = {
    "scroll up": (b"a\r\nb\r\nc\x1b[2S", "c"),
    "scroll down": (b"a\x1b[2T", "\n\na"),
    "repeat": (b"ab\x1b[5b", "abbbbbb"),
    "tab back": (b"\x1b[1;12H\x1b[Zx", "        x"),
    "tab forward": (b"\x1b[2Ix", " " * 16 + "x"),
    "save and restore by CSI": (b"ab\x1b[s\x1b[5;5H\x1b[ux", "abx"),
    "soft reset turns wrapping on": (b"\x1b[?7l\x1b[!p" + b"a" * 21, "a" * 20 + "\na"),
    "space intermediate is no ICH": (b"ab\r\x1b[2 @", "ab"),
    "line drawing": (b"\x1b(0lqk\x1b(B", "┌─┐"),
    "line drawing by shift": (b"\x1b)0a\x0eq\x0fq", "a─q"),
    "line drawing leaves arrows": (b"\x1b(0+-.", "+-."),
    "next line returns": (b"ab\x1bEc", "ab\nc"),
    "margins home": (b"ab\x1b[rc", "cb"),
    "position past the margins": (b"\x1b[2;4r\x1b[?6h\x1b[9;1Hx", "\n\n\nx"),
    "up above the region": (b"\x1b[3;5r\x1b[2;1H\x1b[9Ax", "x"),
    "down below the region": (b"\x1b[1;3r\x1b[5;1H\x1b[9Bx", "\n\n\n\n\nx"),
    "line feed below the region": (b"\x1b[1;3r\x1b[6;1Ha\nb", "\n\n\n\n\nab"),
    "HPA": (b"\x1b[5`x", "    x"),
    "locator request is no HPA": (b"a\x1b[5'`b", "ab"),
    "wide at the edge": (b"a" * 19 + "日".encode(), "a" * 19 + "\n日"),
    "restore twice": (b"ab\x1b7\x1b[3;3H\x1b8x\x1b[4;4H\x1b8y", "aby"),
    "scrollback erased, screen kept": (b"ab\x1b[3J", "ab"),
    "insert at the edge": (b"a" * 20 + b"\x1b[1;1H\x1b[3@", "   " + "a" * 17),
    "half a wide character overwritten": ("日本\x1b[1;2Hx".encode(), " x本"),
    "left half overwritten": ("日\x1b[1;1Hx".encode(), "x"),
    "half erased": ("日本\x1b[1;2H\x1b[X".encode(), "  本"),
    "half deleted": ("日本\x1b[1;2H\x1b[P".encode(), " 本"),
    "cut by an insertion": (b"a" * 18 + "日\x1b[1;1H\x1b[@".encode(), " " + "a" * 18),
    "combining is kept as sent": (b"e\xcc\x81x\xcc\xa3\xcc\x87", "e\u0301x\u0323\u0307"),
}


class PyteInternals:
    """The portable engine with its buffers in sight."""

    def __init__(self) -> None:
        self.engine = PyteScreen(Size(20, 6), 100)

    @property
    def held_bytes(self) -> int:
        return self.engine._front.held_bytes

    @property
    def screen(self) -> PaneScreen:
        return self.engine._screen


@pytest.fixture
def screen() -> Iterator[ScreenEngine]:
    opened = open_screen(20, 6, engine="pyte")
    yield opened
    opened.close()


@pytest.mark.parametrize("data", RAISED.values(), ids=RAISED.keys())
def test_what_raised_is_taken_and_the_text_around_it_drawn(screen: ScreenEngine, data: bytes) -> None:
    screen.feed(data)
    assert screen.text().replace("\ufffd", "").replace("²m", "") == "ab"


@pytest.mark.parametrize("data", LEAKED.values(), ids=LEAKED.keys())
def test_what_leaked_is_dropped_whole(screen: ScreenEngine, data: bytes) -> None:
    screen.feed(data)
    assert screen.text() == "ab"


@pytest.mark.parametrize(("data", "text"), SWALLOWED.values(), ids=SWALLOWED.keys())
def test_what_was_swallowed_is_drawn(screen: ScreenEngine, data: bytes, text: str) -> None:
    screen.feed(data)
    assert screen.text() == text


@pytest.mark.parametrize(("data", "text"), DRAWN.values(), ids=DRAWN.keys())
def test_what_was_wrong_is_drawn_as_xterm_draws_it(screen: ScreenEngine, data: bytes, text: str) -> None:
    screen.feed(data)
    assert screen.text() == text


@pytest.mark.parametrize("opener", [b"\x1b]0;", b"\x1bP", b"\x1b_", b"\x1b^", b"\x1bX", b"\x1bk", b"\x1b[", b"\x1b("])
def test_a_sequence_that_never_ends_holds_little_and_any_escape_ends_it(opener: bytes) -> None:
    pane = PyteInternals()
    pane.engine.feed(opener)
    for _ in range(100):
        pane.engine.feed(b"1;" * 5000 if opener == b"\x1b[" else b" !" * 5000)
    assert pane.held_bytes <= STRING_LIMIT + SEQUENCE_LIMIT
    pane.engine.feed(b"\x1b[Hok")
    assert pane.engine.text().startswith("ok")


def test_a_long_sequence_is_dropped_alike_whole_and_in_pieces() -> None:
    data = b"a\x1b[" + b"1;" * SEQUENCE_LIMIT + b"Hb"
    whole, pieces = open_screen(20, 6, engine="pyte"), open_screen(20, 6, engine="pyte")
    whole.feed(data)
    for at in range(len(data)):
        pieces.feed(data[at : at + 1])
    assert whole.text() == pieces.text() == "ab"


def test_saving_the_cursor_often_keeps_one(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b7" * 1000 + b"ab\x1b7" + b"\x1b8" * 3)
    assert screen.cursor == Cursor(2, 0, True)


def test_marks_without_width_do_not_pile_up_in_a_cell(screen: ScreenEngine) -> None:
    screen.feed(b"e" + "\u0301".encode() * 5000)
    assert len(screen.text()) <= 16


def test_a_program_cannot_widen_the_screen(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b[?40h\x1b[?3hab\x1b[?3l\x1b[8;50;200t")
    assert (screen.size.columns, screen.size.rows) == (20, 6)


def test_repeating_is_bounded_by_the_screen(screen: ScreenEngine) -> None:
    screen.feed(b"x\x1b[99999999b")
    assert screen.row_count <= 2 * screen.size.rows


def test_modifyotherkeys_sets_no_attribute(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b[>4;2m\x1b[?4mx")
    assert screen.ansi() == "x"


@pytest.mark.parametrize(
    ("pen", "expected"),
    [
        (b"58;2;1;31;1", "0;58;2;1;31;1"),
        (b"38;2;999;1;1", None),
        (b"38;5", None),
        (b"2;8;53", "0;2;8;53"),
        (b"4:3;58:2::1:2:3", "0;4:3;58;2;1;2;3"),
        (b"38:2:1:2:3", "0;38;2;1;2;3"),
        (b";;1", "0;1"),
        (b"1;22;3;23;7;27", None),
    ],
)
def test_colours_and_attributes_are_read_whole(screen: ScreenEngine, pen: bytes, expected: str | None) -> None:
    screen.feed(b"\x1b[" + pen + b"mx")
    assert screen.ansi() == (f"\x1b[{expected}mx\x1b[0m" if expected else "x")


def test_prompt_marks_and_colour_commands_set_no_title(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b]0;kept\x07\x1b]133;A\x07\x1b]10;?\x07\x1b]1;icon\x07")
    assert screen.title == "kept"


def test_a_title_holds_no_control_character_and_is_short(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b]0;a\x01b\xc2\x9bc" + b"x" * 5000 + b"\x07")
    assert screen.title.startswith("abcx")
    assert len(screen.title) <= 1024


def test_resizing_keeps_the_cursor_on_the_screen_and_gives_new_columns_tab_stops(
    screen: ScreenEngine,
) -> None:
    screen.feed(b"\x1b[1;20H")
    screen.resize(10, 6)
    assert screen.cursor.column < 10
    screen.resize(40, 6)
    screen.feed(b"\r\t\t\t\tx")
    assert screen.text() == " " * 32 + "x"


def test_erasing_takes_the_background_and_no_other_attribute(screen: ScreenEngine) -> None:
    screen.feed(b"\x1b[4;7;41m\x1b[2J")
    assert screen.ansi().split("\n") == ["\x1b[0;41m" + " " * 20 + "\x1b[0m"] * 6


def test_only_what_leaves_the_top_is_scrolled_back(screen: ScreenEngine) -> None:
    screen.feed(b"top\x1b[2;4r\x1b[4;1H" + b"x\n" * 20 + b"\x1b[2;1H" + b"\x1bM" * 20)
    assert screen.row_count == 6


def test_many_pens_and_characters_leave_the_caches_small() -> None:
    pane = PyteInternals()
    for red in range(256):
        for green in range(0, 256, 64):
            pane.engine.feed(b"\x1b[38;2;%d;%d;1mx" % (red, green))
    for code in range(0x100, 0x3000):
        pane.engine.feed(chr(code).encode())
    assert len(pane.screen._glyphs_by_style) <= 256
    assert max(map(len, pane.screen._glyphs_by_style.values())) <= 1024
