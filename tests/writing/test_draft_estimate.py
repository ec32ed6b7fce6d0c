"""Where keys tell less than all, the draft errs on the side of a draft: nothing may be merged with one."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from session_core.errors import Code, SessionCoreError
from session_core.model.draft import Draft
from session_core.model.guard import Conditions

from .desk import Write, WriteDesk, single_bytes

KEYS = [
    *(b"a", b"b", b" ", "é".encode(), b"\x7f", b"\x08", b"\r", b"\x03", b"\x15", b"\x04"),
    *(b"\x1b[A", b"\x1bOC", b"\x1b[97u", b"\x1b[13u", b"\x1b[127u", b"\x1b[3~", b"\x01"),
]


def _shown(*pieces: bytes) -> int:
    draft = Draft()
    for piece in pieces:
        draft.typed(piece, 1.0)
    return draft.view.characters if draft.view else 0


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from(KEYS), max_size=8))
@example([b"\x7f", b"a"])
@example([b"a", b"\x7f", b"\x7f", b"b"])
def test_keys_that_come_in_one_piece_count_as_if_they_came_one_by_one(keys: list[bytes]) -> None:
    assert _shown(b"".join(keys)) == _shown(*keys)


@pytest.mark.parametrize("data", [b"\x7fa", b"\x7f\x7f\x7fls", b"ab\x7f\x7f\x7fc", b"\r\x7fx"])
def test_a_backspace_never_takes_what_is_typed_after_it(data: bytes) -> None:
    assert _shown(data) > 0


@pytest.mark.parametrize("key", [b"\x1b[99;5u", b"\x1b[117;5u", b"\x1b[99;5:1u"])
def test_the_clearing_keys_end_a_draft_in_their_kitty_form(key: bytes) -> None:
    assert _shown(b"ab", key) == 0


@pytest.mark.parametrize("key", [b"\x1b[57414u", b"\x1b[57414;1u", b"\x1b[13;129u", b"\x1b[13;65u", b"\x1b[13;193:1u"])
def test_enter_of_the_keypad_or_under_a_lock_ends_a_draft_in_its_kitty_form(key: bytes) -> None:
    assert _shown(b"ab", key) == 0


@pytest.mark.parametrize(
    "key",
    [
        b"\x1b[97;;97u",
        b"\x1b[97;1;97u",
        b"\x1b[97:65;2;65u",
        b"\x1b[97:65;2u",
        b"\x1b[97;65u",
        b"\x1b[97;129u",
        b"\x1b[97::99;1u",
        b"\x1b[57404u",
        b"\x1bOq",
    ],
)
def test_a_key_that_types_text_makes_a_draft_in_every_form(key: bytes) -> None:
    assert _shown(key) == 1


@pytest.mark.parametrize("key", [b"\x1b\r", b"\x1b\n"])
def test_meta_enter_is_a_new_line_of_the_draft(key: bytes) -> None:
    assert _shown(b"one" + key) >= 3
    assert _shown(b"one", key) >= 3


@pytest.mark.parametrize("data", [b"\x1b\x7fa", b"\x1b\x7fabc"])
def test_text_after_a_meta_backspace_is_a_draft(data: bytes) -> None:
    assert _shown(b"x", data) > 0


@pytest.mark.parametrize("at", [6, 7, 8])
def test_a_paste_that_has_begun_and_not_ended_is_a_draft(at: int) -> None:
    """A paste is handed on as it comes: nothing may be written between its pieces."""
    draft = Draft()
    draft.pasted(b"\x1b[200~\r\ntext"[:at], 1.0)
    assert draft.view is not None


def test_a_paste_that_comes_byte_by_byte_is_a_draft_from_its_begin_to_the_submit() -> None:
    draft = Draft()
    draft.pasted(b"\x1b[200~", 1.0)
    for piece in single_bytes(b"\r\nab\x1b[201~"):
        assert draft.view is not None
        draft.pasted(piece, 2.0)
    assert draft.view is not None
    draft.typed(b"\r", 3.0)
    assert draft.view is None


@pytest.mark.parametrize("pieces", [[b"\x1b[200~"], [b"\x1b[200~", b"\r"], [b"\x1b[200~", b"\n", b"\x1b[20"]])
def test_no_write_lands_inside_a_paste_that_comes_in_pieces(pieces: list[bytes]) -> None:
    """It would become a part of the paste, or its own paste end would let the rest of the paste be typed."""
    desk = WriteDesk()
    for piece in pieces:
        desk.typed(piece, "ann", paste=True)
    with pytest.raises(SessionCoreError) as refused:
        desk.write(Write("tool", "one\ntwo", True, Conditions()))
    assert refused.value.code is Code.HUMAN_DRAFT


@pytest.mark.parametrize("data", [b"\x1b[" + b"1" * 5000 + b"u", b"\x1b[97;" + b"1" * 5000 + b"u"])
def test_numbers_without_end_are_no_error(data: bytes) -> None:
    assert _shown(b"a" + data) >= 1


@settings(max_examples=100, deadline=None, database=None)
@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_are_taken_and_never_count_below_nothing(data: bytes, paste: bool) -> None:
    draft = Draft()
    (draft.pasted if paste else draft.typed)(data, 1.0)
    assert draft.keystroke_at == 1.0
    assert draft.view is None or 0 < draft.view.characters <= max(1, len(data))
