"""The tool that runs one shell command in a pane and returns its own output."""

from typing import Annotated

from pydantic import Field

from mcp_bridge import results
from mcp_bridge.core_link import CoreLink
from mcp_bridge.results import Json
from mcp_bridge.tools.contract import Arguments, Caller, PaneArgument, Tool, Waits, fields

COMMAND_CHARACTERS = 100_000


class RunCommand(Arguments):
    """What to run, and how long to wait for it."""

    pane: PaneArgument
    command: Annotated[str, Field(min_length=1, max_length=COMMAND_CHARACTERS, description="As typed at the prompt")]
    timeout_s: Annotated[float, Field(gt=0, description="The command goes on after it")] = 45.0
    max_bytes: Annotated[int, Field(ge=1, le=100_000, description="Newest output to return")] = 4000


async def run_command(link: CoreLink, caller: Caller, arguments: RunCommand) -> Json:
    """Run a command at the pane's shell prompt."""
    run = await link.call(
        lambda core: core.run_command(
            arguments.pane,
            arguments.command,
            timeout_s=arguments.timeout_s,
            max_bytes=arguments.max_bytes,
            author=caller.name,
            from_pane=caller.pane,
            key=caller.origin.key,
        )
    )
    return results.command_run(run)


TOOLS = (
    Tool(
        name="run_command",
        title="Run command",
        description=(
            "Run a command once a pane's shell is at its prompt; return its output and exit code. "
            "outcome=checkin: it still runs; wait_idle with since = the ticket. For other programs use write_pane."
        ),
        arguments=RunCommand,
        result=fields("outcome", "output", outcome="string", output="string", exit_code="integer", ticket="string"),
        run=run_command,
        read_only=False,
        destructive=True,
        waits=Waits("timeout_s", None),
    ),
)
