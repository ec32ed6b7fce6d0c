"""Each command on real panes: what a person reads and what a program reads."""

from pathlib import Path

import pytest

from .commands import BOUND_S, PANEBRIDGE, Panebridge

pytestmark = pytest.mark.usefixtures("host")

_DONE = "state=done:app=builder:msg=QnVpbHQgMyB0YXJnZXRz"


def test_run_prints_the_id_of_the_new_pane(panebridge: Panebridge, tmp_path: Path) -> None:
    ended = panebridge("run", "--name", "worker", "--folder", str(tmp_path), "--", "sh", "-c", "pwd; exec cat")
    assert (ended.code, ended.err) == (0, "")
    pane = ended.out.strip()
    status = panebridge.json("status", "worker")
    assert (status["pane"], status["name"], status["life"]) == (pane, "worker", "running")
    assert status["command"] == ["sh", "-c", "pwd; exec cat"]
    assert (status["columns"], status["rows"]) == (120, 40)


def test_run_starts_in_this_folder_and_with_this_environment_in_the_size_that_was_asked(
    panebridge: Panebridge, tmp_path: Path
) -> None:
    words = ("run", "--json", "--columns", "200", "--rows", "5", "--", "sh", "-c")
    ended = panebridge(*words, 'echo "$MARK"; pwd; stty size', cwd=str(tmp_path), MARK="of the caller")
    pane = ended.value["pane"]
    assert panebridge("wait", pane, "--until", "exited", "--timeout", str(BOUND_S)).code == 6
    assert panebridge("read", pane).out.splitlines()[:3] == ["of the caller", str(tmp_path), "5 200"]


def test_run_without_a_command_starts_the_shell_of_the_user(panebridge: Panebridge) -> None:
    ended = panebridge("run", "--json", SHELL="/bin/cat")
    assert (ended.code, ended.value["command"]) == (0, ["/bin/cat"])


def test_ls_is_a_table_for_people_and_json_for_programs(panebridge: Panebridge) -> None:
    assert panebridge("ls").out == "No panes. Open one: panebridge run -- CMD\n"
    assert panebridge.json("ls")["panes"] == []
    silent = panebridge.open("cat", name="quiet")
    done = panebridge.declare(_DONE)
    head, first, second = (line.split() for line in panebridge("ls").out.splitlines())
    assert head == ["PANE", "NAME", "STATE", "SIGNAL", "PROGRAM", "AGE", "MESSAGE"]
    assert first[:5] == [silent, "quiet", "unknown", "none", "cat"]
    assert second[:3] == [done, "done", "declared"]
    assert second[-3:] == ["Built", "3", "targets"]
    listed = panebridge.json("ls")
    assert [(row["pane"], row["state"]) for row in listed["panes"]] == [(silent, "unknown"), (done, "done")]
    assert listed["revision"] > 0


def test_status_shows_every_record(panebridge: Panebridge) -> None:
    two = _DONE + r"\033\\\033]7501;state=working:id=t1:progress=40:title=VW5pdCB0ZXN0cw=="
    pane = panebridge.declare(two, records=2)
    text = panebridge("status", pane).out
    assert "(root)           done builder Built 3 targets" in text
    assert "t1               working 40 % builder Unit tests" in text
    records = panebridge.json("status", pane)["records"]
    assert [(record["id"], record["state"], record["progress"]) for record in records] == [
        ("", "done", None),
        ("t1", "working", 40),
    ]


def test_send_wait_and_read_take_a_program_through_a_turn(panebridge: Panebridge) -> None:
    pane = panebridge.open("sh", "-c", r"read line; printf '\033]7501;state=done\033\\'; echo got $line; exec cat")
    sent = panebridge("send", pane, "some work")
    assert (sent.code, sent.err) == (0, "")
    since = sent.out.strip()
    assert since.startswith("t")
    assert since[1:].isdecimal()
    waited = panebridge("wait", pane, "--since", since, "--timeout", str(BOUND_S))
    assert (waited.code, waited.out.split()) == (0, [pane, "settled", "done"])
    again = panebridge.json("wait", "--since", since, "--timeout", "0", pane)
    assert (again["outcome"], again["panes"][0]["state"]) == ("settled", "done")
    assert "got some work" in panebridge("read", pane).out
    assert "got some work" in panebridge.json("read", "--lines", "10", pane)["text"]


def test_send_takes_the_text_from_stdin_and_submits_only_if_it_should(panebridge: Panebridge) -> None:
    pane = panebridge.open("sh", "-c", "stty -icanon -echo; echo on; read line; echo got $line")
    assert panebridge("send", "--no-submit", pane, "first ").code == 0
    receipt = panebridge("send", "--json", pane, "-", stdin="second").value
    ticket = receipt["ticket"]
    assert (ticket["pane"], ticket["bytes"], ticket["status"]) == (pane, len("second") + 1, "delivered")
    assert panebridge("wait", pane, "--until", "exited", "--timeout", str(BOUND_S)).code == 6
    assert "got first second" in panebridge("read", pane).out


def test_sending_and_reading_leave_a_finished_state_alone(panebridge: Panebridge) -> None:
    pane = panebridge.declare(_DONE)
    assert panebridge("send", "--no-submit", pane, "#").code == 0
    assert panebridge("keys", pane, "Space", "Left").code == 0
    assert panebridge("read", pane).code == 0
    status = panebridge.status_when(pane, lambda _: True)
    assert (status.state, status.acknowledged) == ("done", ())


def test_close_ends_the_program_and_removes_the_pane(panebridge: Panebridge) -> None:
    first, second = panebridge.open("cat"), panebridge.open("cat")
    assert panebridge("close", first).out == f"{first} closed\n"
    assert panebridge.json("close", second) == {"pane": second, "exit": {"code": None, "signal": "SIGHUP"}}
    assert panebridge.json("ls")["panes"] == []


def test_a_script_in_a_pane_declares_a_state_that_everybody_sees(panebridge: Panebridge) -> None:
    script = (
        f"{PANEBRIDGE} report blocked --kind question --app deploy --msg 'Which one?'; "
        f"{PANEBRIDGE} report working --id copy --title Copying --progress 40; exec cat"
    )
    pane = panebridge.open("sh", "-c", script)
    status = panebridge.status_when(pane, lambda status: len(status.records) == 2)
    shown = [
        (record.id, record.state.value, record.kind, record.app, record.title, record.msg, record.progress)
        for record in status.records
    ]
    assert shown == [
        ("", "blocked", "question", "deploy", None, "Which one?", None),
        ("copy", "working", None, "deploy", "Copying", None, 40),
    ]
    assert "Which one?" in panebridge("ls").out
    assert panebridge("wait", pane, "--timeout", str(BOUND_S)).code == 5
