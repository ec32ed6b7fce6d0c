"""What a terminal sends by itself is told from keys: each row alone, cut, among keys, and repeated."""

import pytest

from session_core.model.input_grammar import Report, ViewerOrigin

from .feeding import classify, cuts, single_bytes

ST = b"\x1b\\"
KEYS = ViewerOrigin.KEYSTROKE

EXAMPLES: dict[Report, list[bytes]] = {
    Report.CPR: [b"\x1b[24;80R", b"\x1b[1;2R", b"\x1b[1;1R", b"\x1b[?24;80R", b"\x1b[?24;80;1R"],
    Report.DA1: [b"\x1b[?62;22c", b"\x1b[?1;2c", b"\x1b[?6c", b"\x1b[?62;1;2;4;6;9;15;16;17;18;21;22;28;52c"],
    Report.DA2: [b"\x1b[>1;10;0c", b"\x1b[>41;390;0c", b"\x1b[>84;0;0c"],
    Report.DA3: [b"\x1bP!|7E565445" + ST, b"\x1bP!|" + ST],
    Report.COLOUR_SCHEME: [b"\x1b[?997;1n", b"\x1b[?997;2n"],
    Report.DSR: [b"\x1b[0n", b"\x1b[3n", b"\x1b[?13n", b"\x1b[?27;1;0;0n"],
    Report.DECRPM: [b"\x1b[?2026;2$y", b"\x1b[?7501;0$y", b"\x1b[4;2$y"],
    Report.XTVERSION: [b"\x1bP>|XTerm(390)" + ST, b"\x1bP>|tmux 3.5a" + ST],
    Report.XTGETTCAP: [b"\x1bP1+r544e=787465726d" + ST, b"\x1bP0+r" + ST],
    Report.DECRQSS: [b"\x1bP1$r0;1m" + ST, b"\x1bP0$r" + ST, b"\x1bP1$r2 q" + ST],
    Report.OSC_ANSWER: [
        b"\x1b]4;1;rgb:ffff/0000/0000" + ST,
        b"\x1b]10;rgb:ffff/ffff/ffff\x07",
        b"\x1b]11;rgb:0000/0000/0000" + ST,
        b"\x1b]12;rgb:1/2/3\x07",
        b"\x1b]52;c;c2VjcmV0" + ST,
        b"\x1b]7501;?" + ST,
        b"\x1b]lwindow \xc3\xa9 title" + ST,
        b"\x1b]1337;ReportCellSize=17.5;8" + ST,
    ],
    Report.KITTY_KEYBOARD_ANSWER: [b"\x1b[?0u", b"\x1b[?31u", b"\x1b[?u"],
    Report.KITTY_GRAPHICS_ANSWER: [b"\x1b_Gi=31;OK" + ST, b"\x1b_Gi=31;ENOENT:no such image" + ST],
    Report.IN_BAND_RESIZE: [b"\x1b[48;24;80;480;800t", b"\x1b[48;24;80t"],
    Report.SIZE_ANSWER: [
        b"\x1b[4;480;800t",
        b"\x1b[6;20;10t",
        b"\x1b[8;24;80t",
        b"\x1b[9;60;200t",
        b"\x1b[1t",
    ],
    Report.FOCUS: [b"\x1b[I", b"\x1b[O"],
    Report.MOUSE_X10: [
        b"\x1b[M !!",
        b"\x1b[MCzz",
        b"\x1b[M \x1b\r",
        b"\x1b[M\x1b\x1b\x1b",
        b"\x1b[M#\xff\x21",
        b"\x1b[M \xc3\xa9!",
        b"\x1b[M!!\xc3\xa9",
        b"\x1b[M\xc2\xa0\xdf\xbf\xc4\x80",
    ],
    Report.MOUSE_SGR: [b"\x1b[<35;32;46M", b"\x1b[<0;1;1m", b"\x1b[<64;1000;2000M", b"\x1b[<32;-3;17M"],
    Report.MOUSE_URXVT: [b"\x1b[67;32;46M", b"\x1b[32;1000;2000M"],
    Report.LONE_MODIFIER: [
        *(b"\x1b[%d;2u" % code for code in (57358, 57359, 57360, 57441, 57449, 57450, 57454)),
        b"\x1b[57441u",
        b"\x1b[57442;5:1u",
        b"\x1b[57441;2:2u",
        b"\x1b[57441;1:3u",
    ],
    Report.KEY_RELEASE: [b"\x1b[97;1:3u", b"\x1b[97:65;2:3u", b"\x1b[97;2:3;65u", b"\x1b[3;1:3~"]
    + [b"\x1b[1;5:3%c" % letter for letter in b"ABCDEFHPQRS"],
    Report.UNKNOWN_ANSWER: [
        b"\x1bP0;1|17/ab" + ST,
        b"\x1b_anything" + ST,
        b"\x1b^private" + ST,
        b"\x1bXsos\x07sos" + ST,
        b"\x1bP" + ST,
        b"\x1b[?1;0;256S",
        b"\x1b[=1c",
        b"\x1b[>4;2m",
        b"\x1b[1;2;3;4;5&w",
    ],
}
each_example = pytest.mark.parametrize(
    ("report", "data"), [(report, data) for report, examples in EXAMPLES.items() for data in examples]
)


