"""One call over the connections that it takes, so that it takes effect once: what is sent to each of them.

How a call is made again is said by `api.methods` for its method. A call that changes something is not made again to
a host that has lost its memory, nor to one that knows no keys. Deliberately absent: clocks; `now` is an argument.
"""

import os
from dataclasses import replace
from typing import Any

from session_core.api.methods import KEYED, METHODS, Repeat
from session_core.api.results import Greeting, Waiting
from session_core.connection import Broken
from session_core.errors import Code, HostLost, SessionCoreError

_LEAST_S = 0.001
"""A call that has waited long enough is still made again, to look."""


class RepeatedCall:
    """One call, and what is known of it from the connections that broke."""

    def __init__(self, method: str, params: dict[str, Any], now: float, epoch: str) -> None:
        if METHODS[method].repeat in KEYED and not params.get("key"):
            params["key"] = new_key()
        self._method = method
        self._row = METHODS[method]
        self._params = params
        self._began = now
        self._epoch = epoch
        self._sent_to: Greeting | None = None
        self._stood: dict[str, Any] | None = None

    def broke(self, broken: Broken, greeting: Greeting) -> None:
        """Its connection has ended."""
        if broken.sent:
            self._sent_to = greeting
        if broken.stood is not None:
            self._stood = standing_of(broken.stood)

    def params(self, greeting: Greeting, now: float) -> dict[str, Any]:
        """Return what to send to this host now. Raises SessionCoreError for what cannot be done there any more."""
        forgotten = greeting.epoch != self._epoch
        if self._row.repeat in KEYED:
            if self._sent_to is not None and (forgotten or "keys" not in self._sent_to.capabilities):
                raise unknown_error(self._method)
            if forgotten:
                raise forgotten_error()
        again = dict(self._params)
        if self._sent_to is None:
            return again
        if self._row.lasts and again.get(self._row.lasts):
            again[self._row.lasts] = max(_LEAST_S, again[self._row.lasts] - (now - self._began))
        if self._row.repeat is Repeat.GOES_ON and forgotten and not (self._stood or again.get("stood")):
            self._stood = {"epoch": self._epoch, "revision": 0}
        if self._stood is not None:
            again["stood"] = self._stood
        return again

    def result(self, result: Any, now: float) -> Any:
        """Return the result, with the time of all connections in it."""
        if self._sent_to is None or not hasattr(result, "waited_s"):
            return result
        return replace(result, waited_s=round(now - self._began, 3))


def standing_of(stood: Waiting) -> dict[str, Any]:
    """Return the parameter `stood` of the repeat of a wait."""
    return {"epoch": stood.epoch, "revision": stood.revision, "offsets": stood.offsets}


def new_key() -> str:
    """Return a key that no other call has."""
    return os.urandom(12).hex()


def lost_error() -> HostLost:
    """The error of a call whose host is gone for good."""
    return HostLost(
        Code.HOST_GONE,
        "The host went away during the call, or was stopped.",
        "Call again: a new host is started on demand. Look at the panes before you repeat a write.",
    )


def unknown_error(method: str) -> SessionCoreError:
    """The error of a call that was sent, and of which nobody knows any more whether it took effect."""
    return SessionCoreError(
        Code.OUTCOME_UNKNOWN,
        f"The host went away during {method} and knows no more of it: whether it took effect is not known.",
        "Look at the panes before you do it again.",
    )


def forgotten_error() -> HostLost:
    """The error of a call about panes of a host that has lost its memory before it got the call."""
    return HostLost(
        Code.HOST_GONE,
        "The host has come back without its memory: its panes are not those of before. Nothing was done.",
        "Look at the panes, then call again.",
    )
