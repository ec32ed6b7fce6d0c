"""Many panes in one wait, many waits at once, and waits whose client has gone."""

from functools import partial
from pathlib import Path

import anyio
import pytest

from session_core import Client, Mode, Outcome, SessionCoreError, Until
from session_core.host.server import OPEN_CALLS
from session_core.model.waits import WAITS

from .hosts import RunningHost
from .programs import python
from .waiting import BOUND_S, exit_of, reported
from .wire import code, notice, wire

pytestmark = pytest.mark.anyio

_AT_WORK = """
    report("state=working")
    ready()
    report("state=" + sys.stdin.readline().strip())
    rest()
"""
_LONG_S = 3600


async def _at_work(core: Client, tmp_path: Path) -> str:
    pane = (await core.open_pane(python(tmp_path, _AT_WORK))).pane
    await reported(core, pane)
    return pane


async def test_any_ends_with_the_first_pane_and_says_how_the_others_stand(core: Client, tmp_path: Path) -> None:
    panes = [await _at_work(core, tmp_path) for _ in range(3)]
    await core.write_pane(panes[1], "done", submit=True)
    ended = await core.wait(panes, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.SETTLED
    assert [(one.pane, one.outcome, one.state) for one in ended.panes] == [
        (panes[0], Outcome.CHECKIN, "working"),
        (panes[1], Outcome.SETTLED, "done"),
        (panes[2], Outcome.CHECKIN, "working"),
    ]


async def test_all_ends_with_the_last_pane_and_shows_the_blocked_one(core: Client, tmp_path: Path) -> None:
    panes = [await _at_work(core, tmp_path) for _ in range(3)]
    for pane, word in zip(panes[:2], ("done", "blocked"), strict=True):
        await core.write_pane(pane, word, submit=True)
        await core.wait([pane], timeout_s=BOUND_S)
    assert (await core.wait(panes, mode=Mode.ALL, timeout_s=0)).outcome is Outcome.CHECKIN
    await core.close_pane(panes[2])
    panes[2] = (await core.open_pane(["sh", "-c", "exit 3"])).pane
    ended = await core.wait(panes, mode=Mode.ALL, timeout_s=BOUND_S)
    assert ended.outcome is Outcome.BLOCKED
    assert [one.outcome for one in ended.panes] == [Outcome.SETTLED, Outcome.BLOCKED, Outcome.EXITED]


async def test_a_pane_that_is_closed_counts_as_news_for_a_wait_on_all(core: Client, tmp_path: Path) -> None:
    panes = [await _at_work(core, tmp_path) for _ in range(2)]
    results: list[list[Outcome]] = []

    async def wait() -> None:
        ended = await core.wait(panes, mode=Mode.ALL, timeout_s=BOUND_S)
        results.append([one.outcome for one in ended.panes])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        await core.close_pane(panes[0])
        await core.write_pane(panes[1], "done", submit=True)
    assert results == [[Outcome.CLOSED, Outcome.SETTLED]]


async def test_a_name_and_an_id_of_one_pane_are_one_pane_to_a_wait(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "exit 3"], name="both")).pane
    ended = await core.wait(["both", pane], until=Until.EXITED, mode=Mode.ALL, timeout_s=BOUND_S)
    assert [one.pane for one in ended.panes] == [pane]


async def test_two_hundred_waits_at_once_all_end(core: Client, tmp_path: Path) -> None:
    pane = await _at_work(core, tmp_path)
    outcomes: list[Outcome] = []

    async def wait() -> None:
        outcomes.append((await core.wait([pane], timeout_s=BOUND_S)).outcome)

    async with anyio.create_task_group() as tasks:
        for _ in range(200):
            tasks.start_soon(wait)
        tasks.start_soon(partial(core.write_pane, submit=True), pane, "done")
    assert outcomes == [Outcome.SETTLED] * 200


