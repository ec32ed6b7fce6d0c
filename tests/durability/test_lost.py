"""After a reboot no process is left: panes are lost, what is known of them can be read, and they can go on anew."""

import json
import os
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Life, Observed, Outcome, SessionCoreError, Until, What

from ..cli.commands import Panebridge
from ..host.hosts import running
from ..host.programs import READY
from ..host.waiting import BOUND_S, reported
from ..keeper.place import Place, freed

pytestmark = pytest.mark.anyio


async def _reboot(place: Place, *programs: int) -> None:
    """End everything at once, as a power cut does."""
    place.end()
    for program in programs:
        with suppress(ProcessLookupError):
            os.kill(program, signal.SIGKILL)
        await freed(program)


async def _open(core: Client, folder: Path) -> tuple[str, int]:
    script = rf"printf '\033]7501;state=working\033\\\033]7501;state=done:id=a\033\\{READY}'; echo $0 $VALUE; exec cat"
    environment = os.environ | {"VALUE": "one"}
    command = ["sh", "-c", script, "name"]
    pane = (await core.open_pane(command, name="agent", folder=str(folder), environment=environment)).pane
    status = await reported(core, pane)
    assert status.occupant is not None
    return pane, status.occupant.pid


async def test_what_is_known_of_a_lost_pane_can_be_read(place: Place, tmp_path: Path) -> None:
    async with place.core(start=True) as core:
        pane, program = await _open(core, tmp_path)
        before = await core.read_status(pane)
        epoch = core.greeting.epoch
    await _reboot(place, program)
    async with place.core(start=True) as core:
        assert core.greeting.epoch == epoch
        status = await core.read_status(pane)
        assert (status.life, status.exit, status.state, status.name) == (Life.LOST, None, Observed.DONE, "agent")
        assert [record.id for record in status.records] == ["a"]
        assert status.command == before.command
        assert (await core.read_pane(pane)).text == "name one"
        waited = await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
        assert waited.outcome is Outcome.LOST
        with pytest.raises(SessionCoreError) as raised:
            await core.write_pane(pane, "anybody there?")
        assert raised.value.code is Code.PANE_EXITED


async def test_a_lost_pane_is_opened_again_as_its_next_generation(place: Place, tmp_path: Path) -> None:
    async with place.core(start=True) as core:
        pane, program = await _open(core, tmp_path)
    await _reboot(place, program)
    async with place.core(start=True) as core:
        again = await core.reopen_pane(pane, environment=os.environ | {"VALUE": "two"})
        assert (again.pane, again.life, again.generation, again.name) == (pane, Life.RUNNING, 2, "agent")
        status = await reported(core, pane)
        with anyio.fail_after(BOUND_S):
            while (await core.read_pane(pane)).text != "name two":
                await core.wait([pane], until=Until.CHANGE, since=status.revision, timeout_s=0.05)
        both = await core.read_pane(pane, what=What.SINCE, offset=0)
        assert both.text.split() == ["name", "one", "name", "two"]
        await core.write_pane(pane, "hello", submit=True)
        os.kill(core.greeting.pid, signal.SIGKILL)
        after = await core.read_status(pane)
        assert (after.generation, after.life) == (2, Life.RUNNING)
        text = (await core.read_pane(pane)).text
        assert text.splitlines()[0] == "name two"
        with pytest.raises(SessionCoreError) as raised:
            await core.reopen_pane(pane)
        assert raised.value.code is Code.PANE_RUNNING
        await core.close_pane(pane)


async def test_to_close_a_lost_pane_touches_nobody_who_has_got_its_number_meanwhile(
    place: Place, tmp_path: Path
) -> None:
    async with place.core(start=True) as core:
        pane, program = await _open(core, tmp_path)
    await _reboot(place, program)
    with running(["setsid", "sleep", "1000"]) as other:
        _give_number(place.path / "state" / "journal.db", pane, program, other.pid)
        async with place.core(start=True) as core:
            assert (await core.read_status(pane)).life is Life.LOST
            await core.close_pane(pane)
            assert (await core.list_panes()).panes == ()
        assert other.poll() is None


def _give_number(journal: Path, pane: str, old: int, new: int) -> None:
    """Let the journal name another process as the pane's, as if its number had been used again."""
    with closing(sqlite3.connect(journal)) as connection:
        ((value,),) = connection.execute("SELECT value FROM entries WHERE kind = 'pane' AND pane = ?", (pane,))
        known = json.loads(value)
        assert known["pid"] == old
        text = json.dumps(known | {"pid": new}).encode()
        connection.execute("UPDATE entries SET value = ? WHERE kind = 'pane' AND pane = ?", (text, pane))
        connection.commit()


async def test_an_exited_pane_is_opened_again_and_its_exit_is_no_more(place: Place) -> None:
    async with place.core(start=True) as core:
        pane = (await core.open_pane(["sh", "-c", "exit 3"])).pane
        await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
        for generation in (2, 3):
            again = await core.reopen_pane(pane)
            assert again.generation == generation
            ended = await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)
            assert ended.panes[0].exit is not None
            assert ended.panes[0].exit.code == 3


@pytest.mark.slow
async def test_the_command_line_says_what_is_lost_and_how_to_open_it_again(place: Place, tmp_path: Path) -> None:
    async with place.core(start=True) as core:
        pane, program = await _open(core, tmp_path)
    await _reboot(place, program)
    panebridge = Panebridge(place.folder)
    assert "lost" in panebridge("ls").out
    assert f"panebridge reopen {pane}" in panebridge("status", pane).out
    assert panebridge("reopen", pane).out == f"{pane}\n"
    assert panebridge.json("status", pane)["generation"] == 2
    assert panebridge("stop").out == "Stopped.\n"
    # Nothing was left this time, so that there is nothing to start a host for.
    assert panebridge("ls").err.startswith("panebridge: No host runs")
