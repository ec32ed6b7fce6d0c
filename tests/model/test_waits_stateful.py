"""Waits driven at random: after every step each open wait is judged anew by a plain reading of its pane."""

from collections.abc import Callable
from dataclasses import dataclass

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from session_core.model.changes import Change
from session_core.model.outcomes import Mode, Outcome, Until, WaitResult, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Life

from .panes import COMMAND, PROMPT, QUERY, RESET, declare, feed, new_pane
from .waiting import Desk, by_pane

NAMES = ("p1", "p2", "p3")
URGENT_FIRST = ("blocked", "working", "error", "done", "idle")

names = st.sampled_from(NAMES)
groups = st.sampled_from((1, 2))
bodies = st.one_of(
    st.builds(
        "state={}{}".format,
        st.sampled_from(("idle", "working", "done", "blocked", "error")),
        st.sampled_from(("", ":id=a")),
    ),
    st.sampled_from(("state=clear", "state=clear:id=a", "state=paused")),
)
prints = st.sampled_from((PROMPT, COMMAND, QUERY, RESET, b"\x1b]2;t\x07", b"\x1b]9;4;1;5\x07"))


@dataclass
class OpenWait:
    """What the reference knows of a wait."""

    spec: WaitSpec
    deadline: float


class WaitsMachine(RuleBasedStateMachine):
    """The reference keeps the revision of each pane's last turn and reads everything else anew."""

    @initialize()
    def begin_anew(self) -> None:
        self.desk = Desk(*NAMES)
        self.turns = dict.fromkeys(NAMES, 0)
        self.open: dict[int, OpenWait] = {}
        self.answers = [0]

    # ---- the reference

    def _word(self, pane: PaneModel) -> str:
        if pane.signal.value == "prompt":
            return "idle" if pane.shell and pane.shell.value == "prompt" else "working"
        held = {record.report.state.value for record in pane.records}
        for word in URGENT_FIRST:
            if word in held:
                return word
        shell = pane.shell.value if pane.shell else None
        return {None: "unknown", "prompt": "idle", "command": "working"}[shell]

    def _reading(self, name: str, spec: WaitSpec) -> str | None:
        pane = self.desk.panes.models.get(name)
        if pane is None:
            return "closed"
        if pane.life is Life.EXITED:
            return "exited"
        if spec.since is not None and self.turns[name] <= spec.since:
            return None
        word = self._word(pane)
        if spec.until is Until.CHANGE:
            return "changed"
        if spec.until is not Until.EXITED and word == "blocked":
            return "blocked"
        if spec.until is Until.SETTLED and word in ("idle", "done", "error"):
            return "settled"
        return None

    def _expected(self, spec: WaitSpec) -> str | None:
        readings = [self._reading(name, spec) for name in spec.panes]
        wanted = all if spec.mode is Mode.ALL else any
        if not wanted(readings):
            return None
        return "blocked" if "blocked" in readings else next(filter(None, readings))

    def _check(self, spec: WaitSpec, result: WaitResult, outcome: str) -> None:
        assert result.outcome.value == outcome
        assert by_pane(result) == {name: Outcome(self._reading(name, spec) or "checkin") for name in spec.panes}
        for news in result.panes:
            pane = self.desk.panes.models.get(news.pane)
            assert news.state.value == (self._word(pane) if pane else "unknown")
            assert news.revision == (self.turns[news.pane] if pane else 0)
        if outcome == "checkin" and spec.mode is Mode.ALL:
            assert result.revision == (spec.since or 0)
        else:
            assert result.revision == self.desk.current
        self.answers.append(result.revision)

    # ---- what happens to panes

    def _step(self, name: str, do: Callable[[PaneModel], list[Change]]) -> None:
        pane = self.desk.panes.models.get(name)
        if pane is None:
            return
        self.desk.now += 1
        changes = do(pane)
        for change in changes:
            of_turn = change.subject.value in ("record", "shell", "life")
            if of_turn and change.cause.value not in ("acknowledge", "evict", "open"):
                self.turns[name] = change.revision
        self._notify(name, changes)

    def _notify(self, name: str, changes: list[Change]) -> None:
        expected = {number: word for number, wait in self.open.items() if (word := self._expected(wait.spec))}
        ended = self.desk.after(changes, name)
        assert [number for number, _ in ended] == sorted(expected)
        for number, result in ended:
            self._check(self.open.pop(number).spec, result, expected[number])

    @rule(name=names, body=bodies, group=groups)
    def report(self, name: str, body: str, group: int) -> None:
        self._step(name, lambda pane: declare(pane, body, group=group, now=self.desk.now))

    @rule(name=names, data=prints)
    def print(self, name: str, data: bytes) -> None:
        self._step(name, lambda pane: feed(pane, data, now=self.desk.now))

    @rule(name=names)
    def acknowledge(self, name: str) -> None:
        self._step(name, lambda pane: pane.acknowledge("ann", self.desk.now))

    @rule(name=names, luck=st.integers(0, 3))
    def exit(self, name: str, luck: int) -> None:
        pane = self.desk.panes.models.get(name)
        if luck == 0 and pane and pane.life is Life.RUNNING:
            self._step(name, lambda pane: pane.live(Life.EXITED, self.desk.now))

    @rule(name=names, luck=st.integers(0, 3))
    def close(self, name: str, luck: int) -> None:
        pane = self.desk.panes.models.get(name)
        if luck == 0 and pane:
            del self.desk.panes.models[name]
            self._notify(name, list(pane.log)[-1:])

    @rule(name=names)
    def open_again(self, name: str) -> None:
        if name not in self.desk.panes.models:
            self.desk.panes.models[name] = new_pane(self.desk.revisions, pane=name, now=self.desk.now)
            self.turns[name] = 0

    # ---- what happens to waits

    @rule(
        panes=st.lists(names, min_size=1, max_size=3, unique=True),
        until=st.sampled_from((Until.SETTLED, Until.BLOCKED, Until.EXITED)),
        mode=st.sampled_from(Mode),
        since=st.none(),
        within=st.sampled_from((0.0, 2.0, 5.0, 50.0)),
    )
    def begin(self, panes: list[str], until: Until, mode: Mode, since: int | str | None, within: float) -> None:
        """`since` is relative to the current revision, or that of the last answer."""
        revision = self.answers[-1] if since == "answer" else None
        if isinstance(since, int):
            revision = max(0, self.desk.current + since)
        spec = WaitSpec(panes=tuple(panes), until=until, mode=mode, since=revision)
        deadline = self.desk.now + within
        begun = self.desk.waits.begin(spec, self.desk.now, deadline, self.desk.current)
        if spec.until is Until.CHANGE and spec.since is None:
            spec = WaitSpec(panes=spec.panes, until=until, mode=mode, since=self.desk.current)
        if spec.since is not None and spec.since > self.desk.current:
            outcome: str | None = "resync"
        else:
            outcome = self._expected(spec) or ("checkin" if within == 0 else None)
        if outcome is None:
            assert isinstance(begun, int)
            assert begun not in self.open
            self.open[begun] = OpenWait(spec, deadline)
            return
        assert isinstance(begun, WaitResult)
        assert begun.waited_s == 0.0
        self._check(spec, begun, outcome)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if self.open:
            number = data.draw(st.sampled_from(sorted(self.open)))
            del self.open[number]
            self.desk.waits.cancel(number)

    @rule(by=st.sampled_from((1.0, 3.0, 20.0)))
    def time_passes(self, by: float) -> None:
        self.desk.now += by
        due = [number for number, wait in self.open.items() if wait.deadline <= self.desk.now]
        due.sort(key=lambda number: (self.open[number].deadline, number))
        ended = self.desk.waits.expire(self.desk.now, self.desk.current)
        assert [number for number, _ in ended] == due
        for number, result in ended:
            self._check(self.open.pop(number).spec, result, "checkin")

    @invariant()
    def what_is_open_is_the_same_and_unsatisfied(self) -> None:
        assert len(self.desk.waits) == len(self.open)
        assert not any(self._expected(wait.spec) for wait in self.open.values())
        deadlines = [wait.deadline for wait in self.open.values()]
        assert self.desk.waits.next_time() == min(deadlines, default=None)


WaitsMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None, database=None)
test_waits_driven_at_random_end_as_a_plain_reading_says = WaitsMachine.TestCase
