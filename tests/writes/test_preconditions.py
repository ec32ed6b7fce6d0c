"""What a caller demands of the pane is checked at the moment of writing, and nothing is typed where it fails."""

from pathlib import Path

import pytest

from session_core import Client, Code, Delivery

from ..host.waiting import BOUND_S, status_eventually
from .panes import logger, refusal, shell, turns

pytestmark = pytest.mark.anyio


async def test_a_state_that_is_another_refuses(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    error = await refusal(core.write_pane(pane, "never", submit=True, if_state="working"))
    assert error.code is Code.PRECONDITION_FAILED
    assert "working" in error.message
    assert "idle" in error.message
    await core.write_pane(pane, "first done", submit=True, if_state="idle", wait_s=BOUND_S)
    assert (await refusal(core.write_pane(pane, "never", submit=True, if_state="idle"))).code == error.code
    await core.write_pane(pane, "second done", submit=True, if_state="done", wait_s=BOUND_S)
    assert path.read_text().splitlines() == ["first done", "second done"]


async def test_a_turn_since_the_revision_refuses(core: Client, tmp_path: Path) -> None:
    pane, path = await turns(core, tmp_path)
    seen = (await core.read_status(pane)).revision
    await core.set_pane(pane, columns=90, rows=30)
    await core.write_pane(pane, "first done", submit=True, if_revision=seen, wait_s=BOUND_S)
    error = await refusal(core.write_pane(pane, "never", submit=True, if_revision=seen))
    assert error.code is Code.PRECONDITION_FAILED
    assert str(seen) in error.message
    now = (await core.read_status(pane)).revision
    await core.write_pane(pane, "second done", submit=True, if_revision=now, wait_s=BOUND_S)
    assert path.read_text().splitlines() == ["first done", "second done"]


async def test_another_program_in_front_refuses(core: Client) -> None:
    pane = await shell(core)
    bash = await status_eventually(core, pane, lambda status: status.occupant is not None)
    assert bash.occupant is not None
    await core.write_pane(pane, "sleep 100", submit=True, if_occupant="bash")
    sleeping = await status_eventually(
        core, pane, lambda status: status.occupant is not None and status.occupant.name == "sleep"
    )
    assert sleeping.occupant is not None
    for wanted in ("bash", str(bash.occupant.pid), "slee", ""):
        error = await refusal(core.send_keys(pane, ["C-c"], if_occupant=wanted))
        assert error.code is Code.PRECONDITION_FAILED
    assert (await core.read_status(pane)).occupant == sleeping.occupant
    await core.send_keys(pane, ["C-c"], if_occupant=str(sleeping.occupant.pid))
    await status_eventually(core, pane, lambda status: status.occupant == bash.occupant)


async def test_the_callers_own_pane_refuses(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    for call in (
        core.write_pane(program.pane, "me", from_pane=program.pane),
        core.send_keys(program.pane, ["Enter"], from_pane=program.pane),
        core.write_pane(program.pane, "me", from_pane=program.pane, on_draft="hold", when="settled"),
    ):
        assert (await refusal(call)).code is Code.OWN_PANE
    await core.write_pane(program.pane, "other", from_pane="p999")
    await program.got(b"other")


async def test_a_held_write_is_checked_again_at_its_delivery(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path, then=r"\x1b]7501;state=done\x07")
    await core.send_keystrokes(program.pane, b"x")
    held = (await core.write_pane(program.pane, "never", on_draft="hold", if_state="idle")).ticket
    assert held.status is Delivery.HELD
    await core.send_keystrokes(program.pane, b"\x07")
    ended = await core.wait([program.pane], since=held.id, timeout_s=BOUND_S)
    assert ended.outcome == "not_delivered"
    assert (await core.held_writes(program.pane)).tickets == ()
    await program.got(b"x")


async def test_only_the_states_that_a_pane_can_have_may_be_demanded(core: Client, tmp_path: Path) -> None:
    program = await logger(core, tmp_path)
    assert (await refusal(core.write_pane(program.pane, "x", if_state="asleep"))).code is Code.BAD_REQUEST
