"""A change that was kept and not told when its host died is told by the next one."""

from pathlib import Path

import anyio
import pytest

from session_core import Cause, Change, ChangeBatch, Client, Code, SessionCoreError

from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, reported
from ..keeper.place import Place

pytestmark = pytest.mark.anyio


async def _hear(core: Client, heard: list[Change]) -> None:
    async for news in core.changes():
        assert isinstance(news, ChangeBatch), "nothing may be left out"
        heard += news.changes


async def test_what_keys_have_acknowledged_is_told_although_the_host_died_before_it_passed_them_on(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = tmp_path / "point"
    monkeypatch.setenv("PANEBRIDGE_KILL_AT", str(point))
    heard: list[Change] = []
    async with place.core(start=True) as core, anyio.create_task_group() as tasks:
        await core.watch_changes(output=False)
        tasks.start_soon(_hear, core, heard)
        pane = (await core.open_pane(python(tmp_path, 'report("state=done:id=it")\nready()\nrest()'))).pane
        await reported(core, pane)
        point.with_suffix(".new").write_text("input_writing:1")
        point.with_suffix(".new").rename(point)
        with anyio.fail_after(2 * BOUND_S), pytest.raises(SessionCoreError) as error:
            await core.send_keystrokes(pane, b"y", person="ada")
        assert error.value.code is Code.OUTCOME_UNKNOWN
        assert (await core.read_status(pane)).acknowledged[-1].records == ("it",)
        await eventually(lambda: Cause.ACKNOWLEDGE in {change.cause for change in heard})
        tasks.cancel_scope.cancel()
