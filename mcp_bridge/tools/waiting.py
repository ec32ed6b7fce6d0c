"""The tool that waits; time-out is a result. How long a call may wait is bounded where calls are made."""

from typing import Annotated, Literal

from pydantic import Field

from mcp_bridge import results
from mcp_bridge.call_origin import NO_ORIGIN
from mcp_bridge.core_link import CoreLink
from mcp_bridge.results import Json
from mcp_bridge.tools.contract import Arguments, Caller, Rest, Tool, Waits, fields
from session_core import Mode, Outcome, Until

TIMEOUT_S = 45.0
"""The wait of a caller that asks for none: several clients give up at 60 s whatever they were told."""


class WaitIdle(Arguments):
    """Which panes to wait for, and how long."""

    panes: Annotated[list[str], Field(min_length=1, max_length=100, description="Pane ids or names")]
    since: Annotated[
        Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=32)],
        Field(description="Ticket or revision: older states do not count"),
    ] = 0
    until: Annotated[
        Literal["settled", "blocked", "exited", "change", "quiet"],
        Field(description="settled also ends when blocked; all end at exit"),
    ] = "settled"
    mode: Annotated[Literal["any", "all"], Field(description="One pane or all")] = "any"
    text: Annotated[
        str, Field(max_length=1000, description="Wait for this literal text in new output instead (not its echo)")
    ] = ""
    timeout_s: Annotated[float, Field(ge=0, description="0 is a look")] = TIMEOUT_S


async def wait_idle(link: CoreLink, caller: Caller | None, arguments: WaitIdle) -> Json:
    """Wait without polling."""
    origin = caller.origin if caller else NO_ORIGIN
    result = await link.call(
        lambda core: core.wait(
            arguments.panes,
            until=Until(arguments.until),
            mode=Mode(arguments.mode),
            since=since_of(arguments.since),
            timeout_s=arguments.timeout_s,
            text=arguments.text or None,
            standing=origin.standing,
            stands=origin.stands,
        )
    )
    return results.wait_result(result)


def wait_on(arguments: WaitIdle, looked: Json) -> Rest | None:
    """What a look at these panes leaves to wait for."""
    if looked["outcome"] != Outcome.CHECKIN:
        return None
    # What comes between the look and the wait must count: a wait for news begins at the look.
    since = arguments.since or (looked["revision"] if arguments.text or arguments.until == "change" else 0)

    async def rest(link: CoreLink, timeout_s: float) -> Json:
        return await wait_idle(link, None, arguments.model_copy(update={"since": since, "timeout_s": timeout_s}))

    return rest


def since_of(value: int | str) -> int | str | None:
    """A ticket, or a revision that may have come as text; None for none."""
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    return value or None


TOOLS = (
    Tool(
        name="wait_idle",
        title="Wait for panes",
        description=(
            "Wait until a pane's program is at rest (settled), needs someone (blocked) or has exited. "
            "outcome=checkin: time is up, nothing is lost; call again with since = the returned revision. "
            "Blocked: read kind and msg, then answer with write_pane."
        ),
        arguments=WaitIdle,
        result=fields(
            "outcome",
            "panes",
            "revision",
            outcome="string",
            panes="array",
            revision="integer",
            waited_s="number",
        ),
        run=wait_idle,
        read_only=True,
        waits=Waits("timeout_s", wait_on),
    ),
)
