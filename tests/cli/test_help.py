"""What `--help` says."""

import pytest

from .commands import Panebridge

_COMMANDS = {
    "run": "Open a pane and start COMMAND in it",
    "ls": "List all panes",
    "status": "Show everything that PANE declares",
    "send": "Give TEXT to PANE's program",
    "keys": "Press keys in PANE",
    "held": "List the writes that are held for PANE",
    "cancel": "Take back the held write TICKET",
    "ack": "Say that you have seen what finished in PANE",
    "attach": "Use PANE with your own terminal",
    "exec": "Run COMMAND in PANE's shell",
    "wait": "Wait until PANES are at rest",
    "read": "Print what PANE shows",
    "close": "End PANE's program",
    "stop": "End the bridge, the host and every pane",
    "upgrade": "Replace keeper, host and bridge by the installed version",
    "demo": "Show the whole way on a real program",
    "mcp": "Serve MCP on stdin and stdout",
    "report": "Declare this program's state to its terminal",
}


def test_the_help_names_every_command_and_the_exit_codes(panebridge: Panebridge) -> None:
    ended = panebridge("--help")
    assert (ended.code, ended.err) == (0, "")
    for name in _COMMANDS:
        assert f"\n  {name} " in ended.out
    said = " ".join(ended.out.split())
    assert "0 ok, 1 error, 2 usage, 3 no such pane, 4 time is up, 5 blocked, 6 exited" in said


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_help_of_a_command_says_what_it_is_for(panebridge: Panebridge, name: str) -> None:
    ended = panebridge(name, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert _COMMANDS[name] in ended.out


def test_the_version_is_told(panebridge: Panebridge) -> None:
    assert panebridge("--version").out.startswith("panebridge, version 0.")
