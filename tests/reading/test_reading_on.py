"""A read that begins at the `end` of the one before loses nothing and repeats nothing."""

import random
from pathlib import Path

import anyio
import pytest

from session_core import Client, SessionCoreError, Until, What

from ..host.programs import python
from ..host.waiting import BOUND_S, reported, status_eventually
from .outputs import NUMBERED, numbered, opened, read_on, read_until, shown_when

pytestmark = pytest.mark.anyio

LINES = 20_000


@pytest.mark.parametrize("seed", [1, 2])
async def test_reads_at_random_moments_put_together_are_the_output(core: Client, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    pane = (await core.open_pane(python(tmp_path, NUMBERED, str(LINES)))).pane
    text, offset, reads = "", 0, 0
    while not text.endswith("LAST\n"):
        read = await read_on(core, pane, offset)
        assert (read.left_out_lines, read.left_out_bytes, read.missed_bytes) == (0, 0, 0)
        assert read.end >= offset
        text, offset, reads = text + read.text, read.end, reads + 1
        for _ in range(dice.randrange(4)):
            await core.read_status(pane)
    assert text.splitlines() == numbered(LINES)
    assert reads > 1


_WHOLE = {
    "é中🙂": "é中🙂",
    "\x1b[38;2;1;2;3mred\x1b[0m": "red",
    "\x1b]8;;http://host/path\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x1bP+q544e\x1b\\x": "x",
    "\x1b]52;c;" + "A" * 9000 + "\x07long": "long",
}


@pytest.mark.parametrize("whole", _WHOLE, ids=["characters", "colour", "link", "query", "long string"])
async def test_a_read_never_splits_a_character_or_a_sequence(core: Client, tmp_path: Path, whole: str) -> None:
    source = f"""
        tty.setraw(0)
        data = {whole!r}.encode()
        ready()
        for at in range(0, len(data), max(1, len(data) // 20)):
            os.read(0, 1)
            say(data[at : at + max(1, len(data) // 20)])
        os.read(0, 1)
        say(".\\r\\n")
        rest()
    """
    pane = await opened(core, tmp_path, source)
    offset, texts = (await core.read_pane(pane)).end, [""]
    while not texts[-1].endswith("\n"):
        before = (await core.read_status(pane)).output_at
        await core.write_pane(pane, "x")
        await status_eventually(core, pane, lambda status, before=before: status.output_at != before)  # type: ignore[misc]
        read = await read_on(core, pane, offset)
        texts.append(read.text)
        offset = read.end
    assert "".join(texts) == _WHOLE[whole] + ".\n"
    # The host's answer to a query is read by the program, which then goes on by itself.
    assert all(text in _WHOLE[whole] + ".\n" for text in texts)


async def test_the_screen_ends_where_a_read_of_what_comes_next_begins(core: Client, tmp_path: Path) -> None:
    pane = await opened(
        core, tmp_path, 'tty.setraw(0)\nsay("before")\nready()\nos.read(0, 1)\nsay(" after\\r\\n")\nrest()'
    )
    screen = await core.read_pane(pane)
    await core.write_pane(pane, "x")
    await shown_when(core, pane, "after")
    assert (await read_on(core, pane, screen.end)).text == " after\n"


async def test_a_frame_that_is_not_whole_is_read_once_and_whole(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        say("still\\r\\n\\x1b[?2026hfirst half,")
        ready()
        os.read(0, 1)
        say(" second half\\x1b[?2026l\\r\\n")
        rest()
    """
    pane = await opened(core, tmp_path, source)
    screen = await core.read_pane(pane)
    assert (screen.text, screen.updating) == ("still", True)
    assert (await read_on(core, pane, screen.end)).text == ""
    await core.write_pane(pane, "x")
    await shown_when(core, pane, "second")
    assert (await read_on(core, pane, screen.end)).text == "first half, second half\n"


async def test_a_line_that_is_not_ended_goes_on_in_the_next_read(core: Client, tmp_path: Path) -> None:
    pieces = ("one\r\n\r\ntwo", " \x1b[0m", "and a half\r\n", "\r\n\x1b[0m", "Password: ")
    source = f"""
        tty.setraw(0)
        for number, piece in enumerate({pieces!r}):
            say(piece)
            ready(f"r{{number}}")
            os.read(0, 1)
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    texts, offset = [], 0
    for number in range(len(pieces)):
        await reported(core, pane, f"r{number}")
        read = await read_on(core, pane, offset)
        texts.append(read.text)
        offset = read.end
        await core.write_pane(pane, "x")
    assert texts == ["one\n\ntwo", " ", "and a half\n", "\n", "Password: "]


async def test_since_a_ticket_comes_what_the_write_led_to(core: Client, tmp_path: Path) -> None:
    source = """
        say("READY\\r\\n")
        ready()
        for line in sys.stdin:
            report("state=working")
            say("heard " + line.strip() + "\\r\\n")
            report("state=done")
    """
    pane = await opened(core, tmp_path, source)
    tickets = []
    for word in ("one", "two"):
        receipt = await core.write_pane(pane, word, submit=True, wait_s=10)
        tickets.append(receipt.ticket.id)
    since = [(await core.read_pane(pane, what=What.SINCE, since=ticket)).text for ticket in tickets]
    assert since[0].splitlines() == ["one", "heard one", "two", "heard two"]
    assert since[1].splitlines() == ["two", "heard two"]


async def test_since_a_revision_comes_all_that_may_be_newer(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        say("old\\r\\n")
        ready()
        os.read(0, 1)
        report("state=working")
        say("new\\r\\n")
        report("state=done")
        rest()
    """
    pane = await opened(core, tmp_path, source)
    before = (await core.read_status(pane)).revision
    await core.write_pane(pane, "x", wait_s=10)
    now = (await core.read_status(pane)).revision
    assert (await core.read_pane(pane, what=What.SINCE, since=before)).text == "new\n"
    assert (await core.read_pane(pane, what=What.SINCE, since=now)).text == ""
    assert (await core.read_pane(pane, what=What.SINCE, since=0)).text == "old\nnew\n"


@pytest.mark.slow
async def test_output_after_a_change_comes_to_whoever_knows_only_that_change(core: Client) -> None:
    """That another program is in front is seen at its first report, and told before what came behind that."""
    pane = (await core.open_pane(["bash"])).pane
    before = (await core.wait([pane])).revision
    reports = r"A\033]7501;state=working\033\\B\033]7501;state=done\033\\C\n"
    await core.write_pane(pane, f"/usr/bin/printf '{reports}'", submit=True)
    with anyio.fail_after(BOUND_S):
        while "ABC" not in (await core.read_pane(pane)).text:
            pass
    revision = (await core.read_status(pane)).revision
    reads = [(await core.read_pane(pane, what=What.SINCE, since=since)).text for since in range(before, revision + 1)]
    assert {"BC", "C"} <= {read.split("\n")[0] for read in reads}
    sizes = [len(read) for read in reads]
    assert sizes == sorted(sizes, reverse=True)


async def test_an_ended_pane_is_read_to_its_last_byte(core: Client) -> None:
    pane = (await core.open_pane(["sh", "-c", "printf 'some\\nlast words'; exit 7"])).pane
    await core.wait([pane], until=Until.EXITED)
    read = await read_on(core, pane)
    assert read.text == "some\nlast words"
    assert (await read_on(core, pane, read.end)).text == ""


@pytest.mark.parametrize("asked", [{"offset": 10**9}, {"since": "t999"}, {}], ids=["offset", "ticket", "nothing"])
async def test_what_is_unknown_is_refused(core: Client, asked: dict[str, int]) -> None:
    pane = (await core.open_pane(["cat"])).pane
    with pytest.raises(SessionCoreError) as raised:
        await core.read_pane(pane, what=What.SINCE, **asked)  # type: ignore[arg-type]
    assert raised.value.code in ("bad_request", "no_such_ticket")
    assert raised.value.next_step


async def test_a_ticket_of_another_pane_or_of_a_held_write_is_refused(core: Client, tmp_path: Path) -> None:
    pane, other = (await core.open_pane(["cat"])).pane, (await core.open_pane(["cat"])).pane
    ticket = (await core.write_pane(other, "x")).ticket.id
    with pytest.raises(SessionCoreError, match="of pane"):
        await core.read_pane(pane, what=What.SINCE, since=ticket)
    await core.send_keystrokes(pane, b"draft")
    held = (await core.write_pane(pane, "y", on_draft="hold")).ticket
    assert held.status == "held"
    with pytest.raises(SessionCoreError, match="held"):
        await core.read_pane(pane, what=What.SINCE, since=held.id)


async def test_several_readers_at_once_read_the_same(core: Client, tmp_path: Path) -> None:
    pane = (await core.open_pane(python(tmp_path, NUMBERED, "3000"))).pane
    texts: list[str] = []

    async def read() -> None:
        texts.append("".join(one.text for one in await read_until(core, pane, "LAST")))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(read)
    assert [text.splitlines() for text in texts] == [numbered(3000)] * 4
