"""A new size reaches the kernel, the program and the screen, once."""

import json
from pathlib import Path

import pytest

from session_core import Client, SessionCoreError

from .programs import python
from .waiting import eventually, reported, status_when

pytestmark = pytest.mark.anyio

_SIZES = """
    sizes = []
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
    signal.signal(signal.SIGWINCH, lambda *_: None)
    say("kept")
    ready()
    while True:
        signal.sigwait([signal.SIGWINCH])
        sizes.append(list(os.get_terminal_size(0)))
        json.dump(sizes, open(sys.argv[1] + ".new", "w"))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        ready(f"s{len(sizes)}")
"""


async def test_each_new_size_is_signalled_once_and_the_same_size_not_at_all(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _SIZES, str(tmp_path / "sizes")))).pane
    await reported(core, pane)
    changed = await core.set_pane(pane, columns=90, rows=30)
    assert (changed.columns, changed.rows) == (90, 30)
    await reported(core, pane, "s1")
    same = await core.set_pane(pane, columns=90, rows=30)
    assert same.revision == (await core.read_status(pane)).revision
    await core.set_pane(pane, columns=100, rows=20)
    await reported(core, pane, "s2")
    assert json.loads((tmp_path / "sizes").read_text()) == [[90, 30], [100, 20]]
    screen = await core.read_pane(pane)
    assert (screen.columns, screen.rows, screen.text) == (100, 20, "kept")


async def test_after_many_sizes_at_once_all_agree_on_the_last(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _SIZES, str(tmp_path / "sizes")))).pane
    await reported(core, pane)
    for columns in range(81, 131):
        await core.set_pane(pane, columns=columns, rows=40)
    await status_when(core, pane, lambda _: (tmp_path / "sizes").exists() and _last(tmp_path / "sizes") == [130, 40])
    assert (await core.read_pane(pane)).columns == 130


def _last(path: Path) -> object:
    return json.loads(path.read_text())[-1]


async def test_a_shell_prints_for_the_new_size(core: Client) -> None:
    script = (
        r"""r() { printf '\033]7501;state=idle:id=%s\033\\' "$1"; }; """
        "trap 'stty size; r new' WINCH; r ready; while :; do sleep 0.01; done"
    )
    pane = (await core.open_pane(["bash", "-c", script])).pane
    await reported(core, pane)
    await core.set_pane(pane, columns=66, rows=22)
    await reported(core, pane, "new")
    assert "22 66" in (await core.read_pane(pane)).text


@pytest.mark.parametrize(("columns", "rows"), [(1, 24), (80, 1), (0, 0), (1001, 24), (80, -1)])
async def test_a_size_out_of_bounds_is_refused(core: Client, columns: int, rows: int) -> None:
    pane = (await core.open_pane(["sleep", "1000"])).pane
    with pytest.raises(SessionCoreError) as raised:
        await core.set_pane(pane, columns=columns, rows=rows)
    assert raised.value.code == "bad_request"
    with pytest.raises(SessionCoreError) as raised:
        await core.open_pane(["true"], columns=columns, rows=rows)
    assert raised.value.code == "bad_request"
    assert [(pane.columns, pane.rows) for pane in (await core.list_panes()).panes] == [(120, 40)]


async def test_the_same_size_between_others_is_signalled_no_second_time(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, _SIZES, str(tmp_path / "sizes")), columns=80, rows=24)).pane
    await reported(core, pane)
    for columns, rows in ((120, 40), (120, 40), (100, 30)):
        await core.set_pane(pane, columns=columns, rows=rows)
    await eventually(lambda: (tmp_path / "sizes").exists() and _last(tmp_path / "sizes") == [100, 30])
    assert len(json.loads((tmp_path / "sizes").read_text())) <= 2
    screen = await core.read_pane(pane)
    assert (screen.columns, screen.rows) == (100, 30)


async def test_one_side_alone_can_be_set(core: Client) -> None:
    pane = (await core.open_pane(["sleep", "1000"], columns=80, rows=24)).pane
    wider = await core.set_pane(pane, columns=90)
    assert (wider.columns, wider.rows) == (90, 24)
    higher = await core.set_pane(pane, rows=30)
    assert (higher.columns, higher.rows) == (90, 30)


async def test_text_that_still_fits_is_kept(core: Client, tmp_path: Path) -> None:
    source = 'say("\\r\\n".join(f"line {n}" for n in range(1, 11)))\nready()\nrest()'
    pane = (await core.open_pane(python(tmp_path, source), columns=80, rows=24)).pane
    await reported(core, pane)
    text = (await core.read_pane(pane)).text
    assert text == "\n".join(f"line {n}" for n in range(1, 11))
    for columns, rows in ((40, 12), (200, 50), (10, 10), (80, 24)):
        await core.set_pane(pane, columns=columns, rows=rows)
        assert (await core.read_pane(pane)).text == text


async def test_the_program_has_its_terminal_as_its_own_and_keys_signal_it(core: Client) -> None:
    pane = (await core.open_pane(["bash"])).pane
    terminal = await core.run_command(pane, "tty; ps -o tty= -p $$; stty size")
    name, seen, size = (line.strip() for line in terminal.output.splitlines())
    assert name == f"/dev/{seen}"
    assert size == "40 120"
    await core.write_pane(pane, "cat", submit=True)
    await status_when(core, pane, lambda status: status.shell == "command")
    interrupted = await core.send_keys(pane, ["C-c"])
    await core.wait([pane], since=interrupted.ticket.id)
    assert (await core.read_status(pane)).last_exit_code == 130
