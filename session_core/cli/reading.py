"""The command that reads a pane: its screen, also as a picture or a page, what went by, or a find in it."""

from typing import Any

import click

from session_core.api.requests import Format, What
from session_core.api.results import PaneText
from session_core.cli import printing
from session_core.cli.group import command_line, json_option, with_core
from session_core.client import Client

_BYTES = 250_000


@command_line.command()
@click.option("--lines", type=click.IntRange(1, 10_000), help="Last lines with the scrollback (default: the screen).")
@click.option("--since", help="What came since this ticket or revision.")
@click.option("--offset", type=click.IntRange(0), help="What came since this output offset, the `end` of a read.")
@click.option("--command", "number", type=int, help="Output of a shell's command: -1 is the last, 1 the first.")
@click.option("--turn", is_flag=True, help="Output of the program's last turn, from working to rest.")
@click.option("--find", "pattern", help="Lines with this text in the scrollback and the screen.")
@click.option("--regex", is_flag=True, help="The text to find is a regular expression.")
@click.option("--context", default=2, show_default=True, type=click.IntRange(0, 100), help="Lines around each find.")
@click.option("--bytes", "max_bytes", default=_BYTES, show_default=True, type=click.IntRange(1, 262_144))
@click.option("--ansi", "style", flag_value="ansi", help="The screen with its colours.")
@click.option("--html", "style", flag_value="html", help="The screen as a whole HTML page.")
@click.option("--output", "-o", type=click.File("w", encoding="utf-8"), help="File for the HTML page.")
@click.option("--png", type=click.File("wb"), help="Draw the screen into this file (needs the extra `picture`).")
@json_option
@click.argument("pane")
@with_core(start=False)
async def read(
    core: Client,
    pane: str,
    lines: int | None,
    since: str | None,
    offset: int | None,
    number: int | None,
    turn: bool,
    pattern: str | None,
    regex: bool,
    context: int,
    max_bytes: int,
    style: str | None,
    output: Any,
    png: Any,
    as_json: bool,
) -> None:
    """Print what PANE shows, or what has gone by in it. What was left out is told on stderr.

    \b
    panebridge read agent --turn             # what its last turn printed
    panebridge read build --find error --context 5
    panebridge read agent --png screen.png
    """
    chosen = {
        What.TAIL: lines is not None,
        What.SINCE: since is not None or offset is not None,
        What.COMMAND: number is not None,
        What.TURN: turn,
        What.FIND: pattern is not None,
    }
    what = [name for name, wanted in chosen.items() if wanted and not (name is What.TAIL and sum(chosen.values()) > 1)]
    if len(what) > 1:
        raise click.UsageError("Choose one of --since, --offset, --command, --turn and --find.")
    if (png or style) and (what or (png and style)):
        raise click.UsageError("--ansi, --html and --png show the screen, each by itself.")
    if output and style != "html":
        raise click.UsageError("--output is for --html.")
    shown = await core.read_pane(
        pane,
        what=what[0] if what else What.SCREEN,
        lines=lines,
        since=int(since) if since and since.isdigit() else since,
        offset=offset,
        number=-1 if number is None else number,
        pattern=pattern,
        regex=regex,
        context=context,
        format=Format.ANSI if png else Format(style or "text"),
        max_bytes=None if png or style else max_bytes,
    )
    if png or (style == "html" and not as_json):
        _draw(shown, output, png)
    elif as_json:
        printing.show(shown, as_json, str)
    else:
        # What is styled stays so in a pipe, too.
        click.echo(shown.text, nl=not shown.text.endswith("\n"), color=True)
    if not as_json:
        _tell_what_is_missing(shown)


def _draw(shown: PaneText, output: Any, png: Any) -> None:
    # Only here, since it loads what no other read needs.
    from session_core.screen import picture

    if png:
        # Drawn first: the file is made by the first look at it.
        drawn = picture.draw(shown.text, shown.columns, shown.rows, (shown.cursor_column, shown.cursor_row))
        png.write(drawn)
    else:
        click.echo(picture.page(shown.text, f"{shown.pane} {shown.title or ''}".strip()), file=output, nl=False)


def _tell_what_is_missing(shown: PaneText) -> None:
    facts = [
        (shown.missed_bytes, "bytes before this are no longer kept"),
        (shown.skipped_bytes, "bytes came too fast for the screen"),
    ]
    if shown.what is not What.SCREEN:
        facts += [
            (shown.left_out_lines, "lines before this are left out"),
            (shown.left_out_bytes, "bytes before this are left out"),
        ]
    for count, words in facts:
        if count:
            click.echo(f"panebridge: {count} {words}", err=True)
