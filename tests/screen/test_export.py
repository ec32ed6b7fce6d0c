"""Snapshots, ANSI and HTML."""

import re
from html import unescape

import pytest

from session_core.screen import EngineName, ScreenEngine, open_screen

from .conftest import GHOSTTY, OpenPane

SCREENS = {
    "colours": b"\x1b[1;31mred\x1b[0m plain \x1b[38;2;1;2;3;48;5;200mrgb\x1b[m",
    "wide characters": "日本語 é e\u0301 ok".encode(),
    "gaps": b"\r\n\r\n   x\x1b[5;10Hy",
    "alternate screen": b"main\r\n\x1b[?1049h\x1b[2;3Halt",
    "margins": b"one\r\ntwo\r\nthree\x1b[2;4r\x1b[3;2H",
    "origin mode": b"\x1b[2;4r\x1b[?6h\x1b[2;3H",
    "modes": b"\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?66h",
    "hidden cursor": b"ab\x1b[?25l",
    "kitty keyboard": b"\x1b[>5u",
    "wrap pending": b"a" * 20,
    "wrap pending, wide": b"a" * 18 + "日".encode(),
    "no wrap": b"\x1b[?7labc",
    "insert mode": b"abc\r\x1b[4h",
    "line drawing": b"\x1b(0lqk",
    "tab stops": b"\x1b[3g\x1b[5G\x1bH\r",
    "background": b"\x1b[41m\x1b[2J\x1b[3;3Hx",
    "full of text": b"x" * 120,
}
AFTER = b"\tAq\r\n\r\n\r\nB"


def observed(screen: ScreenEngine) -> tuple[object, ...]:
    modes = [number for number in (1, 6, 7, 25, 66, 1002, 1004, 1006, 2004) if screen.mode(number)]
    return screen.text(), screen.cursor, screen.alternate, screen.kitty_flags, modes


@pytest.mark.parametrize("painted_on", [GHOSTTY, "pyte"])
@pytest.mark.parametrize("data", SCREENS.values(), ids=SCREENS.keys())
def test_a_snapshot_paints_the_same_screen_which_then_goes_on_alike(
    open_pane: OpenPane, painted_on: EngineName, data: bytes
) -> None:
    screen, copy = open_pane(), open_screen(20, 6, engine=painted_on)
    screen.feed(data)
    assert copy.feed(screen.snapshot()) == b""
    assert observed(copy) == observed(screen)
    screen.feed(AFTER)
    copy.feed(AFTER)
    assert observed(copy) == observed(screen)
    copy.close()


@pytest.mark.parametrize("data", SCREENS.values(), ids=SCREENS.keys())
def test_a_snapshot_keeps_the_colours(open_pane: OpenPane, data: bytes) -> None:
    screen, copy = open_pane(), open_pane()
    screen.feed(data)
    copy.feed(screen.snapshot())
    assert copy.ansi() == screen.ansi()


def test_a_snapshot_never_freezes_or_resizes_its_viewer(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[?2026h\x1b[?3hx")
    assert not re.search(rb"\x1b\[\?(2026|3)h", screen.snapshot())


def test_ansi_holds_colours_and_no_other_sequence(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"a\x1b[31mb\x1b[0m\r\n\x1b]0;t\x07\x1b[?2004h\x1b]8;;http://x/\x07c\x1b]8;;\x07")
    assert re.sub(r"\x1b\[[0-9;:]*m", "", screen.ansi()) == "ab\nc"
    assert re.search(r"\x1b\[[0-9;:]*(31|38;5;1)m", screen.ansi())


def test_html_escapes_text_and_holds_no_link(open_pane: OpenPane) -> None:
    screen = open_pane(60, 6)
    screen.feed(b"<b>&\"'\x1b[1mx\x1b[m\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07")
    html = screen.html()
    assert unescape(re.sub(r"<[^>]*>", "", html)) == "<b>&\"'xlink"
    assert {tag.lower() for tag in re.findall(r"</?(\w+)", html)} <= {"div", "span"}
    assert "javascript" not in html


def test_html_names_palette_colours_by_number(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[31;48;5;200mx\x1b[38;2;1;2;3my")
    html = screen.html()
    assert "color: var(--vt-palette-1)" in html
    assert "background-color: var(--vt-palette-200)" in html
    assert "color: rgb(1, 2, 3)" in html
