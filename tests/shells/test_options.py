"""Who gets shell integration, how it is switched off, and that the nonce stays between the shell and the host."""

import base64
from dataclasses import asdict
from pathlib import Path

import anyio
import pytest

from session_core import Client, PaneStatus, Until
from session_core.host import host as host_module

from ..attach.viewers import viewer
from ..cli.commands import Panebridge
from ..host.hosts import RunningHost
from ..host.programs import executable
from ..host.waiting import BOUND_S, eventually, status_when
from .shells import opened, shell, write_files

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def _environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"} | more


async def _answers(core: Client, pane: str) -> PaneStatus:
    """Have a shell print something; return the status after it."""
    await core.write_pane(pane, "echo an''swers", submit=True)
    with anyio.fail_after(BOUND_S):
        while "answers" not in (await core.read_pane(pane)).text:
            await core.wait([pane], until=Until.CHANGE, timeout_s=0.05)
    return await core.read_status(pane)


def _at_prompt(status: PaneStatus) -> bool:
    return status.last_command is not None and status.shell == "prompt"


async def test_a_shell_that_a_client_opens_has_a_signal_and_tells_its_commands(
    core: Client, name: str, home: Path
) -> None:
    status = await core.open_pane([name], folder=str(home), environment=_environment(home))
    await status_when(core, status.pane, lambda status: status.shell == "prompt")
    receipt = await core.write_pane(status.pane, "sh -c 'exit 3'", submit=True, wait_s=BOUND_S)
    assert receipt.wait is not None
    assert (receipt.wait.outcome, receipt.wait.panes[0].state) == ("settled", "idle")
    status = await status_when(core, status.pane, _at_prompt)
    assert status.command == (name,)
    assert status.last_command is not None
    assert (status.last_command.line, status.last_command.exit_code) == ("sh -c 'exit 3'", 3)


async def test_the_call_may_switch_it_off(core: Client, name: str, home: Path) -> None:
    status = await core.open_pane([name], folder=str(home), environment=_environment(home), shell_integration=False)
    status = await _answers(core, status.pane)
    assert (status.signal, status.last_command) == ("none", None)


@pytest.mark.parametrize(("value", "signal"), [("0", "none"), ("1", "prompt"), ("", "prompt")])
async def test_the_environment_may_switch_it_off(core: Client, home: Path, value: str, signal: str) -> None:
    environment = _environment(home, PANEBRIDGE_SHELL_INTEGRATION=value)
    status = await core.open_pane(["bash"], folder=str(home), environment=environment)
    assert (await _answers(core, status.pane)).signal == signal


async def test_a_shell_started_otherwise_than_plainly_is_left_alone(core: Client, home: Path) -> None:
    for command in (["bash", "--norc"], ["bash", "--rcfile", "/dev/null"], ["bash", "-i", "-s"], ["sh"]):
        status = await core.open_pane(command, folder=str(home), environment=_environment(home))
        assert (await _answers(core, status.pane)).signal == "none"


async def test_a_program_that_is_no_shell_gets_nothing_of_it(core: Client, home: Path) -> None:
    command = [executable(home, "program", "#!/bin/sh\nenv > seen.part\nmv seen.part seen\nexec cat\n")]
    await core.open_pane(command, folder=str(home), environment=_environment(home))
    await eventually((home / "seen").exists)
    assert "NONCE" not in (home / "seen").read_text()


async def test_a_shell_starts_without_it_where_the_scripts_cannot_be_read(
    name: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_module, "SCRIPTS", home / "gone")
    async with opened([name], home) as running:
        running.keys("echo one; echo tw''o\r")
        await running.sees("two")
        assert running.live.status(look=True).signal.value == "none"
        assert b"gone" not in running.output


async def test_each_pane_has_a_nonce_of_its_own(name: str, home: Path) -> None:
    async with shell(name, home) as one, shell(name, home) as two:
        assert one.nonce != two.nonce


async def test_marks_of_another_pane_are_forged(home: Path) -> None:
    async with shell("bash", home) as one, shell("bash", home) as two:
        await one.run(rf"printf '\033]133;D;9;nonce={two.nonce}\007'")
        assert one.live.model.marks.forged == 1
        assert one.newest.exit_code == 0


async def test_the_nonce_is_in_no_result_and_no_log(core: Client, host: RunningHost, home: Path) -> None:
    pane = (await core.open_pane(["bash"], folder=str(home), environment=_environment(home))).pane
    status = await status_when(core, pane, lambda status: status.shell == "prompt")
    assert status.occupant is not None
    nonce = _nonce_of(status.occupant.pid)
    await core.write_pane(pane, "true", submit=True)
    status = await status_when(core, pane, _at_prompt)
    shown = await core.read_pane(pane, lines=1000)
    listed = await core.list_panes()
    waited = await core.wait([pane], timeout_s=BOUND_S)
    for result in (status, shown, listed, waited):
        assert nonce not in str(asdict(result))
    assert nonce not in host.log


def _nonce_of(pid: int) -> str:
    for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        key, _, value = variable.partition(b"=")
        if key == b"PANEBRIDGE_SHELL_NONCE":
            return value.decode()
    raise AssertionError(f"process {pid} was given no nonce")


async def test_viewers_get_everything_but_the_signed_marks(core: Client, host: RunningHost, home: Path) -> None:
    pane = (await core.open_pane(["bash"], folder=str(home), environment=_environment(home))).pane
    status = await status_when(core, pane, lambda status: status.shell == "prompt")
    assert status.occupant is not None
    nonce = _nonce_of(status.occupant.pid).encode()
    async with viewer(host, pane) as person:
        await person.send(b"echo $((40 + 2)) seen\r")
        await status_when(core, pane, _at_prompt)
        await core.set_pane(pane, columns=90, rows=30)
        await eventually(lambda: b"42 seen" in person.output and bool(person.screens))
        for data in (person.first, person.output, *(base64.b64decode(news.data) for news in person.screens)):
            assert nonce not in data
            assert b"\x1b]133;" not in data
        await person.text_is((await core.read_pane(pane)).text)


async def test_viewers_of_a_shell_with_marks_of_its_own_get_them(core: Client, host: RunningHost, home: Path) -> None:
    write_files(home, {"rc": r"PS1='\[\e]133;A\a\]mine> '" + "\n"})
    command = ["bash", "--rcfile", str(home / "rc")]
    pane = (await core.open_pane(command, folder=str(home), environment=_environment(home))).pane
    await status_when(core, pane, lambda status: status.shell == "prompt")
    async with viewer(host, pane) as person:
        await person.send(b"echo $((40 + 2)) seen\r")
        await eventually(lambda: b"42 seen" in person.output and b"\x1b]133;A\x07" in person.output)


async def test_the_command_line_may_switch_it_off(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("r")
    folder.chmod(0o700)
    panebridge = Panebridge(str(folder))
    try:
        for options, signal in ((["--no-shell-integration"], "none"), ([], "prompt")):
            pane = panebridge("run", *options, "--", "bash", HOME=str(home)).out.strip()
            panebridge("send", pane, "echo $((40 + 2)) answers")
            await anyio.to_thread.run_sync(panebridge.text_when, pane, "42 answers")
            status = panebridge.json("status", pane)
            assert status["signal"] == signal
        assert "last run  echo $((40 + 2)) answers (exit code 0)" in panebridge("status", pane).out
    finally:
        panebridge("stop")
