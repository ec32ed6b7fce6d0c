"""`panebridge exec`, and what `wait` says of a pane by its text and its silence."""

import pytest

from .commands import BOUND_S, Panebridge

pytestmark = [pytest.mark.usefixtures("host"), pytest.mark.slow]


def test_exec_prints_the_output_and_has_the_command_s_exit_code(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash", name="shell")
    ran = panebridge("exec", "shell", "echo 'two words'; sh -c 'exit 42'")
    assert (ran.code, ran.out, ran.err) == (42, "two words\n", "")
    silent = panebridge("exec", pane, "cd /")
    assert (silent.code, silent.out, silent.err) == (0, "", "")
    lines = panebridge("exec", pane, "echo one\nfalse\npwd")
    assert (lines.code, lines.out) == (0, "one\n/\n")


def test_exec_as_json_is_the_whole_result(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash")
    ran = panebridge("exec", "--json", pane, "echo hello; sh -c 'exit 2'")
    assert (ran.code, ran.err) == (2, "")
    value = ran.value
    assert (value["outcome"], value["exit_code"], value["output"], value["exit"]) == ("settled", 2, "hello", None)
    assert (value["pane"], value["left_out_lines"], value["left_out_bytes"]) == (pane, 0, 0)
    assert panebridge("status", pane, "--json").value["last_command"]["exit_code"] == 2


def test_exec_says_on_stderr_that_earlier_output_is_left_out(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash")
    ran = panebridge("exec", "--bytes", "10", pane, "seq 1000")
    assert (ran.code, ran.out, ran.err) == (0, "999\n1000\n", "panebridge: earlier output is left out\n")


def test_exec_tells_a_command_that_still_runs_from_one_that_did_not_run(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash")
    assert panebridge("exec", pane, "true").code == 0
    still = panebridge("exec", "--timeout", "1.5", pane, "cat")
    assert (still.code, still.out) == (124, "")
    begin, ticket = still.err.rstrip().rsplit(" ", 1)
    assert begin == f"panebridge: it still runs; wait for it: panebridge wait {pane} --since"
    busy = panebridge("exec", "--timeout", "0.1", pane, "true")
    assert (busy.code, busy.out) == (125, "")
    assert busy.mistake == "the shell did not run it; look at the pane"
    panebridge.type(pane, b"\x04")
    assert panebridge("wait", pane, "--since", ticket, "--timeout", str(BOUND_S)).code == 0
    half = panebridge("exec", pane, "echo )")
    assert (half.code, half.mistake) == (125, "the shell did not run it; look at the pane")


def test_exec_where_the_shell_ends_has_the_shell_s_exit_code(panebridge: Panebridge) -> None:
    assert panebridge("exec", panebridge.open("bash"), "exit 7").code == 7
    killed = panebridge("exec", panebridge.open("bash"), "kill -9 $$")
    assert (killed.code, killed.out) == (128 + 9, "")


def test_exec_where_nothing_can_be_run_says_why(panebridge: Panebridge) -> None:
    pane = panebridge.open("cat")
    missing = panebridge("exec", "p999", "true")
    assert (missing.code, missing.mistake.startswith("There is no pane 'p999'.")) == (3, True)
    no_shell = panebridge("exec", pane, "true")
    assert (no_shell.code, no_shell.mistake.startswith(f"Pane {pane} runs no shell that marks")) == (1, True)
    assert panebridge("exec", pane, "").code == 1
    assert panebridge("exec", pane, "true", PANEBRIDGE_PANE=pane).code == 1


def test_wait_for_text_ends_at_new_output_and_not_at_its_echo(panebridge: Panebridge) -> None:
    pane = panebridge.open("bash")
    assert panebridge("exec", pane, "true").code == 0
    ticket = panebridge("send", "--json", pane, "printf 'wan%s\\n' ted").value["ticket"]["id"]
    found = panebridge("wait", pane, "--text", "wanted", "--since", ticket, "--timeout", str(BOUND_S))
    assert (found.code, found.out.split()) == (0, [pane, "text", "idle", "wanted"])
    assert panebridge("wait", pane, "--text", "never said", "--timeout", "0").code == 4


def test_wait_judges_by_silence_where_nothing_is_declared(panebridge: Panebridge) -> None:
    pane = panebridge.open("sh", "-c", "echo up; exec cat")
    quiet = panebridge("wait", pane, "--quiet", "0.1", "--timeout", str(BOUND_S))
    assert (quiet.code, quiet.out.split()[:2]) == (7, [pane, "quiet"])
    long = panebridge("wait", pane, "--quiet", "600", "--timeout", "0.1")
    assert long.code == 4


def test_wait_gives_a_program_a_grace_to_react_to_a_write(panebridge: Panebridge) -> None:
    pane = panebridge.declare("state=idle")
    ticket = panebridge("send", "--json", pane, "hello").value["ticket"]["id"]
    nothing = panebridge("wait", pane, "--since", ticket, "--grace", "0.1", "--timeout", str(BOUND_S))
    assert (nothing.code, nothing.out.split()[:2]) == (8, [pane, "not_started"])
    assert panebridge("wait", pane, "--since", ticket, "--grace", "600", "--timeout", "0.1").code == 4
