"""Styles stay, everything else that controls a terminal or deceives a reader goes, in ANSI and in HTML."""

import pytest

from session_core.protocol.text import harmless_markup, harmless_styled

_BAD = ["\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041", "\x07", "\x9b", "\u2028"]


@pytest.mark.parametrize("bad", _BAD, ids=ascii)
def test_a_bad_character_goes_wherever_it_stands(bad: str) -> None:
    assert harmless_styled(f"\x1b[1;31ma{bad}b\x1b[0m{bad}") == "\x1b[1;31mab\x1b[0m"
    assert harmless_markup(f"<b>a{bad}b</b>") == "<b>ab</b>"
    assert harmless_markup(f"<b>a&#{ord(bad)};b&#{ord(bad)};</b>") == (
        "<b>ab</b>" if ord(bad) > 99 else f"<b>a&#{ord(bad)};b&#{ord(bad)};</b>"
    )


@pytest.mark.parametrize("sequence", ["\x1b[2J", "\x1b]2;t", "\x1b[?25h", "\x1bc", "\x1b"])
def test_a_sequence_that_is_no_style_loses_what_makes_it_one(sequence: str) -> None:
    assert "\x1b" not in harmless_styled(f"a{sequence}b")
    assert harmless_styled(f"\x1b[1ma{sequence}b").count("\x1b") == 1


@pytest.mark.parametrize("text", ["👨\u200d👩", "é", "e\u0301", "中", "─", "🏳\ufe0f\u200d🌈"])
def test_writing_stays_as_it_was(text: str) -> None:
    assert harmless_styled(f"\x1b[1m{text}\x1b[0m") == f"\x1b[1m{text}\x1b[0m"
    numbered = "".join(f"&#{ord(character)};" if ord(character) > 127 else character for character in text)
    assert harmless_markup(f"<b>{numbered}</b>") in (f"<b>{text}</b>", f"<b>{numbered}</b>")


def test_a_joiner_that_joins_nothing_goes() -> None:
    assert harmless_markup("a&#8205;b &#128104;&#8205;&#128105;") == "ab 👨\u200d👩"


def test_a_number_beyond_unicode_is_no_error() -> None:
    assert harmless_markup("&#9999999;&#8238;") == "\U0010ffff"
