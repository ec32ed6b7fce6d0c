"""What the shim remembers of its client, so that another bridge can go on where the last one ended. Standard library.

It keeps the handshake, the resource subscriptions and the requests that are not answered; a request that was cancelled
is not kept. Each tool call has a number, which with the shim's own name is its identity at every bridge: what was
written is not written again. Answers to what a bridge that is gone had asked the client are for nobody. At most
`KEPT_BYTES` of requests are kept for another bridge, and one that has ended bridge after bridge is given up.
"""

import json
import os
from dataclasses import dataclass
from typing import Any

SUBSCRIPTIONS = 1000
KEPT_BYTES = 64 * 1024 * 1024
QUICKLY_S, QUICK_LOSSES = 5.0, 10
"""A request whose bridge has ended so soon after it got it, so often in a row, may be what ends them."""
CONTROL = b'{"panebridge"'
"""So begins a line that the bridge sends to the shim itself."""
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@dataclass(slots=True)
class _Open:
    line: bytes
    begun: float
    sent: float
    number: int | None
    standing: Any = None
    quick_losses: int = 0


class Memory:
    """One client, over all its bridges. `ending` once the bridge has said that it ends in order."""

    def __init__(self, preamble: dict[str, Any]) -> None:
        self._preamble = preamble | {"shim": os.urandom(8).hex()}
        self._handshake: list[bytes] = []
        self._subscribed: dict[str, bytes] = {}
        self._open: dict[Any, _Open] = {}
        self._bytes = 0
        self._calls = 0
        self._resumed = False
        self._unheard: set[Any] = set()
        self._acknowledged: set[Any] = set()
        self._asked: set[Any] = set()
        self._stale: set[Any] = set()
        self._greeted: bool | None = None
        self.ending = False

    # ---- lines

    def from_client(self, line: bytes, now: float) -> tuple[bool, bool]:
        """Take a line of the client; return whether a bridge should get it, and whether it is kept for the next one."""
        method, identity, params = _envelope(line)
        if method is None:
            if identity in self._stale:
                self._stale.discard(identity)
                return False, False
            self._asked.discard(identity)
            return True, False
        match method:
            case "initialize":
                self._handshake = [line]
            case "notifications/initialized":
                self._handshake.append(line)
                return True, True
            case "notifications/cancelled":
                self.close(_id_of(params.get("requestId")))
            case "resources/subscribe":
                self._subscribed[str(params.get("uri"))] = line
                if len(self._subscribed) > SUBSCRIPTIONS:
                    del self._subscribed[next(iter(self._subscribed))]
            case "resources/unsubscribe":
                self._subscribed.pop(str(params.get("uri")), None)
        if identity is None:
            return True, False
        number = None
        if method == "tools/call":
            number, self._calls = self._calls, self._calls + 1
        self.close(identity)
        self._open[identity] = _Open(line, now, now, number)
        self._bytes += len(line)
        return True, True

    def close(self, identity: Any) -> None:
        """A request is answered or not waited for any more."""
        opened = self._open.pop(identity, None)
        self._acknowledged.discard(identity)
        if opened is not None:
            self._bytes -= len(opened.line)

    def from_bridge(self, line: bytes) -> bool:
        """Take a line of the bridge; return whether it is for the client."""
        if line.startswith(CONTROL):
            self._greeted = True
            self._heed(json.loads(line))
            return False
        if self._greeted is None:
            # An older bridge knows no keys. One that has said nothing yet has done nothing yet.
            self._greeted = False
        method, identity, params = _envelope(line)
        if method is None:
            self.close(identity)
            if identity in self._unheard:
                self._unheard.discard(identity)
                return False
            return True
        if identity is not None:
            self._asked.add(identity)
        if method == _ACKNOWLEDGED:
            meta = params.get("_meta")
            stream = _id_of(meta.get(_SUBSCRIPTION)) if isinstance(meta, dict) else None
            if stream in self._acknowledged:
                return False
            self._acknowledged.add(stream)
        return True

    def _heed(self, control: dict[str, Any]) -> None:
        self.ending = self.ending or bool(control.get("ending"))
        opened = self._open.get(_id_of(control.get("waits")))
        if opened is not None:
            opened.standing = control.get("standing")

    # ---- another bridge

    @property
    def waits(self) -> bool:
        """Whether the client expects something of a bridge."""
        return bool(self._open or self._subscribed)

    def lost(self, now: float) -> list[Any]:
        """The bridge is gone; return the requests that cannot be made again."""
        self._unheard.clear()
        self._stale |= self._asked
        self._asked.clear()
        given_up, size = [], self._bytes
        for identity, opened in self._open.items():
            opened.quick_losses = opened.quick_losses + 1 if now - opened.sent < QUICKLY_S else 0
            unsafe = opened.number is not None and self._greeted is False
            if unsafe or size > KEPT_BYTES or opened.quick_losses >= QUICK_LOSSES:
                given_up.append(identity)
                size -= len(opened.line)
        for identity in given_up:
            self.close(identity)
        self._greeted, self.ending = None, False
        return given_up

    def drop(self) -> list[Any]:
        """Give up every open request, and return them."""
        given_up = list(self._open)
        for identity in given_up:
            self.close(identity)
        return given_up

    def greeting(self, now: float) -> bytes:
        """Return all that a bridge must be told first: the preamble, and what is not answered yet."""
        calls = [opened for opened in self._open.values() if opened.number is not None]
        again = [
            {"number": call.number, "age_s": round(now - call.begun, 3), "standing": call.standing} for call in calls
        ]
        preamble = self._preamble | {"again": again, "next": self._calls, "resumed": self._resumed}
        self._resumed = True
        lines = [json.dumps(preamble).encode() + b"\n"]
        for line in (*self._handshake, *self._subscribed.values()):
            identity = _envelope(line)[1]
            if identity in self._open and self._open[identity].line == line:
                continue
            lines.append(line)
            if identity is not None:
                self._unheard.add(identity)
        for opened in self._open.values():
            opened.sent = now
            lines.append(opened.line)
        return b"".join(lines)


def _envelope(line: bytes) -> tuple[str | None, Any, dict[str, Any]]:
    """Return the method, the id and the parameters of a message; the bridge judges the rest."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None, None, {}
    if not isinstance(value, dict):
        return None, None, {}
    method, params = value.get("method"), value.get("params")
    return (
        method if isinstance(method, str) else None,
        _id_of(value.get("id")),
        params if isinstance(params, dict) else {},
    )


def _id_of(value: Any) -> Any:
    return value if isinstance(value, (str, int)) else None
