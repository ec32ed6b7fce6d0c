"""Named keys without the kitty protocol: what xterm documents (ctlseqs, PC-style keys), mode by mode."""

import pytest

from session_core.model.keys import KeyModes, encode_keys

NORMAL = KeyModes()
CURSOR = KeyModes(application_cursor=True)
KEYPAD = KeyModes(application_keypad=True)

IN_EVERY_MODE = {
    "Enter": b"\r",
    "Return": b"\r",
    "Tab": b"\t",
    "Escape": b"\x1b",
    "Esc": b"\x1b",
    "Space": b" ",
    "BSpace": b"\x7f",
    "Backspace": b"\x7f",
    "S-Tab": b"\x1b[Z",
    "BTab": b"\x1b[Z",
    "Insert": b"\x1b[2~",
    "Delete": b"\x1b[3~",
    "PageUp": b"\x1b[5~",
    "PgUp": b"\x1b[5~",
    "PPage": b"\x1b[5~",
    "PageDown": b"\x1b[6~",
    "PgDn": b"\x1b[6~",
    "NPage": b"\x1b[6~",
    "F1": b"\x1bOP",
    "F2": b"\x1bOQ",
    "F3": b"\x1bOR",
    "F4": b"\x1bOS",
    "F5": b"\x1b[15~",
    "F6": b"\x1b[17~",
    "F7": b"\x1b[18~",
    "F8": b"\x1b[19~",
    "F9": b"\x1b[20~",
    "F10": b"\x1b[21~",
    "F11": b"\x1b[23~",
    "F12": b"\x1b[24~",
    "F13": b"\x1b[25~",
    "F14": b"\x1b[26~",
    "F15": b"\x1b[28~",
    "F16": b"\x1b[29~",
    "F17": b"\x1b[31~",
    "F18": b"\x1b[32~",
    "F19": b"\x1b[33~",
    "F20": b"\x1b[34~",
    "F21": b"\x1b[42~",
    "F24": b"\x1b[45~",
    "S-F1": b"\x1b[1;2P",
    "C-F4": b"\x1b[1;5S",
    "S-F3": b"\x1b[13;2~",
    "S-F5": b"\x1b[15;2~",
    "C-M-F12": b"\x1b[24;7~",
    "C-Left": b"\x1b[1;5D",
    "M-Up": b"\x1b[1;3A",
    "S-Down": b"\x1b[1;2B",
    "C-S-Right": b"\x1b[1;6C",
    "C-M-S-Home": b"\x1b[1;8H",
    "S-End": b"\x1b[1;2F",
    "C-Delete": b"\x1b[3;5~",
    "M-PageUp": b"\x1b[5;3~",
    "S-Insert": b"\x1b[2;2~",
    "C-a": b"\x01",
    "C-A": b"\x01",
    "C-S-a": b"\x01",
    "C-c": b"\x03",
    "C-z": b"\x1a",
    "C-Space": b"\x00",
    "C-@": b"\x00",
    "C-2": b"\x00",
    "C-[": b"\x1b",
    "C-\\": b"\x1c",
    "C-]": b"\x1d",
    "C-^": b"\x1e",
    "C-_": b"\x1f",
    "C-/": b"\x1f",
    "C-?": b"\x7f",
    "C-8": b"\x7f",
    "C-S--": b"\x1f",
    "C-S-2": b"\x00",
    "C--": b"-",
    "C-9": b"9",
    "C-;": b";",
    "M-x": b"\x1bx",
    "M-X": b"\x1bX",
    "M-S-x": b"\x1bX",
    "M-[": b"\x1b[",
    "M-é": b"\x1b\xc3\xa9",
    "C-M-x": b"\x1b\x18",
    "M-C-x": b"\x1b\x18",
    "S-a": b"A",
    "S-1": b"!",
    "S-A": b"A",
    "S-ö": "Ö".encode(),
    "S-ß": "ß".encode(),
    "M-Enter": b"\x1b\r",
    "S-Enter": b"\r",
    "C-Enter": b"\r",
    "M-Escape": b"\x1b\x1b",
    "M-Tab": b"\x1b\t",
    "M-S-Tab": b"\x1b\x1b[Z",
    "M-BTab": b"\x1b\x1b[Z",
    "C-BTab": b"\x1b[Z",
    "M-Space": b"\x1b ",
    "C-M-Space": b"\x1b\x00",
    "S-Space": b" ",
    "C-BSpace": b"\x08",
    "M-BSpace": b"\x1b\x7f",
    "C-M-BSpace": b"\x1b\x08",
    "Ctrl-c": b"\x03",
    "Alt-x": b"\x1bx",
    "Shift-Tab": b"\x1b[Z",
    "Ctrl-Alt-Delete": b"\x1b[3;7~",
    "Ctrl-PgDn": b"\x1b[6;5~",
    "a": b"a",
    "Z": b"Z",
    "-": b"-",
    ";": b";",
    " ": b" ",
    "C": b"C",
    "é": b"\xc3\xa9",
    "世": "世".encode(),
    "👍": "👍".encode(),
}
BY_MODE = [
    *((name, NORMAL, b"\x1b[" + final) for name, final in [("Up", b"A"), ("Down", b"B"), ("Home", b"H")]),
    *((name, NORMAL, b"\x1b[" + final) for name, final in [("Right", b"C"), ("Left", b"D"), ("End", b"F")]),
    *((name, CURSOR, b"\x1bO" + final) for name, final in [("Up", b"A"), ("Down", b"B"), ("Home", b"H")]),
    *((name, CURSOR, b"\x1bO" + final) for name, final in [("Right", b"C"), ("Left", b"D"), ("End", b"F")]),
    *((f"KP{n}", NORMAL, b"%d" % n) for n in range(10)),
    *((f"KP{n}", KEYPAD, b"\x1bO" + b"pqrstuvwxy"[n : n + 1]) for n in range(10)),
    ("KPEnter", NORMAL, b"\r"),
    ("KPEnter", KEYPAD, b"\x1bOM"),
    ("M-KP5", NORMAL, b"\x1b5"),
    ("M-KP5", KEYPAD, b"\x1b\x1bOu"),
    ("C-KP2", KEYPAD, b"\x00"),
    ("Enter", KEYPAD, b"\r"),
    ("5", KEYPAD, b"5"),
]


