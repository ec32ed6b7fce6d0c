"""A picture of a screen has its cells, colours and cursor; a page says what its colours are."""

import io
from typing import Any

import pytest

from session_core.screen import open_screen
from session_core.screen.picture import PALETTE, draw, page

Image: Any = pytest.importorskip("PIL.Image", reason="the extra `picture` is not installed")

COLUMNS, ROWS = 20, 4
INK, PAPER = (229, 229, 229), (0, 0, 0)


def _cells(text: str, cursor: tuple[int, int] | None = None) -> dict[tuple[int, int], set[Any]]:
    """The colours that each cell has."""
    screen = open_screen(COLUMNS, ROWS)
    screen.feed(text.encode())
    with Image.open(io.BytesIO(draw(screen.ansi(), COLUMNS, ROWS, cursor))) as image:
        width, height = image.size[0] // COLUMNS, image.size[1] // ROWS
        assert image.size == (width * COLUMNS, height * ROWS)
        cells = {}
        for column in range(COLUMNS):
            for row in range(ROWS):
                box = (column * width, row * height, (column + 1) * width, (row + 1) * height)
                cells[column, row] = {colour for _, colour in image.crop(box).getcolors(10_000)}
    screen.close()
    return cells


def test_an_empty_screen_is_paper_with_a_cursor() -> None:
    cells = _cells("", (3, 2))
    assert cells.pop((3, 2)) == {INK}
    assert set().union(*cells.values()) == {PAPER}


@pytest.mark.parametrize(
    ("sgr", "ink", "paper"),
    [
        ("31", PALETTE[1], PAPER),
        ("97;44", PALETTE[15], PALETTE[4]),
        ("38;5;196;48;5;22", PALETTE[196], PALETTE[22]),
        ("38;2;1;200;3", (1, 200, 3), PAPER),
        ("7", PAPER, INK),
        ("31;7", PAPER, PALETTE[1]),
    ],
)
def test_a_character_has_its_colours(sgr: str, ink: Any, paper: Any) -> None:
    cells = _cells(f"a\x1b[{sgr}m█\x1b[0mb")
    assert ink in cells[1, 0]
    assert paper in _cells(f"a\x1b[{sgr}m. \x1b[0mb")[1, 0]


def test_what_is_concealed_is_not_drawn_and_a_line_is_drawn_under_what_is_underlined() -> None:
    assert _cells("\x1b[8mX\x1b[0m")[0, 0] == {PAPER}
    assert INK in _cells("\x1b[4m \x1b[0m.")[0, 0]


def test_a_wide_character_takes_two_cells_and_what_follows_has_its_place() -> None:
    cells = _cells("中█")
    assert PAPER in cells[0, 0]
    assert INK in cells[2, 0]
    assert cells[4, 0] == {PAPER}


def test_a_page_names_every_colour_and_escapes_its_title() -> None:
    text = page("<div>shown</div>", "p1 <script>")
    assert "<div>shown</div>" in text
    assert "<title>p1 &lt;script&gt;</title>" in text
    assert all(f"--vt-palette-{number}:#" in text for number in range(256))


def test_the_palette_is_that_of_xterm() -> None:
    assert len(PALETTE) == 256
    assert (PALETTE[16], PALETTE[231], PALETTE[196]) == ((0, 0, 0), (255, 255, 255), (255, 0, 0))
    assert (PALETTE[232], PALETTE[255]) == ((8, 8, 8), (238, 238, 238))
