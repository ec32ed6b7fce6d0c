"""The environment of a pane: what is taken away, what is set, what is kept."""

import json
import os
from pathlib import Path

import pytest

from session_core import Client
from session_core.host.environment import pane_environment

from .hosts import RunningHost
from .programs import python
from .waiting import exit_of

_MARKERS = [
    "TMUX",
    "TMUX_PANE",
    "TMUX_TMPDIR",
    "ZELLIJ",
    "ZELLIJ_SESSION_NAME",
    "STY",
    "WINDOW",
    "KITTY_WINDOW_ID",
    "KITTY_PID",
    "ITERM_SESSION_ID",
    "ITERM_PROFILE",
    "WEZTERM_PANE",
    "GHOSTTY_RESOURCES_DIR",
    "ALACRITTY_LOG",
    "VTE_VERSION",
    "KONSOLE_VERSION",
    "VSCODE_PID",
    "VSCODE_INJECTION",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "WT_SESSION",
    "WT_PROFILE_ID",
    "ConEmuANSI",
    "ConEmuPID",
    "TERMINAL_EMULATOR",
    "WINDOWID",
    "TERMCAP",
    "COLUMNS",
    "LINES",
    "NVIM",
    "VIM",
    "VIMRUNTIME",
    "INSIDE_EMACS",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "AI_AGENT",
    "GEMINI_CLI",
    "CODEX_SANDBOX",
    "OPENCODE",
    "PANEBRIDGE_REPORTER",
    "OLDPWD",
    "SHLVL",
    "_",
]
_KEYS = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "COHERE_API_KEY",
    "HF_TOKEN",
    "AZURE_OPENAI_API_KEY",
]
_KEPT = {
    "HOME": "/home/me",
    "USER": "me",
    "PATH": "/opt/bin:/bin",
    "EDITOR": "vi",
    "SSH_AUTH_SOCK": "/run/agent",
    "DISPLAY": ":0",
    "VIRTUAL_ENV": "/v",
    "MY_TMUX_NOTE": "x",
    "TMUXINATOR": "",
    "LANGUAGE": "de",
    "AGENT_NAME": "a",
    "WINDOWS": "w",
    "OPENAI_BASE_URL": "http://x",
    "LINES_OF_CODE": "9",
    "empty": "",
}


@pytest.mark.parametrize("name", [*_MARKERS, *_KEYS])
def test_markers_of_the_callers_terminal_and_model_keys_are_taken_away(name: str) -> None:
    assert name not in pane_environment({name: "value"}, "p1", "/")


@pytest.mark.parametrize("name", sorted(set(_KEPT) - {"TMUXINATOR"}))
def test_what_else_the_caller_has_is_kept(name: str) -> None:
    assert pane_environment(_KEPT, "p1", "/")[name] == _KEPT[name]


def test_the_pane_and_its_terminal_are_named() -> None:
    caller = {"TERM": "dumb", "COLORTERM": "", "PANEBRIDGE_PANE": "p9", "PWD": "/elsewhere"}
    made = pane_environment(caller, "p1", "/srv")
    expected = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PANEBRIDGE_PANE": "p1", "PWD": "/srv"}
    assert made | expected == made


def test_programs_are_found_where_the_caller_has_no_path() -> None:
    assert "/usr/bin" in pane_environment({}, "p1", "/")["PATH"].split(":")


def test_the_environment_of_the_caller_is_not_changed() -> None:
    caller = {"TMUX": "x", "LANG": "C"}
    pane_environment(caller, "p1", "/")
    assert caller == {"TMUX": "x", "LANG": "C"}


@pytest.mark.parametrize(
    ("locale", "in_force"),
    [
        ({}, "C.UTF-8"),
        ({"LANG": "C"}, "C.UTF-8"),
        ({"LANG": ""}, "C.UTF-8"),
        ({"LC_ALL": "POSIX"}, "C.UTF-8"),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, "C.UTF-8"),
        ({"LC_ALL": "", "LANG": "de_DE.UTF-8"}, "de_DE.UTF-8"),
        ({"LANG": "de_DE.UTF-8"}, "de_DE.UTF-8"),
        ({"LANG": "de_DE.utf8"}, "de_DE.utf8"),
        ({"LANG": "de_DE.UTF-8", "LC_CTYPE": "C"}, "C.UTF-8"),
        ({"LC_CTYPE": "fr_FR.UTF-8", "LANG": "C"}, "fr_FR.UTF-8"),
        ({"LC_ALL": "en_GB.UTF-8", "LC_CTYPE": "C"}, "en_GB.UTF-8"),
        ({"LANG": "de_DE@euro"}, "C.UTF-8"),
    ],
    ids=str,
)
def test_characters_are_always_utf8_and_the_callers_language_stays(locale: dict[str, str], in_force: str) -> None:
    made = pane_environment(locale, "p1", "/")
    chosen = next(made[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if made.get(name))
    assert chosen == in_force
    assert made.get("LANG") == locale.get("LANG")


@pytest.mark.anyio
@pytest.mark.parametrize("locale", [{}, {"LANG": "C"}, {"LC_ALL": "POSIX"}], ids=str)
async def test_a_program_gets_this_environment(
    core: Client, host: RunningHost, tmp_path: Path, locale: dict[str, str]
) -> None:
    source = """
        import locale
        locale.setlocale(locale.LC_ALL, "")
        found = dict(os.environ) | {"codeset": locale.nl_langinfo(locale.CODESET)}
        json.dump(found, open(sys.argv[1], "w"))
    """
    caller = {"PATH": os.environ["PATH"], "MINE": "größer", "TMUX": "x", "OPENAI_API_KEY": "k"} | locale
    command = python(tmp_path, source, str(tmp_path / "found"))
    pane = await core.open_pane(command, environment=caller)
    assert (await exit_of(core, pane.pane)).code == 0
    found = json.loads((tmp_path / "found").read_text())
    assert found["codeset"] == "UTF-8"
    assert found["MINE"] == "größer"
    assert (found["PANEBRIDGE_PANE"], found["PANEBRIDGE_DIR"]) == (pane.pane, str(host.folder))
    assert {"TMUX", "OPENAI_API_KEY"}.isdisjoint(found)


@pytest.mark.anyio
async def test_bytes_of_the_callers_environment_that_are_no_text_arrive_unchanged(core: Client, tmp_path: Path) -> None:
    odd = b"caf\xe9"
    source = "open(sys.argv[1], 'wb').write(os.environb[b'ODD'])"
    command = python(tmp_path, source, str(tmp_path / "found"))
    environment = {"PATH": os.environ["PATH"], "ODD": os.fsdecode(odd)}
    pane = await core.open_pane(command, environment=environment)
    assert (await exit_of(core, pane.pane)).code == 0
    assert (tmp_path / "found").read_bytes() == odd


@pytest.mark.anyio
async def test_the_first_program_on_the_callers_path_is_run(core: Client, tmp_path: Path) -> None:
    program = tmp_path / "own-tool"
    program.write_text("#!/bin/sh\nexit 12\n")
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    pane = await core.open_pane(["own-tool"], environment={"PATH": path})
    assert (await exit_of(core, pane.pane)).code == 12
