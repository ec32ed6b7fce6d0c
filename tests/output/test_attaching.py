"""A person who attaches at any moment, also amid a sequence or a frame, sees what the program shows."""

from pathlib import Path

import pytest

from session_core import Client

from ..attach.viewers import viewer
from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import reported
from .showing import read_when

pytestmark = pytest.mark.anyio

_KEY = b"\x07"
_FRAME = b"\x1b[?2026h"
_CUTS = {
    "a_pen": (b"a\x1b[3", b"1mred", "ared"),
    "a_title": (b"a\x1b]0;ti", b"tle\x07b", "ab"),
    "the_end_of_a_title": (b"a\x1b]0;title\x1b", b"\\b", "ab"),
    "a_lone_escape": (b"a\x1b", b"[1mb", "ab"),
    "a_character": (b"a\xe4\xb8", b"\xadb", "a中b"),
    "an_image": (b"a\x1b_Ga=q;AA", b"AA\x1b\\b", "ab"),
    "a_write_to_the_clipboard": (b"a\x1b]52;c;ZX", b"Zp\x07b", "ab"),
    "the_start_of_one": (b"a\x1b]5", b"2;c;ZXZp\x07b", "ab"),
    "a_frame": (b"before\x1b[?2026h\x1b[2J", b"\x1b[Hafter\x1b[?2026l", "after"),
    "a_sequence_in_a_frame": (b"before\x1b[?2026h\x1b[2J\x1b[", b"Hafter\x1b[?2026l", "after"),
    "a_clipboard_in_a_frame": (b"before\x1b[?2026h\x1b[2J\x1b[Ha\x1b]52;c;Z", b"XZp\x07b\x1b[?2026l", "ab"),
    "a_frame_that_has_asked": (b"before\x1b[?2026h\x1b[2J\x1b[?99n\x1b[Haf", b"ter\x1b[?2026l", "after"),
    "nothing": (b"a", b"b", "ab"),
}


_PIECES = r"""
    # Says an argument at each key, and nothing else.
    tty.setraw(0)
    ready()
    for piece in sys.argv[1:]:
        os.read(0, 1)
        say(bytes.fromhex(piece))
    rest()
"""


def _whole(said: bytes) -> int:
    """How much of it a reader can go on from: what comes before a sequence or frame that is not complete."""
    return len(said.partition(b"h")[0]) + 1 if _FRAME in said else 1


@pytest.mark.parametrize("cut", _CUTS)
async def test_what_was_begun_before_the_attachment_is_gone_on_with(
    core: Client, host: RunningHost, tmp_path: Path, cut: str
) -> None:
    first, second, text = _CUTS[cut]
    pane = (await core.open_pane(python(tmp_path, _PIECES, first.hex(), second.hex()))).pane
    await reported(core, pane)
    begun = (await core.read_pane(pane)).end
    async with viewer(host, pane) as early:
        await core.send_keystrokes(pane, _KEY)
        await read_when(core, pane, lambda read: read.end == begun + _whole(first))
        async with viewer(host, pane) as late:
            await core.send_keystrokes(pane, _KEY)
            await early.text_is(text)
            await late.text_is(text)
            assert b"]52" not in early.first + early.output + late.first + late.output


@pytest.mark.parametrize("cut", _CUTS)
async def test_what_was_begun_while_nobody_looked_is_gone_on_with(
    core: Client, host: RunningHost, tmp_path: Path, cut: str
) -> None:
    first, second, text = _CUTS[cut]
    pane = (await core.open_pane(python(tmp_path, _PIECES, first.hex(), second.hex()))).pane
    await reported(core, pane)
    begun = (await core.read_pane(pane)).end
    await core.send_keystrokes(pane, _KEY)
    await read_when(core, pane, lambda read: read.end == begun + _whole(first))
    async with viewer(host, pane) as late:
        await core.send_keystrokes(pane, _KEY)
        await late.text_is(text)
        assert b"]52" not in late.first + late.output
