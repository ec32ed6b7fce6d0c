"""Waits driven at random, beside a reference that keeps everything that happened and reads it anew for each answer.

Each wait must end exactly when the reference says so: at the very change, or at the moment of the clock; never twice,
never late, never lost. The clock is let to the times that `next_time` asks for, or jumps over them.
"""

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from session_core.model.changes import Change
from session_core.model.outcomes import Mode, Outcome, SinceWrite, Until, WaitResult, WaitSpec
from session_core.model.pane import PaneModel
from session_core.model.status import Life
from session_core.model.text_watch import TextMatch
from session_core.protocol.events import EventStream
from session_core.protocol.program_status import Clear, Report

from .panes import COMMAND, PROMPT, QUERY, RESET, feed, report
from .wait_reference import Pane, Wait, as_read, due, outcome, verdict
from .waiting import Desk

NAMES = ("p1", "p2")
TITLE, PROGRESS = b"\x1b]2;t\x07", b"\x1b]9;4;1;5\x07"
FOUND = TextMatch("found", 0, 0, 0)
JOB_GROUP = 9

names = st.sampled_from(NAMES)
groups = st.sampled_from((1, 1, 1, 2))
bodies = st.one_of(
    st.builds(
        "state={}{}{}".format,
        st.sampled_from(("idle", "working", "working", "done", "blocked", "error")),
        st.sampled_from(("", ":id=a")),
        st.sampled_from(("", ":progress=5", ":progress=6")),
    ),
    st.sampled_from(("state=clear", "state=clear:id=a", "state=paused")),
)


