"""Where in the output changes, turns and full-screen programs stand."""

from session_core.model.output_index import ENTRIES, SCREENS, OutputIndex, Span


def _noted(*changes: tuple[int, int, int, bool]) -> OutputIndex:
    index = OutputIndex()
    for revision, begin, end, active in changes:
        index.note(revision, begin, end, active=active)
    return index


def test_output_is_new_after_the_last_change_up_to_a_revision() -> None:
    index = _noted((3, 10, 20, False), (7, 50, 60, False), (8, 90, 95, False))
    assert [index.since(revision) for revision in (0, 2, 3, 6, 7, 8, 100)] == [0, 0, 20, 20, 60, 95, 95]


def test_of_a_revision_that_is_no_longer_known_everything_is_new() -> None:
    index = _noted(*((revision, revision * 10, revision * 10 + 5, False) for revision in range(1, ENTRIES + 3)))
    assert index.since(2) == 0
    assert index.since(3) == 35


def test_a_turn_begins_behind_the_report_that_opens_it_and_ends_before_the_one_that_closes_it() -> None:
    index = OutputIndex()
    assert index.turn is None
    index.note(1, 0, 10, active=False)
    index.note(2, 100, 110, active=True)
    assert index.turn == Span(110)
    index.note(3, 150, 160, active=True)
    assert index.turn == Span(110)
    index.note(4, 200, 210, active=False)
    assert index.turn == Span(110, 200)
    index.note(5, 300, 310, active=False)
    assert index.turn == Span(110, 200)
    index.note(6, 400, 410, active=True)
    assert index.turn == Span(410)


def test_output_belongs_to_the_screen_that_was_shown() -> None:
    index = OutputIndex()
    index.switch(0, 5, alternate=False)
    index.switch(100, 108, alternate=True)
    index.switch(150, 158, alternate=True)
    assert [index.alternate_at(offset) for offset in (0, 100, 107)] == [None] * 3
    assert [index.alternate_at(offset) for offset in (108, 1000)] == [Span(108)] * 2
    index.switch(200, 208, alternate=False)
    index.switch(250, 258, alternate=False)
    assert [index.alternate_at(offset) for offset in (108, 199)] == [Span(108, 200)] * 2
    assert [index.alternate_at(offset) for offset in (107, 200, 999)] == [None] * 3
    index.switch(300, 308, alternate=True)
    assert (index.alternate_at(250), index.alternate_at(308)) == (None, Span(308))


def test_only_so_many_alternate_screens_are_known() -> None:
    index = OutputIndex()
    for number in range(SCREENS + 1):
        index.switch(number * 100, number * 100 + 8, alternate=True)
        index.switch(number * 100 + 50, number * 100 + 58, alternate=False)
    assert index.alternate_at(20) is None
    assert index.alternate_at(120) == Span(108, 150)
