"""Runs the named measurements, or all of them: `python -m tests.bench scanner shim calls`."""

import sys
from collections.abc import Callable

from tests.bench import calls, input, recovery, scanner, screen, shim, waits, waits_under_load
from tests.bench.table import Row, show

MEASUREMENTS: dict[str, Callable[[], list[Row]]] = {
    "scanner": scanner.measure,
    "shim": shim.measure,
    "calls": calls.measure,
    "input": input.measure,
    "waits": waits.measure,
    "waits_under_load": waits_under_load.measure,
    "screen": screen.measure,
    "recovery": recovery.measure,
}


def main(names: list[str]) -> int:
    """Measure; an unknown name is a usage mistake."""
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"no measurement {', '.join(unknown)}; there are: {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    for name in names or MEASUREMENTS:
        show(name, MEASUREMENTS[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
