"""A still reads as the screen did when it was taken, whatever the screen does afterwards."""

import pytest

from session_core.screen import ReadableScreen, ScreenEngine, Still, open_screen

from .conftest import GHOSTTY

_OUTPUTS = {
    "empty": b"",
    "scrolled": b"\r\n".join(b"line %d" % number for number in range(30)),
    "wrapped": b"x" * 50 + b"\r\n\r\n  indented\r\n",
    "colours": b"\x1b[31mred\x1b[0m \x1b[1;48;5;200mbold\x1b[0m <&>",
    "characters": "日本語 e\u0301 👩\u200d💻".encode(),
    "alternate screen": b"main\x1b[?1049h\x1b[2;3Hover it\x1b[?25l",
    "title": b"\x1b]0;title\x07text",
    "about to wrap": b"\x1b[3;1H" + b"y" * 20,
}


def reads(screen: ReadableScreen) -> dict[str, object]:
    return {
        "text": screen.text(),
        "lines": screen.lines(0),
        "tails": [screen.tail(wanted) for wanted in (0, 1, 3, 100)],
        "ansi": screen.ansi(),
        "html": screen.html(),
        "snapshot": screen.snapshot(),
        "cursor": screen.cursor,
        "size": screen.size,
        "title": screen.title,
        "alternate": screen.alternate,
        "rows": screen.row_count,
        "skipped": screen.skipped,
    }


@pytest.mark.parametrize("engine", [GHOSTTY, "pyte"])
@pytest.mark.parametrize("output", _OUTPUTS.values(), ids=_OUTPUTS.keys())
def test_a_still_reads_as_the_screen_did(engine: str, output: bytes) -> None:
    screen: ScreenEngine = open_screen(20, 6, engine="pyte" if engine == "pyte" else "ghostty")
    screen.feed(output)
    before, still = reads(screen), Still(screen)
    screen.feed(b"\x1bc\x1b]0;another\x07\x1b[?25h" + b"other\r\n" * 40)
    screen.resize(33, 7)
    assert reads(still) == before
    screen.close()
    assert reads(still) == before
