"""The hooks in zsh, among those of its user, and the folder of its files."""

from pathlib import Path

import pytest

from .shells import missing, shell, write_files

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(missing("zsh") is not None, reason="zsh is not installed"),
]


_LINES = ("sh -c 'exit 3'", "echo on")
_TOLD = [("sh -c 'exit 3'", 3, b""), ("echo on", 0, b"on\r\n")]


async def test_a_folder_of_files_in_the_environment_is_the_users_again(home: Path) -> None:
    write_files(home, {"z/.zshenv": "A=env\n", "z/.zshrc": "B=rc\n", ".zshenv": "A=wrong\n", ".zshrc": "B=wrong\n"})
    async with shell("zsh", home, ZDOTDIR=str(home / "z")) as running:
        assert await running.text_of("echo $A $B $ZDOTDIR") == f"env rc {home}/z\n"
        assert f"ZDOTDIR={home}/z\n" in await running.text_of("env")


async def test_a_folder_of_files_that_zshenv_chooses_is_used(home: Path) -> None:
    write_files(home, {".zshenv": "ZDOTDIR=$HOME/z\n", "z/.zshrc": "B=rc\n", ".zshrc": "B=wrong\n"})
    async with shell("zsh", home) as running:
        assert await running.text_of("echo $B $ZDOTDIR") == f"rc {home}/z\n"
        assert await running.told(*_LINES) == _TOLD


async def test_without_one_there_is_none(home: Path) -> None:
    async with shell("zsh", home) as running:
        assert await running.text_of("echo ${ZDOTDIR-none} ${+PANEBRIDGE_ZDOTDIR}") == "none 0\n"


@pytest.mark.parametrize("text", ["return 0\necho not here\n", "no-such-command\n", "unsetopt rcs; setopt rcs\n"])
async def test_marks_come_however_zshenv_ends(home: Path, text: str) -> None:
    write_files(home, {".zshenv": text})
    async with shell("zsh", home) as running:
        assert await running.told(*_LINES) == _TOLD


_HOOKS = """\
precmd() { first=$?; print after; }
other() { second=$?; }
precmd_functions+=(other)
preexec() { typed=$1; }
"""


async def test_hooks_of_the_user_get_the_exit_code_and_the_line_and_print_outside_the_commands(home: Path) -> None:
    write_files(home, {".zshrc": _HOOKS})
    async with shell("zsh", home) as running:
        assert await running.told(*_LINES) == _TOLD
        assert running.output.count(b"after\r\n") == 3
        await running.run("sh -c 'exit 7'")
        assert await running.text_of("echo $first $second, $typed") == "7 7, echo $first $second, $typed\n"


async def test_the_users_mark_of_an_unfinished_line_is_shown_and_kept(home: Path) -> None:
    write_files(home, {".zshrc": "PROMPT_EOL_MARK='<cut>'\n"})
    async with shell("zsh", home) as running:
        command = await running.run("printf no-end")
        assert running.output_of(command) == b"no-end"
        assert b"<cut>" in running.output[command.end :]
        await running.run("PROMPT_EOL_MARK='<anew>'")
        # Set by the command itself, it takes the place of the hook in it, and stands in the output.
        assert b"<anew>" in running.output[running.newest.begin :]
        assert running.newest.exit_code == 0
        await running.run("unset PROMPT_EOL_MARK")
        command = await running.run("printf no-end")
        assert b"anew" not in running.output[command.begin :]
        assert await running.told(*_LINES) == _TOLD


@pytest.mark.parametrize(
    "settings",
    [
        "setopt nounset",
        "setopt ksh_arrays sh_word_split",
        "setopt ksh_glob glob_subst no_nomatch extended_glob",
        "setopt warn_create_global warn_nested_var",
        "setopt err_return",
        "setopt err_exit; unsetopt err_exit",
        "setopt no_prompt_sp",
        "setopt no_prompt_cr",
        "setopt no_prompt_percent prompt_subst",
        "setopt no_multibyte",
        "setopt no_bang_hist share_history inc_append_history",
        "setopt all_export",
        "emulate sh",
        "IFS=0123456789",
        "alias print=false builtin=false local=false typeset=false",
        "function print { : }; function emulate { : }",
        "precmd_functions=(true) preexec_functions=(true); precmd_functions+=(__panebridge_install)",
        "PS1='%? > '; RPS1='right'",
    ],
)
async def test_hooks_work_under_any_settings(home: Path, settings: str) -> None:
    write_files(home, {".zshrc": f"{settings}\n"})
    async with shell("zsh", home) as running:
        assert await running.told(*_LINES) == _TOLD
        text = running.output.replace(b"nonce=", b"")
        assert b"__panebridge" not in text
        assert b"not found" not in text


async def test_the_shells_output_may_go_elsewhere(home: Path) -> None:
    async with shell("zsh", home) as running:
        await running.run("exec 3>&1 1>out 2>&1")
        await running.run("sh -c 'exit 3'")
        await running.run("exec 1>&3 2>&3")
        assert [command.exit_code for command in running.commands] == [0, 3, 0]
        assert await running.told(*_LINES) == _TOLD
