"""`upgrade`: run the installed version everywhere, while every program in a pane goes on."""

import sys
from typing import Any

import click

from session_core import __version__
from session_core.cli.exits import Exit
from session_core.cli.group import command_line, fail
from session_core.errors import SessionCoreError
from session_core.launch import upgrade_processes
from session_core.runtime_folder import open_runtime_folder

_PROCESSES = ("keeper", "host", "bridge")


@command_line.command()
def upgrade() -> None:
    """Replace keeper, host and bridge by the installed version; panes and their programs go on."""
    try:
        answer = upgrade_processes(open_runtime_folder())
    except SessionCoreError as error:
        sys.exit(fail(error))
    if answer is None:
        click.echo(f"Nothing runs; the next command starts panebridge {__version__}.")
        return
    for line in _lines(answer):
        click.echo(line)
    if not answer["ok"]:
        click.echo(f"panebridge: {answer['why']}", err=True)
        sys.exit(Exit.ERROR)


def _lines(answer: dict[str, Any]) -> list[str]:
    before, after = answer.get("before", {}), answer.get("after", {})
    names = [name for name in _PROCESSES if name in after]
    return [f"{name:<6} {_version(before, name)} -> {_version(after, name)}" for name in names]


def _version(status: dict[str, Any], name: str) -> str:
    return str(status.get(name, {}).get("version") or "not running")
