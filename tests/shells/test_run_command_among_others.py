"""`run_command` beside persons, tools and other calls: nobody's text is mixed with another's, and nothing is lost."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core.api.requests import SendKeys, Wait, WritePane
from session_core.api.results import CommandRun
from session_core.errors import Code
from session_core.host import commands
from session_core.host.handlers import send_keys, write_pane
from session_core.model.outcomes import Outcome
from session_core.model.status import Observed, Shell

from ..host.waiting import BOUND_S
from .running import Runner, each_shell, hosting, open_in, shell

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_DECLARES = r"printf '\033]7501;state={state}\033\\'; "


async def _settles(runner: Runner, since: str | None) -> Outcome:
    wait = Wait(panes=[runner.live.pane], since=since, timeout_s=BOUND_S)
    return (await runner.host.wait(wait)).outcome


def _gate(folder: Path) -> Path:
    gate = folder / "gate"
    gate.touch()
    return gate


def _held(gate: Path) -> str:
    """Return a command that runs while the file is there; it is looked for, not opened, so that any key ends it."""
    return f"while test -e {gate}; do sleep 0.02; done"


@each_shell
async def test_a_command_that_asks_is_a_checkin_until_somebody_answers(name: str, tmp_path: Path) -> None:
    ask = "sh -c 'read x; echo got $x; exit 4'"
    async with shell(name, tmp_path) as runner:
        await runner.output("true")
        ran = await runner.run(f"echo asking; {ask}", timeout_s=0.5)
        assert (ran.outcome, ran.exit_code) == (Outcome.CHECKIN, None)
        assert ran.ticket is not None
        await runner.sees("asking\r\n")
        assert runner.live.model.state is Observed.WORKING
        await write_pane(runner.host, WritePane(pane=runner.live.pane, text="an answer", submit=True))
        assert await _settles(runner, ran.ticket) is Outcome.SETTLED
        last = runner.live.model.commands.newest
        assert last is not None
        assert last.exit_code == 4


async def test_what_runs_at_the_time_out_has_said_what_it_has_said(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        ran = await runner.run(f"echo one; {_held(gate)}; echo two", timeout_s=0.5)
        assert (ran.outcome, ran.output) in ((Outcome.CHECKIN, "one"), (Outcome.CHECKIN, ""))
        gate.unlink()
        assert await _settles(runner, ran.ticket) is Outcome.SETTLED


async def test_a_later_command_waits_for_its_turn_and_one_whose_time_is_up_types_nothing(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        first = await runner.run(_held(gate), timeout_s=0.2)
        taken = runner.live.input.taken
        late = await runner.run("echo late", timeout_s=0.2)
        assert (first.outcome, late.outcome) == (Outcome.CHECKIN, Outcome.NOT_DELIVERED)
        assert (late.ticket, late.exit_code, late.output, late.left_out_bytes) == (None, None, "", 0)
        assert runner.live.input.taken == taken
        async with anyio.create_task_group() as tasks:
            ran = _later(tasks, runner, "echo patient")
            await anyio.wait_all_tasks_blocked()
            gate.unlink()
        assert (ran[0].outcome, ran[0].output) == (Outcome.SETTLED, "patient")
        assert runner.lines[1:] == [_held(gate), "echo patient"]


def _later(tasks: anyio.abc.TaskGroup, runner: Runner, command: str) -> list[CommandRun]:
    """Run a command as a task, which adds its result to the list."""
    results: list[CommandRun] = []

    async def work() -> None:
        results.append(await runner.run(command))

    tasks.start_soon(work)
    return results


@each_shell
async def test_twenty_calls_at_once_run_one_after_another_and_each_gets_its_own_output(
    name: str, tmp_path: Path
) -> None:
    async with shell(name, tmp_path) as runner, anyio.create_task_group() as tasks:
        results = [_later(tasks, runner, f"echo {number}; sh -c 'exit {number}'") for number in range(20)]
    assert [(ran.exit_code, ran.output) for (ran,) in results] == [(number, str(number)) for number in range(20)]


async def test_ten_panes_run_at_the_same_time(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    async with hosting(tmp_path) as host:
        runners = [open_in(host, ["bash"], tmp_path) for _ in range(10)]
        async with anyio.create_task_group() as tasks:
            results = [
                _later(tasks, runner, f"echo {number}; {_held(gate)}; echo end")
                for number, runner in enumerate(runners)
            ]
            for runner in runners:
                await runner.busy()
            gate.unlink()
    assert [ran.output for (ran,) in results] == [f"{number}\nend" for number in range(10)]


@each_shell
async def test_a_person_s_own_command_comes_first_and_is_not_taken_for_this_one(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        await runner.output("true")
        runner.keys("sh -c 'sleep 0.5; echo person; exit 9'\r")
        assert await runner.output("echo mine") == "mine"
        assert runner.lines[1:] == ["sh -c 'sleep 0.5; echo person; exit 9'", "echo mine"]


@pytest.mark.parametrize("mine", ["echo mine", "echo two\nsh -c 'exit 5'"])
async def test_what_a_tool_has_written_before_runs_first(mine: str, tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        await write_pane(runner.host, WritePane(pane=runner.live.pane, text="sleep 0.3; echo tool; false", submit=True))
        ran = await runner.run(mine)
        assert (ran.output, ran.exit_code) == (("mine", 0) if "\n" not in mine else ("two", 5))
        assert len(runner.lines) == 3


async def test_lines_that_a_tool_has_written_before_all_run_first(tmp_path: Path) -> None:
    async with shell("bash", tmp_path, rc="bind 'set enable-bracketed-paste off'\n") as runner:
        await runner.output("true")
        text = "sleep 0.2\nsleep 0.2; echo second\nsh -c 'exit 8'"
        await write_pane(runner.host, WritePane(pane=runner.live.pane, text=text, multiline="lines", submit=True))
        assert await runner.output("echo mine") == "mine"
        assert runner.lines[-1] == "echo mine"


async def test_a_tool_s_unsent_text_is_not_mixed_with_a_command(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        await write_pane(runner.host, WritePane(pane=runner.live.pane, text="echo half", submit=False))
        assert (await runner.run("echo mine", timeout_s=0.3)).outcome is Outcome.NOT_DELIVERED
        await send_keys(runner.host, SendKeys(pane=runner.live.pane, keys=["C-u"]))
        assert await runner.output("echo mine") == "mine"
        assert runner.lines == ["true", "echo mine"]


@each_shell
async def test_a_person_s_draft_refuses_a_command_until_it_is_gone(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        await runner.output("true")
        runner.keys("half a sen")
        taken = runner.live.input.taken
        assert (await runner.refused("echo mine")).code is Code.HUMAN_DRAFT
        assert runner.live.input.taken == taken
        runner.keys("\x15")
        assert await runner.output("echo mine") == "mine"
        assert runner.lines == ["true", "echo mine"]


async def test_while_an_agent_is_in_front_nothing_is_typed(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        runner.keys('sh -c "' + _DECLARES.format(state="idle").replace("\\", "\\\\") + 'cat"\r')
        await runner.until(
            lambda: runner.live.model.state is Observed.IDLE and runner.live.model.shell is Shell.COMMAND
        )
        taken = runner.live.input.taken
        assert (await runner.run("echo mine", timeout_s=0.3)).outcome is Outcome.NOT_DELIVERED
        assert runner.live.input.taken == taken
        runner.keys("\x04")
        assert await runner.output("echo mine") == "mine"


@each_shell
@pytest.mark.parametrize("last", ["working", "done", "error"])
async def test_a_program_that_declares_its_state_and_ends_is_over_at_its_end(
    name: str, last: str, tmp_path: Path
) -> None:
    script = tmp_path / "agent"
    script.write_text(_DECLARES.format(state="working") + "echo at work; " + _DECLARES.format(state=last) + "exit 5\n")
    async with shell(name, tmp_path) as runner:
        assert await runner.output(f"sh {script}", code=5) == "at work"
        assert await runner.output("echo next") == "next"


async def test_what_a_background_job_declares_does_not_hold_up_the_prompt(tmp_path: Path) -> None:
    async with shell("bash", tmp_path, rc="set +m\n") as runner:
        job = _DECLARES.format(state="working")
        await runner.run(f"( sleep 0.1; {job} exec sleep 100 ) &")
        await runner.until(lambda: bool(list(runner.live.model.records)))
        assert await runner.output("echo mine") == "mine"
        await runner.output("kill $!")


@each_shell
async def test_a_person_s_ctrl_c_ends_the_command(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        await runner.output("true")
        async with anyio.create_task_group() as tasks:
            results = _later(tasks, runner, "sh -c 'echo up; exec sleep 100'")
            await runner.sees("up\r\n")
            runner.keys("\x03")
        (ran,) = results
        assert (ran.outcome, ran.exit_code) == (Outcome.SETTLED, 130)
        assert await runner.output("echo next") == "next"


async def test_a_shell_that_never_comes_to_its_prompt_gets_nothing(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    async with shell("bash", tmp_path, rc=f"{_held(gate)}\n") as runner:
        ran = await runner.run("echo mine", timeout_s=0.3)
        assert (ran.outcome, ran.ticket, runner.live.input.taken) == (Outcome.NOT_DELIVERED, None, 0)
        gate.unlink()
        assert await runner.output("echo mine") == "mine"


async def test_a_short_time_does_not_stop_what_has_been_typed(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        for _ in range(5):
            await runner.until(lambda: not runner.live.reads_lines)
            ran = await runner.run("sh -c 'sleep 0.1; exit 3'", timeout_s=0.02)
            assert ran.outcome is Outcome.CHECKIN
            assert await _settles(runner, ran.ticket) is Outcome.SETTLED
            last = runner.live.model.commands.newest
            assert last is not None
            assert last.exit_code == 3


@each_shell
async def test_a_call_that_is_cancelled_lets_its_command_go_on(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        async with anyio.create_task_group() as tasks:
            _later(tasks, runner, "sh -c 'echo up; exec sleep 100'")
            await runner.sees("up\r\n")
            tasks.cancel_scope.cancel()
        assert runner.live.model.shell is Shell.COMMAND
        runner.keys("\x03")
        assert await runner.output("echo next") == "next"


@each_shell
async def test_a_call_that_is_cancelled_leaves_no_half_a_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_START_S", 0.5)
    async with shell(name, tmp_path) as runner:
        await runner.output("true")
        taken = runner.live.input.taken
        async with anyio.create_task_group() as tasks:
            _later(tasks, runner, "echo 'half")
            await runner.until(lambda: runner.live.input.taken > taken)
            tasks.cancel_scope.cancel()
        assert await runner.output("echo next") == "next"


@pytest.mark.parametrize("how", ["key", "close", "kill"])
async def test_the_end_of_the_pane_ends_every_call(how: str, tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        errors: list[Code] = []

        async def behind() -> None:
            errors.append((await runner.refused("echo behind")).code)

        async with anyio.create_task_group() as tasks:
            results = _later(tasks, runner, _held(gate))
            await runner.busy()
            for _ in range(2):
                tasks.start_soon(behind)
            await anyio.wait_all_tasks_blocked()
            if how == "close":
                await runner.host.close(runner.live)
            elif how == "kill":
                os.kill(runner.live.pid, signal.SIGKILL)
            else:
                runner.keys("\x03")
                runner.keys("exit\r")
        assert errors == [Code.PANE_EXITED] * 2
        assert results[0].outcome is (Outcome.SETTLED if how == "key" else Outcome.EXITED)
