"""Which tool call of which client a request is, the same at every bridge that gets it. Pure.

A shim that has lost its bridge sends the calls that are not answered to the next one, and says in its preamble which
they are, how old they are, and where a wait stood. Every other call has the next number. The shim's name and the number
make the key by which the host knows a repeat. A shim that has no name (an older one) never sends a call twice.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

OPEN = 4096
"""Calls whose origin is kept until they are served; the oldest goes."""

Standing = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """One call. `age_s` is for how long its client has waited; `stands` keeps where its wait stands at the shim."""

    key: str | None = None
    age_s: float = 0.0
    standing: Standing | None = None
    stands: Callable[[Standing], None] | None = None


NO_ORIGIN = Origin()


class Origins:
    """The calls of one connection, by their request's id. `say` sends a line to the shim itself.

    `resumed` says that the shim had another bridge before.
    """

    def __init__(self, preamble: Mapping[str, Any], say: Callable[[str], None]) -> None:
        self._shim = preamble.get("shim")
        again = preamble.get("again")
        self._again: list[Mapping[str, Any]] = list(again) if isinstance(again, list) else []
        following = preamble.get("next")
        self._next = following if isinstance(following, int) else 0
        self._origins: dict[Any, Origin] = {}
        self._say = say
        self.resumed = bool(preamble.get("resumed"))

    def heard(self, line: str) -> None:
        """Take a line of the client; tool calls are numbered in their order."""
        if self._shim is None or '"tools/call"' not in line:
            return
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict) or value.get("method") != "tools/call":
            return
        identity = value.get("id")
        if isinstance(identity, (str, int)):
            self._origins[identity] = self._following(identity)
            if len(self._origins) > OPEN:
                del self._origins[next(iter(self._origins))]

    def _following(self, identity: str | int) -> Origin:
        def stands(standing: Standing) -> None:
            self._say(json.dumps({"panebridge": 1, "waits": identity, "standing": dict(standing)}))

        if self._again:
            call = self._again.pop(0)
            return Origin(f"{self._shim}.{call.get('number')}", call.get("age_s") or 0.0, call.get("standing"), stands)
        self._next += 1
        return Origin(f"{self._shim}.{self._next - 1}", stands=stands)

    def of(self, identity: Any) -> Origin:
        """Return which call this request is, once."""
        return self._origins.pop(identity, NO_ORIGIN)