class WaitsMachine(RuleBasedStateMachine):
    """Real panes and waits, and the reference of both."""

    @initialize()
    def begin_anew(self) -> None:
        self.desk = Desk(*NAMES)
        self.desk.now = 100.0
        self.panes: dict[str, Pane] = {name: Pane(heard_at=0.0) for name in NAMES}
        self.runs: dict[str, bool] = dict.fromkeys(NAMES, False)
        self.open: dict[int, Wait] = {}
        self.moments = [(self.desk.current, self.desk.now)]

    # ---- what ends

    def _expect(self, ended: list[tuple[int, WaitResult]]) -> None:
        """These waits have ended by what just happened: those that the reference says, each as it says."""
        said = {number: outcome(wait, self.panes, self.desk.now) for number, wait in self.open.items()}
        expected = {number: word for number, word in said.items() if word}
        assert sorted(number for number, _ in ended) == sorted(expected)
        for number, result in ended:
            self._check(self.open.pop(number), result, expected[number])

    def _check(self, wait: Wait, result: WaitResult, word: str) -> None:
        assert result.outcome.value == word
        assert result.waited_s == self.desk.now - wait.at
        goes_on = word == "checkin" and wait.spec.mode is Mode.ALL
        assert result.revision == ((wait.spec.since or 0) if goes_on else self.desk.current)
        assert [news.pane for news in result.panes] == list(wait.spec.panes)
        for news in result.panes:
            said = verdict(wait, news.pane, self.panes, self.desk.now)
            assert news.outcome.value == (said[0] if said else "checkin")
            pane = self.panes.get(news.pane)
            if pane is None:
                continue
            turn = said[1] if said else pane.merged()[-1] if pane.turns else None
            told = turn.state if turn and said and wait.spec.since is not None else pane.state()
            assert (news.state, news.revision) == (told, turn.revision if turn else 0)
            assert (news.now or news.state) == pane.state()
            since = wait.spec.since if wait.spec.since is not None else wait.began
            assert list(news.went) == [one.state for one in pane.after(since)][-8:]
            assert (news.match is not None) == (news.outcome is Outcome.TEXT)

    # ---- what happens to panes

    def _step(self, name: str, cause: str | None, happens: Callable[[], Any], do: Callable[[PaneModel], Any]) -> None:
        """Let it happen to the reference and to the pane; with a cause it is a turn if it made a difference."""
        pane, model = self.panes.get(name), self.desk.panes.models.get(name)
        if pane is None or model is None:
            return
        before, signal, exited = pane.state(), pane.naive.signal(), pane.naive.exited
        differs = happens()
        if cause == "program_end":
            differs = differs or pane.naive.signal() != signal
        changes: list[Change] = do(model)
        is_turn = bool(cause and differs and (not exited or cause == "program_end"))
        newest = model.turns.newest
        pane.step(before, self.desk.current, (cause, newest.revision) if is_turn and cause and newest else None)
        self._expect(self.desk.after(changes, name))

    def _naive(self, name: str) -> Any:
        return self.panes[name].naive

    def _feed(self, name: str, data: bytes, group: int = 1) -> Callable[[PaneModel], list[Change]]:
        return lambda pane: feed(pane, data, group=group, now=self.desk.now)

    @rule(name=names, body=bodies, group=groups)
    def report(self, name: str, body: str, group: int) -> None:
        (event,) = EventStream().feed(report(body))
        said = event.meaning

        def happens() -> Any:
            if isinstance(said, Clear):
                return self._naive(name).clear(said.id, group)
            return self._naive(name).report(said, group, self.desk.now) if isinstance(said, Report) else None

        cause = "clear" if isinstance(said, Clear) else "report"
        self._step(name, cause, happens, self._feed(name, report(body), group))

    @rule(name=names, data=st.sampled_from((PROMPT, PROMPT, COMMAND, QUERY, RESET, TITLE, PROGRESS)))
    def say(self, name: str, data: bytes) -> None:
        cause = {PROMPT: "prompt", COMMAND: "command", RESET: "reset"}.get(data)

        def happens() -> bool:
            naive = self._naive(name)
            shell = naive.shell
            if data == PROMPT:
                naive.prompt(primary=True)
                return True
            if data == COMMAND:
                naive.command()
                return bool(shell != naive.shell)
            if data == QUERY:
                naive.ask(1)
            return bool(naive.reset()) if data == RESET else False

        self._step(name, cause, happens, self._feed(name, data))

    @rule(name=names, luck=st.integers(0, 5))
    def go_to_and_fro(self, name: str, luck: int) -> None:
        """More turns than can be looked back upon."""
        for body in ("state=working", "state=clear") * (35 if luck == 0 else 0):
            self.report(name, body, 1)

    @rule(name=names)
    def acknowledge(self, name: str) -> None:
        now = self.desk.now
        self._step(name, None, lambda: self._naive(name).acknowledge(now), lambda pane: pane.acknowledge("ann", now))

    @rule(name=names, group=groups)
    def program_end(self, name: str, group: int) -> None:
        now, happens = self.desk.now, lambda: self._naive(name).program_end(group)
        self._step(name, "program_end", happens, lambda pane: pane.program_ended(group, now))

    @rule(name=names, luck=st.integers(0, 9))
    def exit(self, name: str, luck: int) -> None:
        if luck == 0 and name in self.panes and not self.panes[name].naive.exited:
            now, happens = self.desk.now, lambda: [True, self._naive(name).exit()]
            self._step(name, "exit", happens, lambda pane: pane.live(Life.EXITED, now))

    @rule(name=names, luck=st.integers(0, 9))
    def close(self, name: str, luck: int) -> None:
        if luck == 0 and name in self.panes:
            del self.panes[name]
            model = self.desk.panes.models.pop(name)
            self._expect(self.desk.after(list(model.log)[-1:], name))

    @rule(name=names)
    def output(self, name: str) -> None:
        pane = self.panes.get(name)
        if pane and not pane.naive.exited:
            pane.heard_at, pane.printed = self.desk.now, True
            self._expect(self.desk.output(name))

    # ---- commands in the foreground of a shell, which the host sees only when it looks

    @rule(name=names)
    def command_begins(self, name: str) -> None:
        self.runs[name] = True

    @rule(name=names)
    def command_ends(self, name: str) -> None:
        self.runs[name] = False
        pane = self.panes.get(name)
        if pane and pane.job is not None:
            pane.job, pane.heard_at = None, self.desk.now
            self._expect(self.desk.ended(JOB_GROUP, name))

    def _look(self, name: str) -> None:
        """See who is in the foreground, as a host does before it judges silence."""
        pane, model = self.panes.get(name), self.desk.panes.models.get(name)
        if pane is None or model is None or pane.naive.exited or pane.naive.signal() == "declared":
            return
        if self.runs[name]:
            pane.job_seen = model.log.revision if pane.job is None else pane.job_seen
            pane.job = JOB_GROUP
            model.job_runs(JOB_GROUP, "make")
        elif pane.job is not None:
            pane.job = None
            self._expect(self.desk.after(model.job_stopped(self.desk.now), name))

    # ---- what happens to waits

    @rule(
        panes=st.sampled_from((("p1",), ("p2",), ("p1", "p2"), ("p2", "p1"))),
        mode=st.sampled_from(Mode),
        since=st.sampled_from(("none", "zero", "future", *("moment",) * 3, *("write",) * 3)),
        back=st.integers(1, 8),
        queued=st.booleans(),
        early=st.booleans(),
        within=st.sampled_from((0.0, 2.0, 5.0, 50.0, 50.0)),
        quiet_s=st.sampled_from((1.0, 3.0, 20.0)),
        start_grace_s=st.sampled_from((2.0, 10.0)),
        matched=st.booleans(),
    )
    def begin(self, since: str, back: int, queued: bool, early: bool, matched: bool, **asked: Any) -> None:
        """Begin a wait for each thing that can be waited for; `since` is some moment back, maybe one of a write."""
        within = asked.pop("within")
        moment, at = self.moments[-min(back, len(self.moments))]
        write = SinceWrite(asked["panes"][0], queued, early, at) if since == "write" else None
        revision = {"none": None, "zero": 0, "future": self.desk.current + 1}.get(since, moment)
        for until in Until:
            spec = WaitSpec(until=until, since=revision, write=write, **asked)
            self._begin(spec, within, {spec.panes[0]: FOUND} if until is Until.TEXT and matched else {})

    def _begin(self, spec: WaitSpec, within: float, found: dict[str, TextMatch]) -> None:
        for name in spec.panes:
            self._look(name)
        now, current = self.desk.now, self.desk.current
        begun = self.desk.waits.begin(spec, now, now + within, current, found)
        wait = as_read(spec, self.panes, now, now + within, current, set(found))
        word = "resync" if (wait.spec.since or 0) > current else outcome(wait, self.panes, now)
        if word is None:
            assert isinstance(begun, int)
            assert begun not in self.open
            self.open[begun] = wait
        else:
            assert isinstance(begun, WaitResult)
            self._check(wait, begun, word)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), name=names)
    def find(self, data: st.DataObject, name: str) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        wait = self.open[number]
        if wait.spec.until is Until.TEXT and name in wait.spec.panes and name in self.panes:
            wait.matched.add(name)
            result = self.desk.waits.found(number, name, FOUND, self.desk.now, self.desk.current)
            self._expect([(number, result)] if result else [])

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        del self.open[number]
        self.desk.waits.cancel(number)
        assert self.desk.waits.found(number, "p1", FOUND, self.desk.now, self.desk.current) is None

    @rule(by=st.sampled_from((0.5, 1.0, 2.0, 3.0, 20.0)), jump=st.booleans())
    def time_passes(self, by: float, jump: bool) -> None:
        until = self.desk.now + by
        while not jump and (soon := self.desk.waits.next_time()) is not None and soon < until:
            assert soon > self.desk.now
            self._expire(soon)
        self._expire(until)

    def _expire(self, at: float) -> None:
        self.desk.now = at
        for name in self.desk.waits.silent(at):
            self._look(name)
        self._expect(self.desk.expire())

    @invariant()
    def nothing_is_open_that_has_ended_and_the_clock_looks_in_time(self) -> None:
        if self.moments[-1] != (self.desk.current, self.desk.now):
            self.moments.append((self.desk.current, self.desk.now))
        assert len(self.desk.waits) == len(self.open)
        soon = self.desk.waits.next_time()
        assert (soon is None) == (not self.open)
        for wait in self.open.values():
            assert outcome(wait, self.panes, self.desk.now) is None
            assert soon is not None
            assert soon <= due(wait, self.panes, self.desk.now)

    def teardown(self) -> None:
        """Look back from now to each moment."""
        for revision, at in self.moments:
            for mode in Mode:
                self._begin(WaitSpec(panes=("p2", "p1"), since=revision, mode=mode), 0.0, {})
            for name in NAMES:
                plain, early = (SinceWrite(name, queued=False, early=early, at=at) for early in (False, True))
                for write in (None, plain, early):
                    self._begin(WaitSpec(panes=(name,), since=revision, write=write), 0.0, {})


WaitsMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=50, deadline=None, database=None)
test_waits_driven_at_random_end_as_a_plain_reading_says = WaitsMachine.TestCase
