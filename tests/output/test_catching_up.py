"""What screens have not parsed is parsed in the background, a slice at a time and each pane in its turn."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from session_core.host.catching_up import SLICE_BYTES, CatchingUp
from session_core.screen import ScreenEngine, open_screen

from ..host.waiting import eventually

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Output:
    """A pane's output as far as its screen is concerned."""

    screen: ScreenEngine

    @property
    def is_behind(self) -> bool:
        """Whether the engine has something left to parse."""
        return self.screen.backlog > 0

    def catch_up(self, size: int) -> None:
        """Parse some of that."""
        self.screen.catch_up(size)


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
        catching_up.add(Output(screen))
    await eventually(lambda: not any(screen.backlog for screen in screens))
    assert [screen.tail(1) for screen in screens] == [["text"]] * 3


async def test_the_screens_take_turns(screens: list[ScreenEngine]) -> None:
    catching_up = CatchingUp()
    for screen in screens:
        screen.feed(b"x" * 3 * SLICE_BYTES)
        catching_up.add(Output(screen))
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
        catching_up.add(Output(screen))
    screens[0].close()
    assert screens[1].text()
    await eventually(lambda: not any(screen.backlog for screen in screens))
    screens[2].feed(b"more")
    catching_up.add(Output(screens[2]))
    await eventually(lambda: not screens[2].backlog)


async def test_nothing_is_parsed_while_it_is_held_and_everything_after_that(screens: list[ScreenEngine]) -> None:
    catching_up, free = CatchingUp(), CatchingUp()
    catching_up.hold()
    screens[0].feed(b"text" * SLICE_BYTES)
    before = screens[0].backlog
    catching_up.add(Output(screens[0]))
    screens[1].feed(b"text" * SLICE_BYTES)
    free.add(Output(screens[1]))
    await eventually(lambda: not screens[1].backlog)
    assert screens[0].backlog == before
    catching_up.go_on()
    await eventually(lambda: not screens[0].backlog)
