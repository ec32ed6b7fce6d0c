"""The hooks in fish, among those of its user, and the folders of its vendors' files."""

from pathlib import Path

import pytest

from .shells import missing, shell, write_files

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(missing("fish") is not None, reason="fish is not installed"),
]

_CONFIG = ".config/fish/config.fish"


_LINES = ("sh -c 'exit 3'", "echo on")
_TOLD = [("sh -c 'exit 3'", 3, b""), ("echo on", 0, b"on\r\n")]


async def test_folders_of_the_environment_are_read_and_are_the_users_again(home: Path) -> None:
    write_files(home, {"data/fish/vendor_conf.d/theirs.fish": "set -g THEIRS read\n"})
    folders = f"{home}/data:/usr/share"
    async with shell("fish", home, XDG_DATA_DIRS=folders) as running:
        assert await running.text_of("echo $THEIRS $XDG_DATA_DIRS") == f"read {folders}\n"
        assert f"XDG_DATA_DIRS={folders}\n" in await running.text_of("env")
        assert await running.told(*_LINES) == _TOLD


async def test_without_folders_there_are_none_and_the_completions_of_fish_are_found(home: Path) -> None:
    async with shell("fish", home) as running:
        assert await running.text_of("set -q XDG_DATA_DIRS; or echo none") == "none\n"
        assert await running.text_of("complete -C 'set -q ' | count | string match -r '^[1-9]'") != ""


async def test_events_and_the_prompt_of_the_user_go_on(home: Path) -> None:
    text = """\
function fish_prompt; echo -n "<$status> "; end
function before --on-event fish_preexec; set -g typed $argv[1]; end
function after --on-event fish_postexec; set -g code $status; end
"""
    write_files(home, {_CONFIG: text})
    async with shell("fish", home) as running:
        assert await running.told(*_LINES) == _TOLD
        await running.run("sh -c 'exit 7'")
        await running.sees("<7> ")
        assert await running.text_of("echo $code, $typed") == "7, echo $code, $typed\n"


@pytest.mark.parametrize(
    "settings",
    [
        "alias printf=false",
        "function printf; end",
        "function string; end",
        "set -g fish_greeting hello",
        "fish_vi_key_bindings",
    ],
)
async def test_hooks_work_under_any_settings(home: Path, settings: str) -> None:
    write_files(home, {_CONFIG: f"{settings}\n"})
    async with shell("fish", home) as running:
        assert await running.told(*_LINES) == _TOLD
