"""What one request says of its client: in the stateless era of the protocol by itself, before by its handshake."""

from dataclasses import dataclass
from typing import Any

from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from mcp_bridge.tasks import EXTENSION


@dataclass(frozen=True, slots=True)
class ClientFacts:
    """`takes_tasks` is of this very request: only one that declares the extension may be answered with a task."""

    name: str | None
    modern: bool
    takes_tasks: bool
    wants_progress: bool

    @classmethod
    def of(cls, context: Any) -> "ClientFacts":
        """Read a request's context."""
        session, meta = context.session, context.meta or {}
        params, capabilities = session.client_params, session.client_capabilities
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return cls(
            name=params.client_info.name if params else None,
            modern=modern,
            takes_tasks=modern and capabilities is not None and EXTENSION in (capabilities.extensions or {}),
            wants_progress=meta.get("progress_token") is not None,
        )
