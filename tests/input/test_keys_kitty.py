"""Named keys under the kitty keyboard protocol, as its documentation says, flag by flag."""

import pytest

from session_core.model.keys import KeyModes, encode_keys

BOTH = {
    "Escape": "27u",
    "C-[": "91;5u",
    "C-c": "99;5u",
    "C-C": "99;5u",
    "C-S-c": "99;6u",
    "C-i": "105;5u",
    "C-Space": "32;5u",
    "C-;": "59;5u",
    "C--": "45;5u",
    "C-@": "50;6u",
    "M-x": "120;3u",
    "M-X": "120;4u",
    "M-!": "49;4u",
    "C-M-x": "120;7u",
    "M-é": "233;3u",
    "M-Enter": "13;3u",
    "S-Enter": "13;2u",
    "C-Enter": "13;5u",
    "S-Tab": "9;2u",
    "BTab": "9;2u",
    "C-S-Tab": "9;6u",
    "C-BSpace": "127;5u",
    "Up": "A",
    "Down": "B",
    "Right": "C",
    "Left": "D",
    "Home": "H",
    "End": "F",
    "C-Left": "1;5D",
    "S-Home": "1;2H",
    "Insert": "2~",
    "Delete": "3~",
    "PageUp": "5~",
    "PageDown": "6~",
    "M-Delete": "3;3~",
    "F1": "P",
    "F2": "Q",
    "F3": "13~",
    "F4": "S",
    "S-F1": "1;2P",
    "S-F3": "13;2~",
    "F5": "15~",
    "F12": "24~",
    "C-F12": "24;5~",
    "F13": "57376u",
    "F24": "57387u",
    "S-F20": "57383;2u",
    "KPEnter": "57414u",
    "C-KP5": "57404;5u",
    "M-KP0": "57399;3u",
}
TEXT_UNDER_1 = {
    "a": b"a",
    "A": b"A",
    "S-a": b"A",
    "!": b"!",
    "S-1": b"!",
    "é": b"\xc3\xa9",
    "S-ß": "ß".encode(),
    "ẞ": "ẞ".encode(),
    "ǅ": "ǅ".encode(),
    "Space": b" ",
    "S-Space": b" ",
    "Enter": b"\r",
    "Tab": b"\t",
    "BSpace": b"\x7f",
    "KP5": b"5",
}
ONLY_8 = {
    "a": "97u",
    "A": "97;2u",
    "S-a": "97;2u",
    "!": "49;2u",
    "Space": "32u",
    "Enter": "13u",
    "Tab": "9u",
    "BSpace": "127u",
    "KP0": "57399u",
    "KP9": "57408u",
    "世": "19990u",
}
WITH_TEXT = {
    "a": "97;;97u",
    "A": "97;2;65u",
    "Space": "32;;32u",
    "é": "233;;233u",
    "KP5": "57404;;53u",
    "C-a": "97;5u",
    "M-a": "97;3u",
    "Enter": "13u",
    "Up": "A",
}
WITH_ALTERNATES = {"a": "97u", "A": "97:65;2u", "C-S-a": "97:65;6u", "C-@": "50:64;6u", "C-a": "97;5u"}


def _sent(name: str, flags: int) -> bytes:
    """Encode in both application modes too, which the protocol does not know."""
    return encode_keys([name], KeyModes(True, True, flags))


@pytest.mark.parametrize(("name", "rest"), BOTH.items(), ids=BOTH.keys())
def test_a_key_that_gives_no_text_is_an_escape_code(name: str, rest: str) -> None:
    for flags in (1, 8, 9, 11):
        assert _sent(name, flags) == b"\x1b[" + rest.encode()


@pytest.mark.parametrize(("name", "sent"), TEXT_UNDER_1.items(), ids=TEXT_UNDER_1.keys())
def test_disambiguating_leaves_text_and_the_three_keys_of_a_shell_as_they_are(name: str, sent: bytes) -> None:
    for flags in (1, 1 | 2, 1 | 4, 1 | 16):
        assert _sent(name, flags) == sent


@pytest.mark.parametrize(("name", "rest"), ONLY_8.items(), ids=ONLY_8.keys())
def test_reporting_all_keys_sends_no_text(name: str, rest: str) -> None:
    for flags in (8, 8 | 1, 8 | 2):
        assert _sent(name, flags) == b"\x1b[" + rest.encode()


@pytest.mark.parametrize(("name", "rest"), WITH_TEXT.items(), ids=WITH_TEXT.keys())
def test_the_text_of_a_key_is_told_on_request(name: str, rest: str) -> None:
    assert _sent(name, 8 | 16) == b"\x1b[" + rest.encode()


@pytest.mark.parametrize(("name", "rest"), WITH_ALTERNATES.items(), ids=WITH_ALTERNATES.keys())
def test_the_shifted_key_is_told_on_request(name: str, rest: str) -> None:
    assert _sent(name, 8 | 4) == b"\x1b[" + rest.encode()
