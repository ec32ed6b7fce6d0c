"""Titles, folders, notifications and progress: the older things that a program tells its terminal."""

import base64

import pytest

from session_core.protocol import limits
from session_core.protocol.host_events import (
    Folder,
    Notification,
    Progress,
    ProgressState,
    Title,
    parse_folder,
    parse_kitty,
    parse_nine,
    parse_title,
    parse_urxvt,
)

from .reading import read

NORMAL, ERROR, PAUSED = ProgressState.NORMAL, ProgressState.ERROR, ProgressState.PAUSED


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", ""),
        (b"build: 3/7; ok", "build: 3/7; ok"),
        ("安全 ✓".encode(), "安全 ✓"),
        (b"a\xffb", "a\ufffdb"),
        (b"a\nb\x7f\xc2\x9bc", "abc"),
        ("a\u202eb\u200b".encode(), "ab"),
        (b"x" * limits.SHOWN_TITLE_CHARACTERS, "x" * limits.SHOWN_TITLE_CHARACTERS),
        (b"x" * 9999, "x" * (limits.SHOWN_TITLE_CHARACTERS - 1) + "…"),
    ],
)
def test_a_title_is_shown_harmless_and_bounded(body: bytes, text: str) -> None:
    assert parse_title(body) == Title(text)


@pytest.mark.parametrize(
    ("body", "folder"),
    [
        (b"file:///home/me", Folder("/home/me", "")),
        (b"file://box/home/me", Folder("/home/me", "box")),
        (b"file://box.local/", Folder("/", "box.local")),
        (b"file://Me@Box:22/x", Folder("/x", "box")),
        (b"FILE://box/x", Folder("/x", "box")),
        (b"file:/x", Folder("/x", "")),
        (b"file://box/a%20b%25%23%3Fc", Folder("/a b%#?c", "box")),
        (b"file://box/%E5%AE%89", Folder("/安", "box")),
        ("file://box/安 b".encode(), Folder("/安 b", "box")),
        (b"file://box/%ff", Folder("/\ufffd", "box")),
        (b"file://box/100%", Folder("/100%", "box")),
        (b"file://box/a%1B%00%0Ab%E2%80%AEc", Folder("/abc", "box")),
        ("file://bo\u202ex/a".encode(), Folder("/a", "box")),
        (b"file:///" + b"x" * 9999, Folder("/" + "x" * (limits.SHOWN_PATH_CHARACTERS - 2) + "…", "")),
        (b"file://" + b"m" * 999 + b"/", Folder("/", "m" * (limits.SHOWN_TITLE_CHARACTERS - 1) + "…")),
    ],
)
def test_a_folder_is_an_address_with_its_percent_encoding_undone(body: bytes, folder: Folder) -> None:
    assert parse_folder(body) == folder


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"/home/me",
        b"http://box/x",
        b"kitty-shell-cwd://box/x",
        b"file:x",
        b"file://box",
        b"file://[box/x",
        b"file://[::1/x",
        "file://bo\u2100x/a".encode(),
        b"\xff\xfe",
        b"://",
    ],
)
def test_what_is_no_absolute_file_address_gives_nothing(body: bytes) -> None:
    assert parse_folder(body) is None


@pytest.mark.parametrize(
    ("body", "progress"),
    [
        (b"4;0", Progress(ProgressState.CLEAR, None)),
        (b"4;0;50", Progress(ProgressState.CLEAR, None)),
        (b"4;1;0", Progress(NORMAL, 0)),
        (b"4;1;40", Progress(NORMAL, 40)),
        (b"4;1;100", Progress(NORMAL, 100)),
        (b"4;1;250", Progress(NORMAL, 100)),
        (b"4;1;1000", Progress(NORMAL, None)),
        (b"4;1", Progress(NORMAL, None)),
        (b"4;1;", Progress(NORMAL, None)),
        (b"4;1;-5", Progress(NORMAL, None)),
        (b"4;1;x", Progress(NORMAL, None)),
        ("4;1;\u0665".encode(), Progress(NORMAL, None)),
        (b"4;2", Progress(ERROR, None)),
        (b"4;2;7", Progress(ERROR, 7)),
        (b"4;3", Progress(ProgressState.INDETERMINATE, None)),
        (b"4;3;9", Progress(ProgressState.INDETERMINATE, None)),
        (b"4;4;30", Progress(PAUSED, 30)),
    ],
)
def test_nine_four_is_progress_and_a_percentage_only_where_it_applies(body: bytes, progress: Progress) -> None:
    assert parse_nine(body) == progress


