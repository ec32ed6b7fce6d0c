"""Changes and revisions: one number line, what is kept, what is folded together."""

import pytest

from session_core.model.changes import KEPT_CHANGES, Cause, ChangeLog, Revisions, Subject

from .panes import PROMPT, declare, feed, new_pane, states


def _title(text: str) -> bytes:
    return f"\x1b]2;{text}\x07".encode()


def test_revisions_count_up_over_panes_in_the_order_of_their_changes() -> None:
    revisions = Revisions(100)
    first, second = new_pane(revisions, pane="p1"), new_pane(revisions, pane="p2")
    made = [
        *declare(first, "state=working"),
        *declare(second, "state=working"),
        *declare(first, "state=done"),
    ]
    assert [change.revision for change in made] == list(range(105, 110))
    assert [change.pane for change in made] == ["p1", "p1", "p2", "p2", "p1"]
    assert revisions.current == 109
    assert (first.log.revision, second.log.revision) == (109, 108)


def test_an_empty_log_is_at_revision_zero() -> None:
    log = ChangeLog("p1", Revisions(7))
    assert (log.revision, log.total, list(log)) == (0, 0, [])


def test_a_change_says_what_changed_why_when_and_from_what_to_what() -> None:
    pane = new_pane()
    declare(pane, "state=working:id=a", now=1.0)
    (change,) = declare(pane, "state=done:id=a", now=2.5)
    assert (change.subject, change.cause, change.at, change.pane) == (
        Subject.RECORD,
        Cause.REPORT,
        2.5,
        "p1",
    )
    assert (change.record, change.before, change.after) == ("a", "working", "done")


def test_an_identical_report_makes_no_change_but_a_new_text_does() -> None:
    pane = new_pane()
    declare(pane, "state=working:msg=YQ==")
    assert declare(pane, "state=working:msg=YQ==") == []
    (change,) = declare(pane, "state=working:msg=Yg==")
    assert (change.before, change.after) == ("working", "working")


@pytest.mark.parametrize(
    "body",
    [
        "state=working:id=a//b",
        "state=working:msg=a",
        "state=paused",
        "state=clear:id=/a",
        "state=clear:id=zz",
    ],
)
def test_what_is_rejected_or_addresses_nothing_makes_no_change(body: str) -> None:
    pane = new_pane()
    declare(pane, "state=working:app=keep")
    total = pane.log.total
    assert declare(pane, body) == []
    assert pane.log.total == total


def test_unusable_addresses_and_texts_touch_no_record_and_a_clear_takes_its_subtree_only() -> None:
    pane = new_pane()
    declare(pane, "state=working", "state=working:id=a", "state=working:id=a/b", "state=working:id=ab")
    total, name = pane.log.total, "n" * 33
    for body in (
        "clear:id=a//b",
        "clear:id=",
        "done:id=x%20y",
        f"clear:id={name}",
        "idle:msg=YQpi",
        f"idle:app={name}",
    ):
        assert declare(pane, f"state={body}") == []
    assert pane.log.total == total
    declare(pane, "state=clear:id=a")
    assert states(pane) == {"": "working", "ab": "working"}


def test_an_eviction_is_a_change_of_its_own_behind_the_report() -> None:
    pane = new_pane(capacity=2)
    declare(pane, "state=blocked:id=a", "state=idle:id=b")
    report, eviction = declare(pane, "state=idle:id=c")
    assert (report.record, report.cause, report.before) == ("c", Cause.REPORT, None)
    assert (eviction.record, eviction.cause) == ("a", Cause.EVICT)
    assert (eviction.before, eviction.after) == ("blocked", None)


def test_a_run_of_titles_keeps_its_newest_change_and_counts_them_all() -> None:
    pane = new_pane()
    declare(pane, "state=working")
    kept, total = list(pane.log), pane.log.total
    made = [change for number in range(500) for change in feed(pane, _title(str(number)), now=float(number))]
    assert [change.revision for change in made] == list(range(kept[-1].revision + 1, kept[-1].revision + 501))
    assert list(pane.log) == [*kept, made[-1]]
    assert pane.log.total == total + 500
    assert pane.log.revision == made[-1].revision


def test_a_run_of_progress_keeps_its_newest_change() -> None:
    pane = new_pane()
    made = [change for n in range(100) for change in feed(pane, b"\x1b]9;4;1;%d\x07" % n)]
    assert len(made) == 100
    assert [change for change in pane.log if change.subject is Subject.PROGRESS] == [made[-1]]


def test_titles_on_both_sides_of_another_change_are_both_kept() -> None:
    pane = new_pane()
    feed(pane, _title("a"))
    declare(pane, "state=working")
    feed(pane, _title("b") + _title("c"))
    subjects = [change.subject for change in pane.log][-4:]
    assert subjects == [Subject.TITLE, Subject.RECORD, Subject.SIGNAL, Subject.TITLE]


def test_titles_and_progress_that_take_turns_keep_the_newest_of_each() -> None:
    pane = new_pane()
    feed(pane, b"".join(_title(str(n)) + b"\x1b]9;4;1;%d\x07" % n for n in range(50)))
    subjects = [change.subject for change in pane.log]
    assert (subjects.count(Subject.TITLE), subjects.count(Subject.PROGRESS)) == (1, 1)


def test_notices_and_folders_are_never_folded() -> None:
    pane = new_pane()
    feed(pane, b"\x1b]9;one\x07\x1b]9;one\x07\x1b]7;file:///a\x07\x1b]7;file:///b\x07")
    assert [change.subject for change in pane.log][-4:] == [
        Subject.NOTIFICATION,
        Subject.NOTIFICATION,
        Subject.FOLDER,
        Subject.FOLDER,
    ]


@pytest.mark.parametrize("data", [_title("a"), b"\x1b]7;file:///a\x07", b"\x1b]9;4;1;5\x07"])
def test_the_same_again_makes_no_change(data: bytes) -> None:
    pane = new_pane()
    assert len(feed(pane, data)) == 1
    assert feed(pane, data) == []


def test_the_newest_changes_are_kept_and_the_total_shows_how_many_are_gone() -> None:
    pane = new_pane()
    for _ in range(KEPT_CHANGES):
        declare(pane, "state=working", "state=done")
    kept = [change.revision for change in pane.log]
    assert len(kept) == KEPT_CHANGES
    assert kept == list(range(pane.log.revision - KEPT_CHANGES + 1, pane.log.revision + 1))
    assert pane.log.total == 2 + 1 + 2 * KEPT_CHANGES


def test_every_prompt_is_a_change_but_a_command_counts_once() -> None:
    pane = new_pane()
    assert [(c.before, c.after) for c in feed(pane, PROMPT) if c.subject is Subject.SHELL] == [(None, "prompt")]
    assert [(c.before, c.after) for c in feed(pane, PROMPT)] == [("prompt", "prompt")]
    command = b"\x1b]133;C\x07"
    assert [(c.before, c.after) for c in feed(pane, command + command)] == [("prompt", "command")]
