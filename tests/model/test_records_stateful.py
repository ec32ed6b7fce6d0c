"""Several panes on one number line, driven at random and compared with the naive pane after every step."""

from collections.abc import Callable

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from session_core.model.changes import Change, Revisions, Subject
from session_core.model.pane import PaneModel
from session_core.model.rollup import leading
from session_core.model.status import Life
from session_core.protocol.program_status import Clear, Kind, Query, Report, State
from session_core.protocol.scanner import AlternateScreen, FullReset
from session_core.protocol.shell_marks import Mark, ShellMark

from .naive import Difference, NaivePane
from .panes import new_pane, of_records, states

PANES = 2
IDS = ("", "a", "a/b", "a/b/c", "ab")
CAPACITY = 3
EXITS_AFTER = 60
"""Steps before the first exit, so that most of a run is spent on panes that live."""

panes = st.integers(0, PANES - 1)
ids = st.sampled_from(IDS)
groups = st.sampled_from((None, 1, 2))
reports = st.builds(
    Report,
    state=st.sampled_from(State),
    id=ids,
    app=st.sampled_from((None, None, "x", "y")),
    kind=st.sampled_from((None, None, Kind.AUTH)),
    msg=st.sampled_from((None, None, "m")),
)


class RecordsMachine(RuleBasedStateMachine):
    """The changes that come back, the log, and the records are each held against the naive pane."""

    @initialize()
    def open(self) -> None:
        self.revisions = Revisions()
        self.real: list[PaneModel] = []
        for number in range(PANES):
            self.real.append(new_pane(self.revisions, pane=f"p{number}", capacity=CAPACITY))
        self.naive = [NaivePane(CAPACITY) for _ in range(PANES)]
        self.now = 0.0
        self.seen = self.revisions.current
        self.snapshots: list[list[tuple[int, dict[str, str]]]] = [[(self.seen, {})] for _ in range(PANES)]
        self.last: list[Report | None] = [None] * PANES

    def _step(self, pane: int, do: Callable[[PaneModel], list[Change]], expected: list[Difference]) -> None:
        changes = do(self.real[pane])
        assert sorted(of_records(changes), key=repr) == sorted(expected, key=repr)
        self._check_revisions(pane, changes)
        self.snapshots[pane].append((self.revisions.current, states(self.real[pane])))

    def _check_revisions(self, pane: int, changes: list[Change]) -> None:
        """No number is given twice or kept secret, and every change names its pane and its time."""
        numbers = [change.revision for change in changes]
        assert numbers == list(range(self.seen + 1, self.revisions.current + 1))
        assert all((change.pane, change.at) == (f"p{pane}", self.now) for change in changes)
        kept = [change.revision for change in self.real[pane].log]
        assert kept == sorted(set(kept))
        self.seen = self.revisions.current

    @rule(pane=panes, several=st.lists(reports, min_size=1, max_size=5), group=groups)
    def report_several(self, pane: int, several: list[Report], group: int | None) -> None:
        for report in several:
            self._report(pane, report, group)

    @rule(pane=panes, words=st.tuples(*[st.sampled_from(State)] * 3), group=groups)
    def fill_with_neighbours(self, pane: int, words: tuple[State, ...], group: int | None) -> None:
        for identity, word in zip(("a", "ab", "a/b"), words, strict=True):
            self._report(pane, Report(state=word, id=identity), group)

    def _report(self, pane: int, report: Report, group: int | None) -> None:
        self.now += 1
        self.last[pane] = report
        expected = self.naive[pane].report(report, group, self.now)
        self._step(pane, lambda real: real.take(report, group, self.now), expected)

    @rule(pane=panes, group=groups)
    def report_the_same_again(self, pane: int, group: int | None) -> None:
        report = self.last[pane]
        if report:
            self._report(pane, report, group)

    @rule(pane=panes, identity=ids, group=groups)
    def clear(self, pane: int, identity: str, group: int | None) -> None:
        self.now += 1
        expected = self.naive[pane].clear(identity, group)
        self._step(pane, lambda real: real.take(Clear(identity), group, self.now), expected)

    @rule(pane=panes, group=groups)
    def query(self, pane: int, group: int | None) -> None:
        self.now += 1
        self.naive[pane].ask(group)
        self._step(pane, lambda real: real.take(Query(), group, self.now), [])

    @rule(pane=panes, primary=st.sampled_from((True, True, False)))
    def prompt(self, pane: int, primary: bool) -> None:
        self.now += 1
        expected = self.naive[pane].prompt(primary)
        self._step(pane, lambda real: real.take(ShellMark(Mark.PROMPT, primary), None, self.now), expected)

    @rule(pane=panes)
    def command(self, pane: int) -> None:
        self.now += 1
        self.naive[pane].command()
        self._step(pane, lambda real: real.take(ShellMark(Mark.OUTPUT), None, self.now), [])

    @rule(pane=panes, active=st.booleans())
    def switch_screen(self, pane: int, active: bool) -> None:
        self.now += 1
        self.naive[pane].screen(active)
        self._step(pane, lambda real: real.take(AlternateScreen(0, 8, active), None, self.now), [])

    @rule(pane=panes)
    def reset(self, pane: int) -> None:
        self.now += 1
        expected = self.naive[pane].reset()
        self._step(pane, lambda real: real.take(FullReset(0, 2), None, self.now), expected)

    @rule(pane=panes, group=st.sampled_from((1, 2)))
    def program_end(self, pane: int, group: int) -> None:
        self.now += 1
        expected = self.naive[pane].program_end(group)
        self._step(pane, lambda real: real.program_ended(group, self.now), expected)

    @rule(pane=panes)
    def acknowledge(self, pane: int) -> None:
        self.now += 1
        expected = self.naive[pane].acknowledge(self.now)
        self._step(pane, lambda real: real.acknowledge("ann", self.now), expected)

    @precondition(lambda self: self.now > EXITS_AFTER)
    @rule(pane=panes)
    def exit(self, pane: int) -> None:
        if self.naive[pane].exited:
            return
        self.now += 1
        expected = self.naive[pane].exit()
        self._step(pane, lambda real: real.live(Life.EXITED, self.now), expected)

    @rule(pane=panes, data=st.data())
    def replay_from_any_revision(self, pane: int, data: st.DataObject) -> None:
        revision, held = data.draw(st.sampled_from(self.snapshots[pane]))
        held = dict(held)
        for change in self.real[pane].log:
            if change.revision <= revision or change.subject is not Subject.RECORD:
                continue
            assert change.record is not None
            assert held.get(change.record) == change.before
            if change.after is None:
                del held[change.record]
            else:
                held[change.record] = change.after
        assert held == states(self.real[pane])

    @invariant()
    def records_are_the_same(self) -> None:
        for real, naive in zip(self.real, self.naive, strict=True):
            assert [(record.report, record.at) for record in real.records] == [
                (held.report, held.at) for held in naive.held
            ]
            assert len(real.records) == len(naive.held) <= CAPACITY
            assert all(real.records.app_of(identity) == naive.app_of(identity) for identity in IDS)

    @invariant()
    def the_pane_says_the_same(self) -> None:
        for real, naive in zip(self.real, self.naive, strict=True):
            lead = leading(real.records)
            assert (lead.report.id if lead else None) == naive.lead()
            assert real.state.value == naive.state()
            assert real.signal.value == naive.signal()
            root = naive.find("")
            assert real.status().root == (root.word if root else None)


RecordsMachine.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None, database=None)
test_panes_driven_at_random_hold_what_naive_panes_hold = RecordsMachine.TestCase