@pytest.mark.parametrize(
    "body",
    [
        b"4",
        b"4;",
        b"4;5",
        b"4;-1",
        b"4;01",
        b"4;x;40",
        b"4;;40",
        b"1;50",
        b"1;1;40",
        b"3;2",
        b"2;text",
        b"9;x",
        b"12;",
    ],
)
def test_a_numbered_command_that_is_no_progress_gives_nothing(body: bytes) -> None:
    assert parse_nine(body) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"build done", "build done"),
        (b"42 tests; 3 failed", "42 tests; 3 failed"),
        (b"2026", "2026"),
        (b"4.1;x", "4.1;x"),
        ("\u0664;1".encode(), "\u0664;1"),
        (b"a\x01\xc2\x9b\xe2\x80\xae", "a"),
        (b"n" * 9999, "n" * (limits.SHOWN_MSG_CHARACTERS - 1) + "…"),
    ],
)
def test_nine_with_words_is_a_notification(body: bytes, text: str) -> None:
    assert parse_nine(body) == Notification("", text)


@pytest.mark.parametrize(
    ("body", "notification"),
    [
        (b"notify;Build;all green", Notification("Build", "all green")),
        (b"notify;Build;a;b", Notification("Build", "a;b")),
        (b"notify;Build", Notification("Build", "")),
        (b"notify;;body", Notification("", "body")),
        (b"notify;B\x1bd\xff;b\xe2\x80\x8b", Notification("Bd\ufffd", "b")),
        (
            b"notify;" + b"t" * 999 + b";" + b"b" * 9999,
            Notification(
                "t" * (limits.SHOWN_TITLE_CHARACTERS - 1) + "…",
                "b" * (limits.SHOWN_MSG_CHARACTERS - 1) + "…",
            ),
        ),
    ],
)
def test_777_notify_has_a_title_and_a_body(body: bytes, notification: Notification) -> None:
    assert parse_urxvt(body) == notification


@pytest.mark.parametrize("body", [b"", b"matcher;x", b"Notify;a;b", b" notify;a;b", b"notifyx;a"])
def test_any_other_777_command_gives_nothing(body: bytes) -> None:
    assert parse_urxvt(body) is None


@pytest.mark.parametrize(
    ("body", "notification"),
    [
        (b";Hello", Notification("Hello", "")),
        (b"i=1:d=1;Hello; you", Notification("Hello; you", "")),
        (b"p=title;Hello", Notification("Hello", "")),
        (b"i=1:p=body;Text", Notification("", "Text")),
        (b"i=1::a=;Hello", Notification("Hello", "")),
        (b"e=0;SGk=", Notification("SGk=", "")),
        (b"e=1;SGk=", Notification("Hi", "")),
        (b"e=1:p=body;" + base64.b64encode("安\x1b".encode()), Notification("", "安")),
        (b"p=body;" + b"b" * 9999, Notification("", "b" * (limits.SHOWN_MSG_CHARACTERS - 1) + "…")),
    ],
)
def test_99_is_a_title_or_a_body_in_plain_or_base64(body: bytes, notification: Notification) -> None:
    assert parse_kitty(body) == notification


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Hello",
        b"i=1:p=?",
        b"i=1:p=?;",
        b"p=close;",
        b"p=icon;x",
        b"p=buttons;a",
        b"i=1:d=0;Hel",
        b"e=1;SGk",
        b"e=1;a",
    ],
)
def test_99_that_is_partial_a_question_or_unreadable_gives_nothing(body: bytes) -> None:
    assert parse_kitty(body) is None


@pytest.mark.parametrize(
    ("sequence", "meaning"),
    [
        (b"\x1b]0;both\x07", Title("both")),
        (b"\x1b]2;window\x1b\\", Title("window")),
        (b"\x1b]7;file://box/x\x07", Folder("/x", "box")),
        (b"\x1b]9;4;1;40\x07", Progress(NORMAL, 40)),
        (b"\x1b]9;hello\x07", Notification("", "hello")),
        (b"\x1b]777;notify;a;b\x07", Notification("a", "b")),
        (b"\x1b]99;;hello\x1b\\", Notification("hello", "")),
    ],
)
def test_each_number_reaches_its_parser(sequence: bytes, meaning: object) -> None:
    (event,) = read(b"text", sequence)
    assert event.meaning == meaning
    assert (event.start, event.end) == (4, 4 + len(sequence))
