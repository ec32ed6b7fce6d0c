"""What each method of the core API does: one function a row, the authority of a call in the table beside it.

A handler gets validated parameters and returns a value type of `api.methods`; it raises SessionCoreError.
Those that can wait are coroutines; all others answer in the same turn of the loop.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from session_core.api.methods import (
    Closed,
    KeystrokeReceipt,
    NoParams,
    OnePane,
    OpenPane,
    PaneList,
    PaneText,
    ReadPane,
    ResizePane,
    SendKeystrokes,
    Wait,
    WritePane,
    WriteReceipt,
)
from session_core.errors import Code, SessionCoreError
from session_core.host.host import Host
from session_core.host.live_pane import LivePane
from session_core.model.input_queue import Entry, Origin
from session_core.model.status import Life, PaneStatus
from session_core.model.waits import WaitResult
from session_core.protocol import limits
from session_core.protocol.text import disarm

DELIVERY_S = 5.0
"""How long a write waits for the program's terminal to take it before the answer says `delivered: false`."""

Handler = Callable[[Host, Any], Any | Awaitable[Any]]


def list_panes(host: Host, _: NoParams) -> PaneList:
    """Every pane at one revision."""
    return host.list_panes()


def read_status(host: Host, request: OnePane) -> PaneStatus:
    """One pane, with its foreground program looked up anew."""
    return host.find(request.pane).status(look=True)


def open_pane(host: Host, request: OpenPane) -> PaneStatus:
    """Start a program."""
    return host.open(request).status(look=True)


async def close_pane(host: Host, request: OnePane) -> Closed:
    """End a pane's program and remove the pane."""
    return await host.close(host.find(request.pane))


def resize_pane(host: Host, request: ResizePane) -> PaneStatus:
    """Give a pane a new size."""
    pane = _running(host, request.pane)
    pane.resize(request.columns, request.rows)
    return pane.status(look=False)


def read_pane(host: Host, request: ReadPane) -> PaneText:
    """The visible screen, or the last lines."""
    pane = host.find(request.pane)
    screen = pane.screen
    if request.lines is None:
        text, shown = screen.text(), screen.size.rows
    else:
        lines = screen.tail(request.lines)
        text, shown = "\n".join(lines), len(lines)
    cursor = screen.cursor
    return PaneText(
        pane=pane.pane,
        text=text,
        columns=screen.size.columns,
        rows=screen.size.rows,
        cursor_column=cursor.column,
        cursor_row=cursor.row,
        alternate=screen.alternate,
        title=disarm(screen.title, limits.SHOWN_TITLE_CHARACTERS) or None,
        lines_above=max(0, screen.row_count - shown),
        revision=host.revisions.current,
    )


async def write_pane(host: Host, request: WritePane) -> WriteReceipt:
    """Write text for the program, whole, and with `submit` a carriage return of its own after it."""
    pane = _running(host, request.pane)
    revision = host.revisions.current
    author = request.author or "unknown"
    entries = [Entry(Origin.INJECTED, author, _encode(request.text))]
    if request.submit:
        entries.append(Entry(Origin.INJECTED, author, b"\r"))
    _put(pane, *entries)
    size = sum(len(entry.data) for entry in entries)
    return WriteReceipt(pane.pane, size, await pane.written(DELIVERY_S), revision)


def send_keystrokes(host: Host, request: SendKeystrokes) -> KeystrokeReceipt:
    """Pass on what a person typed; it acknowledges what had finished."""
    pane = _running(host, request.pane)
    person = request.person or "person"
    if not request.data:
        raise SessionCoreError(Code.BAD_REQUEST, "There are no keystrokes.", "Send at least one byte.")
    _put(pane, Entry(Origin.KEYSTROKE, person, request.data))
    changes = pane.acknowledge(person)
    return KeystrokeReceipt(pane.pane, tuple(change.record or "" for change in changes))


async def wait(host: Host, request: Wait) -> WaitResult:
    """Wait for panes."""
    return await host.wait(request)


def _running(host: Host, reference: str) -> LivePane:
    pane = host.find(reference)
    if pane.model.life is Life.EXITED:
        raise SessionCoreError(
            Code.PANE_EXITED,
            f"The program of pane {pane.pane} has exited.",
            "Its screen and status can still be read; open a new pane to run something.",
        )
    return pane


def _put(pane: LivePane, *entries: Entry) -> None:
    if not pane.put(*entries):
        raise SessionCoreError(
            Code.QUEUE_FULL,
            f"The program of pane {pane.pane} is not reading its input: too many bytes wait for it.",
            "Nothing of this write was taken. Look at the screen, or close the pane.",
        )


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise SessionCoreError(
            Code.BAD_REQUEST, "The text holds half of a character pair.", "Send well-formed Unicode."
        ) from error


HANDLERS: dict[str, Handler] = {
    "list_panes": list_panes,
    "read_status": read_status,
    "open_pane": open_pane,
    "close_pane": close_pane,
    "resize_pane": resize_pane,
    "read_pane": read_pane,
    "write_pane": write_pane,
    "send_keystrokes": send_keystrokes,
    "wait": wait,
}
