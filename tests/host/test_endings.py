"""How a pane's process ended, and its last words."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, ExitStatus, Outcome, SessionCoreError, State, Until, connect

from .hosts import RunningHost
from .programs import python
from .waiting import eventually, exit_of, status_eventually

pytestmark = pytest.mark.anyio

_ENDINGS = [
    ("exit 0", ExitStatus(code=0)),
    ("exit 3", ExitStatus(code=3)),
    ("exit 255", ExitStatus(code=255)),
    ("kill -KILL $$", ExitStatus(signal="SIGKILL")),
    ("kill -SEGV $$", ExitStatus(signal="SIGSEGV")),
    ("kill -34 $$", None),
]


@pytest.mark.parametrize(("ending", "expected"), _ENDINGS, ids=[ending for ending, _ in _ENDINGS])
async def test_the_ending_is_told_exactly_and_the_same_to_everybody_who_asks(
    core: Client, host: RunningHost, ending: str, expected: ExitStatus | None
) -> None:
    pane = (await core.open_pane(["sh", "-c", ending])).pane
    first = await exit_of(core, pane)
    if expected is None:
        assert first.code is None
        assert first.signal is not None
        assert first.signal.startswith("SIG")
    else:
        assert first == expected
    async with connect(folder=str(host.folder), start=False) as other:
        answers = [await asking.read_status(pane) for asking in (core, other, core, other)]
        listed = (await other.list_panes()).panes[0]
        assert {answer.exit for answer in (*answers, listed)} == {first}
        assert {answer.life for answer in (*answers, listed)} == {"exited"}
    assert (await core.close_pane(pane)).exit == first


async def test_a_hundred_quick_programs_all_leave_their_text_and_their_code(core: Client) -> None:
    panes: dict[int, str] = {}

    async def run(number: int) -> None:
        panes[number] = (await core.open_pane(["sh", "-c", f"printf tail-%d {number}; exit 7"])).pane

    for begin in range(0, 100, 20):
        async with anyio.create_task_group() as tasks:
            for number in range(begin, begin + 20):
                tasks.start_soon(run, number)
        for number in range(begin, begin + 20):
            assert (await exit_of(core, panes[number])).code == 7
            assert (await core.read_pane(panes[number])).text == f"tail-{number}"
            await core.close_pane(panes[number])


async def test_the_last_line_of_five_megabytes_is_there(core: Client, tmp_path: Path) -> None:
    source = """
        block = b"".join(b"%079d\\n" % number for number in range(1000))
        for _ in range(64):
            say(block)
        say("the very end")
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    assert (await exit_of(core, pane)).code == 0
    text = await core.read_pane(pane, lines=2)
    assert text.text.split("\n")[-1] == "the very end"


async def test_of_the_last_reports_the_finished_stay_and_the_unfinished_go(core: Client) -> None:
    script = (
        r"printf '\033]7501;state=working\033\\\033]7501;state=blocked:id=b\033\\"
        r"\033]7501;state=error:id=e\033\\\033]7501;state=done:id=d:msg=Ynll\033\\'"
    )
    pane = (await core.open_pane(["sh", "-c", script])).pane
    await exit_of(core, pane)
    status = await core.read_status(pane)
    assert [(record.id, record.state) for record in status.records] == [
        ("d", State.DONE),
        ("e", State.ERROR),
    ]
    assert status.records[0].msg == "bye"


async def test_a_program_that_lets_its_terminal_go_has_not_ended(core: Client, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    source = """
        os.mkfifo(sys.argv[1])
        report("state=working")
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        open(sys.argv[1]).read()
        os._exit(5)
    """
    pane = (await core.open_pane(python(tmp_path, source, str(gate)))).pane
    await eventually(gate.exists)
    async with await anyio.open_file(gate, "w"):
        looked = await core.wait([pane], until=Until.EXITED, timeout_s=0)
        assert looked.outcome is Outcome.CHECKIN
    assert (await exit_of(core, pane)).code == 5


async def test_an_ended_pane_can_be_read_but_not_written(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "echo words"])).pane
    await exit_of(core, pane)
    assert (await core.read_pane(pane)).text == "words"
    for call in (
        core.write_pane(pane, "x"),
        core.send_keys(pane, ["Up"]),
        core.send_keystrokes(pane, b"x"),
        core.set_pane(pane, columns=80, rows=24),
    ):
        with pytest.raises(SessionCoreError) as raised:
            await call
        assert raised.value.code == "pane_exited"


async def test_a_new_pane_under_the_name_of_an_ended_one_is_the_one_that_is_meant(core: Client) -> None:
    first = await core.open_pane(["sh", "-c", r"printf '\033]7501;state=done\033\\'"], name="worker")
    await exit_of(core, first.pane)
    assert [record.state for record in (await core.read_status("worker")).records] == [State.DONE]
    second = await core.open_pane(["sh", "-c", "exit 9"], name="worker")
    assert (await exit_of(core, "worker")).code == 9
    status = await core.read_status("worker")
    assert (status.pane, status.records, status.state) == (second.pane, (), "unknown")


async def test_nothing_that_a_left_over_process_says_after_the_exit_is_taken(core: Client, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = (
        f"mkfifo {gate}; trap '' HUP; "
        rf"(read line < {gate}; printf '\033]7501;state=working\033\\said') & exit 0"
    )
    pane = (await core.open_pane(["sh", "-c", script])).pane
    await exit_of(core, pane)
    async with await anyio.open_file(gate, "w") as writer:
        await writer.write("go\n")
    await status_eventually(core, pane, lambda status: not status.held_by_others)
    assert "said" in (await core.read_pane(pane)).text
    assert (await core.read_status(pane)).records == ()