@pytest.mark.parametrize(("name", "sent"), IN_EVERY_MODE.items(), ids=IN_EVERY_MODE.keys())
def test_a_key_has_the_bytes_that_xterm_documents(name: str, sent: bytes) -> None:
    for modes in (NORMAL, CURSOR, KEYPAD):
        assert encode_keys([name], modes) == sent


@pytest.mark.parametrize(("name", "modes", "sent"), BY_MODE)
def test_a_key_of_the_cursor_block_or_the_keypad_follows_its_mode(name: str, modes: KeyModes, sent: bytes) -> None:
    assert encode_keys([name], modes) == sent


def test_the_cursor_mode_leaves_the_keypad_alone_and_the_other_way_round() -> None:
    assert encode_keys(["KP5"], CURSOR) == b"5"
    assert encode_keys(["Up"], KEYPAD) == b"\x1b[A"


def test_keys_are_sent_in_order_and_none_send_nothing() -> None:
    assert encode_keys(["Up", "C-l", "x", "Enter"], NORMAL) == b"\x1b[A\x0cx\r"
    assert encode_keys([], NORMAL) == b""


def test_flags_that_change_no_press_leave_the_legacy_bytes() -> None:
    for flags in (2, 4, 6, 16):
        assert encode_keys(["C-i", "Escape", "Up"], KeyModes(kitty_flags=flags)) == b"\t\x1b\x1b[A"
