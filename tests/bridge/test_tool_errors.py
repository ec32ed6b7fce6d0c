"""What a model is told when a call cannot be done: a stable code first, then what to do; and it goes on."""

from typing import Any

import pytest

from .calls import Tools

pytestmark = pytest.mark.anyio

_eras = pytest.mark.parametrize("era", ["auto", "legacy"])

_SECRET = "hunter2"
_TEXT_CHARACTERS = 1_000_000

_ABOUT_PANES: dict[str, dict[str, Any]] = {
    "read_status": {"pane": "p999"},
    "read_pane": {"pane": "p999"},
    "write_pane": {"pane": "p999", "text": "x"},
    "send_keys": {"pane": "p999", "keys": ["Enter"]},
    "close_pane": {"pane": "p999"},
    "wait_idle": {"panes": ["p999"]},
}

_BAD_ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    ("read_status", {}, "pane"),
    ("read_status", {"pane": 5}, "pane"),
    ("read_status", {"pane": ""}, "pane"),
    ("read_status", {"pane": "p" * 65}, "pane"),
    ("read_pane", {"pane": "PANE", "lines": -1}, "lines"),
    ("read_pane", {"pane": "PANE", "lines": 2001}, "lines"),
    ("read_pane", {"pane": "PANE", "lines": "many"}, "lines"),
    ("write_pane", {"pane": "PANE"}, "text"),
    ("write_pane", {"pane": "PANE", "text": ["x"]}, "text"),
    ("write_pane", {"pane": "PANE", "text": "x", "submit": "perhaps"}, "submit"),
    ("write_pane", {"pane": "PANE", "text": "x" * (_TEXT_CHARACTERS + 1)}, "text"),
    ("write_pane", {"pane": "PANE", "text": "x", "multiline": "all"}, "multiline"),
    ("write_pane", {"pane": "PANE", "text": "x", "answers": -1}, "answers"),
    ("write_pane", {"pane": "PANE", "text": "x", "answers": "all"}, "answers"),
    ("write_pane", {"pane": "PANE", "text": "x", "if_state": "asleep"}, "if_state"),
    ("write_pane", {"pane": "PANE", "text": "x", "if_revision": -1}, "if_revision"),
    ("write_pane", {"pane": "PANE", "text": "x", "if_occupant": 5}, "if_occupant"),
    ("write_pane", {"pane": "PANE", "text": "x", "on_draft": "merge"}, "on_draft"),
    ("write_pane", {"pane": "PANE", "text": "x", "when": "later"}, "when"),
    ("write_pane", {"pane": "PANE", "text": "x", "key": "k" * 201}, "key"),
    ("write_pane", {"pane": "PANE", "text": "x", "secret": "perhaps"}, "secret"),
    ("write_pane", {"pane": "PANE", "text": "x", "wait_s": -0.5}, "wait_s"),
    ("send_keys", {"pane": "PANE"}, "keys"),
    ("send_keys", {"pane": "PANE", "keys": []}, "keys"),
    ("send_keys", {"pane": "PANE", "keys": "Enter"}, "keys"),
    ("send_keys", {"pane": "PANE", "keys": ["Enter", 5]}, "keys.1"),
    ("send_keys", {"pane": "PANE", "keys": ["Enter"] * 1001}, "keys"),
    ("send_keys", {"pane": "PANE", "keys": ["Enter"], "answers": -1}, "answers"),
    ("send_keys", {"pane": "PANE", "keys": ["Enter"], "wait_s": -0.5}, "wait_s"),
    ("cancel_write", {}, "ticket"),
    ("cancel_write", {"ticket": ""}, "ticket"),
    ("cancel_write", {"ticket": "t" * 33}, "ticket"),
    ("open_pane", {"command": []}, "command"),
    ("open_pane", {"command": "ls -l"}, "command"),
    ("open_pane", {"command": ["ls", 5]}, "command.1"),
    ("open_pane", {"command": ["ls"], "name": "no spaces"}, "name"),
    ("wait_idle", {"panes": []}, "panes"),
    ("wait_idle", {"panes": "PANE"}, "panes"),
    ("wait_idle", {"panes": ["PANE"], "until": "finished"}, "until"),
    ("wait_idle", {"panes": ["PANE"], "mode": "some"}, "mode"),
    ("wait_idle", {"panes": ["PANE"], "since": -1}, "since"),
    ("wait_idle", {"panes": ["PANE"], "since": ["t1"]}, "since"),
    ("wait_idle", {"panes": ["PANE"], "since": "t" * 33}, "since"),
    ("wait_idle", {"panes": ["PANE"], "timeout_s": -0.5}, "timeout_s"),
    ("wait_idle", {"panes": ["PANE"], "timeout_s": None}, "timeout_s"),
]

_BAD_STARTS: list[tuple[dict[str, Any], str]] = [
    ({"command": ["no-such-program-anywhere"]}, "no_such_program: "),
    ({"command": [""]}, "no_such_program: "),
    ({"command": ["/no/such/program"]}, "no_such_program: "),
    ({"command": ["/etc/passwd"]}, "not_executable: "),
    ({"command": ["/"]}, "no_such_program: "),
    ({"command": ["ls"], "folder": "/no/such/folder"}, "no_such_folder: "),
    ({"command": ["ls"], "folder": "relative"}, "no_such_folder: "),
    ({"command": ["ls"], "folder": "/etc/passwd"}, "no_such_folder: "),
    ({"command": ["ls", "a\0b"]}, "bad_request: "),
]


