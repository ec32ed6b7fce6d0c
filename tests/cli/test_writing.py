"""`send`, `keys`, `held`, `cancel` and `ack`: what is written, what is refused, held and taken back, what is seen."""

import getpass

import pytest

from .commands import Panebridge

pytestmark = [pytest.mark.usefixtures("host"), pytest.mark.slow]

_QUESTION = "state=blocked:kind=question:msg=R28/"
_DONE = "state=done:app=builder:msg=QnVpbHQgMyB0YXJnZXRz"
_SHOWING_INPUT = "stty raw -echo; printf 'ready '; exec cat -v"


def _showing(panebridge: Panebridge, script: str = _SHOWING_INPUT) -> str:
    pane = panebridge.open("sh", "-c", script)
    panebridge.text_when(pane, "ready")
    return pane


def test_keys_are_pressed_by_their_names_and_an_unknown_one_presses_none(panebridge: Panebridge) -> None:
    pane = _showing(panebridge)
    ended = panebridge("keys", pane, "Up", "Entr")
    assert (ended.code, ended.mistake.startswith("There is no key 'Entr'.")) == (1, True)
    pressed = panebridge("keys", pane, "Up", "C-c", "x", "Enter")
    assert (pressed.code, pressed.err, pressed.out.strip()[:1]) == (0, "", "t")
    ticket = panebridge.json("keys", pane, "~")["ticket"]
    assert (ticket["pane"], ticket["status"], ticket["bytes"]) == (pane, "delivered", 1)
    assert panebridge.text_when(pane, "~") == "ready ^[[A^Cx^M~"


@pytest.mark.parametrize("words", [("send", "text"), ("keys", "x")])
def test_a_question_is_answered_only_by_what_names_it(panebridge: Panebridge, words: tuple[str, str]) -> None:
    command, what = words
    pane = panebridge.declare(_QUESTION)
    (record,) = panebridge.json("status", pane)["records"]
    asked = record["revision"]
    ended = panebridge(command, pane, what)
    assert (ended.code, f"answers={asked}" in ended.mistake) == (1, True)
    ended = panebridge(command, "--answers", str(asked + 1), pane, what)
    assert (ended.code, f"revision {asked + 1}" in ended.mistake) == (1, True)
    assert panebridge(command, "--answers", str(asked), pane, what).code == 0
    assert what in panebridge.text_when(pane, what)


def test_a_write_waits_for_the_person_if_it_should_and_is_refused_if_not(panebridge: Panebridge) -> None:
    pane = _showing(panebridge)
    panebridge.type(pane, b"by ann")
    for words in (("send", pane, "text"), ("keys", pane, "x")):
        ended = panebridge(*words)
        assert ended.code == 1
        assert "6 typed characters" in ended.mistake
    held = panebridge.json("send", "--hold", "--no-submit", pane, "~")["ticket"]
    assert (held["status"], held["reason"], held["bytes"]) == ("held", "human_draft", 0)
    panebridge.type(pane, b"\r")
    assert panebridge.text_when(pane, "~") == "ready by ann^M~"
    assert panebridge("held", pane).out == "Nothing is held.\n"


def test_what_is_held_is_listed_in_order_and_can_be_taken_back(panebridge: Panebridge) -> None:
    pane = panebridge.declare("state=working")
    assert panebridge("held", pane).out == "Nothing is held.\n"
    first, second = (panebridge("send", "--when-settled", pane, text).out.strip() for text in ("one", "two"))
    head, *rows = (line.split()[:2] for line in panebridge("held", pane).out.splitlines())
    assert head == ["TICKET", "BECAUSE"]
    assert rows == [[first, "not_settled"], [second, "not_settled"]]
    assert [ticket["id"] for ticket in panebridge.json("held", pane)["tickets"]] == [first, second]
    assert panebridge("cancel", first).out == f"{first} cancelled\n"
    cancelled = panebridge.json("cancel", second)
    assert (cancelled["id"], cancelled["status"], cancelled["reason"]) == (second, "refused", "cancelled")
    assert panebridge.json("held", pane)["tickets"] == []
    again = panebridge("cancel", first)
    assert (again.code, again.mistake.startswith(f"There is no held write '{first}'.")) == (1, True)
    waited = panebridge("wait", "--since", first, "--timeout", "0", pane)
    assert (waited.code, waited.out.split()[:2]) == (1, [pane, "checkin"])


def test_a_repeated_key_writes_nothing_and_prints_the_first_ticket(panebridge: Panebridge) -> None:
    pane = _showing(panebridge)
    first, again = (panebridge("send", "--key", "a", "--no-submit", pane, text).out for text in ("one", "two"))
    assert first == again != ""
    panebridge("keys", pane, "~")
    assert panebridge.text_when(pane, "~") == "ready one~"


def test_several_lines_need_a_paste_or_to_be_asked_for(panebridge: Panebridge) -> None:
    pane = _showing(panebridge)
    ended = panebridge("send", pane, "-", stdin="one\ntwo\n")
    assert (ended.code, "several lines" in ended.mistake) == (1, True)
    assert panebridge("send", "--lines", pane, "-", stdin="one\ntwo\n").code == 0
    assert panebridge.text_when(pane, "two^M") == "ready one^Mtwo^M"
    taking = _showing(panebridge, r"printf '\033[?2004h'; " + _SHOWING_INPUT)
    ticket = panebridge.json("send", taking, "one\ntwo")["ticket"]
    assert (ticket["status"], ticket["pasted"]) == ("delivered", True)
    assert panebridge.text_when(taking, "~^M") == "ready ^[[200~one^Mtwo^[[201~^M"


def test_a_password_prompt_gets_only_what_is_meant_for_it(panebridge: Panebridge) -> None:
    pane = _showing(panebridge, "stty -echo; echo ready; read word; stty echo; echo got it; exec cat")
    ended = panebridge("send", pane, "hunter2")
    assert (ended.code, "hunter2" in ended.mistake) == (1, False)
    assert panebridge("send", "--secret", pane, "hunter2").code == 0
    assert "hunter2" not in panebridge.text_when(pane, "got it")


@pytest.mark.parametrize("words", [("send", "text"), ("keys", "x")])
def test_a_script_cannot_write_into_the_pane_that_it_runs_in(panebridge: Panebridge, words: tuple[str, str]) -> None:
    pane = panebridge.open("cat")
    ended = panebridge(words[0], pane, words[1], PANEBRIDGE_PANE=pane)
    assert (ended.code, "the one you run in" in ended.mistake) == (1, True)
    assert panebridge(words[0], pane, words[1], PANEBRIDGE_PANE="p999").code == 0


def test_what_had_finished_is_seen_once_and_by_whom(panebridge: Panebridge) -> None:
    pane = panebridge.declare(_DONE)
    assert panebridge("ack", pane).out == "1 acknowledged\n"
    assert panebridge.json("ack", pane) == {"pane": pane, "acknowledged": []}
    status = panebridge.json("status", pane)
    (seen,) = status["acknowledged"]
    assert (status["state"], seen["by"], seen["records"]) == ("idle", getpass.getuser(), [""])
    assert f"seen      by {getpass.getuser()}, " in panebridge("status", pane).out


def test_a_question_is_not_over_because_somebody_has_seen_it(panebridge: Panebridge) -> None:
    pane = panebridge.declare(_QUESTION)
    assert panebridge.json("ack", pane) == {"pane": pane, "acknowledged": []}
    assert panebridge.json("status", pane)["state"] == "blocked"
