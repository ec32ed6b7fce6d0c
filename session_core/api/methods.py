"""The table of the core API: every method, its parameters, its result, and who may call it.

Parameters are validated here, at the edge; results are the core's own value types, sent unchanged.
`read_only` methods and `stop` also serve a client of a neighbouring protocol version. `repeat` says how a call is
made again whose connection broke before its answer came, so that each takes effect once.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from session_core.api.adapters import Adapter
from session_core.api.requests import (
    Acknowledge,
    Attach,
    CancelWrite,
    ClosePane,
    Hello,
    NoParams,
    OnePane,
    OneTicket,
    OneViewer,
    OpenPane,
    Params,
    ReadAudit,
    ReadPane,
    ReopenPane,
    RunCommand,
    SendKeys,
    SendKeystrokes,
    SetPane,
    Subscribe,
    ViewerInput,
    ViewerSize,
    Wait,
    WritePane,
)
from session_core.api.results import (
    Attached,
    Audit,
    ChangeBatch,
    Closed,
    CommandRun,
    Gap,
    Greeting,
    HeldWrites,
    KeystrokeReceipt,
    OutputNews,
    PaneList,
    PaneText,
    Stopping,
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
    Waiting,
    WriteReceipt,
)
from session_core.model.outcomes import WaitResult
from session_core.model.status import PaneStatus
from session_core.model.tickets import Ticket

PROTOCOL = 1
"""Version of this contract. It changes when a field's meaning does; a new field does not change it."""


class Repeat(StrEnum):
    """How a call is made again.

    ASKED: it changes nothing and is asked anew. GOES_ON: a wait goes on from where it stood. ANSWERED: it has a key,
    and the host gives the answer that it gave to that key. TICKET: it has a key, and what was written with it is found
    by its ticket. NEVER: it belongs to its connection, and whoever has that sees to it.
    """

    ASKED = "asked"
    GOES_ON = "goes_on"
    ANSWERED = "answered"
    TICKET = "ticket"
    NEVER = "never"


KEYED = frozenset((Repeat.ANSWERED, Repeat.TICKET))
"""Calls that carry a key; one to a host without the capability `keys` is not repeated."""


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the contract. `lasts` is the parameter with the seconds that a call may wait.

    `types`: it types for a person, so that doing it again would be worse than not knowing.
    """

    params: type[Params]
    result: Adapter
    read_only: bool
    repeat: Repeat
    lasts: str | None
    types: bool


def _method(
    params: type[Params],
    result: Any,
    repeat: Repeat,
    *,
    read_only: bool | None = None,
    lasts: str | None = None,
    types: bool = False,
) -> Method:
    looks = repeat in (Repeat.ASKED, Repeat.GOES_ON) if read_only is None else read_only
    return Method(params, Adapter(result), looks, repeat, lasts, types)


METHODS: dict[str, Method] = {
    "hello": _method(Hello, Greeting, Repeat.NEVER, read_only=True),
    "list_panes": _method(NoParams, PaneList, Repeat.ASKED),
    "read_status": _method(OnePane, PaneStatus, Repeat.ASKED),
    "read_pane": _method(ReadPane, PaneText, Repeat.ASKED),
    "wait": _method(Wait, WaitResult, Repeat.GOES_ON, lasts="timeout_s"),
    "subscribe": _method(Subscribe, Greeting, Repeat.NEVER, read_only=True),
    "open_pane": _method(OpenPane, PaneStatus, Repeat.ANSWERED),
    "reopen_pane": _method(ReopenPane, PaneStatus, Repeat.ANSWERED),
    "write_pane": _method(WritePane, WriteReceipt, Repeat.TICKET, lasts="wait_s"),
    "send_keys": _method(SendKeys, WriteReceipt, Repeat.TICKET, lasts="wait_s"),
    "run_command": _method(RunCommand, CommandRun, Repeat.TICKET, lasts="timeout_s"),
    "held_writes": _method(OnePane, HeldWrites, Repeat.ASKED),
    "read_audit": _method(ReadAudit, Audit, Repeat.ASKED),
    "read_ticket": _method(OneTicket, Ticket, Repeat.ASKED),
    "cancel_write": _method(CancelWrite, Ticket, Repeat.ANSWERED),
    "acknowledge": _method(Acknowledge, KeystrokeReceipt, Repeat.ANSWERED),
    "attach": _method(Attach, Attached, Repeat.NEVER),
    "viewer_input": _method(ViewerInput, None, Repeat.ANSWERED, types=True),
    "viewer_size": _method(ViewerSize, None, Repeat.NEVER),
    "detach": _method(OneViewer, None, Repeat.NEVER),
    "send_keystrokes": _method(SendKeystrokes, KeystrokeReceipt, Repeat.ANSWERED, types=True),
    "set_pane": _method(SetPane, PaneStatus, Repeat.ANSWERED),
    "close_pane": _method(ClosePane, Closed, Repeat.ANSWERED),
    "stop": _method(NoParams, None, Repeat.ASKED),
}

NOTICES: dict[str, Adapter] = {
    "changes": Adapter(ChangeBatch),
    "gap": Adapter(Gap),
    "output": Adapter(OutputNews),
    "waiting": Adapter(Waiting),
    "stopping": Adapter(Stopping),
    "viewer_output": Adapter(ViewerOutput),
    "viewer_screen": Adapter(ViewerScreen),
    "viewer_ended": Adapter(ViewerEnded),
}
