"""What a tool is: its name, its words for the calling model, its parameters, its result, and its hints.

The schema that a client gets is made from the parameter model, stripped of what says nothing to a model.
An argument that the tool does not know is an error that names it; values are never echoed back.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import mcp.types as types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_bridge.call_origin import NO_ORIGIN, Origin
from mcp_bridge.core_link import CoreLink
from mcp_bridge.results import Json


class Arguments(BaseModel):
    """Parameters of a tool; an unknown one is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


PaneArgument = Annotated[str, Field(min_length=1, max_length=64, description="Pane id or name")]


@dataclass(frozen=True, slots=True)
class Caller:
    """The client behind a call: where it runs, with which environment, what it is called, and which call it is."""

    folder: str
    environment: Mapping[str, str] | None
    name: str
    origin: Origin = NO_ORIGIN

    @property
    def pane(self) -> str | None:
        """The pane that the client itself runs in, as its environment says."""
        return self.environment.get("PANEBRIDGE_PANE") if self.environment else None


Rest = Callable[[CoreLink, float], Awaitable[Json]]
"""What is left of a call that only looked: gets the seconds that it may wait, and returns the whole result."""

Left = Callable[[Any, Json], Rest | None]
LOOK_S = 1e-6
"""So short a wait only looks."""


@dataclass(frozen=True, slots=True)
class Waits:
    """How a tool waits, for the one place that bounds waits, tells progress and makes tasks.

    `argument` is the parameter with the longest wait in seconds; 0 is no wait. `rest` gets the arguments and the
    result of a call that only looked, and returns what is left to wait for, None where there is nothing. A tool that
    cannot only look has no `rest`, and never becomes a task.
    """

    argument: str
    rest: Left | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One row of the tool table."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    result: Json
    run: Callable[[CoreLink, Caller, Any], Awaitable[Json]]
    read_only: bool
    destructive: bool = False
    idempotent: bool = False
    waits: Waits | None = None

    def listed(self) -> types.Tool:
        """The tool as `tools/list` shows it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=_strip(self.arguments.model_json_schema()),
            output_schema={"type": "object", **self.result},
            annotations=types.ToolAnnotations(
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent or self.read_only,
                open_world_hint=not self.read_only,
            ),
        )


class BadArguments(Exception):
    """The arguments do not fit the tool; the text says which and how."""


def read_arguments(tool: Tool, arguments: Json) -> Arguments:
    """Validate the arguments of a call. Raises BadArguments."""
    try:
        return tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        # Of a parameter that takes several kinds, the kind that was tried is left out.
        argument, *inside = first["loc"] or ("arguments",)
        where = ".".join(map(str, (argument, *(part for part in inside if isinstance(part, int)))))
        known = ", ".join(tool.arguments.model_fields)
        raise BadArguments(f"bad_request: {where}: {first['msg']}. {tool.name} takes: {known}.") from error


def fields(*required: str, **kinds: Any) -> Json:
    """A result schema: each field's JSON type, or its schema, and which are always there."""
    properties = {name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in kinds.items()}
    return {"properties": properties, "required": list(required)}


_UNSAID = frozenset(
    ("title", "$defs", "minLength", "maxLength", "minItems", "maxItems", "minimum", "exclusiveMinimum", "pattern")
)


def _strip(schema: Any) -> Any:
    """Drop what says nothing to the calling model: titles, docstrings, limits that it will not meet, empty defaults.

    The limits are still checked, and an error names the one that was broken.
    """
    if isinstance(schema, list):
        return [_strip(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _strip(value) for name, value in inner.items()} if key == "properties" else _strip(inner)
        for key, inner in schema.items()
        if key not in _UNSAID
        and not (key == "description" and "properties" in schema)
        and not (key == "default" and not inner)
    }
