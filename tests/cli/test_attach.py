"""`attach`: a pane on a person's own terminal, and that terminal as it was before on every way out."""

import signal

import pytest

from .commands import Panebridge
from .terminal import person_terminal

pytestmark = pytest.mark.usefixtures("host")

_DETACH = b"\x1c"
_DONE = "state=done:app=builder:msg=QnVpbHQgMyB0YXJnZXRz"
_SIZES = r"trap 'stty size' WINCH; echo ready; while :; do read line && echo got $line; done"


def test_a_person_sees_the_screen_types_and_leaves_the_pane_running(panebridge: Panebridge) -> None:
    pane = panebridge.declare(_DONE)
    panebridge("send", pane, "before")
    panebridge.text_when(pane, "before")
    with person_terminal(panebridge, ["attach", pane]) as terminal:
        terminal.shows(b"before")
        terminal.type(b"by a person\r")
        terminal.shows(b"by a person")
        seen = panebridge.status_when(pane, lambda status: status.state == "idle")
        assert [entry.records for entry in seen.acknowledged] == [("",)]
        terminal.type(_DETACH)
        assert terminal.ends() == 0
        assert f"panebridge: detached ({pane})".encode() in terminal.shown
        assert terminal.as_before
    assert panebridge("send", pane, "after").code == 0
    assert "by a person" in panebridge.text_when(pane, "after")
    assert panebridge.json("status", pane)["life"] == "running"


def test_another_detach_key_leaves_the_usual_one_to_the_program(panebridge: Panebridge) -> None:
    pane = panebridge.open("sh", "-c", "stty raw -echo; printf 'ready '; exec cat -v")
    panebridge.text_when(pane, "ready")
    with person_terminal(panebridge, ["attach", "--detach-key", "C-q", pane]) as terminal:
        terminal.shows(b"ready")
        terminal.type(b"\x1b[200~\x11\x1b[201~" + _DETACH)
        terminal.shows(b"^[[200~^Q^[[201~^\\")
        terminal.type(b"\x11")
        assert terminal.ends() == 0
        assert terminal.as_before


def test_who_only_looks_types_nothing_and_sets_no_size(panebridge: Panebridge) -> None:
    pane = panebridge.declare(_DONE)
    with person_terminal(panebridge, ["attach", "--read-only", pane]) as terminal:
        terminal.type(b"never\r")
        panebridge("send", pane, "shown")
        terminal.shows(b"shown")
        terminal.type(_DETACH)
        assert terminal.ends() == 0
        assert terminal.as_before
    status = panebridge.json("status", pane)
    assert (status["state"], status["acknowledged"], status["columns"]) == ("done", [], 120)
    assert "never" not in panebridge("read", pane).out


def test_the_pane_has_the_size_of_the_terminal_that_is_typed_in(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash", "-c", _SIZES)
    panebridge.text_when(pane, "ready")
    with person_terminal(panebridge, ["attach", pane], columns=90, rows=20) as terminal:
        terminal.shows(b"ready")
        assert panebridge.json("status", pane)["columns"] == 120
        terminal.type(b"x\r")
        panebridge.status_when(pane, lambda status: (status.columns, status.rows) == (90, 20))
        terminal.resize(80, 25)
        panebridge.status_when(pane, lambda status: (status.columns, status.rows) == (80, 25))
        terminal.type(_DETACH)
        assert terminal.ends() == 0


def test_the_end_of_the_program_ends_the_view_and_says_how(panebridge: Panebridge) -> None:
    pane = panebridge.open("sh", "-c", "echo ready; read line; exit 3")
    with person_terminal(panebridge, ["attach", pane]) as terminal:
        terminal.shows(b"ready")
        terminal.type(b"\r")
        assert terminal.ends() == 0
        assert f"panebridge: exited 3 ({pane})".encode() in terminal.shown
        assert terminal.as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_puts_the_terminal_back(panebridge: Panebridge, number: signal.Signals) -> None:
    pane = panebridge.open("sh", "-c", "echo ready; exec cat")
    with person_terminal(panebridge, ["attach", pane]) as terminal:
        terminal.shows(b"ready")
        assert not terminal.as_before
        terminal.process.send_signal(number)
        assert terminal.ends() == 1
        assert number.name.encode() in terminal.shown
        assert terminal.as_before
    assert panebridge.json("status", pane)["life"] == "running"


def test_a_mistake_leaves_the_terminal_alone(panebridge: Panebridge) -> None:
    pane = panebridge.open("cat")
    for words, code, why in (
        (("attach", "p999"), 3, f"There is no pane 'p999'. Panes: {pane}."),
        (("attach", "--detach-key", "q", pane), 1, "'q' cannot be the detach key."),
        (("attach", "--detach-key", "C-1", pane), 1, "'C-1' cannot be the detach key."),
    ):
        with person_terminal(panebridge, words) as terminal:
            assert terminal.ends() == code
            assert f"panebridge: {why}".encode() in terminal.shown
            assert b"\x1b" not in terminal.shown
            assert terminal.as_before
