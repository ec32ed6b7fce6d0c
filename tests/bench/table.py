"""One row a measurement: the figure, its aim, and the bare limit measured in the same run."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure. `bare` is what the machine gives without us; `worst` is the 95th percentile, `tail` the 99th."""

    what: str
    unit: str
    median: float
    worst: float | None = None
    tail: float | None = None
    aim: str = ""
    bare: float | None = None


def spread(what: str, unit: str, samples: Sequence[float], *, aim: str = "", bare: float | None = None) -> Row:
    """Make a row of samples: their median, 95th and 99th percentile."""
    ordered = sorted(samples)
    worst, tail = (ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.95, 0.99))
    return Row(what=what, unit=unit, median=statistics.median(ordered), worst=worst, tail=tail, aim=aim, bare=bare)


def show(name: str, rows: Sequence[Row]) -> None:
    """Print a table."""
    head = (name, "median", "p95", "p99", "aim", "bare", "ratio")
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    for line in cells:
        left = line[0].ljust(widths[0])
        print("  ".join([left, *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]))
    print(flush=True)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.what} ({row.unit})",
        _number(row.median),
        _number(row.worst),
        _number(row.tail),
        row.aim,
        _number(row.bare),
        _number(row.median / row.bare) if row.bare else "",
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
