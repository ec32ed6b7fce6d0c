"""The `panebridge` group, and how each command runs: one connection, one error text, one exit code."""

import functools
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import click

from session_core import __version__
from session_core.cli.exits import OF_ERROR, Exit
from session_core.client import connect
from session_core.errors import SessionCoreError
from session_core.runtime_folder import has_kept_panes, open_runtime_folder

T = TypeVar("T")
Command = Callable[..., Awaitable[int | None]]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")


def with_core(*, start: bool = True) -> Callable[[Command], Callable[..., None]]:
    """Make a click command of an async function whose first argument is a connected client."""

    def wrap(command: Command) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**options: Any) -> None:
            sys.exit(run_async(command, start, options))

        return run

    return wrap


def run_async(command: Command, start: bool, options: dict[str, Any]) -> int:
    """Run `command` against the host; a mistake is one line on stderr and an exit code, never a traceback.

    With `start` a host is started where none runs; without it too, if the last one has left panes, as a reboot does.
    """

    async def body() -> int | None:
        folder = open_runtime_folder()
        name = f"panebridge {__version__} pid {os.getpid()}"
        async with connect(folder=folder, start=start or has_kept_panes(folder), name=name) as core:
            return await command(core, **options)

    try:
        return anyio.run(body) or Exit.OK
    except SessionCoreError as error:
        return fail(error)
    except KeyboardInterrupt:
        return 130


def person() -> str:
    """What the person at this terminal is called."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def fail(error: SessionCoreError) -> int:
    """Print an error and return its exit code."""
    click.echo(f"panebridge: {error}", err=True)
    return OF_ERROR.get(error.code, Exit.ERROR)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="panebridge")
def command_line() -> None:
    """Terminal panes whose programs declare their own state.

    \b
    Start an agent, give it work, wait until it is done or needs you:
      panebridge run --name agent -- claude
      panebridge send agent "fix the failing test"
      panebridge wait agent
      panebridge read agent

    Exit codes: 0 ok, 1 error, 2 usage, 3 no such pane, 4 time is up, 5 blocked, 6 exited,
    7 quiet (a guess), 8 no reaction.
    """
