"""The table of the core API: every method, its parameters, its result, and who may call it.

Parameters are validated here, at the edge; results are the core's own value types, sent unchanged.
`read_only` methods and `stop` also serve a client of a neighbouring protocol version.
"""

import binascii
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from session_core.model.changes import Change
from session_core.model.guard import OnDraft, When
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Outcome, Until, WaitResult
from session_core.model.output_log import LOG_BYTES
from session_core.model.status import ExitStatus, Observed, PaneStatus
from session_core.model.text_watch import NEEDLE_CHARACTERS
from session_core.model.tickets import Started, Ticket

PROTOCOL = 1
"""Version of this contract. It changes when a field's meaning does; a new field does not change it."""

WAIT_SECONDS = 24 * 3600.0
TEXT_CHARACTERS = 1_000_000
LINES = 10_000
COMMAND_OUTPUT_BYTES = 4000
SIZE = 1000

PaneRef = Annotated[str, Field(min_length=1, max_length=64, description="A pane's id or name.")]


def _read_base64(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError("must be base64")
    return binascii.a2b_base64(value.encode(), strict_mode=True)


Base64 = Annotated[bytes, BeforeValidator(_read_base64)]


class Params(BaseModel):
    """Parameters of a call; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(Params):
    """Who is calling, and which version of the contract it speaks."""

    protocol: int
    client: str = Field(max_length=200)


class NoParams(Params):
    """A call without parameters."""


class OpenPane(Params):
    """Start `command` in a new pane. The folder and environment are the caller's; sizes are in cells.

    An interactive shell gets prompt marks with `shell_integration`; no file of its user is changed.
    """

    command: Annotated[list[str], Field(min_length=1, max_length=1000)]
    folder: str | None = None
    environment: dict[str, str] | None = None
    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,63}$")] | None = None
    columns: int = Field(default=120, ge=2, le=SIZE)
    rows: int = Field(default=40, ge=2, le=SIZE)
    shell_integration: bool = True


class OnePane(Params):
    """A call about one pane."""

    pane: PaneRef


class ReadPane(OnePane):
    """Read the visible screen, or with `lines` the last lines of the scrollback and the screen."""

    lines: int | None = Field(default=None, ge=1, le=LINES)


class Injected(OnePane):
    """What every injected write may demand. It never counts as typing and is never merged with a draft.

    `answers` is the revision of the question that the write answers, and needed where the pane is blocked.
    `if_state`, `if_revision` (no turn since), `if_occupant` (name or pid) are checked in the same instant.
    `on_draft` says what to do while a person has typed something; `when` whether to wait for rest; what is held
    is held for `hold_s` at most. `key` makes a repeated call give the first ticket and write nothing.
    `from_pane` is the pane that the caller itself runs in. With `wait_s` the call waits for the outcome, too.
    """

    author: str = Field(default="", max_length=200)
    answers: int | None = Field(default=None, ge=0)
    if_state: Observed | None = None
    if_revision: int | None = Field(default=None, ge=0)
    if_occupant: str | None = Field(default=None, max_length=200)
    on_draft: OnDraft = OnDraft.REFUSE
    when: When = When.NOW
    secret: bool = False
    hold_s: float = Field(default=600.0, gt=0, le=WAIT_SECONDS)
    key: str | None = Field(default=None, min_length=1, max_length=200)
    from_pane: str | None = Field(default=None, max_length=64)
    wait_s: float = Field(default=0.0, ge=0, le=WAIT_SECONDS)


class WritePane(Injected):
    """Write `text`, literally, and with `submit` Enter after the program has read it.

    Several lines go as one paste where the program takes one; `multiline="lines"` lets each be submitted.
    """

    text: Annotated[str, Field(max_length=TEXT_CHARACTERS)]
    submit: bool = False
    multiline: Literal["paste", "lines"] = "paste"


class SendKeys(Injected):
    """Press named keys, such as Enter, Escape, Up, F5, C-c, M-x, S-Tab."""

    keys: Annotated[list[str], Field(min_length=1, max_length=1000)]


class RunCommand(OnePane):
    """Run one shell command at the pane's prompt and wait for its end; `max_bytes` of its output come back."""

    command: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)]
    timeout_s: float = Field(default=45.0, gt=0, le=WAIT_SECONDS)
    max_bytes: int = Field(default=COMMAND_OUTPUT_BYTES, ge=1, le=LOG_BYTES)
    author: str = Field(default="", max_length=200)
    from_pane: str | None = Field(default=None, max_length=64)


class OneTicket(Params):
    """A call about one injected write."""

    ticket: Annotated[str, Field(max_length=32)]


class Acknowledge(OnePane):
    """A person says that they have seen what had finished."""

    person: str = Field(default="", max_length=200)


class Attach(OnePane):
    """Show a pane on a person's terminal of this size. A `read_only` viewer types nothing and sets no size."""

    columns: int | None = Field(default=None, ge=2, le=SIZE)
    rows: int | None = Field(default=None, ge=2, le=SIZE)
    person: str = Field(default="", max_length=200)
    read_only: bool = False


