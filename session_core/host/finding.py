"""Finds in the lines of a pane: literal text, or a regular expression that can neither stop nor fill the host.

A search takes `SEARCH_S` of processor time at most, off the event loop and beside it. What an expression becomes in
memory grows with the product of its counted repeats, so that product has a bound.
"""

import math
import re
import time
from collections.abc import Callable, Sequence

import regex

from session_core.errors import Code, SessionCoreError

SEARCH_S = 1.0
"""Longest time that a pattern may take."""
REPEATS = 10_000
"""Largest product of the counted repeats of a regular expression."""

_LEAST_S = 0.001
_BETWEEN = "--"
_COUNTS = re.compile(r"\{\s*(\d*)\s*(?:,\s*(\d*))?\s*\}")
_VERBOSE = re.compile(r"\(\?[a-zA-Z0-9]*x")

Find = Callable[[Sequence[str]], list[int]]
"""Returns the numbers of the lines with the pattern. May take `SEARCH_S`; raises SessionCoreError beyond it."""


def finder(pattern: str, *, is_regex: bool) -> Find:
    """Return what finds `pattern`. Raises SessionCoreError for an expression that is too large."""
    if not is_regex or regex.escape(pattern) == pattern:
        return lambda lines: [number for number, line in enumerate(lines) if pattern in line]
    counts = [max(int(count or 1) for count in found.groups("1")) for found in _COUNTS.finditer(pattern)]
    if math.prod(max(count, 1) for count in counts) > REPEATS or _VERBOSE.search(pattern):
        raise SessionCoreError(
            Code.BAD_REQUEST,
            f"The pattern repeats more than {REPEATS} times, or is a verbose one.",
            "Use `*` or `+` in place of large counts, and no `(?x)`.",
        )
    return lambda lines: _search(pattern, lines)


def _search(pattern: str, lines: Sequence[str]) -> list[int]:
    deadline = time.monotonic() + SEARCH_S
    try:
        search = regex.compile(pattern).search
        return [
            number
            for number, line in enumerate(lines)
            if search(line, concurrent=True, timeout=max(deadline - time.monotonic(), _LEAST_S))
        ]
    except (regex.error, OverflowError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise SessionCoreError(
            Code.BAD_REQUEST, f"The pattern is no regular expression: {why}.", "Correct it, or leave out `regex`."
        ) from error
    except TimeoutError as error:
        raise SessionCoreError(
            Code.BAD_REQUEST, f"The pattern takes longer than {SEARCH_S:.0f} s.", "Use a simpler one."
        ) from error


def blocks(lines: Sequence[str], hits: Sequence[int], context: int) -> list[str]:
    """Return the lines around each find, with a rule between those that are apart."""
    shown: list[str] = []
    last = -1
    for hit in hits:
        first = max(hit - context, last + 1)
        if shown and first > last + 1:
            shown.append(_BETWEEN)
        shown += lines[first : hit + context + 1]
        last = min(hit + context, len(lines) - 1)
    return shown
