"""Commands about panes as such: open, list, look, set, attach, acknowledge, close."""

import os
import sys

import click

from session_core.cli import printing
from session_core.cli.group import command_line, json_option, person, run_async, with_core
from session_core.client import Client


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


@command_line.command()
@json_option
@click.argument("pane")
@with_core()
async def reopen(core: Client, pane: str, as_json: bool) -> None:
    """Start the command of PANE again, whose program has ended or was lost. What it has printed stays readable."""
    status = await core.reopen_pane(pane)
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


@command_line.command("set")
@click.option("--name", help="New name; an empty one removes it.")
@click.option("--columns", type=click.IntRange(2, 1000))
@click.option("--rows", type=click.IntRange(2, 1000))
@click.option("--tag", "tags", multiple=True, help="Word to mark it with, in place of those before; may be repeated.")
@click.option("--no-tags", is_flag=True, help="Remove all tags.")
@json_option
@click.argument("pane")
@with_core(start=False)
async def set_pane(
    core: Client,
    pane: str,
    name: str | None,
    columns: int | None,
    rows: int | None,
    tags: tuple[str, ...],
    no_tags: bool,
    as_json: bool,
) -> None:
    """Give PANE another name, size or tags."""
    if tags and no_tags:
        raise click.UsageError("Give --tag or --no-tags.")
    if name is None and not (columns or rows or tags or no_tags):
        raise click.UsageError("Give --name, --columns, --rows, --tag or --no-tags.")
    status = await core.set_pane(pane, name=name, columns=columns, rows=rows, tags=tags if tags or no_tags else None)
    printing.show(status, as_json, lambda: printing.status_text(status))


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
@json_option
@click.argument("pane")
@with_core(start=False)
async def ack(core: Client, pane: str, as_json: bool) -> None:
    """Say that you have seen what finished in PANE: its `done` and `error` end."""
    receipt = await core.acknowledge(pane, person=person())
    printing.show(receipt, as_json, lambda: f"{len(receipt.acknowledged)} acknowledged")


@command_line.command()
@json_option
@click.argument("pane")
@with_core(start=False)
async def close(core: Client, pane: str, as_json: bool) -> None:
    """End PANE's program with all its processes and remove the pane."""
    closed = await core.close_pane(pane)
    printing.show(closed, as_json, lambda: f"{closed.pane} closed")
