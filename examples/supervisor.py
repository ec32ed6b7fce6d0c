"""A supervisor over MCP: starts programs, gives each a task, and handles what each of them needs.

    python examples/supervisor.py

It waits for the first news of any pane and never polls. A blocked pane is answered here by a rule; a real
supervisor would ask its model or a person.
"""

import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

PROGRAM = [sys.executable, str(Path(__file__).with_name("declaring_program.py"))]
TASKS = {"writer": "summarise the changes", "deployer": "deploy the site", "tester": "run and fail"}


async def main() -> None:
    """Run every task to its end."""
    async with Client(StdioServerParameters(command="panebridge", args=["mcp"])) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return dict((await client.call_tool(tool, arguments)).structured_content)

        names = list(TASKS)
        for name in names:
            await call("open_pane", command=PROGRAM, name=name)
        await call("wait_idle", panes=names, mode="all")
        # Everything up to `since` is known; each answer's revision is the next one's `since`.
        since = (await call("list_panes"))["revision"]
        for name, task in TASKS.items():
            await call("write_pane", pane=name, text=task)
        ids = [row["pane"] for row in (await call("list_panes"))["panes"] if row.get("name") in TASKS]
        while ids:
            news = await call("wait_idle", panes=ids, since=since)
            since = news["revision"]
            for row in news["panes"]:
                pane, outcome = row["pane"], row["outcome"]
                if outcome == "checkin":
                    continue
                print(f"{pane}: {outcome} {row.get('state', '')} {row.get('msg', '')}")
                if outcome == "blocked":
                    await call("write_pane", pane=pane, text="y", answers=row["answers"])
                else:
                    ids.remove(pane)
                    await call("close_pane", pane=pane)


if __name__ == "__main__":
    anyio.run(main)
