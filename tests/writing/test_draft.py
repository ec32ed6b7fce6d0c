"""A draft is what persons typed and did not submit, as far as their keys tell; only counts and times are kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.model.draft import Draft, DraftView

from ..model.panes import feed, new_pane, report
from .desk import single_bytes

ENTERS = [b"\r", b"\n", b"\x1bOM", b"\x1b[13u", b"\x1b[13;1u", b"\x1b[13;1:1u"]
CLEARS = [b"\x03", b"\x15"]
NO_TEXT = {
    "arrows": b"\x1b[A\x1b[B\x1b[C\x1b[D",
    "arrows in application mode": b"\x1bOA\x1bOB",
    "arrows with modifiers": b"\x1b[1;5A\x1b[1;2D",
    "editing keys": b"\x1b[3~\x1b[5~\x1b[6~\x1b[H\x1b[F",
    "function keys": b"\x1bOP\x1b[15~\x1b[24;5~",
    "meta letters": b"\x1bb\x1bf",
    "the Escape key": b"\x1b",
    "Escape and Tab": b"\x1b[27u\t",
    "a tab backward": b"\x1b[Z",
    "control letters": b"\x01\x05\x0c\x12\x17\x1a",
    "a kitty control letter": b"\x1b[97;5u",
    "a kitty meta letter": b"\x1b[97;3u",
    "a kitty function key": b"\x1b[57364u",
}


def characters(draft: Draft) -> int:
    """Return how many characters a draft shows."""
    return draft.view.characters if draft.view else 0


def draft_of(*pieces: bytes) -> Draft:
    """Return a draft after these keystrokes, one second apart."""
    draft = Draft()
    for second, piece in enumerate(pieces):
        draft.typed(piece, float(second))
    return draft


def test_nobody_has_typed_at_first() -> None:
    draft = Draft()
    assert draft.view is None
    assert draft.keystroke_at is None


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([b"hello"], 5),
        ([b"h", b"e", b"y"], 3),
        ([b"  "], 2),
        ([b"a b;c$"], 6),
        (["é".encode()], 1),
        (["日本".encode()], 2),
        (["😀".encode()], 1),
        ([b"\x1b[97u", b"\x1b[65;2u", b"\x1b[228;1:1u", b"\x1b[98;1:2u"], 4),
    ],
)
def test_text_adds_its_characters(pieces: list[bytes], expected: int) -> None:
    assert characters(draft_of(*pieces)) == expected


@pytest.mark.parametrize("text", ["é", "aé", "日本", "😀x", "naïve 😀"])
def test_a_character_cut_at_any_byte_is_counted_once(text: str) -> None:
    assert characters(draft_of(*single_bytes(text.encode()))) == len(text)


@settings(max_examples=50, deadline=None, database=None)
@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=12), st.integers(0, 50))
def test_text_counts_the_same_wherever_it_is_cut(text: str, at: int) -> None:
    data = text.encode()
    assert characters(draft_of(data[:at], data[at:])) == len(text)


@pytest.mark.parametrize("erase", [b"\x7f", b"\x08", b"\x1b[127u", b"\x1b[127;1u", b"\x1b[127;1:1u"])
def test_backspace_takes_one_character_and_the_last_one_ends_the_draft(erase: bytes) -> None:
    draft = draft_of(b"ab", erase)
    assert characters(draft) == 1
    assert draft.typed(erase, 5.0)
    assert draft.view is None
    assert not draft.typed(erase, 6.0)
    assert draft.view is None


def test_backspaces_on_an_empty_line_are_owed_nothing() -> None:
    assert characters(draft_of(b"\x7f", b"\x7f", b"\x7f", b"a")) == 1


@pytest.mark.parametrize("key", ENTERS + CLEARS)
def test_enter_and_the_clearing_keys_end_a_draft(key: bytes) -> None:
    draft = draft_of(b"rm -rf x")
    assert draft.typed(key, 5.0)
    assert draft.view is None


@pytest.mark.parametrize("key", ENTERS + CLEARS)
def test_what_follows_a_submit_in_one_piece_is_the_next_draft(key: bytes) -> None:
    draft = draft_of(b"old" + key + b"ne")
    assert characters(draft) == 2


@pytest.mark.parametrize("key", ENTERS + CLEARS)
def test_a_submit_with_nothing_typed_ends_nothing(key: bytes) -> None:
    draft = Draft()
    assert not draft.typed(key, 1.0)
    assert draft.view is None


@pytest.mark.parametrize("data", NO_TEXT.values(), ids=NO_TEXT)
def test_a_key_that_types_no_text_makes_no_draft_and_ends_none(data: bytes) -> None:
    assert draft_of(data).view is None
    draft = draft_of(b"ab", data)
    assert draft.view == DraftView(2, 0.0)
    assert draft.keystroke_at == 1.0


@pytest.mark.parametrize("key", [b"\x1b[13;2u", b"\x1b[13;3u", b"\x1b[13;5u"])
def test_enter_with_a_modifier_submits_nothing(key: bytes) -> None:
    assert characters(draft_of(b"ab", key)) == 2


def test_keys_among_text_do_not_count() -> None:
    assert characters(draft_of(b"ab\x1b[D\x1b[Dcd\x1b[3~\x1bOHx")) == 5


def test_the_draft_bears_the_time_of_its_last_text_and_the_pane_that_of_its_last_key() -> None:
    draft = Draft()
    draft.typed(b"a", 10.0)
    draft.typed(b"b", 11.0)
    draft.typed(b"\x1b[A", 12.0)
    assert draft.view == DraftView(2, 11.0)
    assert draft.keystroke_at == 12.0
    draft.typed(b"\x7f", 13.0)
    assert draft.view == DraftView(1, 11.0)
    assert draft.keystroke_at == 13.0


def test_a_key_that_ends_the_draft_is_still_the_last_key() -> None:
    draft = draft_of(b"a", b"\r")
    assert draft.view is None
    assert draft.keystroke_at == 1.0


def test_several_persons_share_one_draft() -> None:
    """The model hands every person's keys to the one draft: what one types another submits."""
    draft = draft_of(b"ann", b"bob")
    assert characters(draft) == 6
    assert draft.typed(b"\r", 9.0)
    assert draft.view is None


