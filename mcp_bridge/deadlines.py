"""How long one call may wait, by the client that made it. Pure.

A client gives up on a call after a time of its own, and whatever it waited for is lost to the model; so a wait ends
before that, as a result. The name is what the client calls itself (`clientInfo.name`), matched without case as a
whole or up to a separator. A client that is not listed gets the bound that every common one takes.
Deliberately absent: waits that run as tasks; no client's limit applies to those.
"""

from dataclasses import dataclass

TASK_S = 24 * 3600.0
"""Longest wait of a task, which is the longest that the core takes."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """One client's bound in seconds, without progress notifications and with them."""

    name: str
    plain_s: float
    progress_s: float
    limit: str
    """The client's own limit, and how it is known."""


UNKNOWN = Deadline("", 45, 45, "60 s in most clients: the TypeScript SDK's default, Zed, Claude Desktop (documented)")

DEADLINES = (
    Deadline("claude-code", 280, 3600, "none: 200 s of silence measured in 2.1.332; it tells progress apart"),
    Deadline("codex", 280, 280, "300 s whatever comes: measured in 0.171, `codex-mcp-client`"),
    Deadline("gemini-cli", 540, 540, "600 s: documented, 200 s measured in 0.61, `gemini-cli-mcp-client`"),
    Deadline("opencode", 50, 280, "60 s since the last progress: measured in 1.18.33"),
    Deadline("pi", 50, 280, "60 s since the last progress: measured in 1.6.0"),
)

_SEPARATORS = ("-", "_", " ", "/")


def longest_wait(client: str | None, *, progress: bool) -> float:
    """Return the longest wait of one call in seconds; `progress` says that the call is told how it goes on."""
    deadline = deadline_of(client)
    return deadline.progress_s if progress else deadline.plain_s


def deadline_of(client: str | None) -> Deadline:
    """Return the row of a client by the name that it gives itself."""
    name = (client or "").strip().lower()
    for deadline in DEADLINES:
        rest = name.removeprefix(deadline.name)
        if rest != name and (not rest or rest.startswith(_SEPARATORS)):
            return deadline
    return UNKNOWN
