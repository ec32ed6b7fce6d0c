"""Waits that go on after their call was answered: the tasks extension, `io.modelcontextprotocol/tasks`.

A task belongs to the bridge, not to the connection that made it: whoever knows its id, which cannot be guessed, may
poll or cancel it. It ends with the call's result, by `tasks/cancel`, or as failed if its work is overdue; it is kept
for its time to live, counted from its creation, and is then unknown. At most `TASKS` are kept: the oldest that is over
goes first, and while none is over there are no new ones. No task ever asks for input. Another bridge goes on with the
tasks of one that has ended: what was over stays so, and what was waited for is waited for since then.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

import anyio
import anyio.abc
import mcp.types as types
from mcp import MCPError

from mcp_bridge.results import Json
from mcp_bridge.task_folder import TaskFolder

EXTENSION = "io.modelcontextprotocol/tasks"

TASKS = 256
KEPT_S = 600.0
"""How long a task stays readable after the longest time that its work may take."""
OVERDUE_S = 60.0
"""How much longer than agreed its work may take before the task has failed."""
POLL_MS = 1000

Work = Callable[[], Awaitable[types.CallToolResult]]
GoOn = Callable[[Json, float], Work]
"""Makes the rest of a task's work from its call; it may take so many seconds."""

logger = logging.getLogger(__name__)


class Status(StrEnum):
    """The states of the extension that occur here."""

    WORKING = "working"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(slots=True)
class Task:
    """One call that goes on. `began` is of the loop's clock; it is kept for `ttl_s` from then on.

    `call` is what another bridge needs to go on with it.
    """

    identity: str
    doing: str
    began: float
    ttl_s: float
    created: datetime
    changed: datetime
    status: Status = Status.WORKING
    end: Json = field(default_factory=dict)
    call: Json = field(default_factory=dict)
    longest_s: float = 0.0
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def finish(self, status: Status, **end: Json) -> None:
        """Let it be over, once; what comes later has no effect."""
        if self.status is Status.WORKING:
            self.status, self.end, self.changed = status, end, datetime.now(UTC)

    def kept(self) -> Json:
        """The task as it is kept for another bridge."""
        return {
            "identity": self.identity,
            "doing": self.doing,
            "created": self.created.timestamp(),
            "changed": self.changed.timestamp(),
            "ttl_s": self.ttl_s,
            "longest_s": self.longest_s,
            "status": self.status.value,
            "end": self.end,
            "call": self.call,
        }

    @classmethod
    def of_another_bridge(cls, kept: Json, now: float) -> "Task":
        """The task that was kept; `now` is of the loop's clock. Raises KeyError, TypeError or ValueError."""
        created = datetime.fromtimestamp(kept["created"], UTC)
        return cls(
            identity=str(kept["identity"]),
            doing=str(kept["doing"]),
            began=now - (datetime.now(UTC) - created).total_seconds(),
            ttl_s=float(kept["ttl_s"]),
            created=created,
            changed=datetime.fromtimestamp(kept["changed"], UTC),
            status=Status(kept["status"]),
            end=dict(kept["end"]),
            call=dict(kept["call"]),
            longest_s=float(kept["longest_s"]),
        )

    def shown(self) -> Json:
        """The task as the extension writes it."""
        value = {
            "taskId": self.identity,
            "status": self.status.value,
            "createdAt": _stamp(self.created),
            "lastUpdatedAt": _stamp(self.changed),
            "ttlMs": round(self.ttl_s * 1000),
            "pollIntervalMs": POLL_MS,
        }
        if self.status is Status.WORKING:
            value["statusMessage"] = f"{self.doing}, {anyio.current_time() - self.began:.0f} s"
        return value | self.end


