"""What both engines promise beyond drawing: rows, tail, alternate screen, modes, resizing."""

import pytest

from session_core.screen import Cursor, Size

from .conftest import OpenPane


def numbered(count: int) -> bytes:
    return b"\r\n".join(b"line %d" % number for number in range(count))


def test_a_fresh_screen_is_empty(open_pane: OpenPane) -> None:
    screen = open_pane()
    assert screen.text() == ""
    assert screen.cursor == Cursor(0, 0, True)
    assert screen.size == Size(20, 6)
    assert (screen.title, screen.alternate, screen.kitty_flags) == ("", False, 0)
    assert screen.row_count == 6


def test_text_drops_trailing_blanks_and_rows_but_keeps_those_between(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\r\na   \r\n\r\nb \r\n   ")
    assert screen.text() == "\na\n\nb"


def test_rows_count_from_the_oldest_row_kept(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(numbered(20))
    assert screen.row_count == 20
    assert screen.rows(0, 2) == ["line 0", "line 1"]
    assert screen.rows(13, 15) == ["line 13", "line 14"]
    assert screen.rows(18, 99) == ["line 18", "line 19"]


def test_rows_outside_are_clamped_and_empty_rows_are_counted(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\r\n\r\nx")
    assert screen.rows(-5, 5) == ["", "", "x", "", ""]
    assert screen.rows(4, 2) == []
    assert screen.rows(99, 200) == []


def test_scrollback_is_bounded_and_keeps_at_least_what_was_asked(open_pane: OpenPane) -> None:
    screen = open_pane(80, 24, scrollback_rows=1000)
    screen.feed(numbered(8000))
    assert 1000 <= screen.row_count < 4000
    assert screen.rows(screen.row_count - 1, screen.row_count) == ["line 7999"]


def test_no_scrollback_keeps_the_screen_only(open_pane: OpenPane) -> None:
    screen = open_pane(scrollback_rows=0)
    screen.feed(numbered(100))
    assert screen.row_count == 6
    assert screen.rows(0, 1) == ["line 94"]


def test_tail_joins_wrapped_rows_and_leaves_blank_lines_out(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"one\r\n\r\n" + b"x" * 50 + b"\r\n   \r\nlast \r\n")
    assert screen.tail(2) == ["x" * 50, "last"]
    assert screen.tail(99) == ["one", "x" * 50, "last"]
    assert screen.tail(0) == []


def test_tail_reaches_into_the_scrollback(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"y" * 400 + b"\r\n" + numbered(30))
    assert screen.tail(31)[0] == "y" * 400
    assert screen.tail(3) == ["line 27", "line 28", "line 29"]


@pytest.mark.parametrize("mode", [47, 1047, 1049])
def test_the_alternate_screen_leaves_the_main_screen_and_its_scrollback_alone(open_pane: OpenPane, mode: int) -> None:
    screen = open_pane()
    screen.feed(numbered(12))
    before, kept = screen.text(), screen.row_count
    screen.feed(b"\x1b[?%dh\x1b[2J\x1b[H" % mode)
    assert screen.alternate
    screen.feed(numbered(40))
    assert screen.row_count == 6
    assert "line 39" in screen.text()
    screen.feed(b"\x1b[?%dl" % mode)
    assert not screen.alternate
    assert (screen.text(), screen.row_count) == (before, kept)


def test_leaving_the_alternate_screen_restores_the_cursor(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"main\x1b[?1049h\x1b[5;9Hx\x1b[?1049l")
    assert screen.cursor == Cursor(4, 0, True)


@pytest.mark.parametrize("mode", [1, 66, 1000, 1002, 1003, 1004, 1005, 1006, 2004, 2026])
def test_a_mode_is_known_while_it_is_set(open_pane: OpenPane, mode: int) -> None:
    screen = open_pane()
    assert not screen.mode(mode)
    screen.feed(b"\x1b[?%dh" % mode)
    assert screen.mode(mode)
    screen.feed(b"\x1b[?%dl" % mode)
    assert not screen.mode(mode)


def test_the_cursor_mode_is_on_at_first_and_shown_in_the_cursor(open_pane: OpenPane) -> None:
    screen = open_pane()
    assert screen.mode(25)
    screen.feed(b"\x1b[?25l")
    assert not screen.mode(25)
    assert not screen.cursor.visible


@pytest.mark.parametrize("mode", [-1, 0, 77, 32768, 10**12])
def test_a_mode_that_does_not_exist_is_not_set(open_pane: OpenPane, mode: int) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[?%dh" % abs(mode))
    assert not screen.mode(mode)


def test_several_modes_are_switched_at_once_and_can_be_saved(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[?1000;2004h\x1b[?1000s\x1b[?1000;2004l\x1b[?1000r")
    assert (screen.mode(1000), screen.mode(2004)) == (True, False)


def test_keypad_mode_follows_both_ways_of_setting_it(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b=")
    assert screen.mode(66)
    screen.feed(b"\x1b[?66l")
    assert not screen.mode(66)


@pytest.mark.parametrize("mark", [b"A", b"A;aid=1", b"B", b"C", b"D;0", b"L", b"N", b"P;k=s", b"I"])
def test_a_prompt_mark_cut_anywhere_moves_nothing(open_pane: OpenPane, mark: bytes) -> None:
    sequence = b"\x1b]133;" + mark + b"\x1b\\"
    for cut in range(len(sequence)):
        screen = open_pane()
        assert screen.feed(b"ab" + sequence[:cut]) + screen.feed(sequence[cut:] + b"c") == b""
        assert (screen.text(), screen.cursor) == ("abc", Cursor(3, 0, True)), cut
        screen.close()


def test_a_prompt_is_not_cleared_when_the_screen_is_resized(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07make")
    screen.resize(30, 6)
    assert screen.text() == "$ make"


@pytest.mark.parametrize("command", [b"0", b"2"])
def test_a_title_is_kept_and_replaced(open_pane: OpenPane, command: bytes) -> None:
    screen = open_pane()
    screen.feed(b"\x1b]" + command + ";büro ✳\x07".encode())
    assert screen.title == "büro ✳"
    screen.feed(b"\x1b]" + command + b";\x1b\\")
    assert screen.title == ""


def test_a_narrower_screen_wraps_lines_again_and_a_wider_one_joins_them(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"0123456789abcdefghijklm\r\nz")
    assert screen.text() == "0123456789abcdefghij\nklm\nz"
    screen.resize(10, 6)
    assert screen.text() == "0123456789\nabcdefghij\nklm\nz"
    assert screen.cursor == Cursor(1, 3, True)
    screen.resize(30, 6)
    assert screen.text() == "0123456789abcdefghijklm\nz"
    assert screen.cursor == Cursor(1, 1, True)


def test_rewrapping_keeps_wide_characters_whole(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed("日本語日本語日本語".encode())
    screen.resize(5, 8)
    assert screen.text() == "日本\n語日\n本語\n日本\n語"
    screen.resize(20, 6)
    assert screen.tail(1) == ["日本語日本語日本語"]


def test_a_lower_screen_moves_rows_to_the_scrollback(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(numbered(6))
    screen.resize(20, 3)
    assert screen.text() == "line 3\nline 4\nline 5"
    assert screen.rows(0, 6) == [f"line {number}" for number in range(6)]
    assert screen.cursor == Cursor(6, 2, True)


def test_resizing_during_the_alternate_screen_keeps_the_main_screen(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(numbered(5) + b"\x1b[?1049hALT")
    screen.resize(30, 4)
    screen.feed(b"\x1b[?1049l")
    assert [line for line in screen.rows(0, screen.row_count) if line] == [f"line {n}" for n in range(5)]


@pytest.mark.parametrize(("asked", "given"), [((0, -3), Size(1, 1)), ((99_999, 5), Size(2000, 5))])
def test_sizes_are_clamped(open_pane: OpenPane, asked: tuple[int, int], given: Size) -> None:
    screen = open_pane()
    screen.resize(*asked)
    assert screen.size == given
    screen.feed("x日".encode())


def test_a_full_reset_empties_the_screen_and_its_modes(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[?2004h\x1b[>5u\x1b[?1049habc\x1b[31m\x1bc")
    assert screen.text() == ""
    assert (screen.alternate, screen.mode(2004), screen.kitty_flags) == (False, False, 0)
    assert screen.cursor == Cursor(0, 0, True)


def test_closing_twice_is_allowed(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.close()
    screen.close()
