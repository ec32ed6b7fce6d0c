"""The async client of the core API: the only door of the bridge, the command line and the examples.

`async with connect() as core: await core.list_panes()`. One connection carries any number of calls at once.
Cancelling a call cancels it in the host. When the host goes away every open call raises HostLost, and so does
each later one: connect anew. A client that was forked or used from another loop is not supported.
"""

import base64
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal, TypedDict, Unpack, cast

import anyio
import anyio.abc

from session_core import __version__
from session_core.api.methods import PROTOCOL
from session_core.api.requests import COMMAND_OUTPUT_BYTES, Format, What
from session_core.api.results import (
    Attached,
    Closed,
    CommandRun,
    Greeting,
    HeldWrites,
    KeystrokeReceipt,
    PaneList,
    PaneText,
    WriteReceipt,
)
from session_core.connection import ChangeNews, Connection, Viewing
from session_core.errors import Code, HostLost
from session_core.launch import dial, dial_or_start
from session_core.model.outcomes import QUIET_S, START_GRACE_S, Mode, Until, WaitResult
from session_core.model.status import PaneStatus
from session_core.model.tickets import Ticket
from session_core.runtime_folder import open_runtime_folder

HELLO_S = 10.0
"""How long a host may take to answer `hello` before it is called unreachable (it is never called dead)."""


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
    """The methods of the core API over one connection; made by `connect`. `lost` is set when the host is gone."""

    def __init__(self, connection: Connection, greeting: Greeting) -> None:
        self._connection = connection
        self._call = connection.call
        self.lost = connection.lost
        self.greeting = greeting

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
            ),
        )

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

    async def read_ticket(self, ticket: str) -> Ticket:
        """Return what became of a write. Raises SessionCoreError with `no_such_ticket` for an unknown one."""
        return cast(Ticket, await self._call("read_ticket", ticket=ticket))

    async def cancel_write(self, ticket: str) -> Ticket:
        """Take back a held write. Raises SessionCoreError with `no_such_ticket` if it is not held."""
        return cast(Ticket, await self._call("cancel_write", ticket=ticket))

    async def send_keystrokes(self, pane: str, data: bytes, *, person: str = "") -> KeystrokeReceipt:
        """Pass on what a person typed; this acknowledges `done` and `error`."""
        encoded = base64.b64encode(data).decode()
        return cast(KeystrokeReceipt, await self._call("send_keystrokes", pane=pane, data=encoded, person=person))

    async def acknowledge(self, pane: str, *, person: str = "") -> KeystrokeReceipt:
        """A person says that they have seen what had finished."""
        return cast(KeystrokeReceipt, await self._call("acknowledge", pane=pane, person=person))

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
        """Show a pane on a terminal of this size until the context ends.

        Use a connection of its own: what the viewer does not take holds up everything else on it.
        """
        attached = cast(
            Attached,
            await self._call("attach", pane=pane, columns=columns, rows=rows, person=person, read_only=read_only),
        )
        viewing = Viewing(self._connection, attached)
        try:
            yield viewing
        finally:
            # The closed streams stay known: news that are still on their way find nobody, and nothing waits.
            for end in self._connection.viewer_stream(attached.viewer):
                end.close()
            self._connection.notify("detach", viewer=attached.viewer)

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
    ) -> WaitResult:
        """Wait for panes, without polling; `since` is a revision or a ticket's id.

        With `text`, for that text in new output, its echo left out. `quiet_s` is the silence after which a pane that
        declares nothing counts as quiet, `start_grace_s` how long the program of a ticket has to show any reaction.
        A time-out is the outcome `checkin`; cancelling frees the wait.
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
    ) -> PaneStatus:
        """Change what is given: the name ("" removes it), the size in cells, the tags (a few short words)."""
        chosen = None if tags is None else list(tags)
        return cast(
            PaneStatus,
            await self._call("set_pane", pane=pane, name=name, columns=columns, rows=rows, tags=chosen),
        )

    async def close_pane(self, pane: str) -> Closed:
        """End a pane's program and remove the pane."""
        return cast(Closed, await self._call("close_pane", pane=pane))

    async def stop(self) -> None:
        """End the host and every pane; returns once it is gone."""
        await self._call("stop")
        await self.lost.wait()

    async def watch_changes(self, *, output: bool) -> None:
        """Have changes kept for `changes` from now on; with `output` also which panes wrote something.

        The panes that wrote are named at most five times a second, and always once more after their last output.
        """
        await self._call("subscribe", output=output)

    async def changes(self) -> AsyncIterator[ChangeNews]:
        """Yield what changes from now on; a Gap says that some was left out. Ends with the connection."""
        await self._call("subscribe")
        async for news in self._connection.news:
            yield news


def _own_folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


@asynccontextmanager
async def connect(*, folder: str | None = None, start: bool = True, name: str = "") -> AsyncIterator[Client]:
    """Connect to the user's host, starting it if it does not run and `start` says so.

    `folder` is the runtime folder, found by `open_runtime_folder` by default. Raises HostLost with
    `host_unreachable` when there is no host, it does not start, or it does not answer.
    """
    place = folder or open_runtime_folder()
    if start:
        connection = await anyio.to_thread.run_sync(dial_or_start, place, "host", "session_core.host")
    else:
        found = dial(f"{place}/host.sock")
        if found is None:
            raise HostLost(
                Code.HOST_UNREACHABLE,
                f"No host runs in {place}.",
                "Open a pane to start one: panebridge run -- CMD",
            )
        connection = found
    connection.setblocking(False)
    stream = await anyio.abc.SocketStream.from_socket(connection)
    failure: Exception | None = None
    opened = Connection(stream)
    try:
        async with stream, anyio.create_task_group() as tasks:
            tasks.start_soon(opened.run)
            tasks.start_soon(opened.write)
            try:
                yield Client(opened, await _greet(opened, place, name))
            except Exception as error:
                # Raised below, outside the task group, so that the caller's `except` sees it as it is.
                failure = error
            tasks.cancel_scope.cancel()
    finally:
        opened.close()
    if failure is not None:
        raise failure


async def _greet(connection: Connection, place: str, name: str) -> Greeting:
    with anyio.move_on_after(HELLO_S):
        answer = await connection.call("hello", protocol=PROTOCOL, client=name or f"panebridge {__version__}")
        return cast(Greeting, answer)
    raise HostLost(
        Code.HOST_UNREACHABLE,
        f"The host in {place} does not answer; it may be stopped or very busy.",
        "Look at its process (a stopped one goes on with SIGCONT), then try again.",
    )
