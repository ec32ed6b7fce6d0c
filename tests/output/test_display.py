"""What the screen side of a pane shows of synchronized updates, and when."""

from collections.abc import Iterator

import anyio
import pytest

from session_core.host import display as display_module
from session_core.host.display import Display
from session_core.host.pane_text import PaneText
from session_core.model.text_watch import TextMatch
from session_core.screen import ScreenEngine, open_screen

from ..host.waiting import BOUND_S, eventually

pytestmark = pytest.mark.anyio


class Shown:
    """A display on a real screen, and what it has told."""

    def __init__(self, engine: str) -> None:
        self.screen: ScreenEngine = open_screen(20, 6, engine="pyte" if engine == "pyte" else "ghostty")
        self.replies: list[bytes] = []
        self.overdue = anyio.Event()
        self.text = PaneText(self.screen, lambda: 0)
        self.display = Display(self.screen, self.text, self.replies.append, self.overdue.set)

    def frame(self, data: bytes) -> None:
        """Begin an update with this output."""
        self.display.frame(begins=True)
        self.display.show(data)


@pytest.fixture
def shown(engine: str) -> Iterator[Shown]:
    one = Shown(engine)
    one.display.show(b"before")
    yield one
    one.display.flush()
    one.screen.close()


async def test_output_outside_an_update_is_shown_at_once(shown: Shown) -> None:
    assert shown.screen.text() == "before"
    assert not shown.display.updating


async def test_an_update_is_shown_when_it_ends(shown: Shown) -> None:
    shown.frame(b"\x1b[2J")
    shown.display.show(b"\x1b[Hafter")
    assert (shown.screen.text(), shown.display.updating) == ("before", True)
    shown.display.frame(begins=False)
    assert (shown.screen.text(), shown.display.updating) == ("after", False)


async def test_an_update_that_begins_within_another_is_one_with_it(shown: Shown) -> None:
    shown.frame(b"\x1b[2J")
    shown.frame(b"\x1b[Hafter")
    assert shown.screen.text() == "before"
    shown.display.frame(begins=False)
    assert shown.screen.text() == "after"


async def test_an_end_without_a_beginning_changes_nothing(shown: Shown) -> None:
    shown.display.frame(begins=False)
    assert shown.screen.text() == "before"


async def test_an_update_that_nobody_ends_is_shown_and_told_of_when_it_is_overdue(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display_module, "LONGEST_S", 0.01)
    shown.frame(b"\x1b[2J\x1b[Hhalf")
    with anyio.fail_after(BOUND_S):
        await shown.overdue.wait()
    assert (shown.screen.text(), shown.display.updating) == ("half", False)


async def test_an_update_that_has_ended_is_never_overdue(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_module, "LONGEST_S", 0.0)
    shown.frame(b"x")
    shown.display.frame(begins=False)
    shown.frame(b"x")
    shown.display.flush()
    shown.frame(b"\x1b[5n")
    shown.display.frame(begins=False)
    monkeypatch.setattr(display_module, "LONGEST_S", 0.01)
    late = Shown(shown.screen.name)
    late.frame(b"y")
    with anyio.fail_after(BOUND_S):
        await late.overdue.wait()
    late.screen.close()
    assert not shown.overdue.is_set()


async def test_a_question_within_an_update_is_answered_at_once_and_readers_see_what_was_before(shown: Shown) -> None:
    shown.frame(b"\x1b[2J\x1b[3;4H\x1b[6n")
    assert shown.replies == [b"\x1b[3;4R"]
    shown.display.show(b"half\x1b[6n")
    assert shown.replies[1:] == [b"\x1b[3;8R"]
    assert (shown.display.shown.text(), shown.display.updating) == ("before", True)
    shown.display.frame(begins=False)
    assert (shown.display.shown.text(), shown.display.updating) == ("\n\n   half", False)


async def test_the_next_update_after_one_that_asked_is_held_again(shown: Shown) -> None:
    shown.frame(b"\x1b[2J\x1b[Hone\x1b[6n")
    shown.display.frame(begins=False)
    shown.frame(b"\x1b[2J\x1b[Htwo")
    assert (shown.screen.text(), shown.display.shown.text()) == ("one", "one")


async def test_an_update_that_asked_and_is_overdue_is_shown_as_far_as_it_is(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display_module, "LONGEST_S", 0.01)
    shown.frame(b"\x1b[2J\x1b[Hhalf\x1b[6n")
    with anyio.fail_after(BOUND_S):
        await shown.overdue.wait()
    assert (shown.display.shown.text(), shown.display.updating) == ("half", False)


async def test_a_resize_amid_an_update_that_asked_shows_the_screen_in_its_new_size(shown: Shown) -> None:
    shown.frame(b"\x1b[2J\x1b[Hhalf\x1b[6n")
    shown.screen.resize(30, 6)
    shown.display.resized()
    assert (shown.display.shown.text(), shown.display.shown.size.columns) == ("half", 30)


async def test_a_resize_amid_an_update_that_is_held_shows_nothing_of_it(shown: Shown) -> None:
    shown.frame(b"\x1b[2J\x1b[Hhalf")
    shown.screen.resize(30, 6)
    shown.display.resized()
    assert (shown.display.shown.text(), shown.display.updating) == ("before", True)


async def test_a_text_is_found_when_its_update_is_whole(shown: Shown) -> None:
    found: list[TextMatch] = []
    shown.text.watch("after", shown.text.mark(), found.append)
    shown.frame(b"\x1b[2J\x1b[Hafter")
    assert found == []
    shown.display.frame(begins=False)
    assert [match.line for match in found] == ["after"]


async def test_updates_in_a_row_never_show_the_gap_between_clearing_and_drawing(shown: Shown) -> None:
    for number in range(20):
        shown.frame(b"\x1b[2J\x1b[H")
        assert shown.screen.text()
        shown.display.show(b"frame %d" % number)
        shown.display.frame(begins=False)
        await eventually(lambda n=number: shown.screen.text() == f"frame {n}")  # type: ignore[misc]