def test_nothing_typed_is_kept() -> None:
    draft = draft_of(b"hunter2")
    draft.pasted(b"\x1b[200~hunter2 and more\x1b[201~", 2.0)
    held = repr([getattr(draft, name) for name in Draft.__slots__])
    assert "hunter" not in held
    assert "more" not in held


def test_a_paste_adds_its_characters_and_its_lines_submit_nothing() -> None:
    draft = Draft()
    draft.pasted(b"\x1b[200~one\rtwo\nthree\r\n\x1b[201~", 3.0)
    assert draft.view == DraftView(11, 3.0)
    assert draft.keystroke_at == 3.0


@pytest.mark.parametrize("inside", [b"\x03", b"\x04", b"\x15", b"\r", b"\x1b[13u"])
def test_a_paste_never_ends_a_draft(inside: bytes) -> None:
    draft = draft_of(b"ab")
    draft.pasted(b"\x1b[200~x" + inside + b"\x1b[201~", 3.0)
    assert characters(draft) >= 3


def test_a_paste_of_multi_byte_characters_counts_characters() -> None:
    draft = Draft()
    draft.pasted(b"\x1b[200~" + "日本é😀".encode() + b"\x1b[201~", 1.0)
    assert characters(draft) == 4


def test_an_empty_paste_is_a_key_and_no_draft() -> None:
    draft = Draft()
    draft.pasted(b"\x1b[200~\x1b[201~", 1.0)
    assert draft.view is None
    assert draft.keystroke_at == 1.0


@pytest.mark.parametrize("at", range(1, 15))
def test_a_paste_cut_at_any_byte_leaves_a_draft(at: int) -> None:
    whole = b"\x1b[200~abc\x1b[201~"
    draft = Draft()
    draft.pasted(whole[:at], 1.0)
    draft.pasted(whole[at:], 2.0)
    assert characters(draft) >= 3


def test_enter_after_a_paste_submits_it() -> None:
    draft = Draft()
    draft.pasted(b"\x1b[200~one\rtwo\x1b[201~", 1.0)
    assert draft.typed(b"\r", 2.0)
    assert draft.view is None


@pytest.mark.parametrize("before", ["idle", "done", "error"])
def test_a_turn_that_begins_after_keys_at_rest_has_read_them(before: str) -> None:
    pane = new_pane()
    feed(pane, report(f"state={before}"), now=1.0)
    pane.typed(b"1", "ann", 2.0, paste=False)
    feed(pane, report("state=working"), now=3.0)
    assert pane.draft.view is None


def test_keys_typed_at_a_question_are_its_answer_and_earlier_ones_are_not() -> None:
    for typed_at, left in ((2.0, True), (4.0, False)):
        pane = new_pane()
        feed(pane, report("state=working"), now=1.0)
        if typed_at == 2.0:
            pane.typed(b"draft", "ann", 2.0, paste=False)
        feed(pane, report("state=blocked:kind=question"), now=3.0)
        if typed_at == 4.0:
            pane.typed(b"y", "ann", 4.0, paste=False)
        feed(pane, report("state=working"), now=5.0)
        assert (pane.draft.view is not None) is left


def test_a_turn_that_goes_on_leaves_what_is_typed_for_the_next() -> None:
    pane = new_pane()
    feed(pane, report("state=working"), now=1.0)
    pane.typed(b"next", "ann", 2.0, paste=False)
    feed(pane, report("state=working:progress=5") + report("state=done"), now=3.0)
    assert pane.draft.view is not None
