"""People's terminals on panes: output to each of them, their bytes sorted by origin, and who sets the size.

A viewer that does not keep up loses output and gets the whole screen anew, so nobody waits for it; so does one that
was painted the alternate screen when the program leaves that, for it never saw what is under it. Answers of a
viewer's terminal are not forwarded: the host has answered the program already; the clipboard is nobody's but
the viewer's. The person who typed last sets
the size; attaching changes nothing, and when the leader leaves, the one who typed before leads again. A resize
by a tool holds until the leader's terminal changes or somebody else takes the lead.
"""

import asyncio
import base64
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from session_core.api.requests import Attach
from session_core.api.results import Attached, ViewerEnded, ViewerOutput, ViewerScreen
from session_core.errors import Code, SessionCoreError
from session_core.host.live_pane import LivePane
from session_core.model.input_origin import InputModes, OriginClassifier, Segment, ViewerOrigin, forwards
from session_core.model.input_queue import Entry, Origin
from session_core.model.status import Life
from session_core.protocol.viewer_output import ViewerFilter

VIEWERS = 100

_FOCUS_MODE = 1004
_MOUSE_MODES = (9, 1000, 1002, 1003)

News = ViewerOutput | ViewerScreen | ViewerEnded
Send = Callable[[News], bool]
"""Give news to a viewer's connection; False if it has too much unread and the news was not taken."""


@dataclass(slots=True)
class _Viewer:
    number: int
    pane: LivePane
    person: str
    read_only: bool
    send: Send
    size: tuple[int, int] | None
    lagging: bool = False
    alternate: bool = False
    typed: int = 0
    classifier: OriginClassifier = field(default_factory=OriginClassifier)
    timer: asyncio.TimerHandle | None = None


