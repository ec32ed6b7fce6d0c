"""One injected write, as what it was asked for."""

from collections.abc import Callable
from dataclasses import dataclass

from session_core.api.requests import SendKeys, WritePane
from session_core.host.live_pane import LivePane
from session_core.model.composing import Composed
from session_core.model.guard import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What to write: `bytes_for` makes the bytes for the pane's modes at the moment of writing."""

    bytes_for: Callable[[LivePane], Composed]
    submit: bool
    author: str
    conditions: Conditions
    hold_s: float
    key: str | None = None
    asked: WritePane | SendKeys | None = None
    """As what it was asked for, so that another host can make it again; None where it is never held."""
