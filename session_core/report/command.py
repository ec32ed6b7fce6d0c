"""`panebridge report`: one report from a script, in one short process.

Exit codes: 0 written, or nothing to write to; 2 a mistake in the command line, with what to do instead.
A script inside a program that reports for the same terminal (`ownership`) cannot change that program's own
record or clear everything; a record of its own (`--id`) is always its to declare.
Deliberately absent: duplicates, turns and background work, which need a process that lives on (`Reporter`).
"""

import argparse
import errno
import os
from collections.abc import Sequence

from session_core.protocol.program_status import Kind, State
from session_core.report import ownership
from session_core.report.sequences import build, clear
from session_core.report.terminal import Terminal

_CLEAR = "clear"
_DESCRIPTION = """\
Declare this program's state to its terminal (OSC 7501). Does nothing, with exit code 0,
when standard output is no terminal, or when the program that runs this one already
reports for the terminal (then only a record of its own, --id, is declared)."""
_EPILOG = """\
examples:
  panebridge report working --app deploy --msg "Copying files" --progress 40
  panebridge report blocked --kind permission --msg "Deploy to production?"

clear removes the record --id and all beneath it; without --id it removes every record of the
terminal, also those of other programs. A text that begins with a dash: --msg=-text"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write one report and return the exit code."""
    parser = _build_parser()
    try:
        options = parser.parse_args(argv)
        sequence = _build_sequence(parser, options)
        terminal = _open(parser, options.tty)
    except SystemExit as end:
        return int(end.code or 0)
    if terminal is None:
        return 0
    # The root record, and the clear that takes everything, belong to the program that reports already.
    if options.id or not ownership.has_other_owner(os.environ, terminal.device, os.getpid()):
        terminal.write(sequence)
    terminal.close()
    return 0


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="panebridge report",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    states = [*State, _CLEAR]
    parser.add_argument("state", metavar="STATE", choices=states, help=", ".join(states))
    parser.add_argument("--msg", help="one line for people about what happens now")
    parser.add_argument("--title", help="short label for people; repeat it in each report")
    parser.add_argument("--kind", help=f"what a blocked program needs: {', '.join(Kind)}")
    parser.add_argument("--progress", type=int, metavar="PERCENT", help="0 to 100, for working and blocked")
    parser.add_argument("--id", help="record of a part, such as build or build/test")
    parser.add_argument("--app", help="stable name of the program, for machines")
    parser.add_argument("--tty", metavar="PATH", help="terminal to write to, such as /dev/tty")
    return parser


def _build_sequence(parser: argparse.ArgumentParser, options: argparse.Namespace) -> bytes:
    if options.id == "":
        parser.error("--id is empty; give a record such as build, or leave --id out for the program itself")
    id = options.id or ""
    fields = {name: getattr(options, name) for name in ("msg", "title", "kind", "progress", "app")}
    try:
        if options.state != _CLEAR:
            return build(options.state, id=id, **fields)
        needless = [f"--{name}" for name, value in fields.items() if value is not None]
        if needless:
            parser.error(f"clear takes only --id and --tty; leave out {', '.join(needless)}")
        return clear(id)
    except ValueError as mistake:
        parser.error(str(mistake))


def _open(parser: argparse.ArgumentParser, path: str | None) -> Terminal | None:
    try:
        return Terminal(1 if path is None else path)
    except OSError as failure:
        # ENXIO: /dev/tty of a process that has no terminal, the same case as a piped standard output.
        if path is None or failure.errno == errno.ENXIO:
            return None
        hint = "give a terminal such as /dev/tty, or leave --tty out"
        parser.error(f"--tty {path}: {failure.strerror}; {hint}")
