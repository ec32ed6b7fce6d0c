"""The changes of a whole host that a subscriber may have missed, or that they are no longer known."""

from session_core.model.changes import RECENT_CHANGES, Cause, Change, RecentChanges, Subject


def _changes(first: int, last: int) -> list[Change]:
    return [Change(number, 1.0, f"p{number % 3}", Subject.RECORD, Cause.REPORT) for number in range(first, last + 1)]


def test_what_came_after_a_revision_comes_in_order_over_all_panes() -> None:
    recent = RecentChanges()
    recent.add(_changes(1, 4))
    recent.add(_changes(6, 7))
    assert recent.after(0) == [*_changes(1, 4), *_changes(6, 7)]
    assert recent.after(4) == _changes(6, 7)
    assert recent.after(7) == []


def test_what_is_no_longer_kept_is_not_left_out_silently() -> None:
    recent = RecentChanges()
    recent.add(_changes(1, RECENT_CHANGES + 2))
    assert recent.forgotten == 2
    assert recent.after(1) is None
    assert recent.after(2) == _changes(3, RECENT_CHANGES + 2)


def test_of_a_host_that_was_started_again_older_changes_are_not_known() -> None:
    recent = RecentChanges(forgotten=9)
    assert recent.after(8) is None
    recent.add(_changes(10, 11))
    assert recent.after(9) == _changes(10, 11)
