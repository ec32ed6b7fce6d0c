"""A turn that a person interrupts and whose program says nothing of it: no guess, but all that tells a reader."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, KeyKind, Life, Observed, Outcome
from session_core.model.changes import Revisions
from session_core.model.outcomes import WaitResult, WaitSpec
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.waits import Waits
from session_core.protocol.events import EventStream

from ..host.waiting import BOUND_S, status_when
from .programs import open_puppet
from .waiting import shows

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("key", "kind"), [(b"\x1b", KeyKind.ESCAPE), (b"\x03", KeyKind.INTERRUPT)])
async def test_the_answer_carries_the_age_of_the_record_the_last_key_and_the_last_output(
    core: Client, tmp_path: Path, strings: tuple[str, int], key: bytes, kind: KeyKind
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working:app=agent")
    status = await status_when(core, puppet.pane, lambda status: status.state == "working")
    await core.send_keystrokes(puppet.pane, key)
    puppet.say("cancelled\r\n> ")
    await shows(core, puppet.pane, "cancelled")
    answers = [await core.wait([puppet.pane], since=since, timeout_s=0.05) for since in (None, status.revision)]
    for looked in answers:
        (outcome,) = looked.panes
        assert (looked.outcome, outcome.state) == (Outcome.CHECKIN, Observed.WORKING)
        assert outcome.record is not None
        assert outcome.key is kind
        assert outcome.key_at is not None
        assert outcome.output_at is not None
        assert outcome.record.at <= outcome.key_at <= outcome.output_at
    assert (await core.read_status(puppet.pane)).state == "working"


async def test_a_person_s_escape_through_a_terminal_is_told_as_such(
    core: Client, tmp_path: Path, strings: tuple[str, int]
) -> None:
    puppet = await open_puppet(core, tmp_path, strings)
    puppet.report("state=working")
    await status_when(core, puppet.pane, lambda status: status.state == "working")
    async with core.attach(puppet.pane, columns=80, rows=24, person="ada") as viewing:
        await viewing.send_input(b"\x1b")
        with anyio.fail_after(BOUND_S):
            while (await core.read_status(puppet.pane)).keystroke is None:  # noqa: ASYNC110 - nothing announces it
                await anyio.sleep(0.005)
    looked = await core.wait([puppet.pane], timeout_s=0)
    assert (looked.outcome, looked.panes[0].key) == (Outcome.CHECKIN, KeyKind.ESCAPE)


@pytest.mark.parametrize("state", ["working", "blocked"])
def test_no_hour_of_silence_changes_a_record(state: str) -> None:
    pane = PaneModel(PaneSpec(pane="p1", name=None, command=("x",), columns=80, rows=24), Revisions(), 0.0)
    pane.live(Life.RUNNING, 0.0)
    waits = Waits({"p1": pane})
    for event in EventStream().feed(f"\x1b]7501;state={state}\x1b\\".encode()):
        pane.take(event.meaning, 7, 1.0)
    before = pane.status()
    since = before.revision
    numbers = [waits.begin(WaitSpec(panes=("p1",), since=since), float(now), now + 45.0, since) for now in range(1, 9)]
    assert not any(isinstance(number, WaitResult) for number in numbers)
    ended = [result.outcome for now in range(3600) for _, result in waits.expire(float(now), since)]
    assert (ended, waits.next_time()) == ([Outcome.CHECKIN] * len(numbers), None)
    assert pane.status() == before
