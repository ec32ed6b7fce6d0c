"""What it takes to start a pane's program: checked, and completed by what panebridge adds to it.

Nothing is started here. What is wrong is named before there is a pane, a process or a descriptor.
"""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from session_core.errors import Code, SessionCoreError
from session_core.host import shell_integration
from session_core.host.environment import pane_environment, pane_folder, program_path
from session_core.host.shell_integration import NONCE, OFF, SCRIPTS
from session_core.model.pane import PaneSpec


@dataclass(frozen=True, slots=True)
class Start:
    """What to execute, where and with which environment; `nonce` is what the shell's prompt marks carry."""

    argv: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    nonce: str | None


def prepare(
    spec: PaneSpec,
    command: Sequence[str],
    folder: str | None,
    environment: Mapping[str, str] | None,
    runtime: str,
) -> Start:
    """Make ready to start `command` with the caller's folder and environment, the host's own where that is None.

    Raises SessionCoreError that names what is wrong.
    """
    place = pane_folder(folder)
    caller = os.environ if environment is None else environment
    variables = pane_environment(caller, spec.pane, place) | {"PANEBRIDGE_DIR": runtime}
    _check_texts(command, variables)
    argv = [program_path(command[0], place, variables), *command[1:]]
    shell = None
    if spec.shell_integration and variables.get(OFF) != "0" and shell_integration.readable(argv, SCRIPTS):
        shell = shell_integration.integrated(argv, variables, SCRIPTS, secrets.token_hex(16))
    if shell is None:
        return Start(argv, place, variables, None)
    return Start(shell.argv, place, variables | shell.environment, shell.environment.get(NONCE))


def _check_texts(command: Sequence[str], environment: Mapping[str, str]) -> None:
    if any("\0" in text for text in (*command, *environment, *environment.values())):
        raise SessionCoreError(Code.BAD_REQUEST, "The command or its environment holds a NUL character.", "Remove it.")
    try:
        for text in (*command, *environment, *environment.values()):
            os.fsencode(text)
    except UnicodeEncodeError as error:
        raise SessionCoreError(
            Code.BAD_REQUEST,
            "The command or its environment holds half of a character pair.",
            "Send well-formed Unicode.",
        ) from error
    if any("=" in name or not name for name in environment):
        raise SessionCoreError(
            Code.BAD_REQUEST, "A name in the environment is empty or holds '='.", "Correct the name."
        )
