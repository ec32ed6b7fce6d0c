"""What a reader sees: harmless texts, since when, inherited apps, and what the pane was opened with."""

import base64

import pytest

from session_core.model.status import Notice, Shell
from session_core.protocol import limits

from .panes import ALTERNATE_ON, COMMAND, PROMPT, declare, feed, new_pane, report

HOSTILE = "a\u202eb\u200bc\u2066d\ufeffe\u061cf"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("field", ["title", "msg"])
def test_a_text_is_shown_without_invisible_characters(field: str) -> None:
    """OSC 7501 section 2 names the characters that a terminal should disarm."""
    pane = new_pane()
    declare(pane, f"state=working:{field}={_encoded(HOSTILE)}")
    assert getattr(pane.status().records[0], field) == "abcdef"


def test_a_long_message_is_cut_with_an_ellipsis() -> None:
    pane = new_pane()
    declare(pane, f"state=working:msg={_encoded('m' * limits.STATUS_MSG)}")
    shown = pane.status().records[0].msg
    assert shown == "m" * (limits.SHOWN_MSG_CHARACTERS - 1) + "…"


def test_a_message_at_the_limit_is_shown_whole() -> None:
    pane = new_pane()
    declare(pane, f"state=working:msg={_encoded('m' * limits.SHOWN_MSG_CHARACTERS)}")
    assert pane.status().records[0].msg == "m" * limits.SHOWN_MSG_CHARACTERS


def test_fields_that_a_report_omits_are_absent() -> None:
    pane = new_pane()
    declare(pane, "state=blocked:kind=permission:app=agent:progress=40:title=VA==:msg=UnVuIHRlc3RzPw==")
    view = pane.status().records[0]
    assert (view.kind, view.progress, view.app, view.title, view.msg) == (
        "permission",
        40,
        "agent",
        "T",
        "Run tests?",
    )
    for body in ("state=working", "state=done:progress=90:kind=auth"):
        declare(pane, body)
        view = pane.status().records[0]
        assert (view.kind, view.progress, view.app, view.title, view.msg) == (None,) * 5


def test_an_app_is_inherited_from_the_nearest_ancestor_that_has_one() -> None:
    """OSC 7501 section 3: missing ancestors and those without an app are skipped, the root comes last."""
    pane = new_pane()
    declare(pane, "state=idle:app=root", "state=idle:id=a:app=near", "state=idle:id=a/b", "state=idle:id=ab")
    declare(pane, "state=idle:id=a/b/c/d", "state=idle:id=z/y:app=own")
    shown = {view.id: view.app for view in pane.status().records}
    assert shown == {"": "root", "a": "near", "a/b": "near", "a/b/c/d": "near", "ab": "root", "z/y": "own"}


def test_an_app_is_inherited_when_read_and_never_copied() -> None:
    pane = new_pane()
    declare(pane, "state=idle:app=root", "state=idle:id=a:app=near", "state=idle:id=a/b")
    declare(pane, "state=working:id=a")
    assert pane.records.app_of("a/b") == "root"
    declare(pane, "state=working")
    assert pane.records.app_of("a/b") is None


def test_nothing_but_the_app_is_inherited() -> None:
    pane = new_pane()
    declare(pane, "state=blocked:kind=auth:progress=5:app=x:title=VA==:msg=YQ==", "state=working:id=a")
    child = pane.status().records[1]
    assert (child.kind, child.progress, child.title, child.msg) == (None, None, None, None)


def test_records_are_listed_by_id_with_the_root_first() -> None:
    pane = new_pane()
    declare(pane, *(f"state=idle:id={identity}" for identity in ("b", "a/c", "a")), "state=idle")
    assert [view.id for view in pane.status().records] == ["", "a", "a/c", "b"]


def test_a_record_stands_since_its_last_change_and_an_identical_report_does_not_renew_it() -> None:
    pane = new_pane()
    declare(pane, "state=working", now=10.0)
    declare(pane, "state=working", now=14.0)
    status = pane.status()
    assert (status.records[0].at, status.state_at) == (10.0, 10.0)
    declare(pane, "state=working:id=a", now=25.0)
    status = pane.status()
    assert ([view.at for view in status.records], status.state_at) == ([10.0, 25.0], 25.0)


def test_the_state_stands_since_the_pane_began_whatever_its_title_does() -> None:
    pane = new_pane(now=5.0)
    feed(pane, b"\x1b]2;t\x07\x1b]9;4;1;5\x07", now=8.0)
    assert pane.status().state_at == 5.0


def test_the_leading_record_is_shown_as_it_is_listed() -> None:
    pane = new_pane()
    assert new_pane().lead is None
    declare(pane, "state=working:app=x", f"state=blocked:id=a:msg={_encoded(HOSTILE)}")
    lead = pane.lead
    assert lead == pane.status().records[1]
    assert (lead.id, lead.app, lead.msg) == ("a", "x", "abcdef")


def test_title_folder_and_notice_are_harmless_and_cut() -> None:
    pane = new_pane()
    long = "t" * (limits.SHOWN_TITLE_CHARACTERS + 1)
    feed(
        pane,
        f"\x1b]2;{long}\x07\x1b]7;file://box/a%E2%80%AEb\x07\x1b]777;notify;x{HOSTILE};y{HOSTILE}\x07".encode(),
    )
    status = pane.status()
    assert status.title == long[: limits.SHOWN_TITLE_CHARACTERS - 1] + "…"
    assert status.folder == "/ab"
    assert status.notice == Notice("xabcdef", "yabcdef", 0.0)


@pytest.mark.parametrize(
    ("said", "shown"),
    [("1;40", 40), ("2;60", 60), ("4;30", 30), ("1;250", 100), ("3", None), ("0", None), ("2", None)],
)
def test_a_progress_bar_shows_its_percent_and_changes_no_record(said: str, shown: int | None) -> None:
    pane = new_pane()
    feed(pane, f"\x1b]9;4;1;7\x07\x1b]9;4;{said}\x07".encode())
    status = pane.status()
    assert (status.progress_bar, status.records) == (shown, ())


def test_prompt_marks_show_the_phase_and_the_last_exit_code() -> None:
    pane = new_pane()
    assert (pane.status().shell, pane.status().last_exit_code) == (None, None)
    feed(pane, PROMPT + COMMAND)
    assert pane.status().shell is Shell.COMMAND
    feed(pane, b"\x1b]133;D;130\x07" + PROMPT)
    assert (pane.status().shell, pane.status().last_exit_code) == (Shell.PROMPT, 130)
    feed(pane, ALTERNATE_ON + COMMAND + b"\x1b]133;D;1\x07")
    assert (pane.status().shell, pane.status().last_exit_code) == (Shell.PROMPT, 130)


def test_what_the_pane_was_opened_with_and_what_the_host_counts_is_shown() -> None:
    pane = new_pane()
    feed(pane, report("state=done"))
    pane.held_by_others = True
    status = pane.status(rejected_reports=4)
    assert (status.pane, status.name, status.command) == ("p1", "work", ("sh", "-c", "true"))
    assert (status.columns, status.rows, status.rejected_reports) == (80, 24, 4)
    assert (status.revision, status.changes) == (pane.log.revision, pane.log.total) == (4, 4)
    assert status.held_by_others
