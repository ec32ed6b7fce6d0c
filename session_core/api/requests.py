"""Parameters of the calls of the core API, and the types in them; validated here, at the edge.

Unknown fields are ignored, and every text, list and number has a bound.
"""

import binascii
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from session_core.model.guard import OnDraft, When
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Until
from session_core.model.status import Observed
from session_core.model.text_watch import NEEDLE_CHARACTERS

WAIT_SECONDS = 24 * 3600.0
TEXT_CHARACTERS = 1_000_000
LINES = 10_000
COMMAND_OUTPUT_BYTES = 4000
READ_BYTES = 256 * 1024
"""Most bytes of text in one answer."""
SIZE = 1000

TAGS = 8
KEY_CHARACTERS = 200

PaneRef = Annotated[str, Field(min_length=1, max_length=64, description="A pane's id or name.")]


Tag = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,31}$")]


def _read_base64(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError("must be base64")
    return binascii.a2b_base64(value.encode(), strict_mode=True)


Base64 = Annotated[bytes, BeforeValidator(_read_base64)]


class Params(BaseModel):
    """Parameters of a call; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Keyed(Params):
    """A call that changes something. A repeat with the same `key` changes nothing and gets the first answer."""

    key: Annotated[str, Field(min_length=1, max_length=KEY_CHARACTERS)] | None = None


class Hello(Params):
    """Who is calling, and which version of the contract it speaks."""

    protocol: int
    client: str = Field(max_length=200)


class NoParams(Params):
    """A call without parameters."""


class OpenPane(Keyed):
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


class ReopenPane(Keyed):
    """Start a pane's command again once its program is over; the environment is the caller's."""

    pane: PaneRef
    environment: dict[str, str] | None = None


class OnePane(Params):
    """A call about one pane."""

    pane: PaneRef


class ClosePane(OnePane, Keyed):
    """End a pane's program and remove the pane."""


class What(StrEnum):
    """What of a pane to read.

    SCREEN is what is visible now, TAIL the last lines with the scrollback, FIND the lines with a pattern. SINCE is what
    came since a ticket, a revision or an offset, COMMAND the output of one command of a shell, and TURN what came
    between the program's `working` and its rest: these three as they went by, repaints done.
    """

    SCREEN = "screen"
    TAIL = "tail"
    SINCE = "since"
    COMMAND = "command"
    TURN = "turn"
    FIND = "find"


class Format(StrEnum):
    """How a screen is written."""

    TEXT = "text"
    ANSI = "ansi"
    HTML = "html"


class ReadPane(OnePane):
    """Read what a pane shows or has shown; the newest `lines` and `max_bytes` of it come back.

    `number` chooses a command: from 1 in the order of the pane, or from -1 backwards. `context` is lines around each
    find. ANSI and HTML are for SCREEN alone. `max_bytes` is 8,000 for SCREEN and 4,000 for the others by default.
    """

    what: What = What.SCREEN
    lines: int | None = Field(default=None, ge=1, le=LINES)
    since: Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=32)] | None = None
    offset: int | None = Field(default=None, ge=0)
    number: int = -1
    pattern: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    regex: bool = False
    context: int = Field(default=2, ge=0, le=100)
    format: Format = Format.TEXT
    max_bytes: int | None = Field(default=None, ge=1, le=READ_BYTES)


class Injected(OnePane, Keyed):
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


class RunCommand(OnePane, Keyed):
    """Run one shell command at the pane's prompt and wait for its end; `max_bytes` of its output come back.

    A repeat with the same `key` types nothing and goes on waiting for the command that was typed.
    """

    command: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)]
    timeout_s: float = Field(default=45.0, gt=0, le=WAIT_SECONDS)
    max_bytes: int = Field(default=COMMAND_OUTPUT_BYTES, ge=1, le=READ_BYTES)
    author: str = Field(default="", max_length=200)
    from_pane: str | None = Field(default=None, max_length=64)


class ReadAudit(Params):
    """The newest `limit` injected writes, of one pane (by its id, also when it is gone) or of all."""

    pane: str | None = Field(default=None, max_length=64)
    limit: int = Field(default=100, ge=1, le=10_000)


class OneTicket(Params):
    """A call about one injected write."""

    ticket: Annotated[str, Field(max_length=32)]


class CancelWrite(OneTicket, Keyed):
    """Take back a held write."""


class Acknowledge(OnePane, Keyed):
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


class ViewerInput(OneViewer, Keyed):
    """Bytes that the viewer's terminal sent, in base64: the host tells keystrokes from reports."""

    data: Base64


class ViewerSize(OneViewer):
    """The viewer's terminal has a new size."""

    columns: int = Field(ge=2, le=SIZE)
    rows: int = Field(ge=2, le=SIZE)


class SendKeystrokes(OnePane, Keyed):
    """Bytes that a person typed, in base64; they acknowledge what had finished."""

    data: Base64
    person: str = Field(default="", max_length=200)


class SetPane(OnePane, Keyed):
    """Change what is given: the name ("" for none), the size in cells, and the tags, which replace those before."""

    name: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_.-]{0,63})?$")] | None = None
    columns: int | None = Field(default=None, ge=2, le=SIZE)
    rows: int | None = Field(default=None, ge=2, le=SIZE)
    tags: Annotated[list[Tag], Field(max_length=TAGS)] | None = None


class Subscribe(Params):
    """Hear of every change; `output` also turns the notices of output on or off, and None leaves them as they are.

    With `since` what has changed after that revision of `epoch` comes first, or a gap where that is not known.
    """

    output: bool | None = None
    since: int | None = Field(default=None, ge=0)
    epoch: str | None = Field(default=None, max_length=64)


class Standing(Params):
    """Where a wait stood that goes on after its connection broke: how far its host had got when it began.

    `offsets` are of the output of its panes, and `epoch` that of the host; another host answers `resync`.
    """

    epoch: str = Field(max_length=64)
    revision: int = Field(ge=0)
    offsets: dict[str, int] = Field(default_factory=dict, max_length=256)


class Wait(Params):
    """Wait for panes; `since` is a revision or a ticket's id, and a `timeout_s` of 0 is a look.

    `text` is literal and goes with until=text. `quiet_s` is the silence that counts where nothing else can be known,
    `start_grace_s` how long the program of a ticket has to show any reaction. `stood` repeats a wait that was open:
    what happened since it began counts.
    """

    panes: Annotated[list[PaneRef], Field(min_length=1, max_length=256)]
    until: Until = Until.SETTLED
    mode: Mode = Mode.ANY
    since: Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=32)] | None = None
    timeout_s: float = Field(default=45.0, ge=0, le=WAIT_SECONDS)
    text: Annotated[str, Field(min_length=1, max_length=NEEDLE_CHARACTERS)] | None = None
    quiet_s: float = Field(default=QUIET_S, gt=0, le=WAIT_SECONDS)
    start_grace_s: float = Field(default=START_GRACE_S, gt=0, le=WAIT_SECONDS)
    stood: Standing | None = None
