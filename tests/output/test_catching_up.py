"""What screens have not parsed is parsed in the background, a slice at a time and each pane in its turn."""

from collections.abc import Iterator

import pytest

from session_core.host.catching_up import SLICE_BYTES, CatchingUp
from session_core.screen import ScreenEngine, open_screen

from ..host.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def screens() -> Iterator[list[ScreenEngine]]:
    opened = [open_screen(80, 24, engine="pyte") for _ in range(3)]
    yield opened
    for screen in opened:
        screen.close()


async def test_every_screen_is_up_to_date_in_the_end(screens: list[ScreenEngine]) -> None:
    catching_up = CatchingUp()
    for screen in screens:
        screen.feed(b"text\r\n" * (SLICE_BYTES // 3))
        catching_up.add(screen)
    await eventually(lambda: not any(screen.backlog for screen in screens))
    assert [screen.tail(1) for screen in screens] == [["text"]] * 3


async def test_the_screens_take_turns(screens: list[ScreenEngine]) -> None:
    catching_up = CatchingUp()
    for screen in screens:
        screen.feed(b"x" * 3 * SLICE_BYTES)
        catching_up.add(screen)
    differences = []

    def done() -> bool:
        backlogs = [screen.backlog for screen in screens]
        differences.append(max(backlogs) - min(backlogs))
        return not any(backlogs)

    await eventually(done)
    assert max(differences) <= SLICE_BYTES


async def test_a_screen_that_is_closed_or_read_meanwhile_is_left_alone(screens: list[ScreenEngine]) -> None:
    catching_up = CatchingUp()
    for screen in screens:
        screen.feed(b"text" * (SLICE_BYTES // 2))
        catching_up.add(screen)
    screens[0].close()
    assert screens[1].text()
    await eventually(lambda: not any(screen.backlog for screen in screens))
    screens[2].feed(b"more")
    catching_up.add(screens[2])
    await eventually(lambda: not screens[2].backlog)
