"""The async client of the core API: the only door of the bridge, the command line and the examples.

`async with connect() as core: await core.list_panes()`. One client carries any number of calls at once. Cancelling a
call cancels it in the host. A host that goes away is looked for, and the open calls are answered once it is back, each
of them done once; `api.methods` says how. One that has come back without its memory has another epoch: a wait is then
answered `resync`, `changes` tell a Gap with `resync`, and a call that may have taken effect raises `outcome_unknown`.
When the host is stopped or given up every call raises HostLost: connect anew. A client that was forked or used from
another loop is not supported.
"""

import base64
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, TypedDict, Unpack, cast

import anyio

from session_core import __version__
from session_core.api.requests import COMMAND_OUTPUT_BYTES, Format, What
from session_core.api.results import (
    Audit,
    Closed,
    CommandRun,
    Greeting,
    HeldWrites,
    KeystrokeReceipt,
    PaneList,
    PaneText,
    WriteReceipt,
)
from session_core.connection import ChangeNews
from session_core.errors import Code, HostLost, SessionCoreError
from session_core.link import RECONNECT_S, Link
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Until, WaitResult
from session_core.model.status import PaneStatus
from session_core.model.tickets import Ticket
from session_core.repeated_call import standing_of
from session_core.runtime_folder import open_runtime_folder
from session_core.viewing import Viewing


class Demands(TypedDict, total=False):
    """What an injected write may demand; each is explained at `api.requests.Injected`."""

    author: str
    answers: int | None
    if_state: str | None
    if_revision: int | None
    if_occupant: str | None
    on_draft: Literal["refuse", "hold"]
    when: Literal["now", "settled"]
    secret: bool
    hold_s: float
    key: str | None
    from_pane: str | None
    wait_s: float