@_eras
async def test_a_pane_that_does_not_exist_is_answered_with_those_that_do(tools: Tools) -> None:
    for tool, arguments in _ABOUT_PANES.items():
        text = await tools.refusal(tool, **arguments)
        assert text.startswith("no_such_pane: ")
        assert "p999" in text
        assert "no panes" in text
    panes = [await tools.open(["cat"]) for _ in range(3)]
    for tool, arguments in _ABOUT_PANES.items():
        text = await tools.refusal(tool, **arguments)
        assert text.endswith(f"Panes: {', '.join(panes)}.")
    assert len((await tools.call("list_panes"))["panes"]) == 3


@_eras
async def test_an_unknown_argument_is_named_and_its_value_is_not_repeated(tools: Tools) -> None:
    pane = await tools.open(["cat"])
    text = await tools.refusal("read_status", pane=pane, password=_SECRET)
    assert text.startswith("bad_request: password: ")
    assert text.endswith("read_status takes: pane.")
    assert _SECRET not in text
    assert (await tools.call("read_status", pane=pane))["pane"] == pane


@_eras
async def test_a_bad_argument_is_named_with_the_known_ones_and_changes_nothing(tools: Tools) -> None:
    pane = await tools.puppet()
    before = await tools.row(pane)
    for tool, arguments, where in _BAD_ARGUMENTS:
        meant = {key: _address(value, pane) for key, value in arguments.items()}
        text = await tools.refusal(tool, **meant)
        assert text.startswith(f"bad_request: {where}: "), (tool, meant, text)
        assert f"{tool} takes: " in text
        assert len(text) < 500
    assert (await tools.call("list_panes"))["panes"] == [before]
    assert (await tools.call("read_pane", pane=pane))["text"] == ""


def _address(value: Any, pane: str) -> Any:
    return [pane] if value == ["PANE"] else pane if value == "PANE" else value


async def test_a_value_that_does_not_fit_is_not_repeated(tools: Tools) -> None:
    for tool, arguments in (
        ("read_status", {"pane": [_SECRET]}),
        ("open_pane", {"command": ["ls"], "name": f"{_SECRET} "}),
        ("wait_idle", {"panes": ["p1"], "until": _SECRET}),
        ("wait_idle", {"panes": ["p1"], "timeout_s": _SECRET}),
        ("write_pane", {"pane": "p1", "text": [_SECRET]}),
        ("write_pane", {"pane": "p1", "text": "x", "when": _SECRET}),
        ("cancel_write", {"ticket": [_SECRET]}),
    ):
        assert _SECRET not in await tools.refusal(tool, **arguments)


@_eras
async def test_an_unknown_tool_is_answered_with_the_known_ones(tools: Tools) -> None:
    text = await tools.refusal("press_keys", pane="p1")
    assert text.startswith("unknown_tool: ")
    assert "list_panes, read_status, open_pane" in text
    assert "panes" in await tools.call("list_panes")


async def test_a_pane_whose_program_has_ended_can_be_read_but_not_written(tools: Tools) -> None:
    pane = await tools.open(["sh", "-c", "echo last words; exit 3"])
    assert (await tools.wait(pane, until="exited"))["exit"] == "code 3"
    assert (await tools.refusal("write_pane", pane=pane, text="x")).startswith("pane_exited: ")
    assert (await tools.refusal("send_keys", pane=pane, keys=["Enter"])).startswith("pane_exited: ")
    assert (await tools.call("read_pane", pane=pane))["text"] == "last words"
    assert (await tools.call("read_status", pane=pane))["exit"] == "code 3"
    assert await tools.call("close_pane", pane=pane) == {"pane": pane, "exit": "code 3"}


async def test_a_program_that_cannot_be_started_leaves_no_pane(tools: Tools) -> None:
    for arguments, code in _BAD_STARTS:
        text = await tools.refusal("open_pane", **arguments)
        assert text.startswith(code), (arguments, text)
    assert (await tools.call("list_panes"))["panes"] == []
    assert await tools.open(["cat"])


async def test_a_name_is_given_to_one_running_pane_only(tools: Tools) -> None:
    pane = await tools.puppet(name="worker")
    assert (await tools.refusal("open_pane", command=["cat"], name="worker")).startswith("name_taken: ")
    await tools.call("write_pane", pane="worker", text="exit 0")
    await tools.wait("worker", until="exited")
    again = await tools.open(["cat"], name="worker")
    assert again != pane


async def test_the_longest_text_is_taken_whatever_its_characters_are(tools: Tools) -> None:
    pane = await tools.open(["sh", "-c", "stty raw -echo; echo ready; exec cat > /dev/null"])
    await tools.text_when(pane, "ready")
    for character in ("x", "é", "🙂"):
        text = character * _TEXT_CHARACTERS
        written = await tools.write(pane, text)
        assert (written["bytes"], written.get("removed")) == (len(text.encode()) + 1, None)
    written = await tools.write(pane, "\x01" * _TEXT_CHARACTERS)
    assert (written["bytes"], written["removed"]) == (1, _TEXT_CHARACTERS)
