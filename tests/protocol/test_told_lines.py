"""A command line as it was typed and as the marks of our own shell scripts tell it: they must be found equal."""

from urllib.parse import quote

import pytest

from session_core.protocol.shell_marks import command_line, line_as_told, parse


@pytest.mark.parametrize(
    "typed",
    [
        "make",
        " two  words ",
        "a;b %41 'é 漢' \\n",
        "a\tb",
        "\x01bell\x07",
        "x" * 2000,
        "x" * 3000,
        "é" * 2500,
        "\u202e\u200b",
    ],
)
def test_a_typed_line_is_found_again_in_its_mark(typed: str) -> None:
    mark = parse(f"C;cmdline_url={quote(typed[:2000])}".encode())
    assert mark is not None
    assert command_line(mark) == line_as_told(typed)


def test_a_long_line_is_cut_as_the_scripts_cut_it_without_an_ellipsis() -> None:
    assert line_as_told("x" * 3000) == "x" * 2000
