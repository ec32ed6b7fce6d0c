"""The files of a shell's user: read as ever, from where they are, and left as they are."""

from pathlib import Path

import pytest

from .shells import RunningShell, opened, shell, write_files

pytestmark = pytest.mark.anyio

_FILES = {
    ".bashrc": """\
alias hi='echo alias works'
greet() { echo "function $1"; }
export RC=bashrc
PS1='mine> '
env > "$HOME/seen.env"
""",
    ".zshenv": 'export ZSHENV=zshenv\nenv > "$HOME/seen.env"\n',
    ".zshrc": """\
alias hi='echo alias works'
greet() { echo "function $1"; }
export RC=zshrc
PS1='mine> '
""",
    ".config/fish/conf.d/one.fish": "set -x CONF one\n",
    ".config/fish/config.fish": """\
alias hi='echo alias works'
function greet; echo "function $argv[1]"; end
set -x RC config.fish
function fish_prompt; echo -n 'mine> '; end
env > "$HOME/seen.env"
""",
}
_RC = {"bash": "bashrc", "zsh": "zshrc", "fish": "config.fish"}


async def test_aliases_functions_variables_and_the_prompt_work_and_the_files_are_unchanged(
    name: str, home: Path
) -> None:
    write_files(home, _FILES)
    async with shell(name, home) as running:
        await running.sees("mine> ")
        assert await running.text_of("hi") == "alias works\n"
        assert await running.text_of("greet you") == "function you\n"
        assert await running.text_of("echo $RC") == f"{_RC[name]}\n"
        if name == "zsh":
            assert await running.text_of("echo $ZSHENV") == "zshenv\n"
        if name == "fish":
            assert await running.text_of("echo $CONF") == "one\n"
    assert {file: (home / file).read_text() for file in _FILES} == _FILES


async def test_the_exit_code_is_there_for_the_next_command(name: str, home: Path) -> None:
    code = "$status" if name == "fish" else "$?"
    async with shell(name, home) as running:
        await running.run("sh -c 'exit 7'")
        assert await running.text_of(f"echo {code}") == "7\n"
        assert await running.text_of(f"echo {code}") == "0\n"


async def test_no_program_inherits_the_nonce_or_anything_else_of_ours(name: str, home: Path) -> None:
    write_files(home, _FILES)
    async with shell(name, home) as running:
        for environment in (await running.text_of("env"), (home / "seen.env").read_text()):
            assert f"HOME={home}\n" in environment
            assert running.nonce not in environment
            ours = [line for line in environment.splitlines() if "panebridge" in line.lower()]
            assert sorted(line.partition("=")[0] for line in ours) == ["PANEBRIDGE_DIR", "PANEBRIDGE_PANE"]
            assert "ZDOTDIR=" not in environment
            assert "XDG_DATA_DIRS=" not in environment


async def test_a_shell_that_exports_everything_does_not_export_the_nonce(name: str, home: Path) -> None:
    write_files(home, {".bashrc": "set -a\n", ".zshrc": "setopt all_export\n"})
    async with shell(name, home) as running:
        await running.run("true")
        environment = await running.text_of("env")
        assert running.nonce not in environment
        assert "__panebridge_finished" not in environment


_TOLD = [("false", 1, b""), ("echo on", 0, b"on\r\n")]

_LOGIN_FILES = {
    ".bash_profile": "echo file bash_profile\n",
    ".bash_login": "echo file bash_login\n",
    ".profile": "echo file profile\n",
    ".bashrc": "echo file bashrc\n",
    ".zshenv": "echo file zshenv\n",
    ".zprofile": "echo file zprofile\n",
    ".zshrc": "echo file zshrc\n",
    ".zlogin": "echo file zlogin\n",
    ".config/fish/config.fish": "echo file config.fish\nstatus is-login; and echo file login\n",
}


def _files_read(running: RunningShell) -> list[str]:
    lines = running.output.decode().splitlines()
    return [line.removeprefix("file ") for line in lines if line.startswith("file ")]


@pytest.mark.parametrize("option", ["-l", "--login", "-il"])
async def test_a_login_shell_reads_what_a_login_reads(name: str, home: Path, option: str) -> None:
    write_files(home, _LOGIN_FILES)
    expected = {
        "bash": ["bash_profile"],
        "zsh": ["zshenv", "zprofile", "zshrc", "zlogin"],
        "fish": ["config.fish", "login"],
    }
    async with shell(name, home, option) as running:
        assert _files_read(running) == expected[name]
        assert await running.told("false", "echo on") == _TOLD


@pytest.mark.parametrize("option", ["-i", "-ii"])
async def test_any_other_shell_does_not(name: str, home: Path, option: str) -> None:
    write_files(home, _LOGIN_FILES)
    expected = {"bash": ["bashrc"], "zsh": ["zshenv", "zshrc"], "fish": ["config.fish"]}
    async with shell(name, home, option) as running:
        assert _files_read(running) == expected[name]
        assert await running.told("false", "echo on") == _TOLD


@pytest.mark.parametrize("there", [[".bash_login", ".profile"], [".profile"], []], ids=len)
async def test_a_login_bash_reads_the_first_file_that_is_there(home: Path, there: list[str]) -> None:
    (home / ".bash_profile").mkdir()
    write_files(home, {file: _LOGIN_FILES[file] for file in there})
    async with shell("bash", home, "-l") as running:
        assert _files_read(running) == [file.removeprefix(".") for file in there[:1]]
        assert await running.told("false", "echo on") == _TOLD


async def test_a_shell_without_any_file_of_its_user_has_marks(name: str, tmp_path: Path) -> None:
    # zsh asks a new user questions unless there is one file.
    write_files(tmp_path, {".zshrc": ""} if name == "zsh" else {})
    async with shell(name, tmp_path) as running:
        assert await running.told("false", "echo on") == _TOLD


async def test_a_full_path_starts_the_same_shell(name: str, home: Path) -> None:
    link = home / "bin" / name
    link.parent.mkdir()
    link.write_text(f'#!/bin/sh\nexec {name} "$@"\n')
    link.chmod(0o755)
    async with opened([str(link)], home) as running:
        await running.prompted(1)
        assert await running.told("false", "echo on") == _TOLD
