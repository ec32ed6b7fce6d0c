"""What keyed calls were answered, also by an earlier host: a repeat gets the same answer, and nothing is done again.

A call that types for a person is kept before it is done: where its host ended in between, nobody knows whether the
program has the keys, and the repeat says so.
"""

from typing import Any

from session_core.api.methods import METHODS
from session_core.errors import Code, SessionCoreError
from session_core.host import kept
from session_core.host.durability import Durability
from session_core.host.kept import KeptAnswer
from session_core.model.answered import ANSWERS, Answered, Kept
from session_core.store.journal import Journal


class Answers:
    """The answers of a host; the newest `answered.ANSWERS` are kept."""

    def __init__(self, durability: Durability) -> None:
        self._durability = durability
        self._answered = Answered()
        self._begun: dict[tuple[str, str], None] = {}
        self._count = 0

    def get(self, method: str, key: str | None) -> Kept | None:
        """Return the answer that this key has got from this method.

        Raises SessionCoreError with `outcome_unknown` where it was begun, and its host or its call ended meanwhile.
        """
        found = self._answered.get(method, key)
        if (method, key) in self._begun or (found is not None and found.unknown):
            raise SessionCoreError(
                Code.OUTCOME_UNKNOWN,
                "The host, or the call, ended while these keys were passed on: the program may have got them, or not.",
                "Look at the screen before you do it again.",
            )
        return found

    def begin(self, method: str, key: str | None) -> None:
        """A call is about to be done that must not be done twice."""
        if key is not None:
            self._begun[method, key] = None
            if len(self._begun) > ANSWERS:
                del self._begun[next(iter(self._begun))]
            self._put(KeptAnswer(self._next(), method, key))

    def fail(self, method: str, key: str | None) -> None:
        """A call has changed nothing, if it was begun at all."""
        if key is not None and (method, key) in self._begun:
            del self._begun[method, key]
            self._durability.forget(kept.ANSWER, "", _key(method, key))

    def keep(self, method: str, key: str, result: Any) -> None:
        """Keep the answer to a call."""
        self._begun.pop((method, key), None)
        self._forget(self._answered.keep(Kept(method, key, result)))
        text = METHODS[method].result.dump_json(result).decode()
        self._put(KeptAnswer(self._next(), method, key, text))

    def restore(self, journal: Journal) -> None:
        """Know what an earlier host has answered."""
        found = sorted((value for _, _, value in kept.ANSWER.read(journal)), key=lambda value: value.at)
        for answer in found:
            unknown = answer.result is None
            result = None if answer.result is None else METHODS[answer.method].result.validate_json(answer.result)
            self._forget(self._answered.keep(Kept(answer.method, answer.key, result, unknown)))
            self._count = answer.at

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _put(self, answer: KeptAnswer) -> None:
        self._durability.put(kept.ANSWER, "", _key(answer.method, answer.key), answer)

    def _forget(self, oldest: Kept | None) -> None:
        if oldest is not None:
            self._durability.forget(kept.ANSWER, "", _key(oldest.method, oldest.key))


def _key(method: str, key: str) -> str:
    return f"{method} {key}"
