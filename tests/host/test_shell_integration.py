"""How a shell is started with prompt marks: decided from its arguments and environment alone."""

from pathlib import Path

import pytest

from session_core.host.shell_integration import SCRIPTS, Start, integrated, readable

HERE = Path("/scripts")
DATA = "/scripts/fish"


def start(*argv: str, **environment: str) -> Start | None:
    """Return the decision, for a nonce that is easily seen."""
    return integrated(argv, environment, HERE, "n1")


@pytest.mark.parametrize("program", ["bash", "/usr/bin/bash", "./bash", "/opt/my tools/bash"])
@pytest.mark.parametrize("options", [(), ("-i",), ("-ii",), ("-i", "-i")])
def test_bash_gets_a_start_file(program: str, options: tuple[str, ...]) -> None:
    begun = start(program, *options)
    assert begun is not None
    assert Path(begun.argv[0]) == Path(program)
    assert begun.argv[1:] == ("--rcfile", "/scripts/integration.bash", *options)
    assert begun.environment == {"PANEBRIDGE_SHELL_NONCE": "n1"}


@pytest.mark.parametrize("argv", [("bash", "-l"), ("bash", "--login"), ("bash", "-il"), ("bash", "-li"), ("-bash",)])
def test_a_login_bash_reads_the_start_file_too_and_does_what_a_login_does(argv: tuple[str, ...]) -> None:
    assert start(*argv) == Start(
        ("bash", "--rcfile", "/scripts/integration.bash"),
        {"PANEBRIDGE_SHELL_NONCE": "n1", "PANEBRIDGE_BASH_LOGIN": "1"},
    )


def test_a_login_bash_keeps_its_other_options() -> None:
    begun = start("/bin/-bash", "-i", "-l")
    assert begun is not None
    assert begun.argv == ("/bin/bash", "--rcfile", "/scripts/integration.bash", "-i")


@pytest.mark.parametrize("options", [(), ("-i",), ("-l",), ("-il",), ("--login", "--interactive")])
def test_zsh_gets_a_folder_of_files_and_its_own_back(options: tuple[str, ...]) -> None:
    argv = ("/bin/zsh", *options)
    added = {"PANEBRIDGE_SHELL_NONCE": "n1", "ZDOTDIR": "/scripts/zsh"}
    assert start(*argv) == Start(argv, added)
    assert start(*argv, ZDOTDIR="/z") == Start(argv, added | {"PANEBRIDGE_ZDOTDIR": "/z"})
    assert start(*argv, ZDOTDIR="") == Start(argv, added | {"PANEBRIDGE_ZDOTDIR": ""})


@pytest.mark.parametrize("options", [(), ("-i",), ("-l",), ("-li",), ("--login", "--interactive")])
def test_fish_gets_a_folder_of_vendor_files_before_the_others(options: tuple[str, ...]) -> None:
    argv = ("fish", *options)
    nonce = {"PANEBRIDGE_SHELL_NONCE": "n1"}
    default = nonce | {"XDG_DATA_DIRS": f"{DATA}:/usr/local/share:/usr/share"}
    assert start(*argv) == Start(argv, default)
    assert start(*argv, XDG_DATA_DIRS="") == Start(argv, default | {"PANEBRIDGE_XDG_DATA_DIRS": ""})
    assert start(*argv, XDG_DATA_DIRS="/a:/b") == Start(
        argv, nonce | {"XDG_DATA_DIRS": f"{DATA}:/a:/b", "PANEBRIDGE_XDG_DATA_DIRS": "/a:/b"}
    )


@pytest.mark.parametrize("program", ["bash", "-bash", "/bin/bash", "zsh", "-zsh", "fish"])
@pytest.mark.parametrize(
    "options",
    [
        ("-c", "true"),
        ("-ic", "true"),
        ("-lc", "true"),
        ("script",),
        ("./script", "-i"),
        ("-i", "script"),
        ("-",),
        ("--",),
        ("",),
        ("-i", ""),
        ("-s",),
        ("-f",),
        ("-x",),
        ("-n",),
        ("-N",),
        ("-o", "vi"),
        ("+i",),
        ("-p",),
        ("-r",),
        ("-I",),
        ("-il ",),
        ("-i\n",),
        ("--norc",),
        ("--noprofile",),
        ("--posix",),
        ("--rcfile", "/rc"),
        ("--rcfile=/rc",),
        ("--init-file", "/rc"),
        ("--no-rcs",),
        ("--no-config",),
        ("--init-command", "true"),
        ("-C", "true"),
        ("--emulate", "sh"),
        ("--version",),
        ("--help",),
        ("--login", "--norc"),
        ("--logins",),
    ],
)
def test_any_other_start_is_left_as_it_is(program: str, options: tuple[str, ...]) -> None:
    assert start(program, *options) is None


@pytest.mark.parametrize(
    "program", ["sh", "dash", "ksh", "rbash", "bash5", "xbash", "bash.sh", "/bash/sh", "--bash", "", "cat"]
)
def test_any_other_program_is_left_as_it_is(program: str) -> None:
    assert start(program) is None
    assert not readable([program], SCRIPTS)


def test_interactive_is_no_option_of_bash() -> None:
    assert start("bash", "--interactive") is None


@pytest.mark.parametrize("program", ["bash", "-zsh", "/usr/bin/fish"])
def test_the_scripts_are_where_they_are_looked_for(program: str) -> None:
    assert readable([program], SCRIPTS)
    assert not readable([program], HERE)
