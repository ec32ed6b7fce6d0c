"""What the journal's entries are: one kind of entry, one value type, one way to write it down.

Values are JSON of the value types that travel to the wire, so that a newer version reads what an older one wrote:
fields that it does not know are ignored, and those that are missing have a default. An entry that cannot be read is
left out.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pydantic import ConfigDict, ValidationError, with_config

from session_core.api.adapters import Adapter
from session_core.api.requests import SendKeys, WritePane
from session_core.api.results import AuditEntry
from session_core.host.pane_output import Checkpoint
from session_core.model.changes import Change
from session_core.model.commands import Command
from session_core.model.output_index import Places
from session_core.model.pane_state import PaneState
from session_core.model.records import Record
from session_core.model.tickets import Ticket
from session_core.model.turns import Turn
from session_core.protocol.events import Statistics
from session_core.store.journal import Journal, Key, Value

logger = logging.getLogger(__name__)
_BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPane:
    """A pane. `parsed` is where its output goes on, `counted` what was counted until then.

    `last_write` and `cleared` are what `Writes` knows of its input; with `engine_failed` the native screen engine has
    ended a host over this pane's output; `pid` is the pane's own process.
    """

    state: PaneState
    parsed: int
    counted: Statistics
    pid: int
    last_write: int | None = None
    cleared: bool = False
    engine_failed: bool = False


@with_config(_BYTES)
@dataclass(frozen=True, slots=True)
class PendingEntry:
    """Bytes that are to be written without a gap; see `input_queue.Entry`."""

    data: bytes
    after_read: bool


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A write whose ticket was issued and whose bytes the terminal has not all taken.

    `begin` is where they begin among all bytes for the program. Secret ones are not kept: `entries` is empty.
    """

    ticket: str
    begin: int
    end: int
    author: str
    entries: tuple[PendingEntry, ...]


@dataclass(frozen=True, slots=True)
class HeldWrite:
    """A write that waits for its time, until `until` (epoch seconds), as it was asked for."""

    ticket: str
    until: float
    text: WritePane | None = None
    keys: SendKeys | None = None


@with_config(_BYTES)
@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint of the screen; its offset is the key."""

    columns: int
    rows: int
    paint: bytes

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "KeptCheckpoint":
        """Return what is kept of a checkpoint."""
        return cls(checkpoint.columns, checkpoint.rows, checkpoint.paint)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a keyed call was answered, as JSON; None while it is being done."""

    at: int
    method: str
    key: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """The host's counters: newest revision, panes opened, tickets issued."""

    revision: int = 0
    panes: int = 0
    tickets: int = 0


T = TypeVar("T")


class Kind(Generic[T]):
    """A kind of entry: its name in the journal and its value type."""

    def __init__(self, name: str, value: type[T]) -> None:
        self.name = name
        self.adapter = Adapter(value)

    def text(self, value: T) -> bytes:
        """Write a value down."""
        return self.adapter.dump_json(value, exclude_defaults=True)

    def read(self, journal: Journal, pane: str | None = None) -> Iterator[tuple[str, Key, T]]:
        """Yield pane, key and value of each entry, in the order of the keys."""
        for owner, key, value in journal.read(self.name, pane):
            found = self._value(value)
            if found is None:
                logger.error("the entry %s %s of pane %s cannot be read and is left out", self.name, key, owner)
            else:
                yield owner, key, found

    def _value(self, value: Value) -> T | None:
        try:
            return cast(T, self.adapter.validate_json(value))
        except ValidationError:
            return None


NUMBERS = Kind("numbers", Numbers)
EPOCH = Kind("epoch", str)
PANE = Kind("pane", KeptPane)
CHANGE = Kind("change", Change)
TURN = Kind("turn", Turn)
COMMAND = Kind("command", Command)
RECORD = Kind("record", Record)
OFFSET = Kind("offset", int)
PLACES = Kind("places", Places)
CHECKPOINT = Kind("checkpoint", KeptCheckpoint)
TICKET = Kind("ticket", Ticket)
PENDING = Kind("pending", PendingWrite)
HELD = Kind("held", HeldWrite)
RECENT = Kind("recent", Change)
ANSWER = Kind("answer", KeptAnswer)
AUDIT = Kind("audit", AuditEntry)
KINDS: tuple[Kind[Any], ...] = (
    NUMBERS,
    EPOCH,
    PANE,
    CHANGE,
    TURN,
    COMMAND,
    RECORD,
    OFFSET,
    PLACES,
    CHECKPOINT,
    TICKET,
    PENDING,
    HELD,
    RECENT,
    ANSWER,
    AUDIT,
)
