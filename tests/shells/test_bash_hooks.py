"""The hooks in bash, among those of its user: none disturbs the other, however they are set."""

from pathlib import Path

import pytest

from session_core.model.status import Signal

from .shells import opened, shell, write_files

pytestmark = pytest.mark.anyio


_LINES = ("false", "echo on")
_TOLD = [("false", 1, b""), ("echo on", 0, b"on\r\n")]


def _rc(home: Path, text: str) -> None:
    write_files(home, {".bashrc": text})


async def test_prompt_command_gets_the_exit_codes_of_the_whole_pipe(home: Path) -> None:
    _rc(home, "PROMPT_COMMAND='seen=$?:${PIPESTATUS[*]}'\n")
    async with shell("bash", home) as running:
        await running.run("(exit 2) | (exit 3)")
        assert await running.text_of("echo $seen") == "3:2 3\n"


async def test_each_element_of_prompt_command_gets_them(home: Path) -> None:
    _rc(home, "PROMPT_COMMAND=('one=$?:${PIPESTATUS[*]}' 'two=$?:${PIPESTATUS[*]}')\n")
    async with shell("bash", home) as running:
        await running.run("(exit 2) | (exit 3)")
        assert await running.text_of("echo $one $two") == "3:2 3 3:2 3\n"


async def test_the_last_argument_of_a_command_is_there_for_the_next(home: Path) -> None:
    async with shell("bash", home) as running:
        await running.run("true first last")
        assert await running.text_of("echo $_") == "last\n"


async def test_what_prompt_command_and_ps0_print_is_not_the_commands_output(home: Path) -> None:
    _rc(home, "PROMPT_COMMAND='echo after'\nPS0='before\\n'\n")
    async with shell("bash", home) as running:
        assert await running.told(*_LINES) == _TOLD
        assert running.output.count(b"before\r") == 2
        assert running.output.count(b"after\r\n") == 3


@pytest.mark.parametrize(
    ("change", "prints"),
    [
        ("PROMPT_COMMAND='echo second'", "second"),
        ('PROMPT_COMMAND="echo second; $PROMPT_COMMAND"', "second first"),
        ('PROMPT_COMMAND="$PROMPT_COMMAND; echo second"', "second first"),
        ("PROMPT_COMMAND+=('echo second')", "first second"),
        ("PROMPT_COMMAND[0]='echo second'", "second"),
        ("PS0='zero\\n'", "first"),
        (". ~/.bashrc", "first"),
    ],
)
async def test_hooks_stay_when_their_users_are_set_anew(home: Path, change: str, prints: str) -> None:
    _rc(home, "PROMPT_COMMAND='echo first'\nPS0=''\n")
    async with shell("bash", home) as running:
        await running.run(change)
        for _ in range(2):
            assert await running.told(*_LINES) == _TOLD
        shown = running.shown_after(running.newest).decode().split()
        assert " ".join(word for word in shown if word in ("first", "second")) == prints


_TIMER = """\
begin() { started=${started:-$BASH_COMMAND}; }
end() { last=$started; unset started; }
trap begin DEBUG
PROMPT_COMMAND=end
"""


async def test_a_clock_in_a_debug_trap_starts_with_the_command_and_not_at_the_prompt(home: Path) -> None:
    _rc(home, _TIMER)
    async with shell("bash", home) as running:
        await running.run("true timed")
        assert await running.text_of("echo $last") == "true timed\n"


async def test_no_hook_triggers_a_debug_trap(home: Path) -> None:
    _rc(home, "trap 'seen+=(\"$BASH_COMMAND\")' DEBUG\nPROMPT_COMMAND=': users'\n")
    async with shell("bash", home) as running:
        await running.run("true one")
        seen = await running.text_of("printf '%s\\n' \"${seen[@]}\"")
        # What comes before belongs to the start of the shell.
        assert seen.partition(": users\n")[2].startswith("true one\n: users\nprintf")


@pytest.mark.parametrize(
    "settings",
    [
        "set -u",
        "set -eu",
        "set -f",
        "set +B",
        "set -T; trap : DEBUG",
        "set -E; trap 'echo failed' ERR",
        "IFS=0123456789",
        "IFS=",
        "shopt -s nocasematch extglob nullglob",
        "shopt -s failglob extdebug",
        "alias printf=false local=false history=false",
        "printf() { :; }; history() { echo 1 wrong; }",
        "unset PS0 PROMPT_COMMAND; set -u",
        "export PROMPT_COMMAND='true' PS0=''",
        "export HISTTIMEFORMAT='%F %T '",
        "declare -a PROMPT_COMMAND=()",
        "bind 'set enable-bracketed-paste off'",
    ],
)
async def test_hooks_work_under_any_settings(home: Path, settings: str) -> None:
    _rc(home, f"{settings}\n")
    async with shell("bash", home) as running:
        assert await running.told("(exit 3) || echo so", "echo on") == [
            ("(exit 3) || echo so", 0, b"so\r\n"),
            ("echo on", 0, b"on\r\n"),
        ]
        assert b"panebridge_" not in running.output


