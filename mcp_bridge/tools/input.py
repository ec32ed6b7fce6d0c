"""The tool that writes into a pane."""

from typing import Annotated

from pydantic import Field

from mcp_bridge.core_link import CoreLink
from mcp_bridge.results import Json
from mcp_bridge.tools.contract import Arguments, Caller, PaneArgument, Tool, fields

TEXT_CHARACTERS = 1_000_000


class WritePane(Arguments):
    """Where and what to write."""

    pane: PaneArgument
    text: Annotated[str, Field(max_length=TEXT_CHARACTERS, description="Literal text, no key names")]
    submit: Annotated[bool, Field(description="Press Enter after it")] = True


async def write_pane(link: CoreLink, caller: Caller, arguments: WritePane) -> Json:
    """Write for the program; it never counts as a person's typing."""
    receipt = await link.call(
        lambda core: core.write_pane(arguments.pane, arguments.text, submit=arguments.submit, author=caller.name)
    )
    return {
        "pane": receipt.pane,
        "bytes": receipt.bytes,
        "delivered": receipt.delivered,
        "revision": receipt.revision,
    }


TOOLS = (
    Tool(
        name="write_pane",
        title="Write to pane",
        description=(
            "Give text to a pane's program, such as a prompt for an agent or an answer to a blocked one. "
            "Then wait_idle with since = the returned revision. delivered=false: it has not read yet."
        ),
        arguments=WritePane,
        result=fields(
            "pane",
            "delivered",
            "revision",
            pane="string",
            bytes="integer",
            delivered="boolean",
            revision="integer",
        ),
        run=write_pane,
        read_only=False,
        destructive=True,
    ),
)
