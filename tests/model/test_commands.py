"""The commands that a pane keeps, from plain marks and from signed ones, against a naive reading of the marks."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_core.model.changes import Cause, Change, Subject
from session_core.model.commands import KEPT_COMMANDS, Command, Commands
from session_core.model.pane import PaneModel
from session_core.protocol.events import EventStream
from session_core.protocol.shell_marks import Mark, ShellMark

from .panes import ALTERNATE_ON, declare, new_pane, states

A, B, C, D = (ShellMark(mark) for mark in Mark)


def ended(commands: Commands) -> list[tuple[int, int, int | None, int | None]]:
    """Return number, begin, end and exit code of each command."""
    return [(command.number, command.begin, command.end, command.exit_code) for command in commands]


def told(*marks: ShellMark) -> Commands:
    """Return the commands of marks that are ten bytes long and stand ten bytes apart."""
    commands = Commands()
    for number, mark in enumerate(marks):
        commands.take(mark, 20 * number, 20 * number + 10, "/home", float(number), number + 100)
    return commands


def test_a_command_begins_after_c_and_ends_before_d() -> None:
    commands = told(A, C, ShellMark(Mark.FINISHED, exit_code=3), A)
    assert list(commands) == [Command(1, None, "/home", 3, 30, 40, 1.0, 2.0, 102)]


def test_a_command_without_an_end_runs() -> None:
    assert list(told(A, B, C)) == [Command(1, None, "/home", None, 50, None, 2.0, None, 102)]


def test_an_end_without_a_command_is_nothing() -> None:
    assert ended(told(D, A, D, B)) == []
    assert ended(told(C, ShellMark(Mark.FINISHED, exit_code=0), ShellMark(Mark.FINISHED, exit_code=9))) == [
        (1, 10, 20, 0)
    ]


def test_a_prompt_ends_a_command_with_an_unknown_exit_code() -> None:
    assert ended(told(C, A, D)) == [(1, 10, 20, None)]


def test_a_second_command_ends_the_first() -> None:
    assert ended(told(C, C, ShellMark(Mark.FINISHED, exit_code=1))) == [(1, 10, 20, None), (2, 30, 40, 1)]


def test_the_oldest_commands_go_and_numbers_go_on() -> None:
    commands = told(*[C, D] * (KEPT_COMMANDS + 5))
    assert (len(commands), commands.total) == (KEPT_COMMANDS, KEPT_COMMANDS + 5)
    assert [command.number for command in commands] == list(range(6, KEPT_COMMANDS + 6))


MARKS = st.lists(
    st.sampled_from([A, B, C, D, ShellMark(Mark.FINISHED, exit_code=0), ShellMark(Mark.FINISHED, exit_code=2)]),
    max_size=300,
)


@given(MARKS)
def test_commands_are_those_of_a_naive_reading(marks: list[ShellMark]) -> None:
    expected: list[tuple[int, int, int | None, int | None]] = []
    for start in (number for number, mark in enumerate(marks) if mark is C):
        later = ((n, m) for n, m in enumerate(marks) if n > start and m is not B)
        at, end = next(later, (None, None))
        code = end.exit_code if end else None
        expected.append((len(expected) + 1, 20 * start + 10, None if at is None else 20 * at, code))
    commands = told(*marks)
    assert ended(commands) == expected[-KEPT_COMMANDS:]
    assert commands.total == len(expected)
    assert commands.newest == (list(commands)[-1] if expected else None)


# ---- in a pane


@dataclass
class Stream:
    """A pane that reads one stream of output."""

    pane: PaneModel
    events: EventStream

    def feed(self, data: str) -> list[Change]:
        """Apply output."""
        found = self.events.feed(data.encode())
        take = self.pane.take
        return [one for event in found for one in take(event.meaning, 1, 5.0, begin=event.start, end=event.end)]

    @property
    def newest(self) -> Command:
        """The newest command."""
        command = self.pane.status().last_command
        assert command is not None
        return command


def stream(nonce: str | None = None) -> Stream:
    """Return a pane at the beginning of its output."""
    return Stream(new_pane(nonce=nonce), EventStream())


def test_offsets_are_those_of_the_output_around_the_marks() -> None:
    output = "motd\r\n\x1b]133;A\x07$ ls\r\n\x1b]133;C\x07one\r\n\x1b]133;D;0\x1b\\\x1b]133;A\x07"
    one = stream()
    one.feed(output)
    assert output[one.newest.begin : one.newest.end] == "one\r\n"


def test_the_revision_of_a_command_is_that_of_its_last_change() -> None:
    one = stream()
    (begun,) = [change for change in one.feed("\x1b]133;C\x07") if change.subject is Subject.SHELL]
    assert one.newest.revision >= begun.revision
    (over,) = [change for change in one.feed("\x1b]133;D;0\x07") if change.subject is Subject.SHELL]
    assert one.newest.revision == over.revision


def test_the_folder_of_a_plain_command_is_the_one_that_the_shell_has_told() -> None:
    one = stream()
    one.feed("\x1b]133;C;cwd=/unsigned\x07")
    assert (one.newest.folder, one.pane.labels.folder) == (None, None)
    one.feed("\x1b]7;file://host/srv\x07\x1b]133;C;cwd=/unsigned\x07")
    assert (one.newest.folder, one.pane.labels.folder) == ("/srv", "/srv")


@pytest.mark.parametrize("letter", "AC")
def test_a_signed_mark_moves_the_folder_of_the_pane_once(letter: str) -> None:
    one = stream("n1")
    changes = one.feed(f"\x1b]133;{letter};nonce=n1;cwd=/a%3Bb%20%25\x07" * 2)
    assert [change.subject for change in changes].count(Subject.FOLDER) == 1
    assert one.pane.labels.folder == "/a;b %"


@pytest.mark.parametrize("cwd", ["", ";cwd=", ";cwd=relative", ";cwd=%00"])
def test_a_signed_mark_without_an_absolute_folder_moves_nothing(cwd: str) -> None:
    one = stream("n1")
    one.feed("\x1b]133;A;nonce=n1;cwd=/srv\x07")
    one.feed(f"\x1b]133;A;nonce=n1{cwd}\x07")
    assert one.pane.labels.folder == "/srv"


# ---- the nonce


FORGERIES = [
    "\x1b]133;A\x07",
    "\x1b]133;A;nonce=\x07",
    "\x1b]133;A;nonce=n2;cwd=/forged\x07",
    "\x1b]133;A;NONCE=n1\x07",
    "\x1b]133;A;nonce=n1;nonce=n2\x07",
    "\x1b]133;A;k=s\x07",
    "\x1b]133;B\x07",
    "\x1b]133;C;cmdline=forged\x07",
    "\x1b]133;D;7\x07",
    "\x1b]133;D;7;nonce=n11\x07",
]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_once_the_nonce_was_seen_a_mark_without_it_changes_nothing_and_is_counted(forgery: str) -> None:
    one = stream("n1")
    one.feed("\x1b]133;C;nonce=n1;cmdline_url=make\x07")
    declare(one.pane, "state=working")
    before = one.pane.status()
    assert one.feed(forgery) == []
    after = one.pane.status()
    assert (after.forged_marks, after.last_command, after.state) == (1, before.last_command, before.state)
    assert (after.revision, after.folder, states(one.pane)) == (before.revision, None, {"": "working"})
    one.feed(f"\x1b]133;D;1;nonce=n1\x07{forgery}")
    assert (one.newest.exit_code, one.pane.status().forged_marks) == (1, 2)


def test_before_the_nonce_was_seen_plain_marks_count() -> None:
    one = stream("n1")
    one.feed("\x1b]133;A;nonce=wrong\x07\x1b]133;C;cmdline_url=rc\x07")
    assert (one.newest.line, one.pane.status().shell, one.pane.marks.forged) == ("rc", "command", 0)
    one.feed("\x1b]133;A;nonce=n1\x07\x1b]133;C\x07")
    assert (one.newest.line, one.newest.end is None, one.pane.status().shell) == ("rc", False, "prompt")


@pytest.mark.parametrize("mark", ["\x1b]133;A\x07", "\x1b]133;A;nonce=\x07", "\x1b]133;A;nonce=None\x07"])
def test_in_a_pane_without_a_nonce_every_mark_counts(mark: str) -> None:
    one = stream()
    one.feed(mark * 2 + "\x1b]133;C\x07")
    assert (one.pane.status().shell, one.pane.status().forged_marks, one.pane.marks.signed) == ("command", 0, False)


def test_a_signed_prompt_ends_what_was_declared_as_a_plain_one_does() -> None:
    one = stream("n1")
    declare(one.pane, "state=working")
    changes = one.feed("\x1b]133;A;nonce=n1\x07")
    assert [change.cause for change in changes if change.subject is Subject.RECORD] == [Cause.PROMPT]
    assert states(one.pane) == {}


def test_only_a_signed_mark_counts_on_the_alternate_screen() -> None:
    one = stream("n1")
    one.feed(ALTERNATE_ON.decode() + "\x1b]133;A\x07")
    assert one.pane.status().shell is None
    one.feed("\x1b]133;A;nonce=n1\x07")
    assert one.pane.status().shell == "prompt"


def test_the_nonce_is_not_shown() -> None:
    one = stream("s3cret")
    one.feed("\x1b]133;A;nonce=s3cret;cwd=/\x07\x1b]133;C;nonce=s3cret;cmdline_url=ls\x07")
    changes = one.feed("\x1b]133;D;0;nonce=s3cret\x07")
    assert "s3cret" not in f"{one.pane.status()}{changes}{list(one.pane.commands)}{one.pane.marks!r}"
