"""Commands that write into a pane, which never counts as a person's typing."""

import os
import sys

import click

from session_core.cli import printing
from session_core.cli.group import command_line, json_option, with_core
from session_core.client import Client


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


@command_line.command()
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000), help="How many, the newest.")
@json_option
@click.argument("pane", required=False)
@with_core(start=False)
async def audit(core: Client, pane: str | None, limit: int, as_json: bool) -> None:
    """List what tools and agents wrote into PANE, or into any: when, who, how much, and what, if it was no secret."""
    found = await core.read_audit(pane, limit=limit)
    printing.show(found, as_json, lambda: printing.audit_table(found))


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