class OneViewer(Params):
    """A call about one viewer of this connection."""

    viewer: int


class ViewerInput(OneViewer):
    """Bytes that the viewer's terminal sent, in base64: the host tells keystrokes from reports."""

    data: Base64


class ViewerSize(OneViewer):
    """The viewer's terminal has a new size."""

    columns: int = Field(ge=2, le=SIZE)
    rows: int = Field(ge=2, le=SIZE)


class SendKeystrokes(OnePane):
    """Bytes that a person typed, in base64; they acknowledge what had finished."""

    data: Base64
    person: str = Field(default="", max_length=200)


class ResizePane(OnePane):
    """Give the pane a new size in cells."""

    columns: int = Field(ge=2, le=SIZE)
    rows: int = Field(ge=2, le=SIZE)


class Subscribe(Params):
    """Hear of every change; `output` also turns the notices of output on or off, and None leaves them as they are."""

    output: bool | None = None


class Wait(Params):
    """Wait for panes; `since` is a revision or a ticket's id, and a `timeout_s` of 0 is a look.

    `text` is literal and goes with until=text. `quiet_s` is the silence that counts where nothing else can be known,
    `start_grace_s` how long the program of a ticket has to show any reaction.
    """

    panes: Annotated[list[PaneRef], Field(min_length=1, max_length=256)]
    until: Until = Until.SETTLED
    mode: Mode = Mode.ANY
    since: Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=32)] | None = None
    timeout_s: float = Field(default=45.0, ge=0, le=WAIT_SECONDS)
    text: Annotated[str, Field(min_length=1, max_length=NEEDLE_CHARACTERS)] | None = None
    quiet_s: float = Field(default=QUIET_S, gt=0, le=WAIT_SECONDS)
    start_grace_s: float = Field(default=START_GRACE_S, gt=0, le=WAIT_SECONDS)


@dataclass(frozen=True, slots=True)
class Greeting:
    """The host's side of `hello`. `epoch` names its revision counter: a new one means to read anew."""

    protocol: int
    version: str
    capabilities: tuple[str, ...]
    epoch: str
    revision: int
    pid: int


@dataclass(frozen=True, slots=True)
class PaneList:
    """Every pane, oldest first, at one revision."""

    panes: tuple[PaneStatus, ...]
    revision: int
    epoch: str


@dataclass(frozen=True, slots=True)
class PaneText:
    """What a pane shows. `lines_above` counts the lines over the text that were left out."""

    pane: str
    text: str
    columns: int
    rows: int
    cursor_column: int
    cursor_row: int
    alternate: bool
    title: str | None
    lines_above: int
    revision: int


@dataclass(frozen=True, slots=True)
class WriteReceipt:
    """What became of an injected write: its ticket, whether the program began to act, and the wait's end.

    The ticket's id or `revision` is the `since` of a wait for what the write leads to.
    """

    ticket: Ticket
    started: Started
    wait: WaitResult | None = None


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that was run, and its own output as the newest lines of plain text.

    `outcome`: SETTLED when it has ended, EXITED when the shell has ended with it; CHECKIN while it still runs, which it
    goes on doing; NOT_DELIVERED when the shell did not come to its prompt in time, and NOT_STARTED when it showed no
    reaction: then nothing was run.
    `exit_code` is None where the shell did not tell it. `left_out_lines` and `left_out_bytes` came before `output`.
    """

    pane: str
    outcome: Outcome
    ticket: str | None
    exit_code: int | None
    output: str
    left_out_lines: int
    left_out_bytes: int
    folder: str | None
    exit: ExitStatus | None
    waited_s: float
    revision: int


@dataclass(frozen=True, slots=True)
class HeldWrites:
    """The writes that are held for a pane, the next one first."""

    tickets: tuple[Ticket, ...]


@dataclass(frozen=True, slots=True)
class Attached:
    """A viewer of a pane. `data` paints the present screen of this size, in base64."""

    viewer: int
    pane: str
    columns: int
    rows: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerOutput:
    """Output for a viewer's terminal, in base64."""

    viewer: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerScreen:
    """The screen anew: after another size, or for a viewer that was too slow. `data` paints it, in base64."""

    viewer: int
    columns: int
    rows: int
    data: str


@dataclass(frozen=True, slots=True)
class ViewerEnded:
    """The pane's program has exited, or the pane was closed; nothing more comes."""

    viewer: int
    exit: ExitStatus | None


@dataclass(frozen=True, slots=True)
class KeystrokeReceipt:
    """Which finished records the keystrokes acknowledged."""

    pane: str
    acknowledged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """How a closed pane's process ended."""

    pane: str
    exit: ExitStatus | None


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes that a subscriber had not seen, in order."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """A subscriber was too slow: changes up to `revision` were left out; read the status anew."""

    revision: int


@dataclass(frozen=True, slots=True)
class OutputNews:
    """Panes that wrote something since they were named last; their screens may look different."""

    panes: tuple[str, ...]


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
    "resize_pane": _method(ResizePane, PaneStatus, read_only=False),
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
