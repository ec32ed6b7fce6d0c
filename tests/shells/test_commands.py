"""What a pane tells of a shell's commands: state, exit code, line, folder, and where the output stands."""

import os
import shlex
from pathlib import Path

import pytest

from session_core.model.status import Observed, Signal

from ..host.waiting import eventually
from .shells import RunningShell, shell, write_files

pytestmark = pytest.mark.anyio

_LOOPS = {
    "bash": ("for i in 1 2\rdo echo $i\rdone", "for i in 1 2; do echo $i; done"),
    "zsh": ("for i in 1 2\rdo echo $i\rdone", "for i in 1 2 do echo $i done"),
    "fish": ("for i in 1 2\recho $i\rend", "for i in 1 2 echo $i end"),
}


def _gate(home: Path) -> tuple[str, Path]:
    """Return a command that runs until the test writes into its FIFO, and the FIFO."""
    path = home / "gate"
    os.mkfifo(path)
    return f"cat {path}", path


async def test_at_the_first_prompt_the_signal_is_prompt_and_nothing_has_run(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        status = running.live.status(look=True)
        assert (status.signal, status.state, status.folder) == (Signal.PROMPT, Observed.IDLE, str(home))
        assert (status.last_command, status.last_exit_code, status.forged_marks) == (None, None, 0)


async def test_a_command_is_work_until_it_has_ended(name: str, home: Path) -> None:
    command, gate = _gate(home)
    async with shell(name, home) as running:
        begun = await running.begin(command)
        assert running.is_working()
        assert (begun.line, begun.folder, begun.end, begun.exit_code) == (command, str(home), None, None)
        gate.write_text("let through\n")
        await running.at_prompt(1)
        assert running.live.model.state is Observed.IDLE
        ended = running.newest
        assert (ended.number, ended.line, ended.folder, ended.exit_code) == (1, command, str(home), 0)
        assert running.output_of(ended) == b"let through\r\n"
        assert ended.finished_at is not None
        assert ended.finished_at >= ended.started_at
        assert ended.revision > begun.revision


async def test_the_exit_code_is_that_of_the_command(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        codes = [(await running.run(f"sh -c 'exit {code}'")).exit_code for code in (0, 1, 42, 255)]
        assert codes == [0, 1, 42, 255]
        assert running.live.model.last_exit_code == 255
        assert (await running.run("sh -c 'kill -9 $$'")).exit_code == 128 + 9


async def test_the_offsets_hold_the_whole_output_and_nothing_else(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        whole = await running.run("seq 2000")
        assert running.output_of(whole) == b"".join(b"%d\r\n" % number for number in range(1, 2001))
        assert running.output_of(await running.run("cd .")) == b""
        assert running.output_of(await running.run("printf no-end")) == b"no-end"


async def test_a_command_that_does_not_exist_fails_with_127(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        command = await running.run("no-such-command-here --at all")
        assert (command.exit_code, command.line) == (127, "no-such-command-here --at all")


async def test_ctrl_c_ends_a_command_and_the_shell_is_idle(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        await running.begin("sleep 1000")
        await eventually(lambda: running.occupant == "sleep")
        await running.interrupt(lambda: running.newest.end is not None)
        await running.at_prompt(1)
        assert (running.newest.exit_code, running.live.model.state) == (130, Observed.IDLE)


async def test_what_ctrl_c_throws_away_at_the_prompt_is_no_command(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        running.keys("half a comm")
        await running.sees("comm")
        # fish goes on with the same prompt.
        await running.interrupt(lambda: running.prompts > 1 or (name == "fish" and b"^C" in running.output))
        assert (await running.run("echo whole")).line == "echo whole"
        assert running.lines == ["echo whole"]


async def test_an_empty_line_is_no_command(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        for count in (2, 3):
            running.keys("\r")
            await running.prompted(count)
        assert running.commands == []
        assert running.live.model.state is Observed.IDLE


async def test_a_command_of_several_lines_is_one_command(name: str, home: Path) -> None:
    typed, line = _LOOPS[name]
    async with shell(name, home) as running:
        command = await running.run(typed)
        assert running.lines == [line]
        assert running.output_of(command) == b"1\r\n2\r\n"


async def test_lines_that_were_typed_ahead_are_commands_of_their_own(name: str, home: Path) -> None:
    command, gate = _gate(home)
    async with shell(name, home) as running:
        await running.begin(command)
        running.keys("echo one\recho two\recho three\r")
        gate.write_text("")
        await running.at_prompt(4)
        assert running.lines == [command, "echo one", "echo two", "echo three"]
        outputs = [running.output_of(command) for command in running.commands[1:]]
        assert outputs == [b"one\r\n", b"two\r\n", b"three\r\n"]


async def test_special_characters_of_a_line_arrive_as_they_were_typed(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        for line in ("echo 'a;b' '%41' '100%'", "echo 'ä 漢 🙂' \"x\"", "echo '\\033]133;A' '%'"):
            assert (await running.run(line)).line == line


async def test_a_long_line_is_cut(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        line = "true " + "x" * 3000
        command = await running.run(line)
        assert command.line == line[:2000]
        assert command.exit_code == 0


async def test_cd_moves_the_folder_of_the_pane_and_of_later_commands(name: str, home: Path) -> None:
    odd = home / "a;b %41 é"
    odd.mkdir()
    async with shell(name, home) as running:
        moved = await running.run(f"cd {shlex.quote(str(odd))}")
        assert (moved.folder, running.live.model.labels.folder) == (str(home), str(odd))
        assert (await running.run("true")).folder == str(odd)


async def test_a_folder_with_controls_in_its_name_breaks_no_mark(name: str, home: Path) -> None:
    odd = home / "bell\x07esc\x1b]133;D;9\x07end"
    odd.mkdir()
    async with shell(name, home) as running:
        await running.run("cd bell*")
        assert running.live.model.labels.folder == str(home / "bellesc]133;D;9end")
        assert (await running.run("true")).exit_code == 0


async def test_a_line_that_its_user_keeps_out_of_the_history_is_not_told(name: str, home: Path) -> None:
    write_files(home, {".bashrc": "HISTCONTROL=ignorespace\n", ".zshrc": "setopt hist_ignore_space\n"})
    async with shell(name, home) as running:
        await running.run("echo before")
        secret = await running.run(" echo secret")
        assert (secret.line, running.output_of(secret)) == (None, b"secret\r\n")
        assert (await running.run("echo after")).line == "echo after"


async def test_a_shell_at_its_prompt_is_idle_though_a_killed_program_left_the_alternate_screen(
    name: str, home: Path
) -> None:
    async with shell(name, home) as running:
        command = await running.run(r"sh -c 'printf \"\033[?1049h\"; kill -9 $$'".replace('\\"', '"'))
        assert (command.exit_code, running.live.model.state) == (137, Observed.IDLE)


async def test_the_end_of_the_shell_ends_its_last_command(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        running.keys("exit 5\r")
        await running.exited()
        command = running.newest
        if name == "fish":
            # It tells the end of `exit`, too.
            assert (command.line, command.exit_code) == ("exit 5", 5)
        else:
            assert (command.line, command.exit_code, command.end) == ("exit 5", None, len(running.output))
        status = running.live.status(look=True)
        assert status.exit is not None
        assert status.exit.code == 5


async def test_a_nested_shell_is_one_command_of_the_first(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        nested = await running.begin(name)
        running.keys("echo inside $((20 + 3))\r" if name != "fish" else "echo inside (math 20 + 3)\r")
        await running.sees("inside 23")
        assert (running.newest, running.is_working()) == (nested, True)
        running.keys("exit 3\r")
        await running.at_prompt(1)
        assert (running.newest.exit_code, running.lines) == (3, [name])
        assert (await running.run("echo outside")).line == "echo outside"


async def test_a_program_that_takes_the_shells_place_is_its_last_command(name: str, home: Path) -> None:
    async with shell(name, home) as running:
        await running.begin("exec sh")
        running.keys("echo inside $((20 + 3))\r")
        await running.sees("inside 23")
        assert (running.lines, running.is_working()) == (["exec sh"], True)
        running.keys("exit 4\r")
        await running.exited()
        assert running.newest.end is not None


async def _forge(running: RunningShell, gate: Path) -> None:
    forged = r"\033]133;A\007\033]133;D;7\007\033]133;A;nonce=0;cwd=/forged\007\033]133;C;cmdline=forged\007"
    await running.begin(f"printf '{forged}forgery'; cat {gate}")
    await running.until(lambda: running.live.model.marks.forged == 4)


async def test_marks_that_a_program_prints_change_nothing_and_are_counted(name: str, home: Path) -> None:
    _, gate = _gate(home)
    async with shell(name, home) as running:
        await _forge(running, gate)
        status = running.live.status(look=True)
        assert (status.state, status.folder, status.last_exit_code) == (Observed.WORKING, str(home), None)
        assert (status.forged_marks, len(running.commands), running.newest.end) == (4, 1, None)
        gate.write_text("")
        await running.at_prompt(1)
        assert (running.newest.exit_code, running.live.model.marks.forged) == (0, 4)
