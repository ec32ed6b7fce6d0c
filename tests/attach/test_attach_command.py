"""`panebridge attach` on a real terminal: it shows the pane, passes on keys, and follows the window's size."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, SessionCoreError, State

from ..host.hosts import RunningHost
from ..host.waiting import eventually, status_eventually
from ..writes.panes import PASTES, logger, shell
from .terminals import attached, terminal, unread

pytestmark = pytest.mark.anyio

_READY = r"READY\r\n"


async def test_it_shows_the_screen_passes_on_keys_and_shows_what_they_lead_to(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = await shell(core, PS1=r"\[\e]133;A\a\]READY ")
    async with attached(host, tmp_path, pane) as person:
        person.type(b"echo $((6 * 7))\r")
        await person.shows("\n42\n")
        await person.text_is((await core.read_pane(pane)).text)
        assert (await core.read_status(pane)).columns == 100


async def test_keys_of_the_terminal_end_a_finished_mark_and_its_answers_do_not(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    modes = _READY + r"\x1b[?1004h\x1b]7501;state=done\x07"
    program = await logger(core, tmp_path, modes=modes, then=r"\x1b[c\x1b[6n\x1b[?2026$p\x1b]11;?\x07\x1b[5nASKED")
    async with attached(host, tmp_path, program.pane) as person:
        person.type(b"\x1b[I")
        await program.got(b"\x1b[I")
        assert (await core.read_status(program.pane)).root is State.DONE
        person.type(b"\x07")
        await person.shows("ASKED")
        person.type(b"x")
        await eventually(lambda: program.data.endswith(b"\x1b[0nx") or program.data.endswith(b"x\x1b[0n"))
        assert program.data.count(b"\x1b[?") == 1 + program.data.count(b"\x1b[?2026;")
        status = await core.read_status(program.pane)
    assert status.root is State.IDLE
    assert status.acknowledged[0].by


async def test_the_pane_follows_the_window_once_the_person_has_typed(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=_READY)
    async with attached(host, tmp_path, program.pane, size=(90, 25)) as person:
        assert (await core.read_status(program.pane)).columns == 120
        person.type(b"\x0c")
        await status_eventually(core, program.pane, lambda status: (status.columns, status.rows) == (90, 25))
        for size in ((80, 20), (110, 35), (70, 22)):
            person.resize(*size)
            await status_eventually(core, program.pane, lambda status, s=size: (status.columns, status.rows) == s)  # type: ignore[misc]
    assert (await core.read_status(program.pane)).life == "running"


async def test_what_was_on_the_screen_before_a_new_size_does_not_shine_through(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    long_lines = "".join(rf"{letter * 60}\r\n" for letter in "abcdefgh")
    program = await logger(core, tmp_path, modes=long_lines + _READY)
    async with attached(host, tmp_path, program.pane, size=(100, 40)) as person:
        await core.set_pane(program.pane, columns=40, rows=10)
        await person.text_is((await core.read_pane(program.pane)).text)


async def test_what_is_under_the_alternate_screen_is_there_when_the_program_leaves_it(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=r"main\x1b[?1049h\x1b[HREADY", then=r"\x1b[?1049l")
    async with attached(host, tmp_path, program.pane) as person:
        person.type(b"\x07")
        await person.text_is("main")
        assert (await core.read_pane(program.pane)).text == "main"


async def test_two_people_see_and_type_in_the_same_pane(core: Client, host: RunningHost, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    pane = await shell(core, PS1=r"\[\e]133;A\a\]READY ")
    async with (
        attached(host, tmp_path, pane, size=(100, 30)) as one,
        attached(host, tmp_path / "two", pane, size=(80, 24)) as two,
    ):
        one.type(b"echo first-$((1 + 1))\r")
        await two.shows("first-2")
        two.type(b"echo second-$((1 + 2))\r")
        await one.shows("second-3")
        assert (await core.read_status(pane)).columns == 80


async def test_a_read_only_terminal_shows_everything_and_types_nothing(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=_READY + PASTES, then="LATER")
    async with attached(host, tmp_path, program.pane, "--read-only") as person:
        person.type(b"x\r")
        await core.send_keystrokes(program.pane, b"\x07")
        await person.shows("LATER")
        await core.write_pane(program.pane, "end")
        await program.got(b"end")
        assert (await core.read_status(program.pane)).columns == 120
        person.type(b"\x1c")
        assert await person.left() == 0


async def test_a_pane_that_does_not_exist_or_has_ended_is_one_clear_line(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    async with terminal(host, tmp_path, "attach", "nowhere") as person:
        assert await person.left() == 3
        assert "'nowhere'" in person.said
        assert person.said.count("\n") == 1
        person.assert_restored()


async def _fill(core: Client, pane: str, size: int) -> None:
    """Type pieces of this size until no more fit, without a wait for the program to have them."""
    refusals: list[Code] = []

    async def type_one() -> None:
        try:
            await core.send_keystrokes(pane, b"\x0c" * size)
        except SessionCoreError as error:
            refusals.append(error.code)

    async with anyio.create_task_group() as tasks:
        while not refusals:
            tasks.start_soon(type_one)
            # Once this is answered the piece was taken, or refused.
            await core.held_writes(pane)
        tasks.cancel_scope.cancel()
    assert set(refusals) == {Code.QUEUE_FULL}


async def test_a_terminal_that_does_not_know_its_size_can_attach(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=_READY)
    async with terminal(host, tmp_path, "attach", program.pane, size=(0, 0)) as person:
        person.screen.resize(100, 30)
        await person.shows("READY")
        person.type(b"\x1c")
        assert await person.left() == 0


async def test_a_person_who_types_at_a_program_that_does_not_read_stays_attached(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = (await core.open_pane(["sh", "-c", "stty raw -echo; printf READY; exec sleep 1000"])).pane
    async with attached(host, tmp_path, pane) as person:
        for size in (500_000, 50_000, 5000, 100, 1):
            await _fill(core, pane, size)
        for size in (2000, 100, 1):
            person.type(b"\x0c" * size)
            await eventually(lambda: unread(person.slave) == 0)
        assert person.attached.poll() is None
        person.type(b"\x1c")
        assert await person.left() == 0
        assert "Traceback" not in person.said
        person.assert_restored()
