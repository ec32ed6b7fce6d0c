"""Decides what a program's declarations put on the wire: the rules that reporters in the field follow.

Pure: every call returns the sequences to write, often none. Invariants: no record gets the same report twice
in a row; `idle` does not follow `done` or `error` until a new turn (working or blocked) began, since it would
erase a result that nobody saw; while background work runs the root shows no done, error or idle, and what was
declared last comes out when it ends; nothing comes after `close`.
Deliberately absent: terminals, locks, the environment, and any timeout.
"""

from session_core.protocol import limits
from session_core.protocol.program_status import Clear, Report, State, encode

_FINISHED = (State.DONE, State.ERROR)
_AT_REST = (*_FINISHED, State.IDLE)


class Lifecycle:
    """What one program has declared, and what its terminal was told.

    At most `limits.STATUS_RECORDS` records are remembered; the least recently updated is forgotten first,
    as the terminal does it, so that its next report is written again.
    """

    __slots__ = ("_app", "_background", "_closed", "_root", "_shown", "_title")

    def __init__(self, app: str | None = None, title: str | None = None) -> None:
        self._app = app
        self._title = title
        self._root: Report | None = None
        self._shown: dict[str, Report] = {}
        self._background = 0
        self._closed = False

    @property
    def background(self) -> int:
        """How many pieces of background work run."""
        return self._background

    def declare(self, report: Report) -> list[bytes]:
        """Take a declaration of the root (empty `id`) or of a child record."""
        before = self._shown.get(report.id) if report.id else self._root
        early_rest = report.state is State.IDLE and before is not None and before.state in _FINISHED
        if self._closed or early_rest:
            return []
        if report.id:
            return self._show(report)
        self._root = report
        return self._show(self._visible(report))

    def begin_background(self) -> list[bytes]:
        """Count one more piece of background work. A root that was never declared counts as idle."""
        return self._count(1)

    def end_background(self) -> list[bytes]:
        """Count one piece less; the last one lets the held declaration out. Without a begin it is ignored."""
        return self._count(-1) if self._background else []

    def clear(self, id: str) -> list[bytes]:
        """Remove the child record `id` and all beneath it; nothing to write where none was reported."""
        gone = [known for known in self._shown if known == id or known.startswith(f"{id}/")]
        for known in gone:
            del self._shown[known]
        return [encode(Clear(id))] if gone and not self._closed else []

    def resend(self) -> list[bytes]:
        """Say again what the terminal was told, least recent first: for after it was reset or lent out."""
        return [] if self._closed else [encode(report) for report in self._shown.values()]

    def close(self, keep_finished: bool = False) -> list[bytes]:
        """End: nothing is written after this.

        Only a clear without id removes a root record, and it removes everything, so it is written only where
        a root was declared; otherwise each child is cleared by its own id. So it is too for a root that shows
        done or error if `keep_finished`: it stays for the person to see.
        """
        if self._closed:
            return []
        self._closed = True
        root = None if self._root is None else self._visible(self._root)
        if root is not None and not (keep_finished and root.state in _FINISHED):
            return [encode(Clear())]
        return [encode(Clear(id)) for id in self._shown if id]

    def _count(self, step: int) -> list[bytes]:
        if self._closed:
            return []
        if self._root is None:
            self._root = Report(state=State.IDLE, app=self._app, title=self._title)
        self._background += step
        return self._show(self._visible(self._root))

    def _visible(self, root: Report) -> Report:
        if not self._background or root.state not in _AT_REST:
            return root
        tasks = "task" if self._background == 1 else "tasks"
        msg = f"{self._background} background {tasks} running"
        return Report(state=State.WORKING, app=self._app, title=self._title, msg=msg)

    def _show(self, report: Report) -> list[bytes]:
        if self._shown.get(report.id) == report:
            return []
        self._shown.pop(report.id, None)
        if len(self._shown) >= limits.STATUS_RECORDS:
            del self._shown[next(iter(self._shown))]
        self._shown[report.id] = report
        return [encode(report)]
