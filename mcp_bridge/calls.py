"""One tool call, from its arguments to its result: here waits are bounded, told of and made into tasks.

A wait is bounded by what its client allows for a call; a client that asks for more gets the bound, and is told so.
A request that carries a progress token is told every `PROGRESS_S` that it is still waited for. A request that
declares the tasks extension gets a task where the wait is not over at once, and no bound but the core's applies.
Errors that a model can act on are results with a stable code and the next step.
"""

import itertools
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import mcp.types as types
from mcp.server.session import ServerSession

from mcp_bridge import results
from mcp_bridge.bridge import Bridge
from mcp_bridge.client_facts import ClientFacts
from mcp_bridge.core_link import CoreLink
from mcp_bridge.deadlines import TASK_S, longest_wait
from mcp_bridge.results import Json
from mcp_bridge.tools.contract import LOOK_S, Arguments, BadArguments, Caller, Left, Rest, Tool, Waits, read_arguments
from session_core import SessionCoreError

PROGRESS_S = 5.0

Result = types.CallToolResult

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The tools of one client."""

    bridge: Bridge
    caller: Caller
    tools: Mapping[str, Tool]

    async def call(self, context: Any, params: types.CallToolRequestParams) -> Result | Json:
        """Answer `tools/call`, with a result or with a task."""
        tool = self.tools.get(params.name)
        if tool is None:
            return results.fail(f"unknown_tool: There is no such tool. Tools: {', '.join(self.tools)}.")
        try:
            arguments = read_arguments(tool, params.arguments or {})
        except BadArguments as error:
            return results.fail(str(error))
        if tool.waits is None or not getattr(arguments, tool.waits.argument):
            return await self._run(tool, arguments)
        client = ClientFacts.of(context)
        wait = _Wait(tool, tool.waits, arguments, client)
        if client.takes_tasks and tool.waits.rest is not None:
            return await self._as_task(context, wait, tool.waits.rest)

        async def whole(link: CoreLink, seconds: float) -> Json:
            return await tool.run(link, self.caller, wait.lasting(seconds))

        return await self._bounded(context.session, wait, whole)

    async def _run(self, tool: Tool, arguments: Arguments) -> Result:
        return await outcome(tool.name, tool.run(self.bridge.link, self.caller, arguments))

    async def _as_task(self, context: Any, wait: "_Wait", left: Left) -> Result | Json:
        """Look first: what is over at once needs no task."""
        looked = await self._run(wait.tool, wait.lasting(LOOK_S))
        rest = None if looked.is_error else left(wait.arguments, looked.structured_content or {})
        if rest is None:
            return looked
        seconds = min(wait.asked_s, TASK_S)
        work = partial(wait.end, rest, self.bridge.link, seconds)
        task = self.bridge.tasks.start(work, longest_s=seconds, doing=wait.doing)
        return task if task is not None else await self._bounded(context.session, wait, rest)

    async def _bounded(self, session: ServerSession, wait: "_Wait", rest: Rest) -> Result:
        """Wait within the call, for as long as its client allows."""
        seconds = min(wait.asked_s, longest_wait(wait.client.name, progress=wait.client.wants_progress))
        work = wait.end(rest, self.bridge.link, seconds)
        if not wait.client.wants_progress:
            return await work
        async with anyio.create_task_group() as group:
            group.start_soon(tell_progress, session, seconds, wait.doing)
            result = await work
            group.cancel_scope.cancel()
        return result


@dataclass(frozen=True, slots=True)
class _Wait:
    """A call that asks to wait."""

    tool: Tool
    waits: Waits
    arguments: Arguments
    client: ClientFacts

    @property
    def asked_s(self) -> float:
        """The longest wait that was asked for."""
        return float(getattr(self.arguments, self.waits.argument))

    @property
    def doing(self) -> str:
        """What a person may be told; nothing that a program says."""
        count = len(getattr(self.arguments, "panes", ("",)))
        return f"waiting for {count} pane{'s' if count > 1 else ''}"

    def lasting(self, seconds: float) -> Arguments:
        """The arguments with another longest wait."""
        return self.arguments.model_copy(update={self.waits.argument: seconds})

    async def end(self, rest: Rest, link: CoreLink, seconds: float) -> Result:
        """Wait for so long at most; return what became of it."""
        return await outcome(self.tool.name, self._result(rest(link, seconds), seconds))

    async def _result(self, waiting: Awaitable[Json], seconds: float) -> Json:
        """The result, which says what was waited at most if that is less than was asked for."""
        value = await waiting
        return value if seconds >= self.asked_s else value | {self.waits.argument: seconds, "clamped": True}


async def outcome(tool: str, work: Awaitable[Json]) -> Result:
    """Return what became of a tool's work; only being cancelled is not a result."""
    try:
        return results.succeed(await work)
    except SessionCoreError as error:
        return results.fail(f"{error.code.value}: {error}")
    except Exception:
        logger.exception("tool %s failed", tool)
        return results.fail("internal: panebridge failed on this call; see bridge.log. The next call works.")


async def tell_progress(session: ServerSession, total_s: float, doing: str, *, every_s: float = PROGRESS_S) -> None:
    """Tell a request every `every_s` how long it has waited, until this is cancelled."""
    began = anyio.current_time()
    for number in itertools.count(1):
        waited_s = number * every_s
        await anyio.sleep_until(began + waited_s)
        await session.report_progress(waited_s, total_s, f"{doing}, {waited_s:g} s")
