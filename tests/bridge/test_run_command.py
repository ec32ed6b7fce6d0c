"""run_command as a model sees it: its result, how a wait goes on from it, and its errors."""

import anyio
import pytest
from mcp import Client

from session_core import connect

from .calls import Tools
from .place import PANEBRIDGE, Place
from .waiting import BOUND_S

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.parametrize("era", ["auto", "legacy"])]

_BASH = ["bash"]


async def test_a_result_is_the_output_the_exit_code_and_where_the_shell_is(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH, folder="/")
    ran = await tools.call("run_command", pane=pane, command="cd /tmp; echo 'two words'; sh -c 'exit 3'")
    assert ran.pop("waited_s") < BOUND_S
    assert ran == {
        "pane": pane,
        "outcome": "settled",
        "output": "two words",
        "exit_code": 3,
        "folder": "/tmp",
        "ticket": ran["ticket"],
    }
    silent = await tools.call("run_command", pane=pane, command="true")
    assert (silent["output"], silent["exit_code"]) == ("", 0)
    status = await tools.call("read_status", pane=pane)
    assert (status["state"], status["last_command"]["line"]) == ("idle", "true")


async def test_what_is_left_out_is_told_in_words_before_the_newest_output(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    ran = await tools.call("run_command", pane=pane, command="seq 100", max_bytes=6)
    more = "; ask with `lines` or `max_bytes` for more"
    assert (ran["output"], ran["left_out"]) == ("99\n100", f"98 lines before this{more}")
    whole = await tools.call("run_command", pane=pane, command="seq 100")
    assert len(whole["output"].splitlines()) == 100
    assert "left_out" not in whole
    long = await tools.call("run_command", pane=pane, command="echo; head -c 9000 /dev/zero | tr '\\0' x")
    assert (long["output"], long["left_out"]) == ("x" * 4000, f"1 lines and 5000 bytes before this{more}")


async def test_a_command_that_outlasts_its_time_is_waited_for_by_its_ticket(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    await tools.call("run_command", pane=pane, command="true")
    ran = await tools.call("run_command", pane=pane, command="cat; sh -c 'exit 4'", timeout_s=0.5)
    assert (ran["outcome"], "exit_code" in ran, "clamped" in ran) == ("checkin", False, False)
    assert (await tools.call("list_panes"))["panes"][0]["state"] == "working"
    busy = await tools.call("run_command", pane=pane, command="echo later", timeout_s=0.05)
    assert (busy["outcome"], "ticket" in busy) == ("not_delivered", False)
    assert busy["because"] == "the shell did not come to its prompt; nothing was typed"
    await tools.call("send_keys", pane=pane, keys=["C-d"])
    ended = await tools.wait(pane, since=ran["ticket"])
    assert (ended["outcome"], ended["state"]) == ("settled", "idle")
    assert (await tools.call("read_status", pane=pane))["last_exit_code"] == 4


async def test_half_a_command_is_an_outcome_and_no_error(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    ran = await tools.call("run_command", pane=pane, command="echo )")
    assert (ran["outcome"], ran["output"], "exit_code" in ran) == ("not_started", "", False)
    assert ran["because"].startswith("the shell began nothing")
    assert (await tools.call("run_command", pane=pane, command="echo next"))["output"] == "next"


async def test_the_shell_s_end_is_told(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    ran = await tools.call("run_command", pane=pane, command="exit 3")
    assert (ran["outcome"], ran["exit"]) == ("exited", "code 3")
    assert (await tools.refusal("run_command", pane=pane, command="true")).startswith("pane_exited: ")


async def test_a_time_beyond_the_client_s_limit_is_clamped_and_the_result_says_so(tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    ran = await tools.call("run_command", pane=pane, command="echo quick", timeout_s=100_000)
    assert (ran["output"], ran["timeout_s"], ran["clamped"]) == ("quick", 45.0, True)


async def test_each_error_has_its_code_and_the_next_step(place: Place, tools: Tools, era: str) -> None:
    shell, cat = await tools.open(_BASH), await tools.open(["cat"])
    for arguments, begin in (
        ({"pane": "p999", "command": "true"}, "no_such_pane: "),
        ({"pane": cat, "command": "true"}, "no_prompt_marks: "),
        ({"pane": shell, "command": " \n"}, "bad_request: The command is empty."),
        ({"pane": shell, "command": ""}, "bad_request: command: "),
        ({"pane": shell}, "bad_request: command: "),
        ({"pane": shell, "command": "true", "timeout_s": 0}, "bad_request: timeout_s: "),
        ({"pane": shell, "command": "true", "max_bytes": 0}, "bad_request: max_bytes: "),
        ({"pane": shell, "command": "true", "max_bytes": 100_001}, "bad_request: max_bytes: "),
        ({"pane": shell, "command": "true", "wait": 1}, "bad_request: wait: "),
    ):
        assert (await tools.refusal("run_command", **arguments)).startswith(begin), arguments
    assert "write_pane" in await tools.refusal("run_command", pane=cat, command="true")
    await tools.call("run_command", pane=shell, command="true")
    async with connect(folder=place.folder, start=False) as core:
        await core.send_keystrokes(shell, b"half", person="ann")
    assert (await tools.refusal("run_command", pane=shell, command="true")).startswith("human_draft: ")


async def test_a_client_runs_nothing_in_its_own_pane(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    async with Client(place.server(PANEBRIDGE_PANE=pane), mode=era) as client:
        refused = await Tools(client).refusal("run_command", pane=pane, command="true")
    assert refused.startswith("own_pane: ")


async def test_a_call_that_its_client_gives_up_leaves_the_shell_usable(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    await tools.call("run_command", pane=pane, command="true")
    async with Client(place.server(), mode=era) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(_forgotten, client, pane, "cat")
        async with connect(folder=place.folder, start=False) as core:
            with anyio.fail_after(BOUND_S):
                while (await core.read_status(pane)).shell != "command":
                    pass
        tasks.cancel_scope.cancel()
    await tools.call("send_keys", pane=pane, keys=["C-d"])
    assert (await tools.call("run_command", pane=pane, command="echo next"))["output"] == "next"


async def _forgotten(client: Client, pane: str, command: str) -> None:
    await client.call_tool("run_command", {"pane": pane, "command": command})


async def test_calls_at_once_of_two_clients_each_get_their_own_output(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    outputs: dict[int, str] = {}

    async def run(client: Tools, number: int) -> None:
        outputs[number] = (await client.call("run_command", pane=pane, command=f"echo {number}"))["output"]

    async with Client(place.server(), mode=era) as client, anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(run, tools if number % 2 else Tools(client), number)
    assert outputs == {number: str(number) for number in range(10)}


async def test_a_command_goes_on_when_the_client_dies_that_asked_for_it(place: Place, tools: Tools, era: str) -> None:
    pane = await tools.open(_BASH)
    await tools.call("run_command", pane=pane, command="true")
    async with await anyio.open_process(
        [PANEBRIDGE, "exec", pane, "cat; sh -c 'exit 6'"], env=place.environment()
    ) as client:
        async with connect(folder=place.folder, start=False) as core:
            with anyio.fail_after(BOUND_S):
                while (await core.read_status(pane)).shell != "command":
                    pass
        client.kill()
        await client.wait()
    await tools.call("send_keys", pane=pane, keys=["C-d"])
    assert (await tools.call("run_command", pane=pane, command="echo after $?"))["output"] == "after 6"