def _stamp(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Tasks:
    """All tasks of a bridge. `run` must be running while tasks are started. `changed` is told of each that ends."""

    def __init__(
        self,
        changed: Callable[[str], None],
        folder: TaskFolder | None = None,
        /,
        *,
        kept_s: float = KEPT_S,
        overdue_s: float = OVERDUE_S,
    ) -> None:
        self._folder = folder
        self._tasks: dict[str, Task] = {}
        self._changed = changed
        self._kept_s = kept_s
        self._overdue_s = overdue_s
        self._group: anyio.abc.TaskGroup | None = None

    async def run(self, go_on: GoOn | None = None) -> None:
        """Keep the tasks' work going until it is cancelled; `go_on` makes the work of those of another bridge."""
        async with anyio.create_task_group() as self._group:
            if self._folder is not None and go_on is not None:
                self._take_over(self._folder, go_on, self._group)
            await anyio.sleep_forever()

    def _take_over(self, folder: TaskFolder, go_on: GoOn, group: anyio.abc.TaskGroup) -> None:
        now = anyio.current_time()
        for kept in folder.load():
            try:
                task = Task.of_another_bridge(kept, now)
            except (KeyError, TypeError, ValueError):
                logger.warning("a task of another version is dropped")
                continue
            self._tasks[task.identity] = task
            if task.status is Status.WORKING:
                left_s = max(0.0, task.began + task.longest_s - now)
                group.start_soon(self._work, task, go_on(task.call, left_s), left_s + self._overdue_s)
        self._forget_expired(now)

    def _keep(self, task: Task) -> None:
        if self._folder is not None:
            self._folder.save(task.identity, task.kept())

    def _drop(self, identity: str) -> None:
        del self._tasks[identity]
        if self._folder is not None:
            self._folder.forget(identity)

    def start(self, work: Work, *, longest_s: float, doing: str, call: Json | None = None) -> Json | None:
        """Start a task and return its seed; None while too many others are at work.

        `longest_s` bounds the work by its own account; `doing` is what a person may be told while it goes on, and
        `call` what another bridge makes the rest of the work from.
        """
        assert self._group is not None
        now, stamp = anyio.current_time(), datetime.now(UTC)
        if not self._make_room(now):
            return None
        task = Task(secrets.token_urlsafe(24), doing, now, longest_s + self._kept_s, stamp, stamp)
        task.call, task.longest_s = call or {}, longest_s
        self._tasks[task.identity] = task
        self._keep(task)
        self._group.start_soon(self._work, task, work, longest_s + self._overdue_s)
        return {"resultType": "task"} | task.shown()

    def _make_room(self, now: float) -> bool:
        self._forget_expired(now)
        if len(self._tasks) < TASKS:
            return True
        over = next((task for task in self._tasks.values() if task.status is not Status.WORKING), None)
        if over is not None:
            self._drop(over.identity)
        return over is not None

    def _forget_expired(self, now: float) -> None:
        for task in [task for task in self._tasks.values() if task.began + task.ttl_s <= now]:
            self._drop(task.identity)

    async def _work(self, task: Task, work: Work, bound_s: float) -> None:
        why = "The work of this task failed; see bridge.log."
        with task.scope, anyio.move_on_after(bound_s) as overdue:
            try:
                result = await work()
            except Exception:
                logger.exception("a task failed")
            else:
                task.finish(Status.COMPLETED, result=result.model_dump(by_alias=True, mode="json", exclude_none=True))
        if overdue.cancelled_caught:
            why = "The host did not end the wait of this task in its time."
        task.finish(Status.FAILED, error={"code": types.INTERNAL_ERROR, "message": why})
        if task.identity in self._tasks:
            self._keep(task)
        self._changed(task.identity)

    def get(self, identity: str) -> Json:
        """Return a task with its result, if it has one. Raises MCPError for an unknown one."""
        return self._find(identity).shown()

    def cancel(self, identity: str) -> None:
        """Give up a task's work; one that is over stays as it is. Raises MCPError for an unknown one."""
        task = self._find(identity)
        task.finish(Status.CANCELLED)
        self._keep(task)
        task.scope.cancel()

    def knows(self, identity: str) -> bool:
        """Whether there is such a task."""
        self._forget_expired(anyio.current_time())
        return identity in self._tasks

    def over(self, identity: str) -> bool:
        """Whether there is such a task and it has ended."""
        return self.knows(identity) and self._tasks[identity].status is not Status.WORKING

    def _find(self, identity: str) -> Task:
        if not self.knows(identity):
            raise MCPError(
                types.INVALID_PARAMS,
                "There is no such task, or it has expired. The panes go on; wait_idle tells how they stand.",
            )
        return self._tasks[identity]
