"""What each method of the core API does: one function a row, the authority of a call in the table beside it.

A handler gets validated parameters, returns a value type of `api.results` or the model, and raises SessionCoreError.
Those that can wait are coroutines; all others answer in the same turn of the loop.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from session_core.api.requests import (
    Acknowledge,
    CancelWrite,
    ClosePane,
    NoParams,
    OnePane,
    OneTicket,
    OpenPane,
    ReadAudit,
    ReadPane,
    ReopenPane,
    RunCommand,
    SendKeys,
    SendKeystrokes,
    SetPane,
    ViewerInput,
    ViewerSize,
    Wait,
    WritePane,
)
from session_core.api.results import (
    Audit,
    Closed,
    CommandRun,
    HeldWrites,
    KeystrokeReceipt,
    PaneList,
    PaneText,
    WriteReceipt,
)
from session_core.errors import Code, NoSuchPane, SessionCoreError
from session_core.host import commands
from session_core.host.host import Host
from session_core.host.kept import HeldWrite
from session_core.host.live_pane import LivePane
from session_core.host.reading import Reader
from session_core.host.write import Write
from session_core.host.writes import DELIVERY_S
from session_core.model.changes import Cause, Change
from session_core.model.composing import Composed, compose
from session_core.model.guard import Conditions
from session_core.model.keys import KeyModes, UnknownKey, encode_keys
from session_core.model.status import PaneStatus
from session_core.model.tickets import Ticket

_CURSOR_KEYS, _KEYPAD, _BRACKETED_PASTE = 1, 66, 2004

BytesFor = Callable[[LivePane], Composed]
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


def reopen_pane(host: Host, request: ReopenPane) -> PaneStatus:
    """Start a pane's command again."""
    return host.reopen(host.find(request.pane), request).status(look=True)


async def close_pane(host: Host, request: ClosePane) -> Closed:
    """End a pane's program and remove the pane."""
    return await host.close(host.find(request.pane))


def set_pane(host: Host, request: SetPane) -> PaneStatus:
    """Give a pane another name, size or tags: all that is asked, or nothing where a part of it cannot be."""
    sized = request.columns or request.rows
    pane = running(host, request.pane) if sized else host.find(request.pane)
    name = pane.model.labels.name if request.name is None else request.name or None
    if name != pane.model.labels.name:
        host.check_name(name)
    if sized:
        pane.resize(request.columns or pane.model.columns, request.rows or pane.model.rows)
    tags = pane.model.labels.tags if request.tags is None else tuple(dict.fromkeys(request.tags))
    pane.label(name=name, tags=tags)
    return pane.status(look=False)


def read_pane(host: Host, request: ReadPane) -> PaneText | Awaitable[PaneText]:
    """What a pane shows or has shown."""
    pane = host.find(request.pane)
    return Reader(pane, host.writes, host.revisions.current, host.engine).read(request)


async def write_pane(host: Host, request: WritePane) -> WriteReceipt:
    """Write text for the program, whole, and with `submit` Enter once the program has read it."""
    return await _inject(host, request, _text(request), submit=request.submit)


def _text(request: WritePane) -> BytesFor:
    def compose_for(pane: LivePane) -> Composed:
        return compose(
            request.text,
            submit=request.submit,
            bracketed=pane.screen.mode(_BRACKETED_PASTE),
            by_line=request.multiline == "lines",
        )

    return compose_for


async def send_keys(host: Host, request: SendKeys) -> WriteReceipt:
    """Press named keys, encoded for what the program has asked of its keyboard."""
    encode_for = _keys(request)
    if _known(host, request) is None:
        # An unknown name is told at once, also where the keys would be held.
        encode_for(running(host, request.pane))
    return await _inject(host, request, encode_for, submit=False)


def _keys(request: SendKeys) -> BytesFor:
    def encode_for(pane: LivePane) -> Composed:
        screen = pane.screen
        modes = KeyModes(
            application_cursor=screen.mode(_CURSOR_KEYS),
            application_keypad=screen.mode(_KEYPAD),
            kitty_flags=screen.kitty_flags,
        )
        try:
            return Composed(encode_keys(request.keys, modes), 0, False)
        except UnknownKey as error:
            raise SessionCoreError(Code.UNKNOWN_KEY, f"{error}.", "Nothing was typed.") from error

    return encode_for


def remake(held: HeldWrite) -> Write:
    """Make a write again that another host held."""
    if held.text is not None:
        return _write(held.text, _text(held.text), submit=held.text.submit)
    assert held.keys is not None
    return _write(held.keys, _keys(held.keys), submit=False)


def _write(request: WritePane | SendKeys, bytes_for: BytesFor, *, submit: bool) -> Write:
    conditions = Conditions(
        answers=request.answers,
        if_state=request.if_state,
        if_revision=request.if_revision,
        if_occupant=request.if_occupant,
        on_draft=request.on_draft,
        when=request.when,
        secret=request.secret,
        from_pane=request.from_pane,
    )
    return Write(
        bytes_for=bytes_for,
        submit=submit,
        author=request.author or "unknown",
        conditions=conditions,
        hold_s=request.hold_s,
        key=request.key,
        asked=request,
    )


