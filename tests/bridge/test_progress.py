"""What a call that waits tells of its progress, where it is asked to."""

import anyio
import pytest
from mcp.server.session import ServerSession

from mcp_bridge.calls import PROGRESS_S, tell_progress

from .calls import Tools
from .place import Place
from .programs import report
from .raw_shim import raw_shim
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_wait_of_several_seconds_is_told_of_until_its_end_in_both_eras(place: Place, tools: Tools) -> None:
    panes = [await tools.puppet(name="xyzzy-name"), await tools.puppet()]
    for pane in panes:
        await tools.tell(pane, report("working", "xyzzy msg"))
    told = anyio.Semaphore(0)

    async def wait(era: str) -> None:
        async with raw_shim(place, era) as shim:
            await shim.begin()
            arguments = {"panes": panes, "timeout_s": 30}
            call = await shim.request(
                "tools/call", name="wait_idle", arguments=arguments, _meta={"progressToken": f"token {era}"}
            )
            notice = await shim.message()
            assert notice["method"] == "notifications/progress"
            params = notice["params"]
            assert (params["progressToken"], params["total"]) == (f"token {era}", 30)
            assert params["progress"] == PROGRESS_S
            assert params["message"] == f"waiting for 2 panes, {PROGRESS_S:g} s"
            told.release()
            # Nothing comes between the end of the wait and the answer but what was on its way already.
            answer = await shim.message_when(lambda message: message.get("id") == call)
            assert answer["result"]["structuredContent"]["outcome"] == "settled"
            assert await shim.call("list_panes")
            assert b"xyzzy" not in b"".join(line for line in shim.lines if b"notifications/progress" in line)

    async with anyio.create_task_group() as clients:
        for era in ("auto", "legacy"):
            clients.start_soon(wait, era)
        with anyio.fail_after(BOUND_S):
            for _ in range(2):
                await told.acquire()
        await tools.tell(panes[0], report("done"))


class _Session(ServerSession):
    """The SDK's end of a request, which keeps what it is to send."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, float | None, str | None]] = []
        self.enough = anyio.Event()

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        self.sent.append((progress, total, message))
        if len(self.sent) == 3:
            self.enough.set()


async def test_progress_only_grows_and_names_the_bound() -> None:
    session = _Session()
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: tell_progress(session, 280, "waiting for 1 pane", every_s=0.25))
        with anyio.fail_after(BOUND_S):
            await session.enough.wait()
        group.cancel_scope.cancel()
    assert [sent[0] for sent in session.sent] == [0.25 * number for number in range(1, len(session.sent) + 1)]
    for waited, total, message in session.sent:
        assert (total, message) == (280, f"waiting for 1 pane, {waited:g} s")
