"""Alternate-screen switches: which private modes count, in which company, and cut anywhere."""

import pytest

from session_core.protocol import limits
from session_core.protocol.scanner import AlternateScreen, Scanner

from .reading import cuts, scan, single_bytes


@pytest.mark.parametrize("mode", [b"47", b"1047", b"1049"])
@pytest.mark.parametrize(("final", "active"), [(b"h", True), (b"l", False)])
def test_each_mode_switches_in_and_out_at_any_cut(mode: bytes, final: bytes, active: bool) -> None:
    data = b"ab\x1b[?" + mode + final + b"cd"
    expected = [AlternateScreen(2, len(data) - 2, active)]
    assert scan(data) == expected
    assert scan(*single_bytes(data)) == expected
    for first, second in cuts(data):
        assert scan(first, second) == expected, len(first)


@pytest.mark.parametrize(
    "parameters",
    [b"1049;25", b"25;1049", b"1;47;7", b"1047;1049", b"2004;1047", b"1049;", b";1049", b"7;12;25;1049"],
)
def test_a_mode_among_others_counts_once_at_any_cut(parameters: bytes) -> None:
    data = b"\x1b[?" + parameters + b"h"
    expected = [AlternateScreen(0, len(data), True)]
    assert scan(*single_bytes(data)) == expected
    for first, second in cuts(data):
        assert scan(first, second) == expected, len(first)


@pytest.mark.parametrize(
    "parameters",
    [
        b"1049;2004;1006",
        b"25;1000;1002;1003;1006;2004;1049",
        pytest.param(b"1049" + b";1" * 18, id="40-bytes-first"),
        pytest.param(b"1;" * 18 + b"1049", id="40-bytes-last"),
    ],
)
def test_a_mode_counts_anywhere_in_the_parameters_up_to_their_limit(parameters: bytes) -> None:
    assert len(parameters) <= limits.PRIVATE_MODE
    data = b"\x1b[?" + parameters + b"h"
    expected = [AlternateScreen(0, len(data), True)]
    assert scan(data) == expected
    assert scan(*single_bytes(data)) == expected


@pytest.mark.parametrize("parameters", [b"1049" + b";1" * 18 + b";", b"1;" * 18 + b";1049"])
def test_parameters_over_their_limit_are_not_ours_however_they_arrive(parameters: bytes) -> None:
    assert len(parameters) == limits.PRIVATE_MODE + 1
    data = b"\x1b[?" + parameters + b"h"
    assert scan(data) == []
    assert scan(*single_bytes(data)) == []


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b[?25h",
        b"\x1b[?25l",
        b"\x1b[?2004h",
        b"\x1b[?1048h",
        b"\x1b[?1004;1006l",
        b"\x1b[?h",
        b"\x1b[?147h",
        b"\x1b[?471h",
        b"\x1b[?10490h",
        b"\x1b[?21049h",
        b"\x1b[?4749h",
        b"\x1b[?4;7h",
        b"\x1b[?10;49h",
        b"\x1b[47h",
        b"\x1b[1049h",
        b"\x1b[>1049h",
        b"\x1b[?1049$p",
        b"\x1b[?1049r",
        b"\x1b[?1049s",
        b"\x1b[?1049 h",
        b"\x1b[?1049:1h",
        b"\x1b?1049h",
        b"[?1049h",
    ],
)
def test_any_other_sequence_gives_nothing(data: bytes) -> None:
    assert scan(data) == []
    assert scan(*single_bytes(data)) == []


def test_an_escape_inside_the_parameters_begins_anew() -> None:
    data = b"\x1b[?10\x1b[?1049\x1b[?47l"
    for first, second in cuts(data):
        assert scan(first, second) == [AlternateScreen(12, 18, False)]


def test_an_unfinished_switch_is_held_and_let_go_when_it_becomes_something_else() -> None:
    scanner = Scanner()
    assert scan(b"text\x1b[?1049", scanner=scanner) == []
    assert scanner.buffered == len(b"\x1b[?1049")
    assert scan(b"m", scanner=scanner) == []
    assert scanner.buffered == 0
    assert scan(b"h", scanner=scanner) == []


def test_switches_in_one_read_keep_their_order_and_none_is_merged() -> None:
    data = b"\x1b[?1049h\x1b[?1049h\x1b[?1049l"
    assert scan(data) == [
        AlternateScreen(0, 8, True),
        AlternateScreen(8, 16, True),
        AlternateScreen(16, 24, False),
    ]
