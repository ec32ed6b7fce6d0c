"""The requests of the tasks extension: `tasks/get`, `tasks/cancel`, `tasks/update`.

Each needs the extension in the request itself; in the older eras of the protocol the methods do not exist.
"""

from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server.lowlevel import Server

from mcp_bridge.client_facts import ClientFacts
from mcp_bridge.results import Json
from mcp_bridge.tasks import EXTENSION, Tasks


class TaskParams(types.RequestParams):
    """Which task; what else there is belongs to input, which no task asks for."""

    task_id: str


def add_task_methods(server: Server[Any], tasks: Tasks) -> None:
    """Serve the extension, and say so where the protocol has extensions."""

    async def get(context: Any, params: TaskParams) -> Json:
        _check(context, "tasks/get")
        return tasks.get(params.task_id)

    async def cancel(context: Any, params: TaskParams) -> Json:
        _check(context, "tasks/cancel")
        tasks.cancel(params.task_id)
        return {}

    async def update(context: Any, params: TaskParams) -> Json:
        _check(context, "tasks/update")
        tasks.get(params.task_id)
        return {}

    server.add_request_handler("tasks/get", TaskParams, get)
    server.add_request_handler("tasks/cancel", TaskParams, cancel)
    server.add_request_handler("tasks/update", TaskParams, update)
    server.extensions[EXTENSION] = {}


def missing_extension() -> MCPError:
    """The error of a request that would need the extension and does not declare it."""
    return MCPError(
        types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        "The request does not declare the tasks extension.",
        {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def _check(context: Any, method: str) -> None:
    client = ClientFacts.of(context)
    if not client.modern:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", method)
    if not client.takes_tasks:
        raise missing_extension()
