"""Commands that wait: for panes, and for a command in a pane's shell. Nothing is polled."""

import os
import signal

import click

from session_core.cli import printing
from session_core.cli.exits import OF_OUTCOME, Exit
from session_core.cli.group import command_line, json_option, with_core
from session_core.client import Client
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Outcome, Until
from session_core.model.status import ExitStatus

_UNTIL = [until.value for until in Until if until is not Until.TEXT]
STILL_RUNNING = 124
"""The exit code of `exec` where the command outlasts its time, as of timeout(1)."""
DID_NOT_RUN = 125


@command_line.command()
@click.option("--until", type=click.Choice(_UNTIL), default=Until.SETTLED.value, show_default=True)
@click.option("--all", "every", is_flag=True, help="Wait for all panes, not for the first.")
@click.option("--since", help="Ticket that `send` printed, or a revision: older states do not count.")
@click.option("--text", help="Wait for this text in new output instead; its echo does not count.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds; 0 is a look.")
@click.option("--quiet", "quiet_s", default=QUIET_S, show_default=True, help="Seconds of silence that count as quiet.")
@click.option("--grace", default=START_GRACE_S, show_default=True, help="Seconds that a write may have no reaction.")
@json_option
@click.argument("panes", nargs=-1, required=True)
@with_core(start=False)
async def wait(
    core: Client,
    panes: tuple[str, ...],
    until: str,
    every: bool,
    since: str | None,
    text: str | None,
    timeout: float,
    quiet_s: float,
    grace: float,
    as_json: bool,
) -> Exit:
    """Wait until PANES are at rest, need somebody, or have exited; nothing is polled.

    Exit code: 0 settled, 4 time is up, 5 blocked, 6 exited, 7 quiet (a guess), 8 no reaction to the write.
    """
    result = await core.wait(
        panes,
        until=Until(until),
        mode=Mode.ALL if every else Mode.ANY,
        since=int(since) if since and since.isdigit() else since,
        timeout_s=timeout,
        text=text,
        quiet_s=quiet_s,
        start_grace_s=grace,
    )
    printing.show(result, as_json, lambda: printing.wait_text(result))
    return OF_OUTCOME[result.outcome]


@command_line.command("exec")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds; the command goes on after it.")
@click.option("--bytes", "max_bytes", default=100_000, show_default=True, type=click.IntRange(1, 250_000))
@json_option
@click.argument("pane")
@click.argument("command")
@with_core(start=False)
async def run_in_shell(
    core: Client, pane: str, command: str, timeout: float, max_bytes: int, as_json: bool
) -> int | None:
    """Run COMMAND in PANE's shell, once it is at its prompt, and print its output.

    Exit code: the command's own; 124 where it still runs, 125 where the shell did not run it.
    """
    ran = await core.run_command(
        pane,
        command,
        timeout_s=timeout,
        max_bytes=max_bytes,
        author="panebridge exec",
        from_pane=os.environ.get("PANEBRIDGE_PANE"),
    )
    if as_json or ran.output:
        printing.show(ran, as_json, lambda: ran.output)
    if ran.left_out_lines or ran.left_out_bytes:
        click.echo("panebridge: earlier output is left out", err=True)
    if ran.outcome in (Outcome.NOT_DELIVERED, Outcome.NOT_STARTED):
        click.echo("panebridge: the shell did not run it; look at the pane", err=True)
        return DID_NOT_RUN
    if ran.outcome is Outcome.CHECKIN:
        click.echo(f"panebridge: it still runs; wait for it: panebridge wait {ran.pane} --since {ran.ticket}", err=True)
        return STILL_RUNNING
    if ran.exit_code is None and ran.exit is not None:
        return _code_of(ran.exit)
    return ran.exit_code


def _code_of(end: ExitStatus) -> int:
    """What a shell would have returned for a program that ended like this; 1 where nobody knows how."""
    if end.code is not None:
        return end.code
    number = next((number for number in signal.Signals if number.name == end.signal), None)
    return Exit.ERROR if number is None else 128 + number