def test_every_report_has_an_example() -> None:
    assert list(EXAMPLES) == list(Report)


@each_example
def test_a_report_is_one_segment_that_names_its_row(report: Report, data: bytes) -> None:
    assert classify(data) == [(report, data)]


@each_example
def test_a_report_survives_being_cut_at_any_byte(report: Report, data: bytes) -> None:
    assert classify(*single_bytes(data)) == [(report, data)]
    for first, second in cuts(data):
        assert classify(first, second) == [(report, data)], first


@each_example
def test_a_report_between_keys_leaves_the_keys_alone(report: Report, data: bytes) -> None:
    whole = b"a\xc3\xa9" + data + b"\x1b[A\r"
    expected = [(KEYS, b"a\xc3\xa9"), (report, data), (KEYS, b"\x1b[A\r")]
    assert classify(whole) == expected
    assert classify(*single_bytes(whole)) == expected
    for first, second in cuts(whole):
        assert classify(first, second) == expected, first


@each_example
def test_a_report_between_typed_letters_takes_none_of_them(report: Report, data: bytes) -> None:
    assert classify(b"x" + data + b"yz") == [(KEYS, b"x"), (report, data), (KEYS, b"yz")]


@each_example
def test_two_reports_in_a_row_are_two(report: Report, data: bytes) -> None:
    assert classify(data + data) == [(report, data), (report, data)]
    assert classify(*single_bytes(data + data)) == [(report, data), (report, data)]


def test_all_reports_one_after_another_are_each_found() -> None:
    pairs = [(report, data) for report, examples in EXAMPLES.items() for data in examples]
    assert classify(b"".join(data for _, data in pairs)) == pairs


def test_an_escape_inside_a_string_ends_it_and_begins_the_next_sequence() -> None:
    expected = [(Report.OSC_ANSWER, b"\x1b]11;rgb:0"), (KEYS, b"\x1b[A")]
    assert classify(b"\x1b]11;rgb:0\x1b[A") == expected
    for first, second in cuts(b"\x1b]11;rgb:0\x1b[A"):
        assert classify(first, second) == expected


def test_a_mouse_report_of_single_bytes_that_could_be_characters_ends_where_a_control_follows() -> None:
    report = b"\x1b[M \xc3\xa0"
    assert classify(report + report) == [(Report.MOUSE_X10, report)]
    assert classify(report + b"\r") == [(Report.MOUSE_X10, report), (KEYS, b"\r")]
    assert classify(report + b"\x1b[A") == [(Report.MOUSE_X10, report), (KEYS, b"\x1b[A")]