async def test_cancelled_waits_make_room_for_as_many_new_ones(core: Client, tmp_path: Path) -> None:
    pane = await _at_work(core, tmp_path)

    async def wait() -> None:
        await core.wait([pane], timeout_s=_LONG_S)

    for _ in range(2):
        async with anyio.create_task_group() as tasks:
            for _ in range(OPEN_CALLS):
                tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(SessionCoreError) as raised:
                await core.wait([pane], timeout_s=0)
            assert raised.value.code == "limit_reached"
            assert (await core.read_status(pane)).pane == pane
            tasks.cancel_scope.cancel()
    assert (await core.wait([pane], timeout_s=0)).outcome is Outcome.CHECKIN


async def test_a_wait_and_its_cancel_in_the_same_bytes_leave_nothing_open(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _at_work(core, tmp_path)
    async with wire(host.socket) as connection:
        lines = []
        for _ in range(OPEN_CALLS):
            lines.append(connection.request("wait", panes=[pane], timeout_s=_LONG_S))
            lines.append(notice("cancel", id=connection.last))
        await connection.send(b"".join(lines))
        answer = await connection.call("wait", panes=[pane], timeout_s=0)
    assert answer.get("result", answer)["outcome"] == "checkin"


async def test_more_calls_than_a_client_may_have_open_are_refused_also_in_the_same_bytes(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _at_work(core, tmp_path)
    async with wire(host.socket) as connection:
        lines = [connection.request("wait", panes=[pane], timeout_s=_LONG_S) for _ in range(OPEN_CALLS + 1)]
        await connection.send(b"".join(lines))
        refused = await connection.receive()
    assert (refused["id"], code(refused)) == (connection.last, "limit_reached")


async def test_an_id_that_is_still_open_is_refused_and_its_wait_goes_on(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _at_work(core, tmp_path)
    async with wire(host.socket) as connection:
        line = connection.request("wait", panes=[pane], timeout_s=BOUND_S)
        await connection.send(line + line)
        refused = await connection.answer()
        assert (refused["id"], code(refused)) == (connection.last, "bad_request")
        await core.write_pane(pane, "done", submit=True)
        ended = await connection.answer()
    assert (ended["id"], ended["result"]["outcome"]) == (connection.last, "settled")


async def test_waits_of_a_client_that_has_gone_are_free_for_others(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await _at_work(core, tmp_path)
    async with anyio.create_task_group() as tasks:
        taken = anyio.Event()
        leave = anyio.Event()

        async def hold(started: list[int]) -> None:
            async with wire(host.socket) as connection:
                lines = [connection.request("wait", panes=[pane], timeout_s=_LONG_S) for _ in range(OPEN_CALLS)]
                await connection.send(b"".join(lines))
                await connection.call("list_panes")
                started.append(1)
                if len(started) * OPEN_CALLS == WAITS:
                    taken.set()
                await leave.wait()

        counted: list[int] = []
        for _ in range(WAITS // OPEN_CALLS):
            tasks.start_soon(hold, counted)
        with anyio.fail_after(BOUND_S):
            await taken.wait()
        with pytest.raises(SessionCoreError) as raised:
            await core.wait([pane], timeout_s=0)
        assert raised.value.code == "limit_reached"
        leave.set()
    with anyio.fail_after(BOUND_S):
        while not await _has_room(core, pane):
            pass
    assert (await core.read_status(pane)).life == "running"


async def _has_room(core: Client, pane: str) -> bool:
    try:
        await core.wait([pane], timeout_s=0)
    except SessionCoreError:
        return False
    return True


async def test_the_exit_of_one_pane_ends_no_wait_on_another(core: Client, tmp_path: Path) -> None:
    pane = await _at_work(core, tmp_path)
    other = (await core.open_pane(["true"])).pane
    await exit_of(core, other)
    assert (await core.wait([pane], timeout_s=0)).outcome is Outcome.CHECKIN
