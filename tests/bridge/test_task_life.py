"""How long tasks are kept, and what becomes of work that does not end: in one process, with bounds of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp.types as types
import pytest
from mcp import MCPError

from mcp_bridge import results
from mcp_bridge.tasks import TASKS, Tasks

from .calls import Json
from .waiting import BOUND_S, eventually

pytestmark = pytest.mark.anyio


class _Running:
    """Running tasks, and the ids of those that ended."""

    def __init__(self, **bounds: float) -> None:
        self.ended: list[str] = []
        self.tasks = Tasks(self.ended.append, **bounds)

    def start(self, longest_s: float = BOUND_S) -> str:
        """Start work that does not end by itself."""
        task = self.tasks.start(_never, longest_s=longest_s, doing="waiting")
        assert task is not None
        return str(task["taskId"])


async def _never() -> types.CallToolResult:
    await anyio.sleep_forever()
    raise AssertionError


async def _at_once() -> types.CallToolResult:
    return results.succeed({"outcome": "settled"})


async def _breaks() -> types.CallToolResult:
    raise ValueError("a fault of ours")


@asynccontextmanager
async def _running(**bounds: float) -> AsyncIterator[_Running]:
    running = _Running(**bounds)
    async with anyio.create_task_group() as group:
        group.start_soon(running.tasks.run)
        await anyio.wait_all_tasks_blocked()
        yield running
        group.cancel_scope.cancel()


async def _end(running: _Running, task: Json | None) -> Json:
    assert task is not None
    await eventually(lambda: task["taskId"] in running.ended)
    return running.tasks.get(task["taskId"])


async def test_a_task_is_forgotten_when_its_time_to_live_is_over() -> None:
    async with _running(kept_s=0.02) as running:
        task = running.tasks.start(_at_once, longest_s=0, doing="waiting")
        assert task is not None
        assert task["ttlMs"] == 20
        await eventually(lambda: not running.tasks.knows(task["taskId"]))
        with pytest.raises(MCPError, match="expired"):
            running.tasks.get(task["taskId"])


async def test_work_that_does_not_end_in_its_time_is_given_up_and_the_task_has_failed() -> None:
    given_up = anyio.Event()

    async def work() -> types.CallToolResult:
        try:
            return await _never()
        finally:
            given_up.set()

    async with _running(overdue_s=0.01) as running:
        found = await _end(running, running.tasks.start(work, longest_s=0.01, doing="waiting"))
        assert given_up.is_set()
        assert (found["status"], found["error"]["code"]) == ("failed", -32603)
        assert "result" not in found


async def test_a_fault_of_ours_fails_the_task_in_words_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async with _running() as running:
        other = running.start()
        found = await _end(running, running.tasks.start(_breaks, longest_s=1, doing="waiting"))
        assert found["status"] == "failed"
        assert "fault of ours" not in str(found)
        assert "a fault of ours" in caplog.text
        assert running.tasks.get(other)["status"] == "working"


async def test_the_oldest_that_is_over_makes_room_and_while_none_is_there_is_none() -> None:
    async with _running() as running:
        tasks = [running.start() for _ in range(TASKS)]
        assert running.tasks.start(_never, longest_s=1, doing="waiting") is None
        for task in tasks[7], tasks[3]:
            running.tasks.cancel(task)
        newest = running.start()
        assert [task for task in tasks if not running.tasks.knows(task)] == [tasks[3]]
        assert running.tasks.get(newest)["status"] == "working"


async def test_ids_cannot_be_guessed() -> None:
    async with _running() as running:
        tasks = {running.start() for _ in range(50)}
        assert len(tasks) == 50
        assert all(len(task) >= 32 for task in tasks)
