"""Program text made harmless: what is removed, what stays, and how it is cut."""

import pytest

from session_core.protocol.text import disarm, has_controls

_NAMED_BY_THE_SPEC = [
    0x061C,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    *range(0x2066, 0x206A),
    0xFEFF,
]
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
_LINE_ENDS_AND_TAGS = [0x2028, 0x2029, 0x206A, 0x206F, 0xE0000, 0xE0041, 0xE007F]


@pytest.mark.parametrize("code", _NAMED_BY_THE_SPEC)
def test_each_invisible_or_bidi_character_that_the_spec_names_is_removed(code: int) -> None:
    """OSC 7501 section 2: a terminal SHOULD disarm them when it shows text outside the grid."""
    assert disarm(f"a{chr(code)}b{chr(code)}", 10) == "ab"


@pytest.mark.parametrize("code", _CONTROLS + _LINE_ENDS_AND_TAGS)
def test_each_control_line_separator_and_tag_is_removed(code: int) -> None:
    assert disarm(f"{chr(code)}a{chr(code)}b", 10) == "ab"


@pytest.mark.parametrize("code", _CONTROLS)
def test_controls_are_recognised(code: int) -> None:
    assert has_controls(f"a{chr(code)}")


@pytest.mark.parametrize("text", ["", "plain ~ text", "\u00a0", "é安🦀", "\u202e\u200b\ufeff\u2028", "a\u0301"])
def test_what_is_no_control_is_not_taken_for_one(text: str) -> None:
    assert not has_controls(text)


@pytest.mark.parametrize(
    "text", ["", " a  b ", "~`<b>&amp;%s{}", "é安🦀", "a\u0301", "שלום", "\u2027\u202f\u2065\u2070"]
)
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert disarm(text, 100) == text


def test_text_up_to_the_limit_is_whole_and_longer_text_ends_in_an_ellipsis() -> None:
    assert disarm("abcde", 5) == "abcde"
    assert disarm("abcdef", 5) == "abcd…"
    assert disarm("ab", 1) == "…"


def test_the_limit_counts_characters_after_the_removal() -> None:
    assert disarm("\x1b\u202eabcde\x00", 5) == "abcde"
    assert disarm("🦀" * 6, 5) == "🦀" * 4 + "…"


def test_a_joiner_stays_where_it_can_join_and_goes_elsewhere() -> None:
    family, persian = "\U0001f468\u200d\U0001f469", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert disarm(f"{family} {persian}", 50) == f"{family} {persian}"
    assert disarm("ad\u200dmin \u200d\u06cc\u200c\u200d\u06cc\u200d", 50) == "admin \u06cc\u06cc"
