"""A client and a host of different versions: reading works, and the rest says what to do."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from session_core import Client, Code, Outcome, connect
from session_core.api.methods import PROTOCOL

from ..host.hosts import RunningHost, private_folder, running
from ..host.waiting import eventually
from ..writes.panes import Logged, logger, refusal
from .cutting import Proxy, Where

pytestmark = pytest.mark.anyio

_NEWER = """
import dataclasses, sys
from session_core.api import messages
from session_core.host import main, server
server.PROTOCOL += 1
write_answer, write_notice = messages.write_answer, messages.write_notice
messages.write_answer = lambda identity, result: write_answer(identity, result[:-1] + b',"mood":"good"}')
messages.write_notice = lambda notice: write_notice(messages.Notice("weather", {})) + write_notice(notice)
sys.exit(main.main())
"""


@pytest.fixture
async def newer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningHost]:
    """A host of the next version, with fields and notices that nobody knows yet."""
    folder = private_folder(tmp_path_factory)
    with running([sys.executable, "-c", _NEWER, "--folder", str(folder)]) as process:
        await eventually((folder / "host.sock").exists)
        yield RunningHost(folder, process.pid)


async def test_a_newer_host_can_be_read_and_refuses_the_rest_with_the_next_step(newer: RunningHost) -> None:
    async with connect(folder=str(newer.folder), start=False) as client:
        assert (await client.list_panes()).panes == ()
        await client.watch_changes(output=True)
        error = await refusal(client.open_pane(["true"]))
        assert error.code is Code.VERSION_MISMATCH
        assert {str(PROTOCOL), str(PROTOCOL + 1)} <= {word.strip(",.") for word in error.message.split()}
        assert "panebridge upgrade" in error.next_step


async def test_a_newer_host_can_be_stopped(newer: RunningHost) -> None:
    async with connect(folder=str(newer.folder), start=False) as client:
        await client.stop()
        await eventually(lambda: not (newer.folder / "host.sock").exists())


async def test_a_notice_that_is_not_understood_is_a_gap_and_harms_no_call(
    cut: Client, core: Client, proxy: Proxy
) -> None:
    news = cut.changes()
    await cut.watch_changes(output=False)
    proxy.replace_once(b'"revision":', b'"edition":')
    pane = (await core.open_pane(["sleep", "1000"])).pane
    await cut.list_panes()
    assert type(await anext(news)).__name__ == "Gap"
    assert (await cut.wait([pane], timeout_s=0)).outcome is Outcome.CHECKIN


async def test_a_write_to_a_host_without_keys_is_not_made_again(core: Client, proxy: Proxy, tmp_path: Path) -> None:
    program: Logged = await logger(core, tmp_path)
    proxy.forget_keys()
    async with connect(folder=str(proxy.folder), start=False) as client:
        proxy.plan("write_pane", Where.AFTER)
        assert (await refusal(client.write_pane(program.pane, "once"))).code is Code.OUTCOME_UNKNOWN
        await client.write_pane(program.pane, ".")
        await program.got(b"once.")
        proxy.plan("list_panes", Where.AFTER)
        assert len((await client.list_panes()).panes) == 1
