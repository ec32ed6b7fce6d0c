"""The environment and program path of a new pane.

A program must not believe that it runs in the terminal, multiplexer or agent that started the host: their
markers change what it prints and whether it reports at all. Model keys are not handed on unless the caller
sets them for this pane. Everything else of the caller's environment is kept.
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from session_core.errors import Code, SessionCoreError

_TERMINALS = (
    r"(?:TMUX|ZELLIJ|KITTY|ITERM|WEZTERM|GHOSTTY|ALACRITTY|KONSOLE|VTE|VSCODE|TERM_PROGRAM|LC_TERMINAL|CONEMU"
    r"|TERMINATOR|TILIX|WARP)(?:_.*)?"
    r"|ConEmu.*|TMUX.*|ZELLIJ.*|STY|WINDOW|WINDOWID|WT_SESSION|WT_PROFILE_ID|TERMCAP|TERM_SESSION_ID"
    r"|TERMINAL_EMULATOR|__CFBundleIdentifier|NVIM|INSIDE_EMACS|VIM|VIMRUNTIME|COLUMNS|LINES|OLDPWD|SHLVL|_"
)
# Settings of an agent, such as its home folder, are the user's and stay; these say that one is running.
_AGENTS = (
    r"CLAUDECODE.*|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION.*|CHILD.*|EXECPATH)|CODEX_(?:SANDBOX.*|THREAD.*|CI)"
    r"|GEMINI_CLI|OPENCODE|OPENCODE_(?:PID|SESSION.*)|CURSOR_(?:AGENT|TRACE_ID|SESSION.*)|PI_CODING_AGENT"
    r"|AI_AGENT|AGENT"
)
_MARKERS = re.compile(f"{_TERMINALS}|{_AGENTS}|PANEBRIDGE_REPORTER|PYGHOSTTY_LIB")
_MODEL_KEYS = re.compile(
    r"(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE|MISTRAL|OPENROUTER|GROQ|XAI|DEEPSEEK|COHERE|HF|HUGGINGFACE|AZURE_OPENAI)"
    r"_(?:API_KEY|AUTH_TOKEN|API_TOKEN|TOKEN|ACCESS_TOKEN)"
)
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")
_UTF8 = re.compile(r"utf-?8", re.IGNORECASE)
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def pane_environment(caller: Mapping[str, str], pane: str, folder: str) -> dict[str, str]:
    """Return the environment of a new pane, made from that of its caller."""
    kept = {
        name: value
        for name, value in caller.items()
        if not _MARKERS.fullmatch(name) and not _MODEL_KEYS.fullmatch(name)
    }
    kept.setdefault("PATH", _DEFAULT_PATH)
    kept |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PANEBRIDGE_PANE": pane, "PWD": folder}
    return kept | _utf8_locale(kept)


def _utf8_locale(environment: dict[str, str]) -> dict[str, str]:
    in_force = next((environment[name] for name in _LOCALE if environment.get(name)), "")
    if _UTF8.search(in_force):
        return {}
    # LC_ALL overrides every other name, so it is replaced where it is what stands in the way.
    name = "LC_ALL" if environment.get("LC_ALL") else "LC_CTYPE"
    return {name: "C.UTF-8" if os.uname().sysname == "Linux" else "en_US.UTF-8"}


def pane_folder(folder: str | None) -> str:
    """Return the absolute folder to start in, the home folder by default.

    Raises SessionCoreError with `no_such_folder`.
    """
    chosen = Path(os.path.expanduser(folder or os.environ.get("HOME") or "/"))
    if not chosen.is_absolute() or not os.path.isdir(chosen):
        raise SessionCoreError(
            Code.NO_SUCH_FOLDER,
            f"The folder {str(chosen)!r} does not exist, or is no folder.",
            "Name an existing folder by its absolute path.",
        )
    return str(chosen)


def program_path(program: str, folder: str, environment: Mapping[str, str]) -> str:
    """Return the path that runs `program`: a path is taken from `folder`, a bare name from PATH.

    Raises SessionCoreError with `no_such_program` or `not_executable`.
    """
    if "/" in program:
        path = Path(folder, os.path.expanduser(program))
        if not os.path.isfile(path):
            raise SessionCoreError(
                Code.NO_SUCH_PROGRAM, f"There is no program {str(path)!r}.", "Check the path of the command."
            )
        if not os.access(path, os.X_OK):
            raise SessionCoreError(
                Code.NOT_EXECUTABLE,
                f"{str(path)!r} is not executable.",
                "Make it executable, or name its interpreter.",
            )
        return str(path)
    found = shutil.which(program, path=environment.get("PATH", "")) if program else None
    if found is None:
        raise SessionCoreError(
            Code.NO_SUCH_PROGRAM,
            f"There is no program {program!r} on the PATH.",
            "Install it, or give its absolute path.",
        )
    return str(Path(folder, found))
