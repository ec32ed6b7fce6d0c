"""The `panebridge` commands, and how each runs: one connection, one error text, one exit code."""

import functools
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import click

from session_core import __version__
from session_core.cli import printing
from session_core.cli.exits import OF_ERROR, OF_OUTCOME, Exit
from session_core.client import Client, connect
from session_core.errors import SessionCoreError
from session_core.model.waits import Mode, Until

T = TypeVar("T")
Command = Callable[..., Awaitable[Exit | None]]

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
    """Run `command` against the host; a mistake is one line on stderr and an exit code, never a traceback."""

    async def body() -> Exit | None:
        async with connect(start=start, name=f"panebridge {__version__} pid {os.getpid()}") as core:
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

    Exit codes: 0 ok, 1 error, 2 usage, 3 no such pane, 4 time is up, 5 blocked, 6 exited.
    """


@command_line.command()
@click.option("--name", help="Name to address the pane by.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, resolve_path=True),
    help="Folder to start in (default: this one).",
)
@click.option("--columns", default=120, show_default=True, type=click.IntRange(2, 1000))
@click.option("--rows", default=40, show_default=True, type=click.IntRange(2, 1000))
@click.option("--no-shell-integration", is_flag=True, help="Start a shell without prompt marks.")
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@with_core()
async def run(
    core: Client,
    command: tuple[str, ...],
    name: str | None,
    folder: str | None,
    columns: int,
    rows: int,
    no_shell_integration: bool,
    as_json: bool,
) -> None:
    """Open a pane and start COMMAND in it (default: your shell). Prints the pane's id.

    \b
    panebridge run -- make -j8
    panebridge run --name agent --folder ~/src/app -- claude
    """
    status = await core.open_pane(
        command or [os.environ.get("SHELL") or "/bin/sh"],
        folder=folder,
        name=name,
        columns=columns,
        rows=rows,
        shell_integration=not no_shell_integration,
    )
    printing.show(status, as_json, lambda: status.pane)


@command_line.command("ls")
@json_option
@with_core(start=False)
async def list_panes(core: Client, as_json: bool) -> None:
    """List all panes: id, state, program, and what they say."""
    found = await core.list_panes()
    printing.show(found, as_json, lambda: printing.pane_table(found))


@command_line.command("status")
@json_option
@click.argument("pane")
@with_core(start=False)
async def show_status(core: Client, pane: str, as_json: bool) -> None:
    """Show everything that PANE declares, with its sub-tasks."""
    found = await core.read_status(pane)
    printing.show(found, as_json, lambda: printing.status_text(found))


@command_line.command()
@click.option("--submit/--no-submit", default=True, show_default=True, help="Press Enter after the text.")
@click.option("--lines", is_flag=True, help="Submit line by line where the program takes no paste.")
@click.option("--answers", type=int, help="Revision of the question that this answers, for a blocked pane.")
@click.option("--hold", is_flag=True, help="While a person has a half-typed text there, wait instead of failing.")
@click.option("--when-settled", is_flag=True, help="Deliver it once the pane is at rest.")
@click.option("--secret", is_flag=True, help="Allow it at a password prompt.")
@click.option("--key", help="Idempotency key: a repeat writes nothing and prints the first ticket.")
@json_option
@click.argument("pane")
@click.argument("text")
@with_core(start=False)
async def send(
    core: Client,
    pane: str,
    text: str,
    submit: bool,
    lines: bool,
    answers: int | None,
    hold: bool,
    when_settled: bool,
    secret: bool,
    key: str | None,
    as_json: bool,
) -> None:
    """Give TEXT to PANE's program. It is literal, and it never counts as your typing. `-` reads stdin.

    Prints the write's ticket, for `panebridge wait --since`.
    """
    receipt = await core.write_pane(
        pane,
        sys.stdin.read() if text == "-" else text,
        submit=submit,
        multiline="lines" if lines else "paste",
        author="panebridge send",
        answers=answers,
        on_draft="hold" if hold else "refuse",
        when="settled" if when_settled else "now",
        secret=secret,
        key=key,
        from_pane=os.environ.get("PANEBRIDGE_PANE"),
    )
    printing.show(receipt, as_json, lambda: receipt.ticket.id)


@command_line.command("keys")
@click.option("--answers", type=int, help="Revision of the question that this answers, for a blocked pane.")
@json_option
@click.argument("pane")
@click.argument("names", nargs=-1, required=True)
@with_core(start=False)
async def press_keys(core: Client, pane: str, names: tuple[str, ...], answers: int | None, as_json: bool) -> None:
    """Press keys in PANE: Enter, Escape, Up, F5, C-c, M-x, S-Tab and the like. They never count as your typing."""
    receipt = await core.send_keys(
        pane, names, author="panebridge keys", answers=answers, from_pane=os.environ.get("PANEBRIDGE_PANE")
    )
    printing.show(receipt, as_json, lambda: receipt.ticket.id)


@command_line.command("held")
@json_option
@click.argument("pane")
@with_core(start=False)
async def list_held(core: Client, pane: str, as_json: bool) -> None:
    """List the writes that are held for PANE, the next one first."""
    found = await core.held_writes(pane)
    printing.show(found, as_json, lambda: printing.held_table(found))


@command_line.command()
@json_option
@click.argument("ticket")
@with_core(start=False)
async def cancel(core: Client, ticket: str, as_json: bool) -> None:
    """Take back the held write TICKET."""
    cancelled = await core.cancel_write(ticket)
    printing.show(cancelled, as_json, lambda: f"{cancelled.id} cancelled")


@command_line.command()
@json_option
@click.argument("pane")
@with_core(start=False)
async def ack(core: Client, pane: str, as_json: bool) -> None:
    """Say that you have seen what finished in PANE: its `done` and `error` end."""
    receipt = await core.acknowledge(pane, person=person())
    printing.show(receipt, as_json, lambda: f"{len(receipt.acknowledged)} acknowledged")


@command_line.command()
@click.option("--read-only", is_flag=True, help="Only look: type nothing and set no size.")
@click.option("--detach-key", default="C-\\", show_default=True, help="C- and a letter, or one of \\ ] ^ _.")
@click.argument("pane")
def attach(pane: str, read_only: bool, detach_key: str) -> None:
    """Use PANE with your own terminal. Your keys end `done` and `error`; detaching ends nothing."""
    from session_core.cli.attach import attach_terminal

    options = {"pane": pane, "read_only": read_only, "detach_key": detach_key, "who": person()}
    sys.exit(run_async(attach_terminal, False, options))


@command_line.command()
@click.option("--until", type=click.Choice([u.value for u in Until]), default=Until.SETTLED.value, show_default=True)
@click.option("--all", "every", is_flag=True, help="Wait for all panes, not for the first.")
@click.option("--since", help="Ticket that `send` printed, or a revision: older states do not count.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds; 0 is a look.")
@json_option
@click.argument("panes", nargs=-1, required=True)
@with_core(start=False)
async def wait(
    core: Client,
    panes: tuple[str, ...],
    until: str,
    every: bool,
    since: str | None,
    timeout: float,
    as_json: bool,
) -> Exit:
    """Wait until PANES are at rest, need somebody, or have exited; nothing is polled.

    Exit code: 0 settled, 4 time is up, 5 blocked, 6 exited.
    """
    result = await core.wait(
        panes,
        until=Until(until),
        mode=Mode.ALL if every else Mode.ANY,
        since=int(since) if since and since.isdigit() else since,
        timeout_s=timeout,
    )
    printing.show(result, as_json, lambda: printing.wait_text(result))
    return OF_OUTCOME[result.outcome]


@command_line.command()
@click.option("--lines", type=click.IntRange(1, 10_000), help="Last lines with the scrollback (default: the screen).")
@json_option
@click.argument("pane")
@with_core(start=False)
async def read(core: Client, pane: str, lines: int | None, as_json: bool) -> None:
    """Print what PANE shows."""
    shown = await core.read_pane(pane, lines=lines)
    printing.show(shown, as_json, lambda: shown.text)


@command_line.command()
@json_option
@click.argument("pane")
@with_core(start=False)
async def close(core: Client, pane: str, as_json: bool) -> None:
    """End PANE's program with all its processes and remove the pane."""
    closed = await core.close_pane(pane)
    printing.show(closed, as_json, lambda: f"{closed.pane} closed")
