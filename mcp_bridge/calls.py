"""One tool call, from its arguments to its result: here waits are bounded, told of and made into tasks.

A wait is bounded by what its client allows for a call; a client that asks for more gets the bound, and is told so.
A request that carries a progress token is told every `PROGRESS_S` that it is still waited for. A request that
declares the tasks extension gets a task where the wait is not over at once, and no bound but the core's applies.
Errors that a model can act on are results with a stable code and the next step.
"""

import itertools
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import anyio
import mcp.types as types
from mcp.server.session import ServerSession

from mcp_bridge import results
from mcp_bridge.bridge import Bridge
from mcp_bridge.call_origin import Origins
from mcp_bridge.client_facts import ClientFacts
from mcp_bridge.core_link import CoreLink
from mcp_bridge.deadlines import TASK_S, longest_wait
from mcp_bridge.results import Json
from mcp_bridge.tasks import Work
from mcp_bridge.tools.contract import LOOK_S, Arguments, BadArguments, Caller, Left, Rest, Tool, Waits, read_arguments
from mcp_bridge.tools.table import TOOLS
from mcp_bridge.tools.waiting import WaitIdle
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
    origins: Origins

    async def call(self, context: Any, params: types.CallToolRequestParams) -> Result | Json:
        """Answer `tools/call`, with a result or with a task."""
        tool = self.tools.get(params.name)
        if tool is None:
            return results.fail(f"unknown_tool: There is no such tool. Tools: {', '.join(self.tools)}.")
        try:
            arguments = read_arguments(tool, params.arguments or {})
        except BadArguments as error:
            return results.fail(str(error))
        caller = replace(self.caller, origin=self.origins.of(context.request_id))
        if tool.waits is None or not getattr(arguments, tool.waits.argument):
            return await self._run(tool, caller, arguments)
        client = ClientFacts.of(context)
        wait = _Wait(tool, tool.waits, arguments, client, caller)
        if client.takes_tasks and tool.waits.rest is not None:
            return await self._as_task(context, wait, tool.waits.rest)

        async def whole(link: CoreLink, seconds: float) -> Json:
            return await tool.run(link, caller, wait.lasting(seconds))

        return await self._bounded(context.session, wait, whole)

    async def _run(self, tool: Tool, caller: Caller, arguments: Arguments) -> Result:
        return await outcome(tool.name, tool.run(self.bridge.link, caller, arguments))

    async def _as_task(self, context: Any, wait: "_Wait", left: Left) -> Result | Json:
        """Look first: what is over at once needs no task."""
        looked = await self._run(wait.tool, wait.caller, wait.lasting(LOOK_S))
        rest = None if looked.is_error else left(wait.arguments, looked.structured_content or {})
        if rest is None:
            return looked
        seconds = min(wait.asked_s, TASK_S)
        work = partial(wait.end, rest, self.bridge.link, seconds)
        call = {"tool": wait.tool.name, "arguments": wait.arguments.model_dump(), "looked": looked.structured_content}
        task = self.bridge.tasks.start(work, longest_s=seconds, doing=wait.doing, call=call)
        return task if task is not None else await self._bounded(context.session, wait, rest)

    async def _bounded(self, session: ServerSession, wait: "_Wait", rest: Rest) -> Result:
        """Wait within the call, for as long as its client allows."""
        seconds = min(wait.asked_s, longest_wait(wait.client.name, progress=wait.client.wants_progress))
        work = wait.end(rest, self.bridge.link, seconds)
        if not wait.client.wants_progress:
            return await work
        async with anyio.create_task_group() as group:
            group.start_soon(partial(tell_progress, session, seconds, wait.doing, waited_s=wait.caller.origin.age_s))
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
    caller: Caller

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
        """Wait for so long at most, with what another bridge has waited; return what became of it."""
        left_s = max(LOOK_S, seconds - self.caller.origin.age_s)
        return await outcome(self.tool.name, self._result(rest(link, left_s), seconds))

    async def _result(self, waiting: Awaitable[Json], seconds: float) -> Json:
        """The result, which says what was waited at most if that is less than was asked for."""
        value = await waiting
        return value if seconds >= self.asked_s else value | {self.waits.argument: seconds, "clamped": True}


def go_on(link: CoreLink, call: Json, seconds: float) -> Work:
    """The rest of a task's call that another bridge began."""

    async def work() -> Result:
        tool = TOOLS[call["tool"]]
        assert tool.waits is not None
        assert tool.waits.rest is not None
        arguments, looked = read_arguments(tool, call["arguments"]), call["looked"]
        if isinstance(arguments, WaitIdle) and arguments.mode == "any" and not arguments.since:
            # What came since that look counts, though nobody has looked.
            arguments = arguments.model_copy(update={"since": looked["revision"]})
        rest = tool.waits.rest(arguments, looked)
        assert rest is not None
        return await outcome(tool.name, rest(link, max(LOOK_S, seconds)))

    return work


async def outcome(tool: str, work: Awaitable[Json]) -> Result:
    """Return what became of a tool's work; only being cancelled is not a result."""
    try:
        return results.succeed(await work)
    except SessionCoreError as error:
        return results.fail(f"{error.code.value}: {error}")
    except Exception:
        logger.exception("tool %s failed", tool)
        return results.fail("internal: panebridge failed on this call; see bridge.log. The next call works.")


async def tell_progress(
    session: ServerSession, total_s: float, doing: str, *, every_s: float = PROGRESS_S, waited_s: float = 0.0
) -> None:
    """Tell a request every `every_s` how long it has waited, with `waited_s` before, until this is cancelled."""
    began = anyio.current_time() - waited_s
    for number in itertools.count(int(waited_s // every_s) + 1):
        waited_s = number * every_s
        await anyio.sleep_until(began + waited_s)
        await session.report_progress(waited_s, total_s, f"{doing}, {waited_s:g} s")
