"""Both engines, and the door through which the tests open them."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Protocol, cast

import pytest

from session_core.screen import EngineName, ScreenEngine, open_screen

GHOSTTY_MISSING = find_spec("pyghostty") is None
GHOSTTY = pytest.param(
    "ghostty",
    marks=pytest.mark.skipif(GHOSTTY_MISSING, reason="the ghostty engine needs pyghostty (extra `fast`)"),
)


class OpenPane(Protocol):
    """Opens a screen of the engine under test."""

    def __call__(self, columns: int = 20, rows: int = 6, *, scrollback_rows: int = 2000) -> ScreenEngine: ...


@pytest.fixture(params=[GHOSTTY, "pyte"])
def engine(request: pytest.FixtureRequest) -> EngineName:
    return cast(EngineName, request.param)


@pytest.fixture
def open_pane(engine: EngineName) -> Iterator[OpenPane]:
    opened: list[ScreenEngine] = []

    def opener(columns: int = 20, rows: int = 6, *, scrollback_rows: int = 2000) -> ScreenEngine:
        screen = open_screen(columns, rows, engine=engine, scrollback_rows=scrollback_rows)
        opened.append(screen)
        return screen

    yield opener
    for screen in opened:
        screen.close()