class Client:
    """The methods of the core API; made by `connect`. `lost` is set when the host was stopped or is given up.

    What changes something takes a `key`: a call with a key that was used before changes nothing and gets the answer of
    that time, also after the caller has been started anew. The client makes one for each call that has none.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._call = link.call
        self.lost = link.lost

    @property
    def greeting(self) -> Greeting:
        """What the host said of itself when it was dialled last."""
        return self._link.greeting

    @property
    def is_connected(self) -> bool:
        """Whether the host can be asked now, as far as is known; calls wait until it can."""
        return self._link.is_connected

    async def list_panes(self) -> PaneList:
        """Return every pane's status, oldest first, at one revision."""
        return cast(PaneList, await self._call("list_panes"))

    async def read_status(self, pane: str) -> PaneStatus:
        """Return all that is known of a pane."""
        return cast(PaneStatus, await self._call("read_status", pane=pane))

    async def open_pane(
        self,
        command: Sequence[str],
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        name: str | None = None,
        columns: int = 120,
        rows: int = 40,
        shell_integration: bool = True,
        key: str | None = None,
    ) -> PaneStatus:
        """Start `command` in a new pane; `folder` is this process's own by default, as is `environment`.

        An interactive bash, zsh or fish sends prompt marks, unless `shell_integration` is off.
        Raises SessionCoreError naming what is wrong with the program, the folder or the name.
        """
        return cast(
            PaneStatus,
            await self._call(
                "open_pane",
                command=list(command),
                folder=folder or _own_folder(),
                environment=dict(os.environ if environment is None else environment),
                name=name,
                columns=columns,
                rows=rows,
                shell_integration=shell_integration,
                key=key,
            ),
        )

    async def reopen_pane(
        self, pane: str, *, environment: Mapping[str, str] | None = None, key: str | None = None
    ) -> PaneStatus:
        """Start a pane's command again, whose program is over, with this process's environment by default.

        Its output, history and name stay. Raises SessionCoreError with `pane_running` while the program runs.
        """
        variables = dict(os.environ if environment is None else environment)
        return cast(PaneStatus, await self._call("reopen_pane", pane=pane, environment=variables, key=key))

    async def read_pane(
        self,
        pane: str,
        *,
        what: What | None = None,
        lines: int | None = None,
        since: int | str | None = None,
        offset: int | None = None,
        number: int = -1,
        pattern: str | None = None,
        regex: bool = False,
        context: int = 2,
        format: Format = Format.TEXT,
        max_bytes: int | None = None,
    ) -> PaneText:
        """Return what a pane shows or has shown; `ReadPane` says what each parameter means.

        Without `what`, the visible screen; with `lines` the last lines with the scrollback.
        """
        chosen = what or (What.TAIL if lines else What.SCREEN)
        return cast(
            PaneText,
            await self._call(
                "read_pane",
                pane=pane,
                what=chosen.value,
                lines=lines,
                since=since,
                offset=offset,
                number=number,
                pattern=pattern,
                regex=regex,
                context=context,
                format=format.value,
                max_bytes=max_bytes,
            ),
        )

    async def write_pane(
        self,
        pane: str,
        text: str,
        *,
        submit: bool = False,
        multiline: Literal["paste", "lines"] = "paste",
        **demands: Unpack[Demands],
    ) -> WriteReceipt:
        """Write `text` literally, and with `submit` Enter once the program has read it. It never counts as typing.

        Raises SessionCoreError with the reason of a refusal; then nothing was typed. See `Demands`.
        """
        return cast(
            WriteReceipt,
            await self._call("write_pane", pane=pane, text=text, submit=submit, multiline=multiline, **demands),
        )

    async def send_keys(self, pane: str, keys: Sequence[str], **demands: Unpack[Demands]) -> WriteReceipt:
        """Press named keys. Raises SessionCoreError with `unknown_key`, and then no key was pressed."""
        return cast(WriteReceipt, await self._call("send_keys", pane=pane, keys=list(keys), **demands))

    async def held_writes(self, pane: str) -> HeldWrites:
        """Return the writes that are held for a pane, the next one first."""
        return cast(HeldWrites, await self._call("held_writes", pane=pane))

    async def read_audit(self, pane: str | None = None, *, limit: int = 100) -> Audit:
        """Return the newest injected writes, oldest first; `pane` is an id, also of a pane that is gone."""
        return cast(Audit, await self._call("read_audit", pane=pane, limit=limit))

    async def read_ticket(self, ticket: str) -> Ticket:
        """Return what became of a write. Raises SessionCoreError with `no_such_ticket` for an unknown one."""
        return cast(Ticket, await self._call("read_ticket", ticket=ticket))

    async def cancel_write(self, ticket: str, *, key: str | None = None) -> Ticket:
        """Take back a held write. Raises SessionCoreError with `no_such_ticket` if it is not held."""
        return cast(Ticket, await self._call("cancel_write", ticket=ticket, key=key))

    async def send_keystrokes(
        self, pane: str, data: bytes, *, person: str = "", key: str | None = None
    ) -> KeystrokeReceipt:
        """Pass on what a person typed; this acknowledges `done` and `error`."""
        encoded = base64.b64encode(data).decode()
        receipt = await self._call("send_keystrokes", pane=pane, data=encoded, person=person, key=key)
        return cast(KeystrokeReceipt, receipt)

    async def acknowledge(self, pane: str, *, person: str = "", key: str | None = None) -> KeystrokeReceipt:
        """A person says that they have seen what had finished."""
        return cast(KeystrokeReceipt, await self._call("acknowledge", pane=pane, person=person, key=key))

    @asynccontextmanager
    async def attach(
        self,
        pane: str,
        *,
        columns: int | None = None,
        rows: int | None = None,
        person: str = "",
        read_only: bool = False,
    ) -> AsyncIterator[Viewing]:
        """Show a pane on a terminal of this size until the context ends, over every host that has this one's memory.

        Use a connection of its own: what the viewer does not take holds up everything else on it.
        """
        asked = {"pane": pane, "columns": columns, "rows": rows, "person": person, "read_only": read_only}
        viewing = Viewing(self._link, asked)
        await viewing.begin()
        try:
            yield viewing
        finally:
            viewing.end()

    async def wait(
        self,
        panes: Sequence[str],
        *,
        until: Until = Until.SETTLED,
        mode: Mode = Mode.ANY,
        since: int | str | None = None,
        timeout_s: float = 45.0,
        text: str | None = None,
        quiet_s: float = QUIET_S,
        start_grace_s: float = START_GRACE_S,
        standing: Mapping[str, Any] | None = None,
        stands: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> WaitResult:
        """Wait for panes, without polling; `since` is a revision or a ticket's id.

        With `text`, for that text in new output, its echo left out. `quiet_s` is the silence after which a pane that
        declares nothing counts as quiet, `start_grace_s` how long the program of a ticket has to show any reaction.
        A time-out is the outcome `checkin`; cancelling frees the wait. `stands` is called where the wait is not over at
        once; with what it gets as `standing`, another process can go on with the same wait and miss nothing.
        """
        return cast(
            WaitResult,
            await self._call(
                "wait",
                panes=list(panes),
                until=(Until.TEXT if text else until).value,
                mode=mode.value,
                since=since,
                timeout_s=timeout_s,
                text=text,
                quiet_s=quiet_s,
                start_grace_s=start_grace_s,
                stood=standing,
                stands=None if stands is None else lambda stood: stands(standing_of(stood)),
            ),
        )

    async def run_command(
        self,
        pane: str,
        command: str,
        *,
        timeout_s: float = 45.0,
        max_bytes: int = COMMAND_OUTPUT_BYTES,
        author: str = "",
        from_pane: str | None = None,
        key: str | None = None,
    ) -> CommandRun:
        """Run one command at a shell's prompt; return its exit code and the newest `max_bytes` of its own output.

        Several lines are run as one group. Raises SessionCoreError with `no_prompt_marks` where the pane runs no
        shell that marks its prompts. A command that outlasts `timeout_s` goes on.
        """
        return cast(
            CommandRun,
            await self._call(
                "run_command",
                pane=pane,
                command=command,
                timeout_s=timeout_s,
                max_bytes=max_bytes,
                author=author,
                from_pane=from_pane,
                key=key,
            ),
        )

    async def set_pane(
        self,
        pane: str,
        *,
        name: str | None = None,
        columns: int | None = None,
        rows: int | None = None,
        tags: Sequence[str] | None = None,
        key: str | None = None,
    ) -> PaneStatus:
        """Change what is given: the name ("" removes it), the size in cells, the tags (a few short words)."""
        chosen = None if tags is None else list(tags)
        return cast(
            PaneStatus,
            await self._call("set_pane", pane=pane, name=name, columns=columns, rows=rows, tags=chosen, key=key),
        )

    async def close_pane(self, pane: str, *, key: str | None = None) -> Closed:
        """End a pane's program and remove the pane."""
        return cast(Closed, await self._call("close_pane", pane=pane, key=key))

    async def stop(self) -> None:
        """End the host and every pane; returns once it is gone."""
        self._link.ending = True
        with suppress(HostLost):
            await self._call("stop")
        await self.lost.wait()

    async def watch_changes(self, *, output: bool) -> None:
        """Have changes kept for `changes` from now on; with `output` also which panes wrote something.

        The panes that wrote are named at most five times a second, and always once more after their last output.
        """
        await self._link.subscribe(output=output)

    async def changes(self) -> AsyncIterator[ChangeNews]:
        """Yield what changes from now on, each change once and in order, whatever host is there.

        A Gap says that some was left out, and one with `resync` that revisions count anew. Ends with the client.
        """
        await self._link.subscribe(output=None)
        async for news in self._link.news:
            yield news


def _own_folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _reconnect_s() -> float:
    """How long a host is looked for that went away, from PANEBRIDGE_RECONNECT_S."""
    words = os.environ.get("PANEBRIDGE_RECONNECT_S") or str(RECONNECT_S)
    try:
        return float(words)
    except ValueError:
        raise SessionCoreError(
            Code.BAD_REQUEST, f"PANEBRIDGE_RECONNECT_S is {words!r}.", "Give seconds, such as 20."
        ) from None


@asynccontextmanager
async def connect(
    *, folder: str | None = None, start: bool = True, name: str = "", reconnect_s: float | None = None
) -> AsyncIterator[Client]:
    """Connect to the user's host, starting it if it does not run and `start` says so.

    `folder` is the runtime folder, found by `open_runtime_folder` by default. A host that goes away is looked for
    `reconnect_s` (by default `PANEBRIDGE_RECONNECT_S`, or 20); 0 gives it up at once. Raises HostLost with
    `host_unreachable` when there is no host, it does not start, or it does not answer.
    """
    link = Link(
        folder or open_runtime_folder(),
        start=start,
        name=name or f"panebridge {__version__}",
        reconnect_s=_reconnect_s() if reconnect_s is None else reconnect_s,
    )
    failure: Exception | None = None
    try:
        async with anyio.create_task_group() as tasks:
            try:
                await tasks.start(link.run)
                yield Client(link)
            except Exception as error:
                # Raised below, outside the task group, so that the caller's `except` sees it as it is.
                failure = error
            tasks.cancel_scope.cancel()
    finally:
        link.news.close()
    if failure is not None:
        raise failure
