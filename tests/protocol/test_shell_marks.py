"""OSC 133: which marks count, which prompts are primary, and the exit code."""

import pytest

from session_core.protocol.shell_marks import Mark, ShellMark, command_line, parse, shell_folder

from .reading import cuts, read


@pytest.mark.parametrize(
    ("letter", "mark"),
    [(b"A", Mark.PROMPT), (b"B", Mark.INPUT), (b"C", Mark.OUTPUT), (b"D", Mark.FINISHED)],
)
def test_each_letter_is_its_mark_with_and_without_options(letter: bytes, mark: Mark) -> None:
    assert parse(letter) == ShellMark(mark)
    assert parse(letter + b";") == ShellMark(mark)
    assert parse(letter + b";aid=7") == ShellMark(mark, options={"aid": "7"})


@pytest.mark.parametrize("body", [b"", b"a", b"AB", b"N", b"P", b"P;k=i", b"L", b"E", b" A", b"A=1", b";A", b"\xff"])
def test_any_other_letter_gives_nothing(body: bytes) -> None:
    """OSC 7501 dispute D15: only a new primary `A` ends a record; N and P do not."""
    assert parse(body) is None


@pytest.mark.parametrize("kind", [b"s", b"c", b"r", b"x"])
def test_a_continuation_prompt_is_not_primary(kind: bytes) -> None:
    assert parse(b"A;k=" + kind) == ShellMark(Mark.PROMPT, primary=False, options={"k": kind.decode()})
    assert parse(b"A;cl=m;k=" + kind + b";aid=1") == ShellMark(
        Mark.PROMPT, primary=False, options={"cl": "m", "k": kind.decode(), "aid": "1"}
    )


@pytest.mark.parametrize("options", [b"", b";k=i", b";cl=line;k=i", b";redraw=0", b";aid=1;cl=m", b";K=s", b";xk=s"])
def test_every_other_prompt_is_primary(options: bytes) -> None:
    mark = parse(b"A" + options)
    assert mark is not None
    assert mark.primary


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"D;0", 0),
        (b"D;1", 1),
        (b"D;130", 130),
        (b"D;-1", -1),
        (b"D;0;aid=3", 0),
        (b"D;4294967295", 4294967295),
        (b"D", None),
        (b"D;", None),
        (b"D;aid=3", None),
        (b"D;aid=3;1", None),
        (b"D;x", None),
        (b"D;--1", None),
        (b"D;-", None),
        (b"D;+1", None),
        (b"D; 1", None),
        (b"D;1.5", None),
        (b"D;0x1", None),
        (b"D;" + b"9" * 11, None),
        (b"D;" + b"9" * 10_000, None),
        ("D;\u0661".encode(), None),
    ],
)
def test_the_exit_code_is_the_first_field_of_a_finished_mark(body: bytes, code: int | None) -> None:
    mark = parse(body)
    assert mark is not None
    assert mark.mark is Mark.FINISHED
    assert mark.exit_code == code


@pytest.mark.parametrize("letter", [b"A", b"B", b"C"])
def test_no_other_mark_has_an_exit_code(letter: bytes) -> None:
    mark = parse(letter + b";1")
    assert mark is not None
    assert mark.exit_code is None


def test_options_are_kept_as_text_and_the_last_of_a_name_wins() -> None:
    mark = parse(b"C;cmdline=a=b;flag;=nameless;err=\xff;aid=1;aid=2;empty=")
    assert mark is not None
    assert mark.options == {"cmdline": "a=b", "err": "\ufffd", "aid": "2", "empty": ""}


def test_a_mark_is_read_from_the_stream_at_any_cut_with_either_terminator() -> None:
    data = b"$ \x1b]133;D;2\x07\x1b]133;A;cl=m\x1b\\"
    for first, second in cuts(data):
        finished, prompt = read(first, second)
        assert finished.meaning == ShellMark(Mark.FINISHED, exit_code=2)
        assert prompt.meaning == ShellMark(Mark.PROMPT, options={"cl": "m"})
        assert (finished.end, prompt.start) == (12, 12)


def _line(options: str) -> str | None:
    mark = parse(b"C;" + options.encode())
    assert mark is not None
    return command_line(mark)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("cmdline_url=ls", "ls"),
        ("cmdline_url=echo%20a%3Bb%25", "echo a;b%"),
        ("cmdline_url=echo a=b", "echo a=b"),
        ("cmdline_url=%C3%A4%zz%", "ä%zz%"),
        ("cmdline_url=%ff", "\ufffd"),
        ("cmdline_url=for x%0Ado%09y%0D%0Adone", "for x do y done"),
        ("cmdline_url=a%1B%5D133%07b%C2%9Bc%E2%80%AEd", "a]133bcd"),
        ("cmdline_url=", None),
        ("cmdline_url=%1B", None),
        ("cmdline=ls", "ls"),
        (r"cmdline=echo\ a\ \"b\"", 'echo a "b"'),
        ("cmdline='echo a  b'", "echo a  b"),
        (r"cmdline=it\'s", "it's"),
        ("cmdline=two words", None),
        ("cmdline='open", None),
        ("cmdline=cut\\", None),
        (r"cmdline=$'a\nb'", None),
        ("cmdline=", None),
        ("cmdline=one;cmdline_url=two", "two"),
        ("aid=1", None),
    ],
)
def test_a_command_line_is_read_as_it_was_encoded_and_made_harmless(options: str, line: str | None) -> None:
    assert _line(options) == line


def test_a_long_command_line_is_cut() -> None:
    assert _line("cmdline_url=" + "x" * 2000) == "x" * 2000
    assert _line("cmdline_url=" + "x" * 2001) == "x" * 1999 + "…"


@pytest.mark.parametrize(
    ("options", "folder"),
    [
        ("cwd=/", "/"),
        ("cwd=/a%3Bb%25%20c", "/a;b% c"),
        ("cwd=/a%07b%E2%80%AEc", "/abc"),
        ("cwd=/%ff", "/\ufffd"),
        ("cwd=" + "/" * 1025, "/" * 1023 + "…"),
        ("cwd=relative", None),
        ("cwd=", None),
        ("aid=1", None),
    ],
)
def test_a_folder_is_read_where_it_is_absolute_and_made_harmless(options: str, folder: str | None) -> None:
    mark = parse(b"A;" + options.encode())
    assert mark is not None
    assert shell_folder(mark) == folder
