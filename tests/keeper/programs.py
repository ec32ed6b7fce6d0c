"""Programs that go on when a file appears, so that no host is needed to tell them."""

from pathlib import Path

UNTIL = "while [ ! -e {file} ]; do sleep 0.01; done"


def then(file: Path, what: str) -> list[str]:
    """Return a program that says `waits`, and does `what` once `file` exists."""
    return ["sh", "-c", f"echo waits; {UNTIL.format(file=file)}; {what}"]


def numbers(file: Path, first: int, last: int) -> list[str]:
    """Return a program that counts to `first`, and on to `last` once `file` exists."""
    count = "i=$1; while [ $i -lt $2 ]; do echo line $i; i=$((i+1)); done"
    script = f"count() {{ {count}; }}; count 0 {first}; echo waits; {UNTIL.format(file=file)}; count {first} {last}"
    return ["sh", "-c", f"{script}; echo over; exit 7"]


def counting(file: Path) -> list[str]:
    """Return a program that counts without an end until `file` exists."""
    count = "i=0; while [ ! -e $0 ]; do echo line $i; i=$((i+1)); sleep 0.002; done; exit 7"
    return ["sh", "-c", count, str(file)]
