"""The reporter that an agent keeps for its life: verbs for its turns, child records, background work.

Invariants: see `lifecycle` for what is written and when, `ownership` for which program may write. A mistake
of the caller (a bad id, progress or kind) is a ValueError whether or not a terminal listens; a terminal that
is missing, closed or stopped is never an exception.
Deliberately absent: a thread, a timer, a retry. Source: OSC 7501 revision 0.4, sections 3 and 11.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from session_core.protocol.program_status import Kind, State
from session_core.report.channel import Channel
from session_core.report.lifecycle import Lifecycle
from session_core.report.sequences import checked_id, compose

_STDOUT = 1


class _Declaring:
    """The verbs of one record. `msg` is one line for people, cut at 2048 bytes."""

    def __init__(self, channel: Channel, id: str, app: str | None, title: str | None) -> None:
        self._channel = channel
        self._id = id
        self._app = app
        self._title = title

    def idle(self, msg: str | None = None) -> None:
        """At rest at its own prompt. Swallowed after done or error until a new turn began."""
        self._declare(State.IDLE, msg)

    def working(self, msg: str | None = None, progress: int | None = None) -> None:
        """A turn runs; `progress` is 0 to 100 percent, None if unknown."""
        self._declare(State.WORKING, msg, progress=progress)

    def blocked(self, kind: Kind | str | None = None, msg: str | None = None, progress: int | None = None) -> None:
        """Cannot go on until the person acts; `kind` is permission, question or auth."""
        self._declare(State.BLOCKED, msg, kind=kind, progress=progress)

    def done(self, msg: str | None = None) -> None:
        """A result is ready to look at; it stays until a new turn begins."""
        self._declare(State.DONE, msg)

    def error(self, msg: str | None = None) -> None:
        """Failed and stopped; it stays until a new turn begins."""
        self._declare(State.ERROR, msg)

    def child(self, name: str, title: str | None = None) -> "ChildRecord":
        """Return a record beneath this one; nothing is written until it declares something.

        Raises ValueError if `name` (names joined by `/`) makes an id that a terminal would not take.
        """
        id = checked_id(f"{self._id}/{name}" if self._id else name)
        return ChildRecord(self._channel, id, self._app, title)

    def _declare(
        self, state: State, msg: str | None, *, kind: Kind | str | None = None, progress: int | None = None
    ) -> None:
        report = compose(
            state,
            id=self._id,
            kind=kind,
            progress=progress,
            app=self._app,
            title=self._title,
            msg=msg,
        )
        self._channel.perform(self._channel.lifecycle.declare, report)


class ChildRecord(_Declaring):
    """A part of a program with its own state, such as a subagent or a build.

    Independent of the root: background work does not hold it back. A `with` block clears it at its end.
    """

    def clear(self) -> None:
        """Remove this record and all beneath it. It may declare again afterwards."""
        self._channel.perform(self._channel.lifecycle.clear, self._id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()


class Reporter(_Declaring):
    """Declares the state of this program, the root record of its terminal.

    `terminal` is a descriptor (default: standard output) or a path such as `/dev/tty`. Where it is no
    terminal, or a living program further out already reports for it, every call is silent; `active` tells.
    `app` is one name for machines, at most 32 characters; `title` is a short label for people, at most 192
    bytes.
    Safe for threads. Written straight to the terminal: flush your own output first if the order matters.

    `close` (or the end of the `with` block) removes what was declared, as the known agents do at exit. A root
    record can only be removed by a clear without id, which erases every record of the terminal, also those
    that other programs left there; a reporter that declared only children clears just these. With
    `keep_finished` a root that shows done or error stays: for programs that run one job and end.
    Raises ValueError for an `app` that a terminal would not take.
    """

    def __init__(
        self,
        app: str | None = None,
        *,
        title: str | None = None,
        terminal: int | str = _STDOUT,
        keep_finished: bool = False,
    ) -> None:
        rest = compose(State.IDLE, app=app, title=title)
        super().__init__(Channel(terminal, Lifecycle(rest.app, rest.title)), "", rest.app, rest.title)
        self._keep_finished = keep_finished

    @property
    def active(self) -> bool:
        """Whether what is declared reaches a terminal."""
        return self._channel.active

    def begin_background(self) -> None:
        """Count one more piece of background work.

        Until all have ended the root shows working (or blocked, where declared) and holds back the last done,
        error or idle; it comes out at the end unless a new turn began meanwhile.
        """
        self._channel.perform(self._channel.lifecycle.begin_background)

    def end_background(self) -> None:
        """Count one piece of background work less; ignored if none runs."""
        self._channel.perform(self._channel.lifecycle.end_background)

    @contextmanager
    def background(self) -> Iterator[None]:
        """Hold completion back for the length of a `with` block."""
        self.begin_background()
        try:
            yield
        finally:
            self.end_background()

    def resend(self) -> None:
        """Say the current state again: after a reset, or after another program used the terminal."""
        self._channel.perform(self._channel.lifecycle.resend)

    def close(self) -> None:
        """Remove what was declared, as the class says; every later call does nothing."""
        self._channel.close(self._keep_finished)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
