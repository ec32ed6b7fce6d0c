"""The detach key leaves the pane as it is, and is a key of the program where it is inside a paste."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from session_core import Client, connect

from ..host.hosts import RunningHost, private_folder, start_host
from ..host.waiting import eventually
from ..writes.panes import PASTES, logger
from .terminals import attached, terminal, unread

pytestmark = pytest.mark.anyio

_READY = r"READY\r\n"


@pytest.mark.parametrize(
    ("options", "key"),
    [((), b"\x1c"), (("--detach-key", "C-]"), b"\x1d"), (("--detach-key", "C-q"), b"\x11")],
    ids=["default", "bracket", "letter"],
)
async def test_it_detaches_after_what_was_typed_before_it(
    core: Client, host: RunningHost, tmp_path: Path, options: tuple[str, ...], key: bytes
) -> None:
    program = await logger(core, tmp_path, modes=_READY)
    async with attached(host, tmp_path, program.pane, *options) as person:
        person.type(b"before" + key + b"after")
        assert await person.left() == 0
        assert person.said == f"panebridge: detached ({program.pane})\n"
        person.assert_restored()
    assert (await core.read_status(program.pane)).life == "running"
    await core.write_pane(program.pane, "", on_draft="hold")
    await core.send_keystrokes(program.pane, b"\r")
    await program.got(b"before\r")


async def test_the_default_key_is_the_programs_where_another_was_chosen(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=_READY)
    async with attached(host, tmp_path, program.pane, "--detach-key", "C-]") as person:
        person.type(b"a\x1cb")
        await program.got(b"a\x1cb")
        person.type(b"\x1d")
        assert await person.left() == 0


async def test_inside_a_paste_it_is_text(core: Client, host: RunningHost, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, modes=_READY + PASTES)
    paste = b"\x1b[200~one\x1ctwo\x1b[201~"
    async with attached(host, tmp_path, program.pane) as person:
        person.type(paste)
        await program.got(paste)
        person.type(b"\x1b[200~three\x1c")
        await program.got(paste + b"\x1b[200~three\x1c")
        person.type(b"four\x1b[201~five")
        await program.got(paste + b"\x1b[200~three\x1cfour\x1b[201~five")
        person.type(b"\x1c")
        assert await person.left() == 0


async def test_it_works_while_the_host_does_not_answer(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    own = await anyio.to_thread.run_sync(start_host, private_folder(tmp_path_factory))
    async with connect(folder=str(own.folder), start=False) as client:
        program = await logger(client, tmp_path, modes=_READY)
        async with attached(own, tmp_path, program.pane) as person:
            os.kill(own.pid, signal.SIGSTOP)
            person.type(b"unanswered")
            await eventually(lambda: unread(person.slave) == 0)
            person.type(b"\x1c")
            assert await person.left() == 0
            person.assert_restored()
            os.kill(own.pid, signal.SIGCONT)
        await program.got(b"unanswered")
        await client.stop()


@pytest.mark.parametrize("cut", [1, 3])
async def test_it_works_again_after_a_paste_whose_end_was_read_in_two_pieces(
    core: Client, host: RunningHost, tmp_path: Path, cut: int
) -> None:
    program = await logger(core, tmp_path, modes=_READY + PASTES)
    end = b"\x1b[201~"
    async with attached(host, tmp_path, program.pane) as person:
        person.type(b"\x1b[200~one\x1ctwo" + end[:cut])
        await program.got(b"\x1b[200~one\x1ctwo" + end[:cut])
        person.type(end[cut:] + b"\x1c")
        assert await person.left() == 0
        await program.got(b"\x1b[200~one\x1ctwo" + end)


@pytest.mark.parametrize("name", ["x", "C-1"])
async def test_a_key_that_cannot_detach_is_told_before_anything_is_shown(
    core: Client, host: RunningHost, tmp_path: Path, name: str
) -> None:
    program = await logger(core, tmp_path, modes=_READY)
    async with terminal(host, tmp_path, "attach", "--detach-key", name, program.pane) as person:
        assert await person.left() == 1
        assert person.said.startswith("panebridge: ")
        assert repr(name) in person.said
        assert "Traceback" not in person.said
        person.assert_restored()
