"""What keyed calls were answered: a repeat of one gets the same answer, and nothing is done again.

The newest `ANSWERS` of each method are kept, so that many keystrokes do not push out an opened pane; a call that is
repeated after so many others is done again. Only answers are kept: a call that failed has changed nothing, and its
repeat is judged anew.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

ANSWERS = 4096


class Kept(NamedTuple):
    """The answer to one call; `unknown`: the call had begun when its host ended, and nobody knows what came of it."""

    method: str
    key: str
    result: Any
    unknown: bool = False


class Answered:
    """The answers of a host, oldest first within each method."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Kept]] = {}

    def __iter__(self) -> Iterator[Kept]:
        return (kept for answers in self._kept.values() for kept in answers.values())

    def get(self, method: str, key: str | None) -> Kept | None:
        """Return the answer that this key has got from this method."""
        return self._kept.get(method, {}).get(key) if key is not None else None

    def keep(self, kept: Kept) -> Kept | None:
        """Keep an answer; where its method has too many the oldest of them goes and is returned."""
        answers = self._kept.setdefault(kept.method, {})
        answers[kept.key] = kept
        return answers.pop(next(iter(answers))) if len(answers) > ANSWERS else None
