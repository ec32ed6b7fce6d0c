r"""Text made ready for a terminal: literal to the byte, harmless, and pasted only where the program takes pastes."""

import pytest

from session_core.errors import Code, SessionCoreError
from session_core.model.composing import CANONICAL_BYTES, Composed, check_line_lengths, compose

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
LITERAL = [
    "ls;",
    ";",
    "Enter",
    "C-c",
    "-l",
    "--",
    "$HOME 'q' \"z\"",
    "`id`",
    "a  b",
    "  lead and trail  ",
    "\\r",
    "\\n",
    "\\x1b[200~",
    "#{pane_id}",
    "!!",
    "~",
    "a\tb",
    "^C",
    "é日本😀",
    "\u200d\u202e\u00a0\u2028",
    "[200~x[201~",
    "x" * 1600,
    "",
    " ",
]


@pytest.mark.parametrize("submit", [True, False])
@pytest.mark.parametrize("bracketed", [True, False])
@pytest.mark.parametrize("text", LITERAL)
def test_one_line_goes_as_it_is_byte_for_byte(text: str, bracketed: bool, submit: bool) -> None:
    composed = compose(text, submit=submit, bracketed=bracketed, by_line=False)
    assert composed == Composed(text.encode(), 0, False)


@pytest.mark.parametrize(
    ("text", "clean", "removed"),
    [
        ("a\x00b", "ab", 1),
        ("a\x07\x08b", "ab", 2),
        ("a\x0b\x0cb", "ab", 2),
        ("\x03\x04\x15\x1a", "", 4),
        ("a\x7fb", "ab", 1),
        ("a\x1b[31mb", "a[31mb", 1),
        ("\x1b]52;c;ZXZpbA==\x07", "]52;c;ZXZpbA==", 2),
        ("a\x80\x85\x9b\x9fb", "ab", 4),
        ("\x9b31m", "31m", 1),
        ("\x1b", "", 1),
        ("\x1b\x1b\x1b", "", 3),
        ("x\x1b[200~y\x1b[201~z", "xyz", 2),
        ("x\x9b200~y\x9b201~z", "xyz", 2),
        ("\x1b[201~\x1b[201~", "", 2),
    ],
)
def test_controls_escapes_and_paste_markers_are_left_out_and_counted(text: str, clean: str, removed: int) -> None:
    assert compose(text, submit=False, bracketed=True, by_line=False) == Composed(clean.encode(), removed, False)


@pytest.mark.parametrize(
    "hidden",
    [
        "\x1b[201~",
        "\x9b201~",
        "\x1b[20\x071~",
        "\x1b\x00[201~",
        "\x1b[\x7f2\x1b01~",
        "\x9b2\x9b01~",
        "\x1b[20\x1b[201~1~",
        "\x1b[20\x9b201~1~",
        "\x9b20\x1b[200~1~",
        "\x1b\x1b[201~[201~",
        "\x1b[2\x1b[20\x1b[201~1~01~",
        "\x1b[201\r~",
        "\x1b\n[201~",
    ],
)
@pytest.mark.parametrize("submit", [True, False])
def test_no_paste_end_can_be_hidden_in_a_text_not_even_one_that_forms_again(hidden: str, submit: bool) -> None:
    composed = compose(f"one\n{hidden}two\nrm -rf /", submit=submit, bracketed=True, by_line=False)
    assert composed.pasted
    assert composed.data.startswith(BEGIN)
    assert composed.data.find(END) == len(composed.data) - len(END)
    assert b"\x1b" not in composed.data[len(BEGIN) : -len(END)]
    assert "\x9b" not in composed.data.decode()


@pytest.mark.parametrize("text", ["one\ntwo\nthree", "one\rtwo\rthree", "one\r\ntwo\r\nthree", "one\ntwo\r\nthree"])
def test_several_lines_go_as_one_paste_where_the_program_takes_pastes(text: str) -> None:
    composed = compose(text, submit=True, bracketed=True, by_line=False)
    assert composed == Composed(BEGIN + b"one\rtwo\rthree" + END, 0, True)


