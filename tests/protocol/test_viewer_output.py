"""What a viewer's terminal may see of a pane's output."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_core.protocol.viewer_output import ViewerFilter

WHOLE = re.compile(rb"\x1b\]52;[^\x07\x18\x1a\x1b]*(?:\x07|\x18|\x1a|\x1b\\)")
PIECES = [
    b"\x1b]52;c;",
    b"\x1b]5",
    b"2;?",
    b"\x1b",
    b"\\",
    b"\x07",
    b"\x18",
    b"ZXZpbA==",
    b"text",
    b"\x1b[31m",
    b"\x1b]2;t\x07",
]


def shown(*chunks: bytes) -> bytes:
    """Return what passes."""
    clipboard = ViewerFilter()
    return b"".join(clipboard.feed(chunk) for chunk in chunks)


@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\", b"\x18", b"\x1a"])
@pytest.mark.parametrize("body", [b"c;ZXZpbA==", b"c;?", b"", b";" * 100_000])
def test_a_clipboard_sequence_does_not_reach_a_viewer_however_it_is_cut(body: bytes, end: bytes) -> None:
    data = b"before\x1b]52;" + body + end + b"after"
    assert shown(data) == b"before\x1b\\after"
    cuts = [*range(1, 20), *range(len(data) - 9, len(data))]
    for cut in (cut for cut in cuts if 0 < cut < len(data)):
        assert shown(data[:cut], data[cut:]) == b"before\x1b\\after"


def test_prompt_marks_pass_unless_they_are_left_out() -> None:
    data = b"one\x1b]133;A;nonce=1\x07two\x1b]133;D;0\x1b\\three\x1b]52;c;x\x07\x1b]13;x\x07"
    assert shown(data) == data.replace(b"\x1b]52;c;x\x07", b"\x1b\\")
    for cut in range(len(data)):
        output = ViewerFilter(marks=False)
        passed = output.feed(data[:cut]) + output.feed(data[cut:])
        assert passed == b"one\x1b\\two\x1b\\three\x1b\\\x1b]13;x\x07"


def test_another_sequence_that_ends_one_is_kept() -> None:
    assert shown(b"\x1b]52;c;abc\x1b[31mred") == b"\x1b\\\x1b[31mred"


@pytest.mark.parametrize("data", [b"plain", b"\x1b]2;52;title\x07", b"\x1b]5;x\x07", b"\x1b]520;x\x07", b"\x1b[?1049h"])
def test_everything_else_passes_unchanged(data: bytes) -> None:
    assert shown(data + b".") == data + b"."
    assert shown(*(bytes([byte]) for byte in data), b".") == data + b"."


def test_pieces_around_a_dropped_sequence_do_not_grow_together() -> None:
    assert not WHOLE.search(shown(b"\x1b]5" + b"\x1b]52;c;x\x07" + b"2;c;ZXZpbA==\x07"))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), st.data())
def test_any_chunking_shows_the_same_and_never_a_whole_clipboard_sequence(data: bytes, draw: st.DataObject) -> None:
    cut = draw.draw(st.integers(0, len(data)))
    whole = shown(data)
    assert shown(data[:cut], data[cut:]) == whole
    assert not WHOLE.search(whole)