async def test_a_child_shell_gets_none_of_the_hooks(home: Path) -> None:
    _rc(home, "export PROMPT_COMMAND=true PS0=''\n")
    async with shell("bash", home) as running:
        environment = await running.text_of("env")
        assert "PROMPT_COMMAND" not in environment
        assert "PS0" not in environment
        assert "not found" not in await running.text_of("bash --norc -ic true")


@pytest.mark.parametrize("settings", ["readonly PROMPT_COMMAND=true", "readonly PS0=x", "readonly -a PROMPT_COMMAND"])
async def test_a_shell_whose_hooks_are_readonly_stays_as_it_is(home: Path, settings: str) -> None:
    _rc(home, f"{settings}\nPS1='mine> '\n")
    async with opened(["bash"], home) as running:
        await running.sees("mine> ")
        running.keys("echo $((40 + 2)) up\r")
        await running.sees("42 up")
        assert running.live.model.signal is Signal.NONE
        assert b"readonly" not in running.output


async def test_without_expansion_in_prompts_a_command_is_told_without_its_line(home: Path) -> None:
    _rc(home, "shopt -u promptvars\n")
    async with shell("bash", home) as running:
        command = await running.run("(exit 3)")
        assert (command.line, command.exit_code, command.folder) == (None, 3, str(home))


@pytest.mark.parametrize("control", ["ignoredups", "ignoreboth"])
async def test_a_repeated_line_that_the_history_leaves_out_is_not_told(home: Path, control: str) -> None:
    _rc(home, f"HISTCONTROL={control}\n")
    async with shell("bash", home) as running:
        for line in ("echo one", "echo one", "echo two"):
            await running.run(line)
        assert running.lines == ["echo one", None, "echo two"]
        assert await running.text_of("echo $HISTCONTROL") == f"{control}\n"


async def test_a_shell_without_a_history_tells_no_line(home: Path) -> None:
    _rc(home, "set +o history\n")
    async with shell("bash", home) as running:
        assert [told[0] for told in await running.told(*_LINES)] == [None, None]


async def test_a_history_that_is_read_anew_at_each_prompt_tells_the_right_lines(home: Path) -> None:
    write_files(home, {".bash_history": "older one\nolder two\n"})
    _rc(home, "PROMPT_COMMAND='history -a; history -c; history -r'\n")
    async with shell("bash", home) as running:
        for _ in range(2):
            assert await running.told(*_LINES) == _TOLD


# A framework that puts its own hooks outermost at each prompt, unless they are there.
_OUTERMOST = """\
__bp_imported=defined
outer_begin() { local code=$?; outer=$code; return $code; }
outer_end() { :; }
outer_keep() {
    [[ $PROMPT_COMMAND == outer_begin$'\\n'* && ${PROMPT_COMMAND[*]: -1} == outer_end ]] && return
    moved=$((moved + 1))
    PROMPT_COMMAND=outer_begin$'\\n'$PROMPT_COMMAND
    PROMPT_COMMAND+=(outer_end)
}
PROMPT_COMMAND=outer_keep
"""


async def test_hooks_of_a_framework_that_must_be_outermost_are_left_there(home: Path) -> None:
    _rc(home, _OUTERMOST)
    async with shell("bash", home) as running:
        for _ in range(2):
            assert await running.told(*_LINES) == _TOLD
        await running.run("(exit 4)")
        assert await running.text_of("echo $outer $moved") == "4 1\n"


async def test_a_paste_of_several_lines_is_run_as_several_commands(home: Path) -> None:
    async with shell("bash", home) as running:
        running.live.typed(b"\x1b[200~echo one\necho two\x1b[201~\r", "ada", paste=True)
        await running.at_prompt(2)
        assert [running.output_of(command) for command in running.commands] == [b"one\r\n", b"two\r\n"]


async def test_the_shells_error_output_may_go_elsewhere_and_come_back(home: Path) -> None:
    async with shell("bash", home) as running:
        await running.begin("exec 3>&2 2>errors; echo $((40 + 2)) gone")
        await running.sees("42 gone")
        running.keys("exec 2>&3\r")
        await running.at_prompt(1)
        assert await running.told(*_LINES) == _TOLD