def test_empty_lines_inside_are_kept() -> None:
    composed = compose("a\n\r\n\rb", submit=True, bracketed=True, by_line=False)
    assert composed.data == BEGIN + b"a\r\r\rb" + END


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\n\x07", "\x1b\n\x00\n"])
@pytest.mark.parametrize("bracketed", [True, False])
def test_line_ends_at_the_end_submit_nothing_twice(end: str, bracketed: bool) -> None:
    one = compose("one" + end, submit=True, bracketed=bracketed, by_line=False)
    assert (one.data, one.pasted) == (b"one", False)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_line_ends_at_the_end_of_a_paste_stay_out_of_it_when_it_is_submitted(end: str) -> None:
    composed = compose("one\ntwo" + end, submit=True, bracketed=True, by_line=False)
    assert composed.data == BEGIN + b"one\rtwo" + END


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_line_end_at_the_end_is_content_when_nothing_is_submitted(end: str) -> None:
    assert compose("one" + end, submit=False, bracketed=True, by_line=False).data == BEGIN + b"one\r" + END
    assert compose("one" + end, submit=False, bracketed=False, by_line=True).data == b"one\r"
    with pytest.raises(SessionCoreError):
        compose("one" + end, submit=False, bracketed=False, by_line=False)


@pytest.mark.parametrize("text", ["\n", "\r\n\n", "\x07\n"])
def test_a_submit_of_line_ends_alone_is_a_submit_of_nothing(text: str) -> None:
    assert compose(text, submit=True, bracketed=True, by_line=False).data == b""


def test_several_lines_are_refused_where_each_would_be_submitted() -> None:
    with pytest.raises(SessionCoreError) as refused:
        compose("secret one\nsecret two", submit=True, bracketed=False, by_line=False)
    assert refused.value.code is Code.MULTILINE
    assert "secret" not in str(refused.value)
    assert 'multiline="lines"' in refused.value.next_step


@pytest.mark.parametrize("text", ["a\nb\nc", "a\rb\rc", "a\r\nb\r\nc"])
def test_line_by_line_each_line_ends_in_the_byte_of_enter_and_no_marker_is_sent(text: str) -> None:
    assert compose(text, submit=False, bracketed=False, by_line=True) == Composed(b"a\rb\rc", 0, False)


def test_a_program_that_takes_pastes_gets_one_even_if_lines_would_do() -> None:
    assert compose("a\nb", submit=False, bracketed=True, by_line=True).pasted


@pytest.mark.parametrize("text", ["\ud83d", "a\ude00\nb", "\udc9b201~"])
def test_half_a_character_pair_is_refused(text: str) -> None:
    with pytest.raises(SessionCoreError) as refused:
        compose(text, submit=True, bracketed=True, by_line=False)
    assert refused.value.code is Code.BAD_REQUEST


LONGEST = CANONICAL_BYTES - 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x" * LONGEST,
        b"x" * LONGEST + b"\r" + b"y" * LONGEST,
        b"\r" * (3 * LONGEST),
        ("é" * (LONGEST // 2)).encode(),
        ("日" * (LONGEST // 3)).encode(),
    ],
)
def test_lines_that_a_terminal_can_hold_pass(data: bytes) -> None:
    check_line_lengths(data)


@pytest.mark.parametrize(
    "data",
    [
        b"x" * (LONGEST + 1),
        b"short\r" + b"x" * (LONGEST + 1),
        b"x" * (LONGEST + 1) + b"\rshort",
        ("é" * (LONGEST // 2) + "é").encode(),
        ("日" * (LONGEST // 3 + 1)).encode(),
    ],
)
def test_a_line_that_would_be_cut_is_refused_with_its_length(data: bytes) -> None:
    longest = max(map(len, data.replace(b"\n", b"\r").split(b"\r")))
    with pytest.raises(SessionCoreError) as refused:
        check_line_lengths(data)
    assert refused.value.code is Code.TERMINAL_LINE_TOO_LONG
    assert f" {longest} bytes" in refused.value.message
    assert str(LONGEST) in refused.value.message
