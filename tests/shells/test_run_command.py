"""`run_command` in real shells: which command ran, what it printed, and how it ended."""

import shlex
from pathlib import Path

import pytest

from session_core.errors import Code
from session_core.host import commands
from session_core.model.outcomes import Outcome
from session_core.model.status import Shell

from .running import each_shell, opened, posix_shell, shell

pytestmark = pytest.mark.anyio


@each_shell
async def test_a_shell_that_was_just_opened_runs_the_first_command(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        ran = await runner.run("echo hello")
        assert (ran.outcome, ran.exit_code, ran.output) == (Outcome.SETTLED, 0, "hello")
        assert (ran.pane, ran.left_out_lines, ran.left_out_bytes, ran.exit) == (runner.live.pane, 0, 0, None)
        assert ran.ticket is not None
        assert runner.live.model.shell is Shell.PROMPT
        assert runner.lines == ["echo hello"]


@each_shell
async def test_the_exit_code_is_the_command_s_own(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        codes = [(await runner.run(f"sh -c 'exit {code}'")).exit_code for code in (0, 1, 42, 255)]
        assert codes == [0, 1, 42, 255]
        assert (await runner.run("sh -c 'kill -9 $$'")).exit_code == 128 + 9
        assert "no-such-command" in await runner.output("no-such-command", code=127)


@each_shell
async def test_several_lines_are_one_command_and_the_last_exit_code_counts(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        assert await runner.output("echo one\nfalse\necho two\n\nsh -c 'exit 7'\n", code=7) == "one\ntwo"
        assert await runner.output("echo three\r\necho four") == "three\nfour"
        assert len(runner.lines) == 2


@each_shell
async def test_comments_pipes_and_continued_lines_are_read_as_at_the_prompt(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path, rc="setopt interactive_comments\n" if name == "zsh" else "") as runner:
        assert await runner.output("echo one # not two") == "one"
        assert await runner.output("echo one # not two\n# nor this\necho three # the end") == "one\nthree"
        assert await runner.output("printf 'b\\na\\n' | sort | head -n 1") == "a"
        assert await runner.output("echo split \\\n  here") == "split here"
        assert await runner.output("printf '[%s]' a\\ ") == "[a ]"
        assert await runner.output("printf '%s|' 'ä 漢 🙂' \"x;y\" '100%' '[*]'") == "ä 漢 🙂|x;y|100%|[*]|"


@posix_shell
async def test_a_here_document_is_read_whole(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        assert await runner.output("cat <<'END' | tr a-z A-Z\nit's $HOME\n  \"two\nEND") == "IT'S $HOME\n  \"TWO"


@posix_shell
async def test_a_tab_is_text_and_completes_nothing(name: str, tmp_path: Path) -> None:
    # Not in fish, which drops a tab also from what is pasted.
    async with shell(name, tmp_path) as runner:
        assert await runner.output("printf '%s|' 'a	b' | od -An -tx1") == " 61 09 62 7c"


@each_shell
async def test_a_command_of_many_characters_is_typed_whole(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        text = "x" * 8000
        assert await runner.output(f"printf %s {text} | wc -c | tr -d ' '") == "8000"
        lines = "\n".join(f"true {number}" for number in range(200))
        assert await runner.output(f"{lines}\necho through") == "through"


_HALVES = ["echo 'open", "echo \\", "echo (", "!no-such-event ("]
_ONLY = {"bash": "if true", "zsh": "for x in a; do", "fish": "begin"}


@pytest.mark.slow
@each_shell
async def test_half_a_command_is_not_started_and_leaves_the_shell_clean(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shell(name, tmp_path) as runner:
        for half in (*_HALVES, _ONLY[name], f"echo one\n{_ONLY[name]}"):
            with monkeypatch.context() as patch:
                patch.setattr(commands, "_START_S", 0.5)
                patch.setattr(commands, "_NEXT_S", 0.2)
                ran = await runner.run(half)
            assert (ran.outcome, ran.exit_code, ran.output) == (Outcome.NOT_STARTED, None, ""), half
            assert await runner.output("echo after") == "after"


@each_shell
async def test_a_new_folder_is_told_with_the_command_that_went_there(name: str, tmp_path: Path) -> None:
    odd = tmp_path / "a b;é"
    odd.mkdir()
    async with shell(name, tmp_path) as runner:
        assert (await runner.run("true")).folder == str(tmp_path)
        assert (await runner.run(f"cd {shlex.quote(str(odd))}")).folder == str(odd)
        assert await runner.output("pwd") == str(odd)


@each_shell
async def test_the_shell_s_own_exit_ends_the_command(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        ran = await runner.run("exit 3")
        # fish tells the end of this command before it goes.
        assert (ran.outcome, ran.exit_code) in ((Outcome.EXITED, None), (Outcome.SETTLED, 3))
        assert ran.exit is not None
        assert ran.exit.code == 3


@each_shell
async def test_the_same_command_twice_and_one_hidden_from_the_history_are_told_apart(name: str, tmp_path: Path) -> None:
    rc = {"bash": "HISTCONTROL=ignoreboth\n", "zsh": "setopt hist_ignore_all_dups hist_ignore_space\n"}.get(name, "")
    async with shell(name, tmp_path, rc=rc) as runner:
        outputs = [await runner.output(line) for line in ("echo same", "echo same", " echo hidden", "echo same")]
        assert outputs == ["same", "same", "hidden", "same"]
        assert runner.lines[-2] is None


@posix_shell
async def test_a_line_that_the_shell_itself_changes_is_still_this_command(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path, rc="alias shout='echo loud'\n") as runner:
        assert await runner.output("shout 1") == "loud 1"
        assert await runner.output("!!") == "loud 1"


async def test_a_slow_prompt_command_and_a_slow_prompt_delay_and_spoil_nothing(tmp_path: Path) -> None:
    rc = "PROMPT_COMMAND='sleep 0.2'\nPS1='$(sleep 0.2)$ '\n"
    async with shell("bash", tmp_path, rc=rc) as runner:
        long = "x" * 6000
        assert await runner.output(f"echo {long} | wc -c") == "6001"
        assert await runner.output("echo one\nsh -c 'exit 4'", code=4) == "one"
        assert await runner.output("echo shown") == "shown"
        # The editor shows it, the mark tells it, and it prints it. What comes too early the terminal echoes as well.
        assert runner.host.output.count(b"shown") == 3


@pytest.mark.parametrize("command", [["dash"], ["cat"], ["bash", "-c", "cat"]])
async def test_where_no_shell_marks_its_prompts_the_error_says_what_to_do(command: list[str], tmp_path: Path) -> None:
    async with opened(command, tmp_path) as runner:
        error = await runner.refused("echo hello")
        assert error.code is Code.NO_PROMPT_MARKS
        assert "write_pane" in error.next_step
        assert runner.live.input.taken == 0


async def test_a_shell_that_is_opened_without_its_integration_has_no_marks(tmp_path: Path) -> None:
    async with shell("bash", tmp_path, rc="PS1=ready\n", PANEBRIDGE_SHELL_INTEGRATION="0") as runner:
        await runner.sees("ready")
        assert (await runner.refused("echo hello")).code is Code.NO_PROMPT_MARKS


async def test_a_command_without_a_word_is_refused(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        for nothing in (" ", "\n", "\r\n \n", "\t"):
            assert (await runner.refused(nothing)).code is Code.BAD_REQUEST
        assert runner.live.input.taken == 0


async def test_marks_of_the_user_s_own_will_do(tmp_path: Path) -> None:
    rc = "PS0='\\e]133;C\\a'\nPROMPT_COMMAND='printf \"\\e]133;D;$?\\a\"'\nPS1='\\[\\e]133;A\\a\\]$ '\n"
    async with shell("bash", tmp_path, rc=rc, PANEBRIDGE_SHELL_INTEGRATION="0") as runner:
        await runner.at_prompt()
        assert await runner.output("echo one") == "one"
        assert await runner.output("echo two\nsh -c 'exit 5'", code=5) == "two"
