"""A supervisor over the session core: five programs, one open wait, each handled as soon as it needs something.

    python examples/core_supervisor.py

It never polls. A blocked pane is answered here by a rule; a real supervisor would ask its model or a person.
"""

import sys
from pathlib import Path

import anyio

from session_core import Mode, Outcome, connect

PROGRAM = [sys.executable, str(Path(__file__).with_name("declaring_program.py"))]
TASKS = ("summarise the changes", "deploy the site", "run and fail", "read the log", "exit")


async def main() -> None:
    """Run every task to its end."""
    async with connect() as core:
        tasks = {(await core.open_pane(PROGRAM)).pane: task for task in TASKS}
        await core.wait(list(tasks), mode=Mode.ALL)
        # Everything up to `since` is known; each answer's revision is the next one's `since`.
        since = (await core.list_panes()).revision
        for pane, task in tasks.items():
            await core.write_pane(pane, task, submit=True)
        while tasks:
            news = await core.wait(list(tasks), since=since)
            since = news.revision
            for row in news.panes:
                if row.outcome is Outcome.CHECKIN:
                    continue
                said = row.record.msg if row.record else None
                print(f"{tasks[row.pane]}: {row.outcome.value} {row.state.value} {said or ''}".rstrip())
                if row.outcome is Outcome.BLOCKED and row.record:
                    await core.write_pane(row.pane, "y", submit=True, answers=row.record.revision)
                else:
                    del tasks[row.pane]
                    await core.close_pane(row.pane)


if __name__ == "__main__":
    anyio.run(main)
