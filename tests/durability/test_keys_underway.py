"""Keys of a person that the terminal had not taken when the host died: nobody is told that they arrived."""

from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, SessionCoreError

from ..host.programs import python
from ..host.waiting import BOUND_S, reported, status_eventually
from ..keeper.place import Place, kill

pytestmark = pytest.mark.anyio

_DEAF = """
    tty.setraw(0)
    ready()
    rest()
"""
_LATE = """
    tty.setraw(0)
    ready()
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    got = b""
    while not got.endswith(b"y"):
        got += os.read(0, 65536)
    report("state=idle:id=all")
    rest()
"""
MORE_THAN_FITS = "x" * 150_000


async def _type(core: Client, pane: str, key: str, errors: list[Code]) -> None:
    try:
        await core.send_keystrokes(pane, b"y", person="ada", key=key)
    except SessionCoreError as error:
        errors.append(error.code)


async def _issued(core: Client, ticket: str) -> None:
    with anyio.fail_after(BOUND_S):
        while True:
            with suppress(SessionCoreError):
                await core.read_ticket(ticket)
                return


@pytest.mark.slow
async def test_their_caller_is_told_that_nobody_knows_and_so_is_every_repeat(place: Place, tmp_path: Path) -> None:
    errors: list[Code] = []
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, _DEAF))).pane
        await reported(core, pane)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: core.write_pane(pane, MORE_THAN_FITS, author="writer"))
            await _issued(core, "t1")
            tasks.start_soon(_type, core, pane, "one key", errors)
            await status_eventually(core, pane, lambda status: status.keystroke_at is not None)
            await kill(core.greeting.pid)
        await _type(core, pane, "one key", errors)
        await kill(core.greeting.pid)
        await _type(core, pane, "one key", errors)
    assert errors == [Code.OUTCOME_UNKNOWN] * 3


async def test_keys_that_a_full_terminal_takes_in_the_end_are_answered_then(place: Place, tmp_path: Path) -> None:
    errors: list[Code] = []
    go = tmp_path / "go"
    async with place.core(start=True) as core:
        pane = (await core.open_pane(python(tmp_path, _LATE, str(go)))).pane
        await reported(core, pane)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: core.write_pane(pane, MORE_THAN_FITS, author="writer"))
            await _issued(core, "t1")
            tasks.start_soon(_type, core, pane, "one key", errors)
            await status_eventually(core, pane, lambda status: status.keystroke_at is not None)
            go.touch()
        await reported(core, pane, "all")
    assert errors == []
