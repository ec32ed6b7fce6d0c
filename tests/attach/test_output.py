"""Output reaches every viewer; one that does not read loses some, holds up nobody, and gets the screen anew."""

import base64
from pathlib import Path
from typing import Any

import anyio
import pytest

from session_core import Client, ViewerOutput, ViewerScreen

from ..host.hosts import RunningHost
from ..host.programs import python
from ..host.waiting import BOUND_S, eventually, reported
from ..host.wire import notice, wire
from ..writes.panes import logger
from .viewers import News, painted, shown, viewer

pytestmark = pytest.mark.anyio

_FLOOD = r"""
    # Waits for a key, then writes far more than a viewer may leave unread.
    tty.setraw(0)
    ready()
    os.read(0, 1)
    for number in range(40000):
        say(f"line {number:06} " + "-" * 60 + "\r\n")
    say("the end")
    ready("flooded")
    rest()
"""


async def test_output_arrives_whole_and_in_order_at_each_viewer(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = r"""
        tty.setraw(0)
        ready()
        while True:
            say("<" + os.read(0, 100).decode() + ">")
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with viewer(host, pane) as one, viewer(host, pane, read_only=True) as two:
        for number in range(100):
            await core.write_pane(pane, f"{number},")
            await eventually(lambda n=number: f"{n}," in one.output.decode())  # type: ignore[misc]
        await eventually(lambda: two.output == one.output)
        assert one.output.decode().replace("<", "").replace(">", "") == "".join(f"{n}," for n in range(100))
        assert one.screens == two.screens == []
        await one.text_is((await core.read_pane(pane)).text)


async def test_what_came_before_the_attachment_and_what_comes_after_meet_without_a_gap(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = r"""
        tty.setraw(0)
        ready()
        for number in range(20000):
            say(f"{number} ")
        ready("through")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source), columns=100, rows=30)).pane
    async with viewer(host, pane) as one, viewer(host, pane) as two:
        await reported(core, pane, "through")
        text = (await core.read_pane(pane)).text
        await one.text_is(text)
        await two.text_is(text)


async def test_a_viewer_that_does_not_read_gets_the_screen_anew_and_holds_up_nobody(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    pane = (await core.open_pane(python(tmp_path, _FLOOD), columns=80, rows=24)).pane
    await reported(core, pane)
    async with wire(host.socket) as stuck, viewer(host, pane) as reading:
        attached = (await stuck.call("attach", pane=pane))["result"]
        await reading.send(b"\x0c")
        await reported(core, pane, "flooded")
        text = (await core.read_pane(pane)).text
        assert text.endswith("the end")
        await reading.text_is(text)
        free = await logger(core, tmp_path)
        await core.write_pane(free.pane, "free")
        await free.got(b"free")
        news = await _caught_up(stuck, text, attached)
    assert any(isinstance(one, ViewerScreen) for one in news)
    assert sum(len(one.data) for one in news if isinstance(one, ViewerOutput)) < 40000 * 73
    assert [item.viewer for item in news if not isinstance(item, ViewerScreen | ViewerOutput)] == []


async def _caught_up(stuck: Any, text: str, attached: dict[str, Any]) -> list[News]:
    """Read a viewer's news until they show `text`."""
    news: list[News] = []
    kinds: dict[str, Any] = {"viewer_output": ViewerOutput, "viewer_screen": ViewerScreen}
    size = attached["columns"], attached["rows"]
    with anyio.fail_after(BOUND_S):
        while True:
            message = await stuck.receive()
            news.append(kinds[message["method"]](**message["params"]))
            if isinstance(news[-1], ViewerScreen) and shown(size, base64.b64decode(attached["data"]), news) == text:
                return news


async def test_output_of_the_alternate_screen_and_back_is_followed(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, modes=r"main\x1b[?1049h\x1b[Halt", then=r"\x1b[?1049l")
    async with viewer(host, program.pane) as one:
        await one.text_is("alt")
        await one.send(b"\x07")
        await one.text_is("main")


async def test_a_viewer_that_has_detached_gets_nothing_more_and_can_attach_again(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    program = await logger(core, tmp_path, then="after")
    async with wire(host.socket) as client:
        first = (await client.call("attach", pane=program.pane))["result"]["viewer"]
        await client.send(notice("detach", viewer=first))
        await core.send_keystrokes(program.pane, b"\x07")
        await reported(core, program.pane, "then")
        again = (await client.call("attach", pane=program.pane))["result"]
        assert again["viewer"] != first
        assert painted(again["columns"], again["rows"], base64.b64decode(again["data"])).text() == "after"
        error = (await client.call("viewer_input", viewer=first, data="eA=="))["error"]["data"]
        assert error["code"] == "no_such_viewer"


async def test_the_clipboard_of_a_viewer_is_left_alone_and_nothing_else_is_lost(
    core: Client, host: RunningHost, tmp_path: Path
) -> None:
    source = r"""
        # Says what it reads.
        tty.setraw(0)
        ready()
        while True:
            say(os.read(0, 1000))
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    await reported(core, pane)
    async with viewer(host, pane) as one:
        for data in (b"a\x1b]52;c;ZXZpbA==\x07b", b"c\x1b]5", b"2;c;?\x1b\\d", b"e\x1b]52;c;ZXZ"):
            await core.send_keystrokes(pane, data)
            await eventually(lambda d=data: d[-1:] in one.output or d.endswith((b"]5", b"ZXZ")))  # type: ignore[misc]
        assert b"52;" not in one.output
    # This one leaves in the middle of such a sequence, whose end comes while nobody looks.
    await core.send_keystrokes(pane, b"pbA==\x07f")
    async with viewer(host, pane) as two:
        await two.text_is("abcdef")
        await core.send_keystrokes(pane, b"g")
        await two.text_is("abcdefg")