class Viewers:
    """All viewers of a host."""

    def __init__(self) -> None:
        self._viewers: dict[int, _Viewer] = {}
        self._by_pane: dict[str, list[_Viewer]] = {}
        self._filters: dict[str, ViewerFilter] = {}
        self._numbers = itertools.count(1)
        self._turns = itertools.count(1)

    def attach(self, pane: LivePane, request: Attach, send: Send) -> Attached:
        """Add a viewer and return what paints the present screen. Raises SessionCoreError at the limit."""
        if len(self._viewers) >= VIEWERS:
            raise SessionCoreError(Code.LIMIT_REACHED, f"{VIEWERS} viewers are attached.", "Detach some first.")
        size = (request.columns, request.rows) if request.columns and request.rows else None
        number = next(self._numbers)
        viewer = _Viewer(number, pane, request.person or "person", request.read_only, send, size)
        self._viewers[number] = viewer
        self._by_pane.setdefault(pane.pane, []).append(viewer)
        screen, output_filter = pane.shown, ViewerFilter(marks=not pane.model.marks.signed)
        viewer.alternate = screen.alternate
        data = _encoded(screen.snapshot() + output_filter.feed(pane.not_shown))
        self._filters.setdefault(pane.pane, output_filter)
        return Attached(number, pane.pane, screen.size.columns, screen.size.rows, data)

    def detach(self, number: int) -> None:
        """Remove a viewer; the size goes back to the one who typed before. Idempotent."""
        viewer = self._viewers.pop(number, None)
        if viewer is None:
            return
        led = self._leader(viewer.pane) is viewer
        self._by_pane[viewer.pane.pane].remove(viewer)
        if not self._by_pane[viewer.pane.pane]:
            # What is shown to nobody is not filtered, so the filter's place in the stream is lost.
            self._filters.pop(viewer.pane.pane, None)
        if viewer.timer:
            viewer.timer.cancel()
        if led:
            self._lead(self._leader(viewer.pane))

    def _get(self, number: int) -> _Viewer:
        viewer = self._viewers.get(number)
        if viewer is None:
            raise SessionCoreError(Code.NO_SUCH_VIEWER, f"There is no viewer {number}.", "Attach anew.")
        return viewer

    # ---- size

    def resized(self, number: int, columns: int, rows: int) -> None:
        """A viewer's terminal has a new size; the pane follows if this viewer leads."""
        viewer = self._get(number)
        viewer.size = (columns, rows)
        if self._leader(viewer.pane) is viewer:
            self._lead(viewer)

    def _leader(self, pane: LivePane) -> _Viewer | None:
        typists = [viewer for viewer in self._by_pane.get(pane.pane, ()) if viewer.typed]
        return max(typists, key=lambda viewer: viewer.typed, default=None)

    def _lead(self, viewer: _Viewer | None) -> None:
        if viewer is not None and viewer.size is not None and viewer.pane.model.life is Life.RUNNING:
            viewer.pane.resize(*viewer.size)

    # ---- in

    def take(self, number: int, data: bytes) -> None:
        """Sort the bytes of a viewer's terminal and pass on what is for the program."""
        viewer = self._get(number)
        self._pass_on(viewer, viewer.classifier.feed(data, self._now()))
        self._arm(viewer)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _arm(self, viewer: _Viewer) -> None:
        if viewer.timer:
            viewer.timer.cancel()
            viewer.timer = None
        deadline = viewer.classifier.next_deadline()
        if deadline is not None and viewer.number in self._viewers:
            viewer.timer = asyncio.get_running_loop().call_at(deadline, self._expire, viewer)

    def _expire(self, viewer: _Viewer) -> None:
        viewer.timer = None
        self._pass_on(viewer, viewer.classifier.expire(self._now()))
        self._arm(viewer)

    def _pass_on(self, viewer: _Viewer, segments: list[Segment]) -> None:
        if viewer.read_only or viewer.pane.model.life is not Life.RUNNING:
            return
        for segment in segments:
            if segment.name is not None:
                if forwards(segment.name, _modes(viewer.pane)):
                    viewer.pane.input.put([Entry(Origin.REPORT, viewer.person, segment.data)])
                continue
            if self._leader(viewer.pane) is not viewer:
                viewer.typed = next(self._turns)
                self._lead(viewer)
            viewer.pane.typed(segment.data, viewer.person, paste=segment.origin is ViewerOrigin.PASTE)

    # ---- out

    def on_output(self, pane: LivePane, data: bytes) -> None:
        """Show output to every viewer that keeps up."""
        viewers = self._by_pane.get(pane.pane)
        if not viewers:
            return
        encoded = _encoded(self._filters[pane.pane].feed(data))
        for viewer in viewers:
            if viewer.alternate and not pane.shown.alternate:
                self.catch_up(viewer.number)
            elif not viewer.lagging:
                viewer.lagging = not viewer.send(ViewerOutput(viewer.number, encoded))

    def repaint(self, pane: LivePane) -> None:
        """The pane has another size: every viewer needs the whole screen."""
        for viewer in self._by_pane.get(pane.pane, ()):
            self.catch_up(viewer.number)

    def catch_up(self, number: int) -> None:
        """Give a viewer the whole screen; one that still cannot take it goes on lagging."""
        viewer = self._get(number)
        pane, screen = viewer.pane, viewer.pane.shown
        size = screen.size
        begun = ViewerFilter(marks=not pane.model.marks.signed).feed(pane.not_shown)
        data = _encoded(screen.snapshot() + begun)
        viewer.alternate = screen.alternate
        viewer.lagging = not viewer.send(ViewerScreen(number, size.columns, size.rows, data))

    def lagging(self, numbers: set[int]) -> list[int]:
        """Return which of these viewers have lost output."""
        return [number for number in numbers if (found := self._viewers.get(number)) and found.lagging]

    def ended(self, pane: LivePane) -> None:
        """The pane is over: tell its viewers and forget them."""
        for viewer in tuple(self._by_pane.get(pane.pane, ())):
            viewer.send(ViewerEnded(viewer.number, pane.model.exit))
            self.detach(viewer.number)
        self._by_pane.pop(pane.pane, None)
        self._filters.pop(pane.pane, None)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _modes(pane: LivePane) -> InputModes:
    screen = pane.screen
    return InputModes(
        focus=screen.mode(_FOCUS_MODE),
        mouse=any(screen.mode(number) for number in _MOUSE_MODES),
        kitty=screen.kitty_flags > 0,
    )
