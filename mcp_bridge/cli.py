"""The whole command line: the core's commands, and those of the bridge: `mcp`, `report`, `stop`, `demo`."""

import sys

import click

from session_core import SessionCoreError, command_line, open_runtime_folder, stop_process


def main() -> int:
    """Run the command line."""
    try:
        command_line.main(prog_name="panebridge", standalone_mode=True)
    except OSError as error:
        click.echo(f"panebridge: {error}", err=True)
        return 1
    return 0


@command_line.command(add_help_option=False)
def mcp() -> None:
    """Serve MCP on stdin and stdout, for an MCP client to start."""
    raise click.UsageError("`mcp` must be the first word: panebridge mcp [--read-only]")


@command_line.command(add_help_option=False)
def report() -> None:
    """Declare a state from a script in a pane: panebridge report working --msg "building"."""
    raise click.UsageError("`report` must be the first word: panebridge report STATE [OPTIONS]")


@command_line.command()
def stop() -> None:
    """End the bridge, the host and every pane."""
    try:
        folder = open_runtime_folder()
        bridge = stop_process(folder, "bridge")
        host = stop_process(folder, "host")
    except SessionCoreError as error:
        click.echo(f"panebridge: {error}", err=True)
        sys.exit(1)
    click.echo("Stopped." if bridge or host else "Nothing was running.")


@command_line.command()
@click.option("--pace", default=0.6, show_default=True, help="Seconds that the demonstration program works.")
def demo(pace: float) -> None:
    """Show the whole way on a real program: work, a question, an answer, done, and who may end it."""
    from mcp_bridge.demo import run_demo

    sys.exit(run_demo(pace))
