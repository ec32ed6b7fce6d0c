"""Answers are kept by method and key, and the newest ones only."""

from session_core.model.answered import ANSWERS, Answered, Kept


def test_a_key_gets_its_answer_from_its_method_alone() -> None:
    answered = Answered()
    answered.keep(Kept("open_pane", "k", "p1"))
    assert answered.get("open_pane", "k") == Kept("open_pane", "k", "p1")
    assert answered.get("close_pane", "k") is None
    assert answered.get("open_pane", "other") is None
    assert answered.get("open_pane", None) is None


def test_an_answer_may_be_nothing() -> None:
    answered = Answered()
    answered.keep(Kept("viewer_input", "k", None))
    assert answered.get("viewer_input", "k") == Kept("viewer_input", "k", None)


def test_the_oldest_answer_of_a_method_goes_and_no_other() -> None:
    answered = Answered()
    answered.keep(Kept("open_pane", "first", "p1"))
    for number in range(ANSWERS + 1):
        answered.keep(Kept("viewer_input", str(number), None))
    assert answered.get("viewer_input", "0") is None
    assert answered.get("viewer_input", "1") is not None
    assert answered.get("open_pane", "first") is not None
    assert len(list(answered)) == ANSWERS + 1
