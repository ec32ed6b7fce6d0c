"""What a program prints comes out as it was shown, without what controls a terminal or deceives a reader."""

from pathlib import Path

import pytest

from session_core import Client, Format, What

from .outputs import printed

pytestmark = pytest.mark.anyio

KEPT = "👨\u200d👩\u200d👧 👍🏽 🏳\ufe0f\u200d🌈 é e\u0301 ñ 中文 한글 ─│┌┐└┘├┤█▒ ✓ →"
HIDDEN = {
    "bidi": "a\u202eb\u2066c\u2069d\u200fe",
    "zero width": "a\u200bb\ufeffc\u2060d\u200de",
    "tags": "a\U000e0041b\U000e007fcde",
    "separators": "a\u2028b\u2029cde",
    "8-bit controls": "a\x84b\x8dc\x9fde",
    "7-bit controls": "a\x01b\x0ec\x0fd\x1fe",
}


@pytest.fixture(scope="module", params=["ghostty", "pyte"])
def settings(request: pytest.FixtureRequest) -> dict[str, str]:
    """Both engines."""
    return {"PANEBRIDGE_ENGINE": request.param}


async def _texts(core: Client, pane: str) -> list[str]:
    reads = [
        await core.read_pane(pane),
        await core.read_pane(pane, lines=5),
        await core.read_pane(pane, what=What.SINCE, offset=0),
        await core.read_pane(pane, what=What.FIND, pattern="<", context=0),
    ]
    return [read.text.strip() for read in reads]


async def test_writing_of_every_kind_stays_exactly(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, f"<{KEPT}>\r\n", columns=120)
    assert await _texts(core, pane) == [f"<{KEPT}>"] * 4
    ansi = await core.read_pane(pane, format=Format.ANSI)
    assert KEPT in ansi.text


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
async def test_what_is_invisible_or_turns_text_round_is_removed(core: Client, tmp_path: Path, text: str) -> None:
    pane = await printed(core, tmp_path, f"<{text}>\r\n")
    texts = await _texts(core, pane)
    assert texts == ["<abcde>"] * 4
    ansi, html = [(await core.read_pane(pane, format=style)).text for style in (Format.ANSI, Format.HTML)]
    assert "<abcde>" in ansi
    assert "&lt;abcde&gt;" in html
    assert "&#8" not in html


async def test_the_styles_of_the_screen_come_as_colours_and_nothing_else(core: Client, tmp_path: Path) -> None:
    text = "\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\ \x1b[1;38;5;196mred\x1b[0m <b>&\x1b[5n\x1b[2;1Hsecond"
    pane = await printed(core, tmp_path, text)
    ansi = await core.read_pane(pane, format=Format.ANSI)
    assert "red" in ansi.text
    assert set(ansi.text.replace("\x1b[", "").split("\n")[0]) >= set("link red")
    assert all(part[: part.index("m")].replace(";", "").isdigit() for part in ansi.text.split("\x1b[")[1:])
    html = (await core.read_pane(pane, format=Format.HTML)).text
    assert "&lt;b&gt;&amp;" in html
    assert "javascript" not in html
    assert "<a" not in html


async def test_a_title_is_harmless_and_short(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, "\x1b]2;\u202eevil\u200b " + "x" * 1000 + "\x07shown")
    read = await core.read_pane(pane)
    assert read.title is not None
    assert read.title.startswith("evil xxx")
    assert len(read.title) == 200


async def test_bytes_that_are_no_text_are_no_error(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, b"ok \xff\xfe\x80 \xc3( \xed\xa0\x80 end\r\n")
    for text in await _texts(core, pane):
        assert text == "" or (text.startswith("ok") and text.endswith("end"))
        text.encode()
