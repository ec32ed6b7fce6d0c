"""The commands for scripts: what they print, as text and as JSON, and their exit codes."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from session_core import Client, State

from ..host.hosts import RunningHost
from ..host.waiting import BOUND_S, status_eventually
from ..writes.panes import logger, turns, typing

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

Ended = subprocess.CompletedProcess[str]


async def _run(*arguments: str, text: str = "", **environment: str) -> Ended:
    """Run a command with pipes for its streams."""
    call = partial(
        subprocess.run,
        [sys.executable, "-m", "mcp_bridge.command", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        env=os.environ | environment,
    )
    return await anyio.to_thread.run_sync(call)


async def _json(*arguments: str) -> Any:
    ended = await _run(*arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


async def test_attach_without_a_terminal_is_one_clear_line(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    ended = await _run("attach", program.pane)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("panebridge: attach needs a terminal")
    assert ended.stderr.count("\n") == 1


async def test_send_prints_a_ticket_that_wait_takes(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    sent = await _run("send", pane, "first done")
    assert (sent.returncode, sent.stderr) == (0, "")
    waited = await _run("wait", "--since", sent.stdout.strip(), "--timeout", "10", pane)
    assert (waited.returncode, "done" in waited.stdout) == (0, True)
    receipt = await _json("send", "--json", "--key", "k", pane, "second blocked")
    again = await _json("send", "--json", "--key", "k", pane, "second blocked")
    assert receipt["ticket"]["id"] == again["ticket"]["id"]
    assert receipt["ticket"]["status"] == "delivered"
    assert receipt["ticket"]["author"] == "panebridge send"
    waited = await _run("wait", "--since", receipt["ticket"]["id"], "--timeout", "10", pane)
    assert waited.returncode == 5
    assert path.read_text().splitlines() == ["first done", "second blocked"]


async def test_send_reads_its_text_from_a_pipe(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b[?2004h")
    sent = await _run("send", program.pane, "-", text="-x\ntwo\n")
    assert sent.returncode == 0
    await program.got(b"\x1b[200~-x\rtwo\x1b[201~\r")


async def test_send_without_submit_types_only_the_text(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    assert (await _run("send", "--no-submit", program.pane, "C-c;")).returncode == 0
    assert (await _run("send", "--lines", program.pane, "a\nb")).returncode == 0
    await program.got(b"C-c;a\rb\r")


async def test_keys_are_pressed_and_an_unknown_one_is_an_error(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    pressed = await _json("keys", "--json", program.pane, "Up", "C-c", "Enter")
    assert (pressed["ticket"]["status"], pressed["ticket"]["bytes"]) == ("delivered", 5)
    refused = await _run("keys", program.pane, "Entr")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "Nearest: Enter" in refused.stderr
    await program.got(b"\x1b[A\x03\r")


async def test_held_lists_what_cancel_takes_back(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    assert (await _run("held", program.pane)).stdout == "Nothing is held.\n"
    await typing(core, program.pane, b"draft")
    refused = await _run("send", program.pane, "never")
    assert (refused.returncode, "typed" in refused.stderr) == (1, True)
    sent = await _run("send", "--hold", program.pane, "never")
    ticket = sent.stdout.strip()
    listed = await _run("held", program.pane)
    assert ticket in listed.stdout
    assert "human_draft" in listed.stdout
    (held,) = (await _json("held", "--json", program.pane))["tickets"]
    assert (held["id"], held["status"]) == (ticket, "held")
    cancelled = await _json("cancel", "--json", ticket)
    assert (cancelled["status"], cancelled["reason"]) == ("refused", "cancelled")
    again = await _run("cancel", ticket)
    assert (again.returncode, ticket in again.stderr) == (1, True)
    assert (await _json("held", "--json", program.pane)) == {"tickets": []}
    status = await _run("status", program.pane)
    assert "5 characters" in status.stdout


async def test_ack_ends_what_had_finished_and_status_says_by_whom(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=r"\x1b]7501;state=done\x07")
    acknowledged = await _json("ack", "--json", program.pane)
    assert acknowledged == {"pane": program.pane, "acknowledged": [""]}
    assert (await _run("ack", program.pane)).stdout == "0 acknowledged\n"
    status = await status_eventually(core, program.pane, lambda status: status.root is State.IDLE)
    shown = await _run("status", program.pane)
    assert f"by {status.acknowledged[0].by}, " in shown.stdout


async def test_a_command_in_a_pane_does_not_write_to_its_own_pane(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    for command in (("send", program.pane, "x"), ("keys", program.pane, "Enter")):
        refused = await _run(*command, PANEBRIDGE_PANE=program.pane)
        assert (refused.returncode, "the one you run in" in refused.stderr) == (1, True)
    assert program.data == b""


@pytest.mark.parametrize("command", [("send", "x"), ("keys", "Enter"), ("held",), ("ack",)], ids=lambda c: c[0])
async def test_a_pane_that_does_not_exist_has_an_exit_code_of_its_own(
    core: Client, host: RunningHost, command: tuple[str, ...]
) -> None:
    ended = await _run(command[0], "nowhere", *command[1:])
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (3, "", 1)
