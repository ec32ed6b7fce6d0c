"""Any text: what comes out holds no control, no marker but its own, and every harmless character in order."""

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from session_core.errors import Code, SessionCoreError
from session_core.model.composing import Composed, compose

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
MARKERS = ("\x1b[200~", "\x1b[201~", "\x9b200~", "\x9b201~")
SPLIT = [marker[:at] for marker in MARKERS for at in range(1, len(marker))] + [
    marker[at:] for marker in MARKERS for at in range(1, len(marker))
]
PIECES = [*MARKERS, *SPLIT, *("\x1b", "\x9b", "\x07", "\x00", "\x7f", "\x80", "\r", "\n", "\r\n", "\t", "a", "é", "~")]
soups = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=16).map("".join)
flags = st.booleans()
MANY = settings(max_examples=250, deadline=None, database=None)


def _composed(text: str, submit: bool, bracketed: bool, by_line: bool) -> Composed | None:
    """Return what is written, None where lines are refused, which only happens where nothing else can be done."""
    try:
        return compose(text, submit=submit, bracketed=bracketed, by_line=by_line)
    except SessionCoreError as refused:
        refusal = refused
    assert (refusal.code, bracketed, by_line) == (Code.MULTILINE, False, False)
    return None


def _body(composed: Composed) -> str:
    """Return the text between the markers of a paste, or all of it."""
    data = composed.data
    if composed.pasted:
        assert data.startswith(BEGIN)
        assert data.endswith(END)
        data = data[len(BEGIN) : -len(END)]
    return data.decode()


def _is_harmless(character: str) -> bool:
    return unicodedata.category(character) != "Cc"


@MANY
@given(soups, flags, flags, flags)
@example("a\n\x1b[20\x071~b", True, True, False)
@example("a\n\x1b[20\x1b[201~1~b", True, True, False)
@example("a\n\x9b20\x9b201~1~b", True, True, False)
def test_a_paste_ends_once_and_at_its_end_and_nothing_else_holds_a_marker(
    text: str, submit: bool, bracketed: bool, by_line: bool
) -> None:
    composed = _composed(text, submit, bracketed, by_line)
    if composed is None:
        return
    assert composed.data.count(b"201~") >= composed.data.count(END) == int(composed.pasted)
    assert composed.data.count(BEGIN) == int(composed.pasted)
    assert not any(marker in _body(composed) for marker in MARKERS)
    assert composed.pasted <= bracketed


@MANY
@given(soups, flags, flags, flags)
def test_no_control_is_left_but_tab_and_the_byte_of_enter(
    text: str, submit: bool, bracketed: bool, by_line: bool
) -> None:
    composed = _composed(text, submit, bracketed, by_line)
    if composed is not None:
        assert {c for c in _body(composed) if not _is_harmless(c)} <= {"\t", "\r"}
        assert composed.pasted or "\r" not in _body(composed) or by_line


@MANY
@given(soups, flags, flags, flags)
def test_every_harmless_character_outside_markers_comes_through_in_order(
    text: str, submit: bool, bracketed: bool, by_line: bool
) -> None:
    composed = _composed(text, submit, bracketed, by_line)
    if composed is None:
        return
    outside = text
    for marker in MARKERS:
        outside = outside.replace(marker, "\0")
    kept = [c for c in outside if _is_harmless(c) or c == "\t"]
    assert [c for c in _body(composed) if c != "\r"] == kept


@MANY
@given(soups, flags, flags)
def test_nothing_is_removed_from_a_text_without_controls(text: str, submit: bool, bracketed: bool) -> None:
    plain = "".join(c for c in text if _is_harmless(c) or c in "\t\n\r")
    composed = _composed(plain, submit, bracketed, True)
    assert composed is not None
    assert composed.removed == 0
    lines = plain.replace("\r\n", "\n").replace("\r", "\n")
    assert _body(composed).replace("\r", "\n") == (lines.rstrip("\n") if submit else lines)


@MANY
@given(soups, flags, flags)
def test_a_text_that_is_submitted_ends_in_no_line_end(text: str, bracketed: bool, by_line: bool) -> None:
    composed = _composed(text, True, bracketed, by_line)
    if composed is not None:
        assert not _body(composed).endswith("\r")


@MANY
@given(soups, flags, flags)
def test_what_was_made_ready_once_is_left_as_it_is(text: str, submit: bool, bracketed: bool) -> None:
    first = _composed(text, submit, bracketed, True)
    assert first is not None
    second = _composed(_body(first), submit, bracketed, True)
    assert second == Composed(first.data, 0, first.pasted)
