"""What a screen answers to the program, and what it never answers."""

import pytest

from .conftest import OpenPane

QUERIES = {
    "primary device attributes": (b"\x1b[c", b"\x1b[?62;22c"),
    "secondary device attributes": (b"\x1b[>c", b"\x1b[>1;0;0c"),
    "tertiary device attributes": (b"\x1b[=c", b"\x1bP!|00000000\x1b\\"),
    "DECID": (b"\x1bZ", b"\x1b[?62;22c"),
    "status": (b"\x1b[5n", b"\x1b[0n"),
    "cursor position": (b"\x1b[3;4H\x1b[6n", b"\x1b[3;4R"),
    "cursor position with a wrap pending": (b"a" * 20 + b"\x1b[6n", b"\x1b[1;20R"),
    "cursor position in origin mode": (b"\x1b[2;5r\x1b[?6h\x1b[2;3H\x1b[6n", b"\x1b[2;3R"),
    "cursor position in origin mode without margins": (b"\x1b[?6h\x1b[6n", b"\x1b[1;1R"),
    "mode that is set": (b"\x1b[?2004h\x1b[?2004$p", b"\x1b[?2004;1$y"),
    "mode that is reset": (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
    "mode that is unknown": (b"\x1b[?9999$p", b"\x1b[?9999;0$y"),
    "ANSI mode": (b"\x1b[4h\x1b[4$p", b"\x1b[4;1$y"),
    "name and version": (b"\x1b[>q", b"\x1bP>|panebridge\x1b\\"),
    "setting: pen": (b"\x1b[1;31m\x1bP$qm\x1b\\", b"\x1bP1$r0;1;31m\x1b\\"),
    "setting: margins": (b"\x1b[2;4r\x1bP$qr\x1b\\", b"\x1bP1$r2;4r\x1b\\"),
    "setting: cursor style": (b"\x1b[4 q\x1bP$q q\x1b\\", b"\x1bP1$r4 q\x1b\\"),
    "setting that is unknown": (b"\x1bP$qx\x1b\\", b"\x1bP0$r\x1b\\"),
    "kitty flags": (b"\x1b[?u", b"\x1b[?0u"),
    "kitty flags pushed": (b"\x1b[>5u\x1b[?u", b"\x1b[?5u"),
    "size in pixels": (b"\x1b[14t", b"\x1b[4;96;160t"),
    "cell in pixels": (b"\x1b[16t", b"\x1b[6;16;8t"),
    "size in cells": (b"\x1b[18t", b"\x1b[8;6;20t"),
    "foreground, ended by BEL": (b"\x1b]10;?\x07", b"\x1b]10;rgb:e5e5/e5e5/e5e5\x07"),
    "background, ended by ST": (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    "foreground and background": (
        b"\x1b]10;?;?\x07",
        b"\x1b]10;rgb:e5e5/e5e5/e5e5\x07\x1b]11;rgb:0000/0000/0000\x07",
    ),
    "colour scheme": (b"\x1b[?996n", b"\x1b[?997;1n"),
    "extended cursor position": (b"\x1b[3;4H\x1b[?6n", b"\x1b[?3;4R"),
    "extended cursor position in origin mode": (b"\x1b[2;5r\x1b[?6h\x1b[2;3H\x1b[?6n", b"\x1b[?2;3R"),
    "extended cursor position, written otherwise": (b"ab\x1b[?06;1n", b"\x1b[?1;3R"),
    "extended cursor position with a line feed inside": (b"ab\x1b[?\n6n", b"\x1b[?2;3R"),
    "title, which is never told": (b"\x1b]0;rm -rf\x07\x1b[21t", b"\x1b]l\x1b\\"),
    "capability: terminal's name": (b"\x1bP+q544e\x1b\\", b"\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\"),
    "capability: colours": (b"\x1bP+q436F\x1b\\", b"\x1bP1+r436F=323536\x1b\\"),
    "capability: colours by their long name": (
        b"\x1bP+q636f6c6f7273\x1b\\",
        b"\x1bP1+r636f6c6f7273=323536\x1b\\",
    ),
    "capability: true colour": (b"\x1bP+q524742\x1b\\", b"\x1bP1+r524742=38\x1b\\"),
    "capability that is a flag": (b"\x1bP+q5463\x1b\\", b"\x1bP1+r5463\x1b\\"),
    "capability that is unknown": (b"\x1bP+q4D73\x1b\\", b"\x1bP0+r4D73\x1b\\"),
    "capability that is not hexadecimal": (b"\x1bP+qevil\x1b\\", b"\x1bP0+r\x1b\\"),
    "capability without a name": (b"\x1bP+q\x1b\\", b"\x1bP0+r\x1b\\"),
    "several capabilities": (
        b"\x1bP+q436f;6b31;524742\x1b\\",
        b"\x1bP1+r436f=323536\x1b\\\x1bP0+r6b31\x1b\\\x1bP1+r524742=38\x1b\\",
    ),
}

SILENT = {
    "icon title": b"\x1b]1;rm -rf\x07\x1b[20t",
    "clipboard": b"\x1b]52;c;aGk=\x07\x1b]52;c;?\x07",
    "program status": b"\x1b]7501;?\x1b\\",
    "enquiry": b"\x05",
    "capability that is aborted": b"\x1bP+q544e\x18",
    "capability ended by BEL": b"\x1bP+q544e\x07",
    "capability amid another": b"\x1bP+q54\x1b[m4e\x1b\\",
    "capability with a parameter": b"\x1bP1+q436f;4d73\x1b\\",
    "capability with a control inside": b"\x1bP+\0q436f\x1b\\",
    "far too many capabilities": b"\x1bP+q" + b"436f;" * 5000 + b"\x1b\\",
    "extended cursor position, aborted": b"\x1b[?6\x18n",
    "echo of a cursor position": b"\x1b[?1;1R\x1b[1;1R",
    "echo of secondary attributes": b"\x1b[>1;0;0c",
    "echo of keyboard flags": b"\x1b[?0u",
    "echo of capabilities": b"\x1bP1+r436f=323536\x1b\\\x1bP0+r\x1b\\",
    "images": b"\x1b_Gi=1,a=q,s=1,v=1;AAAA\x1b\\",
    "aborted query": b"\x1b[5\x18n",
    "plain text": b"5n\r\n",
}

each_query = pytest.mark.parametrize(("query", "reply"), QUERIES.values(), ids=QUERIES.keys())


@each_query
def test_a_query_is_answered_at_once(open_pane: OpenPane, query: bytes, reply: bytes) -> None:
    assert open_pane().feed(query) == reply


@each_query
def test_a_query_cut_anywhere_is_answered_once(open_pane: OpenPane, query: bytes, reply: bytes) -> None:
    screen = open_pane()
    assert b"".join(screen.feed(query[at : at + 1]) for at in range(len(query))) == reply


@each_query
def test_a_query_cut_in_two_anywhere_is_answered_with_its_last_byte(
    open_pane: OpenPane, query: bytes, reply: bytes
) -> None:
    screen = open_pane()
    for cut in range(1, len(query)):
        assert screen.feed(b"\x1bcabc\x1bc" + query[:cut]) + screen.feed(query[cut:] + b"text") == reply, cut


@each_query
def test_a_query_amid_output_that_is_not_read_is_answered_in_its_place(
    open_pane: OpenPane, query: bytes, reply: bytes
) -> None:
    screen, before, after = open_pane(), b"x" * 700 + b"\x1b[2J\x1b[H", b"\x1b[5n" + b"y" * 500
    assert screen.feed(before) + screen.feed(query + after) == reply + b"\x1b[0n"


@pytest.mark.parametrize("data", SILENT.values(), ids=SILENT.keys())
def test_no_answer_is_given_to(open_pane: OpenPane, data: bytes) -> None:
    screen = open_pane()
    assert screen.feed(data) == b""
    assert b"".join(screen.feed(data[at : at + 1]) for at in range(len(data))) == b""


def test_replies_come_in_the_order_of_the_queries(open_pane: OpenPane) -> None:
    names = ("background, ended by ST", "status", "size in cells", "name and version", "kitty flags")
    asked = b"text".join(QUERIES[name][0] for name in names)
    assert open_pane().feed(asked) == b"".join(QUERIES[name][1] for name in names)


def test_no_query_of_capabilities_is_answered_at_length(open_pane: OpenPane) -> None:
    assert len(open_pane().feed(b"\x1bP+q" + b"436f;" * 500 + b"\x1b\\")) < 2000


def test_the_palette_is_answered_for_each_colour_asked(open_pane: OpenPane) -> None:
    reply = open_pane().feed(b"\x1b]4;1;?;200;?\x07")
    assert [part[:8] for part in reply.split(b"\x07")[:-1]] == [b"\x1b]4;1;rg", b"\x1b]4;200;"]


def test_kitty_flags_are_a_bounded_stack_for_each_screen(open_pane: OpenPane) -> None:
    screen = open_pane()
    screen.feed(b"\x1b[>1u\x1b[>3u")
    assert screen.kitty_flags == 3
    screen.feed(b"\x1b[=4;2u")
    assert screen.kitty_flags == 7
    screen.feed(b"\x1b[?1049h")
    assert screen.kitty_flags == 0
    screen.feed(b"\x1b[?1049l\x1b[<u")
    assert screen.kitty_flags == 1
    screen.feed(b"\x1b[>2u" * 1000 + b"\x1b[<60000u")
    assert screen.kitty_flags == 0


def test_a_resize_is_reported_only_to_a_program_that_asked(open_pane: OpenPane) -> None:
    screen = open_pane()
    assert screen.resize(30, 4) == b""
    screen.feed(b"\x1b[?2048h")
    assert screen.resize(40, 5) == b"\x1b[48;5;40;80;320t"
