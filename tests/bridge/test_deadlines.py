"""How long one call may wait, by the name of its client."""

import json
from typing import Any

import pytest

from mcp_bridge.deadlines import DEADLINES, UNKNOWN, deadline_of, longest_wait

from .place import Place
from .raw_shim import raw_shim
from .stand_in_host import stand_in_host

_ENDED = {"outcome": "checkin", "panes": [], "revision": 7, "waited_s": 0.5}
_TICKET = {"id": "t7", "pane": "p1", "author": "mcp", "status": "delivered", "bytes": 3, "revision": 5, "at": 0.0}
_WRITTEN = {"ticket": _TICKET, "started": False, "wait": _ENDED}


@pytest.mark.parametrize(
    ("client", "plain", "with_progress"),
    [
        (None, 45, 45),
        ("", 45, 45),
        ("raw", 45, 45),
        ("claude-ai", 45, 45),
        ("Zed", 45, 45),
        ("claude-code", 280, 3600),
        ("Claude-Code/2.1.332", 280, 3600),
        ("codex-mcp-client", 280, 280),
        ("Codex", 280, 280),
        ("gemini-cli-mcp-client", 540, 540),
        ("gemini-cli-mcp-client-panes", 540, 540),
        ("opencode", 50, 280),
        ("OpenCode", 50, 280),
        ("opencoder", 45, 45),
        ("pi", 50, 280),
        ("pipe", 45, 45),
        ("my-pi", 45, 45),
    ],
)
def test_the_bound_follows_from_the_whole_name_or_its_first_words(
    client: str | None, plain: float, with_progress: float
) -> None:
    assert longest_wait(client, progress=False) == plain
    assert longest_wait(client, progress=True) == with_progress


def test_every_row_says_where_its_bound_comes_from_and_stays_below_it() -> None:
    for deadline in (UNKNOWN, *DEADLINES):
        assert deadline.limit
        assert deadline.plain_s <= deadline.progress_s
        limit = deadline.limit.split()[0]
        assert limit == "none:" or deadline.plain_s < float(limit)
        assert deadline_of(deadline.name) is deadline


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("client", "token", "asked", "taken"),
    [
        ("raw", None, 86400, 45),
        ("raw", "t", 45.5, 45),
        ("raw", None, 45, 45),
        ("pi", None, 86400, 50),
        ("opencode", 7, 86400, 280),
        ("codex-mcp-client", "t", 299, 280),
        ("claude-code", "t", 2000, 2000),
        ("claude-code", None, 0, 0),
    ],
)
async def test_a_wait_takes_what_its_client_allows_and_says_so_where_that_is_less_than_asked(
    place: Place, era: str, client: str, token: Any, asked: float, taken: float
) -> None:
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    async with stand_in_host(place.folder) as host, raw_shim(place, era, client=client) as shim:
        await shim.begin()
        host.answers |= {"wait": _ENDED, "write_pane": _WRITTEN, "send_keys": _WRITTEN}
        for tool, method, argument, what in (
            ("wait_idle", "wait", "timeout_s", {"panes": ["p1"]}),
            ("write_pane", "write_pane", "wait_s", {"pane": "p1", "text": "hi"}),
            ("send_keys", "send_keys", "wait_s", {"pane": "p1", "keys": ["Enter"]}),
        ):
            arguments = {**what, argument: asked}
            result = await shim.result("tools/call", name=tool, arguments=arguments, **meta)
            content = result["structuredContent"]
            assert json.loads(result["content"][0]["text"]) == content
            assert (await host.heard(method)).params[argument] == taken
            clamped = {name: content[name] for name in (argument, "clamped") if name in content}
            assert clamped == ({argument: taken, "clamped": True} if taken < asked else {})
