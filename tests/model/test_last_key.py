"""What kind of key a person pressed last."""

import pytest

from session_core.model.last_key import KeyKind, last_key
from session_core.model.status import PaneStatus

from .panes import new_pane

KEYS: dict[KeyKind, list[bytes]] = {
    KeyKind.ESCAPE: [b"\x1b", b"a\x1b", b"\x1b\x1b", b"\x1b[27u", b"\x1b[27;1u"],
    KeyKind.INTERRUPT: [b"\x03", b"rm -r\x03", b"\x1b[99;5u"],
    KeyKind.ENTER: [b"\r", b"\n", b"yes\r", b"\x1b[13u", b"\x1bOM"],
    KeyKind.TEXT: [b"a", b"yes", "é".encode(), b" ", b"\rnext"],
    KeyKind.KEY: [b"\t", b"\x01", b"\x7f", b"\x1b[A", b"\x1bOP", b"\x1b[3~", b"\x1b[97;5u", b"\x1bx"],
}


@pytest.mark.parametrize(("kind", "data"), [(kind, data) for kind, found in KEYS.items() for data in found])
def test_the_last_key_tells_the_kind(kind: KeyKind, data: bytes) -> None:
    assert last_key(data) is kind


def _status(*typed: bytes, paste: bool = False) -> PaneStatus:
    pane = new_pane()
    for data in typed:
        pane.typed(data, "ann", 5.0, paste=paste)
    return pane.status()


def test_a_status_tells_the_kind_and_never_the_text() -> None:
    status = _status(b"hunter2", b"\r")
    assert (status.keystroke, status.keystroke_at) == (KeyKind.ENTER, 5.0)
    assert "hunter" not in repr(status)


def test_a_paste_is_one_whatever_it_ends_with() -> None:
    assert _status(b"\x1b[200~yes\r\x1b[201~", paste=True).keystroke is KeyKind.PASTE


def test_before_any_key_there_is_no_kind() -> None:
    assert _status().keystroke is None
