"""A program that cannot be started: the error names the true cause, and nothing is left behind."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, SessionCoreError, connect

from .hosts import RunningHost, private_folder, running
from .processes import children, descriptors
from .programs import executable
from .waiting import BOUND_S, eventually, exit_of

pytestmark = pytest.mark.anyio

_PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
async def unchanged(core: Client, host: RunningHost) -> AsyncIterator[Client]:
    """A client whose test must leave the host as it was."""
    await core.list_panes()
    before = descriptors(host.pid)
    yield core
    assert (await core.list_panes()).panes == ()
    assert children(host.pid) == []
    assert descriptors(host.pid) == before


async def _refused(
    core: Client, command: list[str], folder: str | None = None, environment: dict[str, str] | None = None
) -> SessionCoreError:
    with anyio.fail_after(BOUND_S), pytest.raises(SessionCoreError) as raised:
        await core.open_pane(command, folder=folder, environment=environment)
    assert raised.value.next_step
    return raised.value


@pytest.mark.parametrize("program", ["no-such-program-xyz", "/no/such/program", "./missing", "", "a" * 5000])
async def test_a_program_that_does_not_exist_is_named(unchanged: Client, program: str) -> None:
    error = await _refused(unchanged, [program])
    assert error.code is Code.NO_SUCH_PROGRAM
    assert program.removeprefix("./") in error.message


async def test_a_path_too_long_for_the_system_names_no_program(unchanged: Client) -> None:
    assert (await _refused(unchanged, ["/" + "a" * 5000])).code is Code.NO_SUCH_PROGRAM


async def test_a_folder_is_no_program(unchanged: Client, tmp_path: Path) -> None:
    assert (await _refused(unchanged, [str(tmp_path)])).code is Code.NO_SUCH_PROGRAM


async def test_a_file_that_may_not_be_executed_is_named(unchanged: Client, tmp_path: Path) -> None:
    path = tmp_path / "plain"
    path.write_text("#!/bin/sh\n")
    error = await _refused(unchanged, [str(path)])
    assert error.code is Code.NOT_EXECUTABLE
    assert str(path) in error.message


@pytest.mark.parametrize("folder", ["/no/such/folder", "relative", "/" + "a" * 5000, "~no_such_user/x", "/a\0b"])
async def test_a_folder_that_does_not_exist_is_blamed_and_not_the_program(unchanged: Client, folder: str) -> None:
    error = await _refused(unchanged, ["true"], folder=folder)
    assert error.code is Code.NO_SUCH_FOLDER
    assert "true" not in error.message


async def test_a_file_is_no_folder(unchanged: Client, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    error = await _refused(unchanged, ["true"], folder=str(path))
    assert error.code is Code.NO_SUCH_FOLDER
    assert str(path) in error.message


async def test_an_empty_command_is_a_bad_request(unchanged: Client) -> None:
    error = await _refused(unchanged, [])
    assert error.code is Code.BAD_REQUEST
    assert "command" in error.message


@pytest.mark.parametrize("text", ["a\0b", "\ud800"], ids=["nul", "half_a_pair"])
async def test_text_that_no_program_can_be_given_is_a_bad_request(unchanged: Client, text: str) -> None:
    for command, environment in (
        ([text], _PATH),
        (["true", text], _PATH),
        (["true"], _PATH | {"NAME": text}),
        (["true"], _PATH | {text: "value"}),
    ):
        assert (await _refused(unchanged, command, environment=environment)).code is Code.BAD_REQUEST


@pytest.mark.parametrize("name", ["", "A=B"])
async def test_a_name_that_no_environment_can_hold_is_a_bad_request(unchanged: Client, name: str) -> None:
    error = await _refused(unchanged, ["true"], environment=_PATH | {name: "value"})
    assert error.code is Code.BAD_REQUEST


async def test_an_interpreter_that_does_not_exist_is_pointed_at(unchanged: Client, tmp_path: Path) -> None:
    error = await _refused(unchanged, [executable(tmp_path, "script", "#!/no/such/interpreter\n")])
    assert error.code is Code.SPAWN_FAILED
    assert "interpreter" in str(error)


async def test_a_file_of_no_known_format_is_reported_as_such(unchanged: Client, tmp_path: Path) -> None:
    error = await _refused(unchanged, [executable(tmp_path, "text", "echo hello\n")])
    assert error.code is Code.SPAWN_FAILED
    assert "format" in error.message


async def test_arguments_longer_than_the_system_takes_are_reported_as_such(unchanged: Client) -> None:
    error = await _refused(unchanged, ["true", "x" * 200_000])
    assert error.code is Code.SPAWN_FAILED
    assert "too long" in error.message


async def test_many_failures_at_once_leave_nothing_and_the_next_start_works(unchanged: Client, tmp_path: Path) -> None:
    broken = executable(tmp_path, "broken", "#!/no/such/interpreter\n")
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(_refused, unchanged, [broken])
    pane = (await unchanged.open_pane(["sh", "-c", "exit 6"])).pane
    assert (await exit_of(unchanged, pane)).code == 6
    await unchanged.close_pane(pane)


async def test_a_folder_that_may_not_be_entered_is_blamed(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    folder = private_folder(tmp_path_factory)
    command = [sys.executable, "-m", "session_core.host", "--folder", str(folder)]
    if os.getuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root may enter any folder")
        command = [setpriv, "--bounding-set=-dac_override,-dac_read_search", *command]
    with running(command) as process:
        await eventually((folder / "host.sock").exists)
        async with connect(folder=str(folder), start=False) as core:
            error = await _refused(core, ["true"], folder=str(closed))
            assert "closed" in error.message
            assert (await core.list_panes()).panes == ()
            assert children(process.pid) == []
            await core.stop()
