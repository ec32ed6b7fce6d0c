"""`panebridge read` and `panebridge set`: what they print, where it goes, and what is told on stderr."""

import subprocess
import sys
from pathlib import Path

import pytest

from .commands import PANEBRIDGE, Panebridge

pytestmark = [pytest.mark.usefixtures("host"), pytest.mark.slow]

_LINES = ("sh", "-c", "seq 1 3000; printf '\\033[31mred\\033[0m <b>\\n'; exec cat")


def _pane(panebridge: Panebridge) -> str:
    pane = panebridge.open(*_LINES)
    panebridge.text_when(pane, "red <b>")
    return pane


def test_each_kind_of_read_has_its_option(panebridge: Panebridge) -> None:
    pane = _pane(panebridge)
    screen = panebridge("read", pane)
    assert (screen.out.splitlines()[-2:], screen.err) == (["3000", "red <b>"], "")
    tail = panebridge("read", "--lines", "3", pane)
    assert tail.out == "2999\n3000\nred <b>\n"
    assert "lines before this are left out" in tail.err
    since = panebridge("read", "--offset", "0", pane)
    assert since.out == "".join(f"{number}\n" for number in range(1, 3001)) + "red <b>\n"
    assert since.err == ""
    cut = panebridge("read", "--offset", "0", "--bytes", "20", pane)
    assert (cut.out, cut.err) == ("2999\n3000\nred <b>\n", "panebridge: 2998 lines before this are left out\n")
    assert panebridge("read", "--find", "150", "--context", "0", pane).out.splitlines()[0] == "1150"
    assert panebridge("read", "--find", "^29+$", "--regex", "--context", "1", pane).out == "2998\n2999\n3000\n"
    value = panebridge.json("read", "--lines", "1", pane)
    assert (value["text"], value["what"]) == ("red <b>", "tail")
    ticket = panebridge("send", pane, "typed").out.strip()
    panebridge.text_when(pane, "typed")
    assert panebridge("read", "--since", ticket, pane).out.splitlines()[0] == "typed"


def test_a_command_and_a_turn_are_read(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash")
    panebridge("exec", pane, "echo one; exit_code() { return 3; }; exit_code")
    panebridge("exec", pane, "echo two")
    assert panebridge("read", "--command", "-1", pane).out == "two\n"
    assert panebridge("read", "--command", "1", pane).out == "one\n"
    assert panebridge("read", "--turn", pane).out.splitlines()[0] == "two"


@pytest.mark.parametrize(
    "options",
    [
        ("--turn", "--find", "x"),
        ("--since", "t1", "--command", "1"),
        ("--png", "x.png", "--html"),
        ("--html", "--turn"),
        ("--output", "x.html"),
    ],
    ids=" ".join,
)
def test_options_that_exclude_each_other_are_a_usage_mistake(
    panebridge: Panebridge, tmp_path: Path, options: tuple[str, ...]
) -> None:
    ended = panebridge("read", *options, "p1", cwd=str(tmp_path))
    assert (ended.code, ended.out) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_ansi_keeps_the_colours_and_html_is_a_whole_page(panebridge: Panebridge, tmp_path: Path) -> None:
    pane = _pane(panebridge)
    assert "\x1b[38;5;1mred\x1b[0m" in panebridge("read", "--ansi", pane).out
    page = panebridge("read", "--html", pane).out
    assert page.startswith("<!doctype html>")
    assert "--vt-palette-1:#cd0000" in page
    assert "var(--vt-palette-1)" in page
    assert "&lt;b&gt;" in page
    assert page.endswith("</html>\n")
    ended = panebridge("read", "--html", "-o", str(tmp_path / "page.html"), pane)
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / "page.html").read_text() == page


def test_a_picture_of_the_screen_is_a_file_of_its_size(panebridge: Panebridge, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="the extra `picture` is not installed")
    pane = _pane(panebridge)
    ended = panebridge("read", "--png", str(tmp_path / "screen.png"), pane)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    with image.open(tmp_path / "screen.png") as picture:
        width, height = picture.size
        assert (width % 120, height % 40, width > 120 * 5, height > 40 * 10) == (0, 0, True, True)
        colours = {colour for _, colour in picture.getcolors(100_000)}
    assert {(0, 0, 0), (229, 229, 229)} <= colours
    assert any(red > 150 and green < 60 for red, green, _ in colours)


def test_without_pillow_the_next_step_is_said(panebridge: Panebridge, tmp_path: Path) -> None:
    pane = _pane(panebridge)
    script = (
        "import sys; sys.modules['PIL'] = None; sys.argv = sys.argv[1:]; from mcp_bridge.command import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, PANEBRIDGE, "read", "--png", str(tmp_path / "x.png"), pane],
        capture_output=True,
        text=True,
        check=False,
        env=panebridge.environment(),
    )
    assert ended.returncode == 1
    assert ended.stderr == (
        "panebridge: Pictures need Pillow, which is not installed. pip install 'panebridge[picture]', or take --html.\n"
    )
    assert not (tmp_path / "x.png").exists()


def test_a_file_that_cannot_be_written_is_one_line(panebridge: Panebridge, tmp_path: Path) -> None:
    pane = _pane(panebridge)
    ended = panebridge("read", "--html", "-o", str(tmp_path / "none" / "x.html"), pane)
    assert ended.code != 0
    assert "x.html" in ended.err


def test_set_changes_what_is_given_and_ls_shows_it(panebridge: Panebridge) -> None:
    pane = panebridge.open("cat", name="old")
    assert "TAGS" not in panebridge("ls").out
    shown = panebridge("set", "old", "--name", "new", "--columns", "90", "--tag", "a", "--tag", "b")
    assert shown.code == 0
    assert "a b" in shown.out
    assert "90x40" in shown.out
    head, row = (line.split() for line in panebridge("ls").out.splitlines())
    assert head[:3] == ["PANE", "NAME", "TAGS"]
    assert row[:4] == [pane, "new", "a", "b"]
    assert panebridge.json("set", "new", "--no-tags", "--name", "")["name"] is None
    assert panebridge.json("status", pane)["tags"] == []


@pytest.mark.parametrize("options", [(), ("--tag", "a", "--no-tags"), ("--columns", "1")], ids=" ".join)
def test_nothing_or_too_much_to_set_is_a_usage_mistake(panebridge: Panebridge, options: tuple[str, ...]) -> None:
    assert panebridge("set", "p1", *options).code == 2