async def _inject(host: Host, request: WritePane | SendKeys, bytes_for: BytesFor, *, submit: bool) -> WriteReceipt:
    known = _known(host, request)
    if known is not None:
        return await _receipt_of(host, request, await host.writes.again(known))
    pane = running(host, request.pane)
    ticket = await host.writes.write(pane, _write(request, bytes_for, submit=submit))
    return await _receipt_of(host, request, ticket)


def _known(host: Host, request: WritePane | SendKeys | RunCommand) -> Ticket | None:
    """The ticket of the call that this one repeats, also where the pane has ended or gone meanwhile."""
    if request.key is None:
        return None
    try:
        pane = host.find(request.pane).pane
    except NoSuchPane:
        pane = request.pane
    return host.writes.tickets.by_key(pane, request.key)


async def _receipt_of(host: Host, request: WritePane | SendKeys, ticket: Ticket) -> WriteReceipt:
    """What became of a write, and with `wait_s` what it led to; its pane may be gone by now."""
    if not request.wait_s:
        return WriteReceipt(ticket, host.waiting.started(ticket))
    wait = Wait(panes=[ticket.pane], since=ticket.id, timeout_s=request.wait_s)
    result = await host.waiting.wait(wait, (ticket.pane,), lambda _, __: None)
    return WriteReceipt(host.writes.tickets.get(ticket.id) or ticket, result.started, result)


async def run_command(host: Host, request: RunCommand) -> CommandRun:
    """Run a command at a shell's prompt."""
    pane = host.find(request.pane) if _known(host, request) else running(host, request.pane)
    return await commands.run_command(host, request, pane)


def held_writes(host: Host, request: OnePane) -> HeldWrites:
    """The writes that wait for their time."""
    return HeldWrites(host.writes.held.of(host.find(request.pane).pane))


def read_audit(host: Host, request: ReadAudit) -> Audit:
    """What was written for programs by others than persons."""
    return host.audit(request.pane, request.limit)


def read_ticket(host: Host, request: OneTicket) -> Ticket:
    """What became of an injected write."""
    ticket = host.writes.tickets.get(request.ticket)
    if ticket is None:
        raise SessionCoreError(
            Code.NO_SUCH_TICKET, f"There is no ticket {request.ticket!r}.", "Use the ticket of a write of this host."
        )
    return ticket


def cancel_write(host: Host, request: CancelWrite) -> Ticket:
    """Take back a held write."""
    return host.writes.held.cancel(request.ticket)


def send_keystrokes(host: Host, request: SendKeystrokes) -> KeystrokeReceipt | Awaitable[KeystrokeReceipt]:
    """Pass on what a person typed; it acknowledges what had finished.

    Answered once the terminal has it: a host that is killed before takes it along, and a repeat says so. A program
    that does not read holds the answer up for `DELIVERY_S` at most.
    """
    pane = running(host, request.pane)
    if not request.data:
        raise SessionCoreError(Code.BAD_REQUEST, "There are no keystrokes.", "Send at least one byte.")
    receipt = _receipt(pane, pane.typed(request.data, request.person or "person"))
    end = pane.input.taken
    return receipt if pane.input.written >= end else _once_written(pane, end, receipt)


async def _once_written(pane: LivePane, end: int, receipt: KeystrokeReceipt) -> KeystrokeReceipt:
    await pane.input.wait_written(end, DELIVERY_S)
    return receipt


def acknowledge(host: Host, request: Acknowledge) -> KeystrokeReceipt:
    """A person has seen what had finished."""
    pane = host.find(request.pane)
    return _receipt(pane, pane.acknowledge(request.person or "person"))


def _receipt(pane: LivePane, changes: list[Change]) -> KeystrokeReceipt:
    seen = (change.record for change in changes if change.cause is Cause.ACKNOWLEDGE)
    return KeystrokeReceipt(pane.pane, tuple(record or "" for record in seen))


def viewer_input(host: Host, request: ViewerInput) -> None:
    """Take what a viewer's terminal sent."""
    host.viewers.take(request.viewer, request.data)


def viewer_size(host: Host, request: ViewerSize) -> None:
    """A viewer's terminal has a new size."""
    host.viewers.resized(request.viewer, request.columns, request.rows)


def running(host: Host, reference: str) -> LivePane:
    pane = host.find(reference)
    if pane.model.life.over:
        raise SessionCoreError(
            Code.PANE_EXITED,
            f"The program of pane {pane.pane} has exited.",
            "Its screen and status can still be read; open a new pane to run something.",
        )
    return pane


HANDLERS: dict[str, Handler] = {
    "list_panes": list_panes,
    "read_status": read_status,
    "open_pane": open_pane,
    "reopen_pane": reopen_pane,
    "close_pane": close_pane,
    "set_pane": set_pane,
    "read_pane": read_pane,
    "write_pane": write_pane,
    "send_keys": send_keys,
    "run_command": run_command,
    "held_writes": held_writes,
    "read_audit": read_audit,
    "read_ticket": read_ticket,
    "cancel_write": cancel_write,
    "send_keystrokes": send_keystrokes,
    "acknowledge": acknowledge,
    "viewer_input": viewer_input,
    "viewer_size": viewer_size,
}
