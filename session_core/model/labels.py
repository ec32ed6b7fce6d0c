"""What a pane is called and shows of itself beside its state: name, tags, title, folder, progress bar, newest message.

None of it is part of the state, and none of it belongs to a turn. Each method returns the changes it made.
"""

from session_core.model.changes import Cause, Change, ChangeLog, Subject
from session_core.model.status import Notice
from session_core.protocol.host_events import Folder, Notification, Progress, ProgressState, Title


class Labels:
    """The labels of one pane; `name` and `tags` are its users', the rest is its programs'."""

    __slots__ = ("_log", "folder", "name", "notice", "progress_bar", "tags", "title")

    def __init__(self, log: ChangeLog, name: str | None) -> None:
        self._log = log
        self.name = name
        self.tags: tuple[str, ...] = ()
        self.title: str | None = None
        self.folder: str | None = None
        self.progress_bar: int | None = None
        self.notice: Notice | None = None

    def named(self, name: str | None, now: float) -> list[Change]:
        """The pane has another name, or none."""
        if name == self.name:
            return []
        self.name = name
        return [self._log.add(Subject.NAME, Cause.REQUEST, now)]

    def tagged(self, tags: tuple[str, ...], now: float) -> list[Change]:
        """The pane has these tags and no others."""
        if tags == self.tags:
            return []
        self.tags = tags
        return [self._log.add(Subject.TAGS, Cause.REQUEST, now)]

    def take(self, event: Title | Folder | Notification | Progress, now: float) -> list[Change]:
        """Apply what a program said."""
        match event:
            case Title():
                return self._titled(event.text, now)
            case Folder():
                return self.moved(event.path, now)
            case Notification():
                self.notice = Notice(event.title, event.body, now)
                return [self._log.add(Subject.NOTIFICATION, Cause.OUTPUT, now)]
            case Progress():
                return self._progressed(None if event.state is ProgressState.CLEAR else event.percent, now)

    def _titled(self, title: str, now: float) -> list[Change]:
        if title == self.title:
            return []
        self.title = title
        return [self._log.add(Subject.TITLE, Cause.OUTPUT, now)]

    def moved(self, folder: str, now: float) -> list[Change]:
        """The program is in another folder."""
        if folder == self.folder:
            return []
        self.folder = folder
        return [self._log.add(Subject.FOLDER, Cause.OUTPUT, now)]

    def _progressed(self, percent: int | None, now: float) -> list[Change]:
        if percent == self.progress_bar:
            return []
        self.progress_bar = percent
        return [self._log.add(Subject.PROGRESS, Cause.OUTPUT, now)]
