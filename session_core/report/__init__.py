"""How a program declares its own state to its terminal: OSC 7501 from the emitter's side.

`Reporter` is for programs, `build` and `clear` give bare bytes, `main` is the command for scripts.
Standard library only, and quick to import: an agent pays for it at its own start.
Invariants: only a terminal is written to; a terminal that fails makes it silent, never an exception.
Deliberately absent: reading anything, so also asking `?`; a program that owns its input does that
(see `examples/declaring_program.py`).
"""

from collections.abc import Sequence

from session_core.protocol.program_status import Kind, State
from session_core.report.reporter import ChildRecord, Reporter
from session_core.report.sequences import build, clean_text, clear

__all__ = ["ChildRecord", "Kind", "Reporter", "State", "build", "clean_text", "clear", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run `panebridge report` with `argv` (None: the process's own) and return its exit code, 0 or 2."""
    # argparse costs more than all the rest of this package, and a Reporter never needs it.
    from session_core.report.command import main as run

    return run(argv)
