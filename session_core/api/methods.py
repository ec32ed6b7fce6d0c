"""The table of the core API: every method, its parameters, its result, and who may call it.

Parameters are validated here, at the edge; results are the core's own value types, sent unchanged.
`read_only` methods and `stop` also serve a client of a neighbouring protocol version.
"""

import binascii
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from session_core.model.changes import Change
from session_core.model.status import ExitStatus, PaneStatus
from session_core.model.waits import Mode, Until, WaitResult

PROTOCOL = 1
"""Version of this contract. It changes when a field's meaning does; a new field does not change it."""

WAIT_SECONDS = 24 * 3600.0
TEXT_CHARACTERS = 1_000_000
LINES = 10_000
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
    """Start `command` in a new pane. The folder and environment are the caller's; sizes are in cells."""

    command: Annotated[list[str], Field(min_length=1, max_length=1000)]
    folder: str | None = None
    environment: dict[str, str] | None = None
    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,63}$")] | None = None
    columns: int = Field(default=120, ge=2, le=SIZE)
    rows: int = Field(default=40, ge=2, le=SIZE)


class OnePane(Params):
    """A call about one pane."""

    pane: PaneRef


class ReadPane(OnePane):
    """Read the visible screen, or with `lines` the last lines of the scrollback and the screen."""

    lines: int | None = Field(default=None, ge=1, le=LINES)


class WritePane(OnePane):
    """Write `text` as it is, and with `submit` a carriage return after it."""

    text: Annotated[str, Field(max_length=TEXT_CHARACTERS)]
    submit: bool = False
    author: str = Field(default="", max_length=200)


class SendKeystrokes(OnePane):
    """Bytes that a person typed, in base64; they acknowledge what had finished."""

    data: Base64
    person: str = Field(default="", max_length=200)


class ResizePane(OnePane):
    """Give the pane a new size in cells."""

    columns: int = Field(ge=2, le=SIZE)
    rows: int = Field(ge=2, le=SIZE)


class Wait(Params):
    """Wait for panes; a `timeout_s` of 0 is a look."""

    panes: Annotated[list[PaneRef], Field(min_length=1, max_length=256)]
    until: Until = Until.SETTLED
    mode: Mode = Mode.ANY
    since: int | None = Field(default=None, ge=0)
    timeout_s: float = Field(default=45.0, ge=0, le=WAIT_SECONDS)


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
    """What became of an injected write: `delivered` is False while the program has not taken all of it yet.

    `revision` is the host's from before the write: the `since` of a wait for what it leads to.
    """

    pane: str
    bytes: int
    delivered: bool
    revision: int


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
    "subscribe": _method(NoParams, Greeting, read_only=True),
    "open_pane": _method(OpenPane, PaneStatus, read_only=False),
    "write_pane": _method(WritePane, WriteReceipt, read_only=False),
    "send_keystrokes": _method(SendKeystrokes, KeystrokeReceipt, read_only=False),
    "resize_pane": _method(ResizePane, PaneStatus, read_only=False),
    "close_pane": _method(OnePane, Closed, read_only=False),
    "stop": _method(NoParams, None, read_only=True),
}

NOTICES: dict[str, TypeAdapter[Any]] = {"changes": TypeAdapter(ChangeBatch), "gap": TypeAdapter(Gap)}
