"""Output that is no longer kept is counted in bytes, and what is left begins with a whole line."""

from pathlib import Path

import pytest

from session_core import Client, What

from ..host.hosts import RunningHost
from ..host.waiting import reported
from .outputs import READ_BYTES, opened, read_on, shown_when

pytestmark = pytest.mark.anyio

KEPT = 1024 * 1024
LINE_BYTES = 12
COUNT = 3 * KEPT // LINE_BYTES
_LINES = """
    tty.setraw(0)
    first = 1
    while True:
        last = first + int(sys.argv[1])
        say("".join(f"\\x1b[m{number:07}\\r\\n" for number in range(first, last)))
        ready(f"r{last}")
        first = last
        os.read(0, 1)
"""


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """One MiB of output a pane."""
    return {"PANEBRIDGE_OUTPUT_MIB": "1"}


async def _pane(core: Client, folder: Path, count: int = COUNT) -> str:
    return await opened(core, folder, _LINES, str(count), sign=f"r{count + 1}")


async def test_a_read_from_the_beginning_says_how_many_bytes_are_gone(core: Client, tmp_path: Path) -> None:
    pane = await _pane(core, tmp_path)
    read = await core.read_pane(pane, what=What.SINCE, offset=0, max_bytes=READ_BYTES)
    lines = read.text.splitlines()
    assert lines[-1] == f"{COUNT:07}"
    assert all(len(line) == 7 for line in lines)
    lost = COUNT - read.left_out_lines - len(lines)
    assert read.missed_bytes == lost * LINE_BYTES
    assert KEPT - LINE_BYTES < read.end - read.missed_bytes <= KEPT


async def test_reading_on_after_too_much_came_counts_what_is_gone(core: Client, tmp_path: Path) -> None:
    pane = await _pane(core, tmp_path)
    first = await read_on(core, pane)
    await core.write_pane(pane, "x")
    await reported(core, pane, f"r{2 * COUNT + 1}")
    second = await read_on(core, pane, first.end)
    lines = second.text.splitlines()
    lost = COUNT - second.left_out_lines - len(lines)
    assert (lines[-1], second.missed_bytes) == (f"{2 * COUNT:07}", lost * LINE_BYTES)
    assert lost > 0


async def test_a_position_that_is_kept_loses_nothing_when_older_output_goes(core: Client, tmp_path: Path) -> None:
    count = KEPT // LINE_BYTES // 2
    pane = await _pane(core, tmp_path, count)
    for round_ in range(2, 7):
        before = await core.read_pane(pane)
        await core.write_pane(pane, "x")
        await reported(core, pane, f"r{round_ * count + 1}")
        read = await core.read_pane(pane, what=What.SINCE, offset=before.end, max_bytes=READ_BYTES)
        assert read.missed_bytes == 0
        assert read.left_out_lines + len(read.text.splitlines()) == count


async def test_the_output_of_a_command_that_is_partly_gone_keeps_its_end(core: Client) -> None:
    pane = (await core.open_pane(["bash"])).pane
    ran = await core.run_command(pane, "seq 1 300000")
    assert ran.exit_code == 0
    assert ran.output.endswith("299999\n300000")
    read = await core.read_pane(pane, what=What.COMMAND, max_bytes=50)
    assert read.text.splitlines()[-1] == "300000"
    assert read.command is not None
    assert read.command.end is not None
    size = read.command.end - read.command.begin
    # What the shell has printed since is kept as well.
    assert KEPT - 1000 < size - read.missed_bytes <= KEPT
    first = (await core.run_command(pane, "echo short")).output
    assert first == "short"
    gone = await core.read_pane(pane, what=What.COMMAND, number=1)
    assert gone.text.endswith("300000")


async def test_a_command_that_is_gone_altogether_says_so(core: Client) -> None:
    pane = (await core.open_pane(["bash"])).pane
    await core.run_command(pane, "echo first")
    await core.run_command(pane, "seq 1 300000 >/dev/tty")
    read = await core.read_pane(pane, what=What.COMMAND, number=1)
    assert (read.text, read.missed_bytes) == ("", len("first\r\n"))


async def test_the_file_of_a_pane_is_its_own_and_goes_with_it(core: Client, host: RunningHost, tmp_path: Path) -> None:
    pane = await opened(core, tmp_path, 'say("kept\\r\\n")\nready()\nrest()')
    await shown_when(core, pane, "kept")
    file = host.folder / "state" / "output" / pane
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"kept" in file.read_bytes()
    assert (await core.read_status(pane)).not_durable is False
    await core.close_pane(pane)
    assert not file.exists()
