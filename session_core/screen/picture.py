"""A screen as a picture or as a whole HTML page, made of what a read of it gives: text with SGR, or an HTML fragment.

Pillow draws the picture and is an extra. The font is the system's monospaced one as fontconfig names it, else one at a
known place, else Pillow's own. Colours of the palette are xterm's.
Deliberately absent: fallback fonts for what the font lacks, italics, blinking.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Iterator
from html import escape
from typing import Any, Final

import regex
from wcwidth import wcwidth

from session_core.errors import Code, SessionCoreError
from session_core.screen.engine import BACKGROUND_RGB, FOREGROUND_RGB
from session_core.screen.pyte_cells import PLAIN, Style
from session_core.screen.pyte_sgr import styled

Rgb = tuple[int, int, int]

FONT_PX: Final = 15
_FONTS: Final = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf",
    "/System/Library/Fonts/Menlo.ttc",
    "/System/Library/Fonts/Monaco.ttf",
)
_FC_MATCH: Final = ("fc-match", "--format=%{file}", "monospace")
_FC_MATCH_S: Final = 5.0
_STEPS: Final = (0, 95, 135, 175, 215, 255)
_BASIC: Final = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
PALETTE: Final[tuple[Rgb, ...]] = (
    *((int(rgb[:2], 16), int(rgb[2:4], 16), int(rgb[4:], 16)) for rgb in _BASIC.split()),
    *((red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS),
    *((grey, grey, grey) for grey in range(8, 248, 10)),
)
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_CLUSTER = regex.compile(r"\X")
_WIDE: Final = "\ufe0f"


def page(fragment: str, title: str) -> str:
    """Return a whole page that shows an HTML fragment of a screen."""
    names = "".join(f"--vt-palette-{number}:{_css(rgb)};" for number, rgb in enumerate(PALETTE))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>:root{{{names}}}body{{color:{_css(FOREGROUND_RGB)};background:{_css(BACKGROUND_RGB)}}}</style>\n"
        f"</head><body>{fragment}</body></html>\n"
    )


def draw(text: str, columns: int, rows: int, cursor: tuple[int, int] | None = None) -> bytes:
    """Return a PNG of a screen of this size from its `text` with SGR; `cursor` is a column and a row.

    Raises SessionCoreError with `no_engine` where Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise SessionCoreError(
            Code.NO_ENGINE,
            "Pictures need Pillow, which is not installed.",
            "pip install 'panebridge[picture]', or take --html.",
        ) from error
    font = _font()
    ascent, descent = font.getmetrics()
    width, height = max(1, round(font.getlength("M"))), ascent + descent
    image = Image.new("RGB", (columns * width, rows * height), BACKGROUND_RGB)
    pen = ImageDraw.Draw(image)
    for column, row, cells, cluster, style in _clusters(text, columns, rows):
        left, top = column * width, row * height
        ink, paper = _colours(style, at_cursor=cursor == (column, row))
        if paper != BACKGROUND_RGB:
            pen.rectangle((left, top, left + cells * width - 1, top + height - 1), fill=paper)
        if not style.conceal:
            pen.text((left, top), cluster, fill=ink, font=font, stroke_width=0.3 if style.bold else 0)
        for shown, line in ((style.underline, ascent + 1), (style.strike, height // 2), (style.overline, 0)):
            if shown:
                pen.line((left, top + line, left + cells * width - 1, top + line), fill=ink)
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def _clusters(text: str, columns: int, rows: int) -> Iterator[tuple[int, int, int, str, Style]]:
    """Yield each character: its column, row, cells, text and style. Blank cells at the ends of rows come too."""
    style = PLAIN
    lines = text.split("\n")[:rows]
    for row, line in enumerate(lines + [""] * (rows - len(lines))):
        column = 0
        pieces = _SGR.split(line)
        for at, piece in enumerate(pieces):
            if at % 2:
                style = styled(style, piece)
                continue
            for cluster in _CLUSTER.findall(piece):
                cells = 2 if _WIDE in cluster or any(wcwidth(character) == 2 for character in cluster) else 1
                if column + cells <= columns:
                    yield column, row, cells, cluster, style
                column += cells
        for blank in range(column, columns):
            yield blank, row, 1, " ", PLAIN


def _colours(style: Style, *, at_cursor: bool) -> tuple[Rgb, Rgb]:
    """Return the colours of a character and of what is behind it."""
    ink, paper = _colour(style.foreground, FOREGROUND_RGB), _colour(style.background, BACKGROUND_RGB)
    if style.reverse is not at_cursor:
        ink, paper = paper, ink
    if style.faint:
        ink = (ink[0] // 2 + paper[0] // 2, ink[1] // 2 + paper[1] // 2, ink[2] // 2 + paper[2] // 2)
    return ink, paper


def _colour(colour: str, default: Rgb) -> Rgb:
    kind, *values = map(int, colour.split(";")) if colour else (0,)
    if kind == 5:
        return PALETTE[values[0]]
    return (values[0], values[1], values[2]) if kind == 2 else default


def _css(rgb: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def _font() -> Any:
    from PIL import ImageFont

    for path in (_named_font(), *_FONTS):
        if path and os.path.exists(path):
            try:
                return ImageFont.truetype(path, FONT_PX)
            except OSError:
                continue
    return ImageFont.load_default(FONT_PX)


def _named_font() -> str | None:
    try:
        found = subprocess.run(_FC_MATCH, capture_output=True, text=True, check=True, timeout=_FC_MATCH_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
