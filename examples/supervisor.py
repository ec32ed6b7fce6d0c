"""A supervisor over MCP: starts programs, gives each a task, and handles what each of them needs.

    python examples/supervisor.py

It waits for the first news of any pane and never polls. A blocked pane is answered here by a rule; a real
supervisor would ask its model or a person.
"""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

PANEBRIDGE = str(Path(sys.executable).with_name("panebridge"))
PROGRAM = [sys.executable, str(Path(__file__).with_name("declaring_program.py"))]
TASKS = {"writer": "summarise the changes", "deployer": "deploy the site", "tester": "run and fail"}


async def main() -> None:
    """Run every task to its end."""
    async with Client(StdioServerParameters(command=PANEBRIDGE, args=["mcp"], env=dict(os.environ))) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return dict((await client.call_tool(tool, arguments)).structured_content)

        ids = {(await call("open_pane", command=PROGRAM))["pane"]: name for name in TASKS}
        await call("wait_idle", panes=list(ids), mode="all")
        # Everything up to `since` is known; each answer's revision is the next one's `since`.
        since = (await call("list_panes"))["revision"]
        for pane, name in ids.items():
            await call("write_pane", pane=pane, text=TASKS[name])
        while ids:
            news = await call("wait_idle", panes=list(ids), since=since)
            since = news["revision"]
            for row in news["panes"]:
                pane, outcome = row["pane"], row["outcome"]
                if outcome == "checkin":
                    continue
                print(f"{ids[pane]}: {outcome} {row.get('state', '')} {row.get('msg', '')}")
                if outcome == "blocked":
                    await call("write_pane", pane=pane, text="y", answers=row["answers"])
                else:
                    del ids[pane]
                    await call("close_pane", pane=pane)


if __name__ == "__main__":
    anyio.run(main)
