"""A name that is none is an error and sends nothing; every key's bytes are keystrokes to the classifier."""

from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.model.input_grammar import ViewerOrigin
from session_core.model.input_origin import OriginClassifier
from session_core.model.keys import KEY_NAMES, KeyModes, UnknownKey, encode_keys

from .feeding import named

NAMED = {
    "Enter",
    "Tab",
    "BTab",
    "Escape",
    "Space",
    "BSpace",
    "Delete",
    "Insert",
    "Up",
    "Down",
    "Left",
    "Right",
}
NAMED |= {"Home", "End", "PageUp", "PageDown", "KPEnter"}
NAMED |= {"Esc", "Return", "Backspace", "PgUp", "PgDn", "PPage", "NPage"}
EXPECTED_NAMES = {*NAMED, *(f"F{n}" for n in range(1, 25)), *(f"KP{n}" for n in range(10))}
MODIFIERS = ["", "C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "C-M-S-"]
PRINTABLE = [chr(code) for code in range(0x20, 0x7F)] + list("éÉßẞñ世ж👍")
MODES = [
    KeyModes(cursor, keypad, flags)
    for cursor, keypad in product((False, True), repeat=2)
    for flags in (0, 1, 5, 8, 12, 24, 31)
]

NEAREST = {
    "Entr": "Enter",
    "enter": "Enter",
    "ESC": "Esc",
    "Escpe": "Escape",
    "ArrowUp": None,
    "Pgup": "PgUp",
    "F25": "F5",
    "c-x": "C-x",
    "ctrl+c": "C-c",
    "Control-c": "C-c",
    "CTRL-ALT-delete": "C-M-Delete",
    "meta-x": "M-x",
    "shift+Tab": "S-Tab",
    "C-Entr": "C-Enter",
    "C-C-x": "C-x",
}


def test_the_names_are_those_that_are_documented() -> None:
    assert set(KEY_NAMES) == EXPECTED_NAMES
    assert len(KEY_NAMES) == len(EXPECTED_NAMES)


@pytest.mark.parametrize(("name", "near"), NEAREST.items(), ids=NEAREST.keys())
def test_an_unknown_name_is_named_with_the_nearest_ones(name: str, near: str | None) -> None:
    with pytest.raises(UnknownKey) as caught:
        encode_keys([name], KeyModes())
    assert caught.value.name == name
    assert len(caught.value.nearest) <= 3
    assert repr(name) in str(caught.value)
    assert near is None or near in caught.value.nearest
    assert all(one in str(caught.value) for one in caught.value.nearest)


NO_NAMES = [
    "",
    "C-",
    "M-C-",
    "-C",
    "^C",
    "ab",
    "Enter ",
    " Enter",
    "C- Enter",
    "\n",
    "\r",
    "\x03",
    "\x1b",
    "C-\n",
]
NO_NAMES += [
    "\u200b",
    "\ud800",
    "e\u0301",
    "ls;",
    "<Enter>",
    "{Enter}",
    "F0",
    "F01",
    "KP10",
    "CC-x",
    "Meta-x",
]


@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_what_is_no_name_is_an_error(name: str) -> None:
    with pytest.raises(UnknownKey):
        encode_keys([name], KeyModes())


@pytest.mark.parametrize("name", ["x" * 1_000_000, "ctrl+" * 100 + "x"], ids=["text", "modifiers"])
def test_a_name_of_any_length_is_shown_in_short(name: str) -> None:
    with pytest.raises(UnknownKey) as caught:
        encode_keys([name], KeyModes())
    assert len(str(caught.value)) < 100
    assert caught.value.nearest == ()


def test_an_unknown_name_among_others_sends_nothing_and_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="'Entr'"):
        encode_keys(["l", "s", "Entr", "Foo"], KeyModes())


def test_one_string_is_not_taken_for_a_list_of_letters() -> None:
    with pytest.raises(TypeError):
        encode_keys("Enter", KeyModes())


@pytest.mark.parametrize("name", [*KEY_NAMES, *PRINTABLE])
def test_the_bytes_of_every_key_are_keystrokes_and_nothing_else(name: str) -> None:
    for prefix, modes in product(MODIFIERS, MODES):
        sent = encode_keys([prefix + name], modes)
        classifier = OriginClassifier()
        segments = classifier.feed(sent, 0.0) + classifier.expire(10.0)
        assert named(segments) == [(ViewerOrigin.KEYSTROKE, sent)], (prefix, modes)


@settings(max_examples=300, deadline=None, database=None)
@given(st.text(max_size=12) | st.sampled_from(KEY_NAMES).map(lambda name: name[:-1] + "é"))
def test_any_text_is_a_key_or_an_unknown_key(name: str) -> None:
    with suppress(UnknownKey):
        assert encode_keys([name], KeyModes())
