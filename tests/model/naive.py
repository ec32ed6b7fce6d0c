"""A pane's records in the plainest way that could work: one list, searched from end to end.

Deliberately slow and without shared code: it is what the real store is compared with.
"""

from dataclasses import dataclass

from session_core.protocol.program_status import Report

UNFINISHED = ("idle", "working", "blocked")
FINISHED = ("done", "error")
MOST_URGENT_FIRST = ("blocked", "working", "error", "done", "idle")

Difference = tuple[str, str | None, str | None]
"""Id, state before, state after."""


@dataclass
class Held:
    """One record, the order number and the time of its present form, and whether its reporter is over."""

    report: Report
    group: int | None
    number: int
    at: float
    over: bool = False

    @property
    def word(self) -> str:
        """The state as a word."""
        return self.report.state.value


class NaivePane:
    """What a pane should hold; every method returns the differences of records that it makes."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.held: list[Held] = []
        self.exited = False
        self.alternate = False
        self.shell: str | None = None
        self.declarers: list[int | None] = []
        self._number = 0

    def find(self, identity: str) -> Held | None:
        """Return what is held under `identity`."""
        return next((held for held in self.held if held.report.id == identity), None)

    def app_of(self, identity: str) -> str | None:
        """Return the app of the longest address above or at `identity` that has one."""
        above = [
            held
            for held in self.held
            if held.report.app and (held.report.id in ("", identity) or identity.startswith(held.report.id + "/"))
        ]
        return max(above, key=lambda held: len(held.report.id)).report.app if above else None

    def state(self) -> str:
        """Return the most urgent state, or what the shell says, or `unknown`."""
        for word in MOST_URGENT_FIRST:
            if any(held.word == word for held in self.held):
                return word
        return {None: "unknown", "prompt": "idle", "command": "working"}[self.shell]

    def lead(self) -> str | None:
        """Return the id of the newest among the most urgent records."""
        urgent = [held for held in self.held if held.word == self.state()]
        return max(urgent, key=lambda held: held.number).report.id if urgent else None

    def signal(self) -> str:
        """Return `declared`, `prompt` or `none`."""
        if self.declarers:
            return "declared"
        return "prompt" if self.shell else "none"

    # ---- what happens

    def report(self, report: Report, group: int | None, now: float) -> list[Difference]:
        """A program reports."""
        if self.exited:
            return []
        self.declarers.append(group)
        old = self.find(report.id)
        if old:
            self.held.remove(old)
        if old and old.report == report and not old.over:
            self.held.append(Held(report, group, old.number, old.at))
            return []
        self._number += 1
        self.held.append(Held(report, group, self._number, now))
        differences: list[Difference] = [(report.id, old.word if old else None, report.state.value)]
        while len(self.held) > self.capacity:
            differences += self._drop([self.held[0]])
        return differences

    def clear(self, identity: str, group: int | None) -> list[Difference]:
        """A program clears a record and all beneath it."""
        if self.exited:
            return []
        self.declarers.append(group)
        names = identity.split("/") if identity else []
        return self._drop([held for held in self.held if held.report.id.split("/")[: len(names)] == names])

    def ask(self, group: int | None) -> None:
        """A program queries."""
        if not self.exited:
            self.declarers.append(group)

    def reset(self) -> list[Difference]:
        """RIS."""
        if self.exited:
            return []
        self.alternate = False
        return self._drop(list(self.held))

    def screen(self, alternate: bool) -> None:
        """The screens are switched."""
        if not self.exited:
            self.alternate = alternate

    def prompt(self, primary: bool) -> list[Difference]:
        """A prompt mark."""
        if self.exited or self.alternate or not primary:
            return []
        self.shell, self.declarers = "prompt", []
        return self._over(list(self.held))

    def command(self) -> None:
        """A command starts."""
        if not self.exited and not self.alternate:
            self.shell = "command"

    def program_end(self, group: int) -> list[Difference]:
        """A process group is gone."""
        self.declarers = [declarer for declarer in self.declarers if declarer != group]
        return self._over([held for held in self.held if held.group == group])

    def exit(self) -> list[Difference]:
        """The pane's process is gone."""
        self.exited, self.shell, self.declarers = True, None, []
        return self._over(list(self.held))

    def acknowledge(self, now: float) -> list[Difference]:
        """A person has seen what had finished."""
        differences: list[Difference] = []
        for held in list(self.held):
            if held.word not in FINISHED:
                continue
            if held.over:
                differences += self._drop([held])
                continue
            self._number += 1
            differences.append((held.report.id, held.word, "idle"))
            idle = Report(state=type(held.report.state)("idle"), id=held.report.id, app=held.report.app)
            held.report, held.number, held.at = idle, self._number, now
        return differences

    def _over(self, ended: list[Held]) -> list[Difference]:
        for held in ended:
            held.over = True
        return self._drop([held for held in ended if held.word in UNFINISHED])

    def _drop(self, gone: list[Held]) -> list[Difference]:
        self.held = [held for held in self.held if held not in gone]
        return [(held.report.id, held.word, None) for held in gone]
