"""What a program's declarations put on the wire, against a model that recomputes everything from history."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from session_core.protocol import limits
from session_core.protocol.program_status import Clear, Report, State
from session_core.report.lifecycle import Lifecycle

from .pty_end import Said, statuses

FINISHED = (State.DONE, State.ERROR)
BEGIN, END, CLEAR_CHILD, CLOSE, RESEND = "begin", "end", "clear child", "close", "resend"
REPORTS = st.builds(
    Report,
    state=st.sampled_from(State),
    id=st.sampled_from(["", "", "", "build", "build/test", "builder"]),
    msg=st.sampled_from([None, "a", "b"]),
)
STEPS = st.lists(REPORTS | st.sampled_from([BEGIN, END, BEGIN, END, CLEAR_CHILD, RESEND, CLOSE]), max_size=25)
Step = Report | str


def perform(lifecycle: Lifecycle, step: Step) -> list[Said]:
    """Take one step and return what was written."""
    if isinstance(step, Report):
        return statuses(b"".join(lifecycle.declare(step)))
    calls: dict[str, Callable[[], list[bytes]]] = {
        BEGIN: lifecycle.begin_background,
        END: lifecycle.end_background,
        RESEND: lifecycle.resend,
        CLOSE: lifecycle.close,
        CLEAR_CHILD: lambda: lifecycle.clear("build"),
    }
    return statuses(b"".join(calls[step]()))


def shown_after(history: list[Step]) -> dict[str, Report]:
    """What a terminal should hold after `history`: the naive model, one pass over all of it."""
    declared: dict[str, Report] = {}
    background = 0
    for step in history:
        if isinstance(step, Report):
            last = declared.get(step.id)
            if not (step.state is State.IDLE and last and last.state in FINISHED):
                declared[step.id] = step
        elif step == BEGIN:
            declared.setdefault("", Report(state=State.IDLE, app="a"))
            background += 1
        elif step == END:
            background = max(0, background - 1)
        elif step == CLEAR_CHILD:
            declared = {id: report for id, report in declared.items() if id.split("/")[0] != "build"}
        elif step == CLOSE:
            return {}
    if background and declared[""].state in (*FINISHED, State.IDLE):
        msg = f"{background} background task{'s' * (background > 1)} running"
        declared[""] = Report(state=State.WORKING, app="a", msg=msg)
    return declared


def hold(records: dict[str, Report], said: list[Said]) -> None:
    """Apply `said` to `records` as a terminal does (section 3)."""
    for status in said:
        if isinstance(status, Report):
            records[status.id] = status
        elif isinstance(status, Clear):
            for id in [id for id in records if not status.id or f"{id}/".startswith(f"{status.id}/")]:
                del records[id]


@settings(deadline=None)
@given(STEPS)
def test_a_terminal_holds_what_the_model_says_after_every_step(steps: list[Step]) -> None:
    lifecycle, records = Lifecycle("a"), dict[str, Report]()
    for number, step in enumerate(steps, start=1):
        hold(records, perform(lifecycle, step))
        assert records == shown_after(steps[:number])


@settings(deadline=None)
@given(STEPS)
def test_no_record_gets_the_same_report_twice_in_a_row(steps: list[Step]) -> None:
    lifecycle, records = Lifecycle("a"), dict[str, Report]()
    for step in steps:
        said = perform(lifecycle, step)
        if step != RESEND:
            assert all(records.get(status.id) != status for status in said if isinstance(status, Report))
        hold(records, said)


@settings(deadline=None)
@given(STEPS)
def test_no_completion_of_the_root_comes_out_while_background_work_runs(steps: list[Step]) -> None:
    lifecycle = Lifecycle("a")
    for step in steps:
        said = perform(lifecycle, step)
        roots = [status for status in said if isinstance(status, Report) and not status.id]
        if lifecycle.background:
            assert all(root.state in (State.WORKING, State.BLOCKED) for root in roots)


@settings(deadline=None)
@given(STEPS, STEPS)
def test_nothing_comes_after_close(before: list[Step], after: list[Step]) -> None:
    lifecycle = Lifecycle("a")
    for step in [*before, CLOSE]:
        perform(lifecycle, step)
    assert [said for step in after for said in perform(lifecycle, step)] == []


def root(state: State, msg: str | None = None) -> Report:
    """A report of the program itself."""
    return Report(state=state, app="a", msg=msg)


def test_idle_after_done_or_error_waits_for_a_new_turn() -> None:
    for finished in FINISHED:
        lifecycle = Lifecycle("a")
        states = (State.IDLE, State.WORKING, finished, State.IDLE, State.WORKING, State.IDLE)
        said = [status for state in states for status in perform(lifecycle, root(state))]
        expected = (State.IDLE, State.WORKING, finished, State.WORKING, State.IDLE)
        assert said == [root(state) for state in expected]


def test_a_held_completion_comes_out_when_the_last_background_work_ends() -> None:
    lifecycle = Lifecycle("a")
    steps: list[Step] = [root(State.WORKING, "turn"), BEGIN, BEGIN, root(State.DONE, "ready"), END, END]
    assert [perform(lifecycle, step) for step in steps] == [
        [root(State.WORKING, "turn")],
        [],
        [],
        [root(State.WORKING, "2 background tasks running")],
        [root(State.WORKING, "1 background task running")],
        [root(State.DONE, "ready")],
    ]


def test_a_new_turn_drops_the_held_completion() -> None:
    lifecycle = Lifecycle("a")
    steps: list[Step] = [BEGIN, root(State.DONE, "ready"), root(State.WORKING, "next")]
    for step in steps:
        perform(lifecycle, step)
    assert perform(lifecycle, END) == []


def test_background_work_does_not_hide_that_a_person_is_needed() -> None:
    lifecycle = Lifecycle("a")
    perform(lifecycle, BEGIN)
    assert perform(lifecycle, root(State.BLOCKED, "Run it?")) == [root(State.BLOCKED, "Run it?")]


def test_the_end_of_background_work_that_never_began_is_ignored() -> None:
    lifecycle = Lifecycle("a")
    perform(lifecycle, END)
    perform(lifecycle, BEGIN)
    assert perform(lifecycle, root(State.DONE)) == []


def test_close_clears_everything_only_where_a_root_was_declared() -> None:
    child = Report(state=State.WORKING, id="build")
    lone, whole, silent = Lifecycle(), Lifecycle(), Lifecycle()
    for lifecycle in (lone, whole):
        perform(lifecycle, child)
        perform(lifecycle, replace(child, id="lint"))
    perform(whole, root(State.IDLE))
    assert statuses(b"".join(lone.close())) == [Clear("build"), Clear("lint")]
    assert statuses(b"".join(whole.close())) == [Clear()]
    assert statuses(b"".join(silent.close())) == []


def test_close_can_leave_a_finished_root_but_no_other() -> None:
    finished, running, held = Lifecycle(), Lifecycle(), Lifecycle()
    for step in (root(State.DONE), Report(state=State.WORKING, id="build")):
        perform(finished, step)
    perform(running, root(State.WORKING))
    perform(held, BEGIN)
    perform(held, root(State.DONE))
    assert statuses(b"".join(finished.close(keep_finished=True))) == [Clear("build")]
    assert statuses(b"".join(running.close(keep_finished=True))) == [Clear()]
    assert statuses(b"".join(held.close(keep_finished=True))) == [Clear()]


def test_a_record_that_the_terminal_may_have_evicted_is_said_again() -> None:
    lifecycle = Lifecycle("a")
    first = Report(state=State.WORKING, id="n0")
    for number in range(limits.STATUS_RECORDS):
        perform(lifecycle, replace(first, id=f"n{number}"))
    assert perform(lifecycle, first) == []
    perform(lifecycle, replace(first, id="one-more"))
    assert perform(lifecycle, first) == [first]
    assert len(lifecycle.resend()) == limits.STATUS_RECORDS
