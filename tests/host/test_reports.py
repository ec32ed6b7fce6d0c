"""What a program declares arrives whole, however its bytes are cut."""

from pathlib import Path

import pytest

from session_core import Client, State

from .programs import python
from .waiting import exit_of, reported

pytestmark = pytest.mark.anyio

_CUT = """
    end = sys.argv[1].encode().decode("unicode_escape")
    def whole(cut):
        return f"left\\x1b]7501;state=working:id=c{cut:03}:app=build:msg=dGljaw=={end}right\\r\\n".encode()
    for cut in range(1, len(whole(0))):
        say(whole(cut)[:cut])
        time.sleep(0.001)
        say(whole(cut)[cut:])
    report(f"state=done:id=n{len(whole(0)) - 1}")
    ready()
    rest()
"""


@pytest.mark.parametrize("end", [r"\x1b\\", r"\x07"], ids=["st", "bel"])
async def test_a_report_cut_at_any_byte_is_the_same_record_and_leaves_no_trace(
    core: Client, tmp_path: Path, end: str
) -> None:
    pane = await core.open_pane(python(tmp_path, _CUT, end), rows=100)
    status = await reported(core, pane.pane)
    records = [record for record in status.records if record.id.startswith("c")]
    count = int(next(record.id[1:] for record in status.records if record.id.startswith("n")))
    assert [record.id for record in records] == [f"c{cut:03}" for cut in range(1, count + 1)]
    assert {(record.state, record.app, record.msg) for record in records} == {(State.WORKING, "build", "tick")}
    assert status.rejected_reports == 0
    assert (await core.read_pane(pane.pane)).text == "\n".join(["leftright"] * count)


async def test_a_report_sent_byte_by_byte_is_taken_and_what_follows_it_is_obeyed(core: Client, tmp_path: Path) -> None:
    source = """
        for byte in b"left\\x1b]7501;state=working:app=build:msg=dGljaw==\\x07\\x1b[3Cright":
            say(bytes([byte]))
            time.sleep(0.001)
        ready()
        rest()
    """
    pane = await core.open_pane(python(tmp_path, source))
    status = await reported(core, pane.pane)
    root = status.records[0]
    assert (status.root, root.app, root.msg) == (State.WORKING, "build", "tick")
    assert (await core.read_pane(pane.pane)).text == "left   right"


async def test_a_message_cut_inside_its_base64_keeps_its_characters(core: Client, tmp_path: Path) -> None:
    source = """
        whole = b"\\x1b]7501;state=done:msg=aMOpbGxvIOKckw==\\x1b\\\\\\\\"
        say(whole[:28])
        time.sleep(0.01)
        say(whole[28:])
        ready()
        rest()
    """
    pane = await core.open_pane(python(tmp_path, source))
    assert (await reported(core, pane.pane)).records[0].msg == "héllo ✓"


async def test_characters_cut_between_writes_are_shown_whole(core: Client, tmp_path: Path) -> None:
    source = """
        for character in "é中🙂":
            data = character.encode()
            for cut in range(1, len(data)):
                say(data[:cut])
                time.sleep(0.002)
                say(data[cut:])
        say("\\r\\n")
        lines = ("\\u2500" * 4000).encode()
        for start in range(0, len(lines), 4097):
            say(lines[start : start + 4097])
        ready()
        rest()
    """
    pane = await core.open_pane(python(tmp_path, source), columns=100, rows=60)
    await reported(core, pane.pane)
    first, *rest = (await core.read_pane(pane.pane, max_bytes=20_000)).text.split("\n")
    assert first == "é中中🙂🙂🙂"
    assert "".join(rest) == "─" * 4000


async def test_half_a_character_at_the_end_harms_nothing(core: Client) -> None:
    pane = await core.open_pane(["sh", "-c", r"printf 'x\342\224'"])
    assert (await exit_of(core, pane.pane)).code == 0
    assert (await core.read_pane(pane.pane)).text.rstrip("\N{REPLACEMENT CHARACTER}") == "x"


async def test_a_malformed_report_is_counted_and_changes_nothing(core: Client, tmp_path: Path) -> None:
    source = r"""
        report("state=working")
        report("state=done:id=a//b")
        report("state=asleep")
        ready()
        rest()
    """
    pane = await core.open_pane(python(tmp_path, source))
    status = await reported(core, pane.pane)
    assert [(record.id, record.state) for record in status.records] == [
        ("", State.WORKING),
        ("ready", State.IDLE),
    ]
    assert status.rejected_reports == 2


async def test_never_reported_resting_finished_and_ended_panes_look_different(core: Client, tmp_path: Path) -> None:
    silent = await core.open_pane(["sleep", "100"])
    resting = await core.open_pane(python(tmp_path, 'report("state=idle")\nready()\nrest()'))
    finished = await core.open_pane(
        python(tmp_path, 'report("state=working")\nreport("state=done:msg=b2s=")\nready()\nrest()')
    )
    ended = await core.open_pane(python(tmp_path, 'report("state=working")\nsys.exit(3)'))
    await reported(core, resting.pane)
    await reported(core, finished.pane)
    await exit_of(core, ended.pane)
    panes = {pane.pane: pane for pane in (await core.list_panes()).panes}
    assert (panes[silent.pane].state, panes[silent.pane].signal) == ("unknown", "none")
    assert (panes[resting.pane].state, panes[resting.pane].signal) == ("idle", "declared")
    assert (panes[finished.pane].state, panes[finished.pane].records[0].msg) == ("done", "ok")
    assert (panes[ended.pane].life, panes[ended.pane].exit) == ("exited", await exit_of(core, ended.pane))
    assert panes[ended.pane].records == ()
    counts = [panes[pane.pane].changes for pane in (silent, resting, finished)]
    assert counts == sorted(set(counts))
