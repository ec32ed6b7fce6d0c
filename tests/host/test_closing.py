"""Closing a pane ends what runs in it and leaves nothing behind."""

import os
from pathlib import Path

import anyio
import pytest

from session_core import Client, Code, Delivery, ExitStatus, Outcome, SessionCoreError, Until, WriteReceipt, connect

from .hosts import LEFT, RunningHost, left_in, private_folder
from .processes import children, descriptors, stopped
from .programs import READY, executable, python
from .waiting import BOUND_S, eventually, exit_of, process_gone, reported

pytestmark = pytest.mark.anyio

_FAMILY = """
    ignored = [signal.Signals[name] for name in sys.argv[1].split(",") if name]
    own_group = sys.argv[2] == "own_group"
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        if own_group:
            os.setpgid(0, 0)
        rest()
    if own_group:
        os.setpgid(child, child)
    open(sys.argv[3], "w").write(f"{os.getpid()} {child}")
    ready()
    if sys.argv[4] == "stop":
        os.kill(0, signal.SIGSTOP)
    rest()
"""
_CASES = {
    "plain": ("", "", "", "SIGHUP"),
    "ignores_hup": ("SIGHUP", "", "", "SIGTERM"),
    "ignores_term": ("SIGTERM", "", "", "SIGHUP"),
    "ignores_both": ("SIGHUP,SIGTERM", "", "", "SIGKILL"),
    "stopped": ("", "", "stop", "SIGHUP"),
    "stopped_and_ignores_both": ("SIGHUP,SIGTERM", "", "stop", "SIGKILL"),
    "child_in_its_own_group": ("SIGHUP", "own_group", "", "SIGTERM"),
}


_LONG = ("stopped_and_ignores_both", "ignores_term")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] if case in _LONG else []) for case in _CASES]
)
async def test_every_process_of_the_pane_ends_whatever_it_ignores(
    core: Client, host: RunningHost, tmp_path: Path, case: str
) -> None:
    ignored, group, stop, last_signal = _CASES[case]
    pids = tmp_path / "pids"
    pane = (await core.open_pane(python(tmp_path, _FAMILY, ignored, group, str(pids), stop))).pane
    await reported(core, pane)
    leader, child = map(int, pids.read_text().split())
    if stop:
        await stopped(leader)
    with anyio.fail_after(BOUND_S):
        closed = await core.close_pane(pane)
    assert closed.exit == ExitStatus(signal=last_signal)
    await process_gone(leader)
    await process_gone(child)
    assert children(host.pid) == []
    with pytest.raises(SessionCoreError) as raised:
        await core.read_status(pane)
    assert raised.value.code is Code.NO_SUCH_PANE


async def test_a_background_job_of_an_interactive_shell_ends_with_its_pane(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(["bash", "--norc", "--noprofile", "-i"])).pane
    await core.write_pane(pane, f"sleep 1000 & echo $! > {tmp_path}/job; printf '{READY}'", submit=True)
    await reported(core, pane)
    job = int((tmp_path / "job").read_text())
    assert os.getpgid(job) == job
    await core.close_pane(pane)
    await process_gone(job)


async def test_a_program_that_writes_without_end_can_be_closed(core: Client) -> None:
    pane = (await core.open_pane(["yes"])).pane
    with anyio.fail_after(BOUND_S):
        assert (await core.close_pane(pane)).exit == ExitStatus(signal="SIGHUP")


async def test_text_that_the_program_never_took_was_not_delivered_when_its_pane_closes(
    core: Client, tmp_path: Path
) -> None:
    pane = (await core.open_pane(python(tmp_path, "tty.setraw(0)\nready()\nrest()"))).pane
    await reported(core, pane)
    receipts: list[WriteReceipt] = []

    async def write() -> None:
        receipts.append(await core.write_pane(pane, "x" * 1_000_000))

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            tasks.start_soon(core.close_pane, pane)
    assert [receipt.ticket.status for receipt in receipts] == [Delivery.UNKNOWN]


async def test_two_clients_can_close_the_same_pane_at_once(core: Client, host: RunningHost) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    endings: list[object] = []

    async def close(client: Client) -> None:
        try:
            endings.append((await client.close_pane(pane)).exit)
        except SessionCoreError as error:
            endings.append(error.code)

    async with connect(folder=str(host.folder), start=False) as other:
        with anyio.fail_after(BOUND_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(close, core)
                tasks.start_soon(close, other)
    assert ExitStatus(signal="SIGHUP") in endings
    assert set(endings) <= {ExitStatus(signal="SIGHUP"), Code.NO_SUCH_PANE}


async def test_a_wait_that_races_a_close_is_told_how_it_ended(core: Client) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    outcomes: list[Outcome] = []

    async def wait() -> None:
        outcomes.append((await core.wait([pane], until=Until.EXITED, timeout_s=BOUND_S)).outcome)

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(wait)
        tasks.start_soon(core.close_pane, pane)
    assert outcomes == [Outcome.EXITED] * 10


async def test_sixty_panes_and_failed_starts_leave_no_descriptor_and_no_process(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    broken = executable(tmp_path, "broken", "#!/no/such/interpreter\n")

    async def cycle(number: int) -> None:
        pane = (await core.open_pane(["true"])).pane
        if number % 3:
            await exit_of(core, pane)
        await core.close_pane(pane)
        for command in (["no-such-program-here"], [broken]):
            with pytest.raises(SessionCoreError):
                await core.open_pane(command)

    await cycle(1)
    before = descriptors(host.pid)
    for _ in range(6):
        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(cycle, number)
    assert descriptors(host.pid) <= before
    assert children(host.pid) == []
    assert (await core.list_panes()).panes == ()


async def test_stopping_the_host_ends_the_programs_of_every_pane(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = private_folder(tmp_path_factory)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
    async with connect() as core:
        panes = [await core.open_pane(["sleep", "1000"]) for _ in range(5)]
        pids = [pane.occupant.pid for pane in panes if pane.occupant]
        with anyio.fail_after(BOUND_S):
            await core.stop()
    assert len(pids) == 5
    for pid in (*pids, core.greeting.pid):
        await process_gone(pid)
    await eventually(lambda: left_in(folder) == LEFT)
    assert RunningHost(folder, core.greeting.pid).log == ""
