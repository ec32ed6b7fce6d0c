"""Keeps track of who runs in the foreground of a pane, and of the process groups that reported.

The foreground program is looked up at reports, prompts and on demand, never polled. While its process is watched
its pid cannot have passed to another. A reporting group is watched until its last process is gone.
"""

from collections.abc import Callable

from session_core.host.occupant import group_member, is_alive, look_up
from session_core.host.process_watch import ProcessWatch
from session_core.host.pty import Pty
from session_core.model.status import Occupant


class Foreground:
    """The watches of one pane; `group_ended` is called when a reporting group is gone."""

    def __init__(self, pty: Pty, group_ended: Callable[[int], None]) -> None:
        self._pty = pty
        self._group_ended = group_ended
        self._occupant: Occupant | None = None
        self._occupant_watch: ProcessWatch | None = None
        self._group_watches: dict[int, ProcessWatch] = {}
        self._ending: int | None = None

    def group(self) -> int | None:
        """Return the foreground process group now."""
        return self._pty.foreground_group()

    def reporter(self, group: int | None) -> int | None:
        """Return the group behind a report that is read while `group` is in front.

        A program that reports and ends at once has left the front to the pane's own shell by the time its report
        is read; one that has reported before and has ended is then the more likely author.
        """
        if group != self._pty.pid:
            return group
        ended = (watched for watched in reversed(self._group_watches) if not is_alive(watched))
        return self._ending or next(ended, group)

    def occupant(self, group: int | None, *, look: bool) -> Occupant | None:
        """Return who leads `group`; without `look` a known leader's name may be that of before an exec."""
        known = self._occupant
        if not look and known and known.pid == group and self._occupant_watch is not None:
            return known
        found = look_up(group) if group is not None else None
        if found is None or known is None or found.pid != known.pid or self._occupant_watch is None:
            self._watch_occupant(found)
        self._occupant = found
        return found

    def _watch_occupant(self, occupant: Occupant | None) -> None:
        if self._occupant_watch:
            self._occupant_watch.close()
        self._occupant_watch = _watch(occupant.pid, self._forget_occupant) if occupant else None

    def _forget_occupant(self) -> None:
        self._occupant_watch = None

    def watch_group(self, group: int) -> None:
        """Learn when a reporting process group is gone; the pane's own ends with the pane."""
        if group == self._pty.pid or group in self._group_watches:
            return
        self._follow(group, group)

    def _follow(self, group: int, member: int | None) -> None:
        while member is not None:
            watch = _watch(member, lambda: self._follow(group, group_member(group)))
            if watch:
                self._group_watches[group] = watch
                return
            member = group_member(group)
        self._group_watches.pop(group, None)
        self._ending = group
        self._group_ended(group)
        self._ending = None

    def close(self) -> None:
        """Stop watching."""
        for watch in (*self._group_watches.values(), self._occupant_watch):
            if watch:
                watch.close()
        self._group_watches.clear()
        self._occupant_watch = None
        self._occupant = None


def _watch(pid: int, ended: Callable[[], None]) -> ProcessWatch | None:
    try:
        return ProcessWatch(pid, ended)
    except ProcessLookupError:
        return None
