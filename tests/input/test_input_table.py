"""The table is total, and says what counts as typing and who gets what."""

import re

import pytest

from session_core.model.input_grammar import TABLE, Forward, readable
from session_core.model.input_origin import InputModes, Report, ViewerOrigin, forwards, table_rows

from .feeding import classify

ALL = InputModes(focus=True, mouse=True, kitty=True)
MOUSE = {Report.MOUSE_X10, Report.MOUSE_SGR, Report.MOUSE_URXVT}
KITTY = {Report.LONE_MODIFIER, Report.KEY_RELEASE}
EVENTS = {Report.FOCUS} | MOUSE | KITTY


def test_every_kind_has_exactly_one_row() -> None:
    assert list(TABLE) == [ViewerOrigin.KEYSTROKE, ViewerOrigin.PASTE, *Report]


def test_only_keys_and_pastes_count_as_typing() -> None:
    assert {kind for kind, row in TABLE.items() if row.typing} == {ViewerOrigin.KEYSTROKE, ViewerOrigin.PASTE}


def test_keys_and_pastes_are_always_forwarded() -> None:
    assert forwards(ViewerOrigin.KEYSTROKE, InputModes())
    assert forwards(ViewerOrigin.PASTE, InputModes())


@pytest.mark.parametrize("report", [report for report in Report if report not in EVENTS])
def test_an_answer_is_never_forwarded(report: Report) -> None:
    assert not forwards(report, ALL)


@pytest.mark.parametrize(
    ("modes", "forwarded"),
    [
        (InputModes(), set()),
        (InputModes(focus=True), {Report.FOCUS}),
        (InputModes(mouse=True), MOUSE),
        (InputModes(kitty=True), KITTY),
        (ALL, EVENTS),
    ],
)
def test_an_event_is_forwarded_when_the_program_asked_for_its_kind(modes: InputModes, forwarded: set[Report]) -> None:
    assert {report for report in Report if forwards(report, modes)} == forwarded


@pytest.mark.parametrize("kind", TABLE)
def test_the_example_of_a_row_is_of_its_kind(kind: ViewerOrigin | Report) -> None:
    assert classify(TABLE[kind].example) == [(kind, TABLE[kind].example)]


def test_the_rows_are_markdown_cells_that_no_bar_or_line_end_breaks() -> None:
    rows = table_rows()
    assert [row[0] for row in rows] == [kind.name for kind in TABLE]
    for name, example, meaning, typing, forwarded in rows:
        assert re.fullmatch(r"`[!-~ ]+`", example), name
        for cell in (name, example, meaning, typing, forwarded):
            assert cell.strip()
            assert not re.search(r"(?<!\\)\|", cell), name
        assert typing in ("yes", "no")
        assert forwarded in [forward.value for forward in Forward]


def test_the_rows_say_what_the_table_says() -> None:
    shown = {row[0]: row[1:] for row in table_rows()}
    assert shown["FOCUS"] == (
        "`ESC [I`",
        "focus came or went",
        "no",
        "when the program asked for focus reports",
    )
    assert shown["DA3"][0] == r"`ESC P!\|7E565445 ESC \`"
    assert shown["KEYSTROKE"][2:] == ("yes", "always")
    assert shown["CPR"][2:] == ("no", "never")


def test_bytes_are_written_readably() -> None:
    assert readable(b"\x1b[M !\xff\x07\r\x00") == "ESC [M SP ! 0xff BEL CR 0x00"
