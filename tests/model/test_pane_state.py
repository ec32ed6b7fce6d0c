"""A model that is written down and read back after every step goes on exactly like one that never was."""

from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from session_core.model.changes import Change, Revisions
from session_core.model.commands import Command
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.pane_state import PaneHistory, PaneState, capture, revive
from session_core.model.records import Record
from session_core.model.status import ExitStatus, Life, Occupant
from session_core.model.turns import Turn
from session_core.protocol.events import EventStream

T = TypeVar("T")
SPEC = PaneSpec(pane="p1", name="agent", command=("agent",), columns=80, rows=24)
_REPORTS = st.builds(
    lambda state, name, rest: f"\x1b]7501;state={state}{name}{rest}\x1b\\".encode(),
    st.sampled_from(["idle", "working", "done", "error", "blocked:kind=question"]),
    st.sampled_from(["", ":id=a", ":id=a/b", ":id=c"]),
    st.sampled_from(["", ":app=agent", ":progress=40"]),
)
_OTHERS = st.sampled_from(
    [
        b"\x1b]7501;clear\x1b\\",
        b"\x1b]7501;?\x1b\\",
        b"\x1b]133;A\x1b\\",
        b"\x1b]133;C\x1b\\",
        b"\x1b]133;D;3\x1b\\",
        b"\x1b]133;A;nonce=sesame\x1b\\",
        b"\x1bc",
        b"\x1b[?1049h",
        b"\x1b[?1049l",
        b"\x1b]2;a title\x1b\\",
        b"\x1b]7;file:///tmp\x1b\\",
        b"\x1b]9;4;1;50\x1b\\",
        b"\x1b]9;look here\x1b\\",
    ]
)
_STEPS = st.one_of(
    st.tuples(st.just("output"), st.one_of(_REPORTS, _OTHERS), st.sampled_from([None, 7, 8])),
    st.tuples(st.just("typed"), st.sampled_from([b"a", b"\r", b"\x7f", b"\x03", b"\x1b"]), st.booleans()),
    st.tuples(st.just("seen")),
    st.tuples(st.just("ended"), st.sampled_from([7, 8])),
    st.tuples(st.just("job"), st.sampled_from([7, 8])),
    st.tuples(st.just("stopped")),
    st.tuples(st.just("resized"), st.integers(10, 12)),
    st.tuples(st.just("occupied"), st.sampled_from([7, 8])),
    st.tuples(st.just("named"), st.sampled_from([None, "other"])),
    st.tuples(st.just("exited")),
)


@dataclass
class _Stepper:
    """One model with its revisions and the stream that its output comes through."""

    model: PaneModel
    revisions: Revisions
    stream: EventStream

    def step(self, step: tuple[object, ...], now: float) -> list[Change]:
        """Apply one step; what cannot follow on an exit does nothing."""
        model = self.model
        match step:
            case ("output", bytes(data), group):
                changes = []
                for event in self.stream.feed(data):
                    assert group is None or isinstance(group, int)
                    changes += model.take(event.meaning, group, now, begin=event.start, end=event.end)
                return changes
            case ("typed", bytes(data), bool(paste)):
                return model.typed(data, "ada", now, paste=paste)
            case ("seen",):
                return model.acknowledge("ada", now)
            case ("ended", int(group)):
                return model.program_ended(group, now)
            case ("job", int(group)):
                model.job_runs(group, "make")
            case ("stopped",):
                return model.job_stopped(now)
            case ("resized", int(rows)):
                return model.resized(80, rows, now)
            case ("occupied", int(pid)):
                return model.occupied(Occupant(pid, 1.0, "make"), now)
            case ("named", name):
                assert name is None or isinstance(name, str)
                return model.labels.named(name, now)
            case ("exited",) if model.life is Life.RUNNING:
                return model.live(Life.EXITED, now, ExitStatus(code=3))
        return []


_ADAPTERS: dict[type, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (PaneState, Change, Turn, Command, Record)
}


def _copy(value: T) -> T:
    adapter = _ADAPTERS[type(value)]
    copied: T = adapter.validate_json(adapter.dump_json(value, exclude_defaults=True))
    assert copied == value
    return copied


def _revived(stepper: _Stepper) -> _Stepper:
    model, revisions = stepper.model, Revisions(stepper.revisions.current)
    history = PaneHistory(
        changes=[_copy(change) for change in model.log],
        turns=[_copy(turn) for turn in model.turns],
        commands=[_copy(command) for command in model.commands],
        records=[_copy(record) for record in sorted(model.records, key=lambda record: record.report.id)],
    )
    return _Stepper(revive(_copy(capture(model)), history, revisions, model.heard_at), revisions, stepper.stream)


@given(st.lists(_STEPS, max_size=25), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_model_that_is_revived_after_every_step_does_what_the_other_does(
    steps: list[tuple[object, ...]], signed: bool
) -> None:
    pair = []
    for _ in range(2):
        revisions = Revisions()
        model = PaneModel(SPEC, revisions, 0.0, "sesame" if signed else None)
        model.live(Life.RUNNING, 0.5)
        pair.append(_Stepper(model, revisions, EventStream()))
    lasting, other = pair
    for number, step in enumerate(steps):
        now = 1.0 + number
        other = _revived(other)
        assert other.step(step, now) == lasting.step(step, now)
        assert other.model.status() == lasting.model.status()
        assert other.model.standing == lasting.model.standing
        assert other.model.footing == lasting.model.footing
        assert list(other.model.turns) == list(lasting.model.turns)
        assert list(other.model.log) == list(lasting.model.log)
        assert other.revisions.current == lasting.revisions.current
