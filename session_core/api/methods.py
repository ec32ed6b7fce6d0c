"""The table of the core API: every method, its parameters, its result, and who may call it.

Parameters are validated here, at the edge; results are the core's own value types, sent unchanged.
`read_only` methods and `stop` also serve a client of a neighbouring protocol version.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from session_core.api.requests import (
    Acknowledge,
    Attach,
    Hello,
    NoParams,
    OnePane,
    OneTicket,
    OneViewer,
    OpenPane,
    Params,
    ReadPane,
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
    ViewerEnded,
    ViewerOutput,
    ViewerScreen,
    WriteReceipt,
)
from session_core.model.outcomes import WaitResult
from session_core.model.status import PaneStatus
from session_core.model.tickets import Ticket

PROTOCOL = 1
"""Version of this contract. It changes when a field's meaning does; a new field does not change it."""


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the contract."""

    params: type[Params]
    result: TypeAdapter[Any]
    read_only: bool


def _method(params: type[Params], result: Any, *, read_only: bool) -> Method:
    return Method(params, TypeAdapter(result), read_only)


METHODS: dict[str, Method] = {
    "hello": _method(Hello, Greeting, read_only=True),
    "list_panes": _method(NoParams, PaneList, read_only=True),
    "read_status": _method(OnePane, PaneStatus, read_only=True),
    "read_pane": _method(ReadPane, PaneText, read_only=True),
    "wait": _method(Wait, WaitResult, read_only=True),
    "subscribe": _method(Subscribe, Greeting, read_only=True),
    "open_pane": _method(OpenPane, PaneStatus, read_only=False),
    "write_pane": _method(WritePane, WriteReceipt, read_only=False),
    "send_keys": _method(SendKeys, WriteReceipt, read_only=False),
    "run_command": _method(RunCommand, CommandRun, read_only=False),
    "held_writes": _method(OnePane, HeldWrites, read_only=True),
    "read_ticket": _method(OneTicket, Ticket, read_only=True),
    "cancel_write": _method(OneTicket, Ticket, read_only=False),
    "acknowledge": _method(Acknowledge, KeystrokeReceipt, read_only=False),
    "attach": _method(Attach, Attached, read_only=False),
    "viewer_input": _method(ViewerInput, None, read_only=False),
    "viewer_size": _method(ViewerSize, None, read_only=False),
    "detach": _method(OneViewer, None, read_only=False),
    "send_keystrokes": _method(SendKeystrokes, KeystrokeReceipt, read_only=False),
    "set_pane": _method(SetPane, PaneStatus, read_only=False),
    "close_pane": _method(OnePane, Closed, read_only=False),
    "stop": _method(NoParams, None, read_only=True),
}

NOTICES: dict[str, TypeAdapter[Any]] = {
    "changes": TypeAdapter(ChangeBatch),
    "gap": TypeAdapter(Gap),
    "output": TypeAdapter(OutputNews),
    "viewer_output": TypeAdapter(ViewerOutput),
    "viewer_screen": TypeAdapter(ViewerScreen),
    "viewer_ended": TypeAdapter(ViewerEnded),
}
