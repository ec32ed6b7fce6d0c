"""The event stream: which numbers are routed, order, offsets and counters."""

import pytest

from session_core.protocol.events import Event, EventStream, Statistics
from session_core.protocol.host_events import Title
from session_core.protocol.program_status import Clear, Query, Reason, Rejected, Report, State
from session_core.protocol.scanner import AlternateScreen, FullReset
from session_core.protocol.shell_marks import Mark, ShellMark

from .reading import cuts, read, single_bytes

EVERYTHING = (
    b"a\x1b]133;A\x07"
    b"b\x1b]7501;state=working\x1b\\"
    b"\x1b]7501;?\x07"
    b"\x1b]7501;state=clear:id=a\x07"
    b"\x1b]7501;state=nothing\x07"
    b"\x1b[?1049h"
    b"\x1b]2;t\x07"
    b"\x1bc"
)
MEANINGS = [
    Event(1, 9, ShellMark(Mark.PROMPT), b"\x07"),
    Event(10, 32, Report(state=State.WORKING), b"\x1b\\"),
    Event(32, 41, Query(), b"\x07"),
    Event(41, 65, Clear("a"), b"\x07"),
    Event(65, 86, Rejected(Reason.NO_STATE), b"\x07"),
    Event(86, 94, AlternateScreen(86, 94, True), b""),
    Event(94, 100, Title("t"), b"\x07"),
    Event(100, 102, FullReset(100, 102), b""),
]


def test_every_type_of_event_comes_in_order_with_offsets_and_terminator_at_any_cut() -> None:
    assert read(EVERYTHING) == MEANINGS
    assert read(*single_bytes(EVERYTHING)) == MEANINGS
    for first, second in cuts(EVERYTHING):
        assert read(first, second) == MEANINGS, len(first)


def test_a_report_and_a_prompt_keep_their_order_in_one_read() -> None:
    """OSC 7501 section 4: stream order decides whether a prompt ends a report."""
    report, prompt = b"\x1b]7501;state=working\x07", b"\x1b]133;A\x07"
    before = [event.meaning for event in read(report + prompt)]
    after = [event.meaning for event in read(prompt + report)]
    assert before == [Report(state=State.WORKING), ShellMark(Mark.PROMPT)]
    assert after == before[::-1]


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b]0\x07",
        b"\x1b]7501\x07",
        b"\x1b]133\x07",
        b"\x1b]\x07",
        b"\x1b];state=idle\x07",
        b"\x1b]1;icon\x07",
        b"\x1b]4;1;?\x07",
        b"\x1b]8;;http://x\x07",
        b"\x1b]52;c;SGk=\x07",
        b"\x1b]75011;state=idle\x07",
        b"\x1b]750;1;state=idle\x07",
        b"\x1b]07501;state=idle\x07",
        b"\x1b] 7501;state=idle\x07",
        b"\x1b]7501:state=idle\x07",
        b"\x1b]133;Z\x07",
        b"\x1b]7;nowhere\x07",
    ],
)
def test_any_other_osc_gives_no_event_and_is_not_counted_as_a_report(sequence: bytes) -> None:
    stream = EventStream()
    assert stream.feed(sequence) == []
    assert stream.statistics == Statistics(len(sequence), 0, 0, 0, 0)


@pytest.mark.parametrize("opener", [b"P", b"_", b"^", b"X"])
def test_a_string_that_is_no_osc_is_never_a_report(opener: bytes) -> None:
    stream = EventStream()
    assert stream.feed(b"\x1b" + opener + b"7501;state=idle\x1b\\") == []
    assert stream.statistics.reports == 0


def test_the_statistics_count_each_thing_once() -> None:
    stream = EventStream()
    data = (
        EVERYTHING
        + b"\x1b]7501;state=idle\x18"
        + b"\x1b]0;cut\x1b]7501;id=//\x07"
        + b"\x1b]7501;"
        + b"x" * 5000
        + b"\x07"
    )
    for chunk in single_bytes(data):
        stream.feed(chunk)
    assert stream.statistics == Statistics(
        bytes=len(data), reports=2, rejected_reports=2, oversized_strings=1, aborted_strings=2
    )


def test_offsets_and_byte_count_begin_where_the_stream_is_told_to_begin() -> None:
    stream = EventStream(5_000)
    (event,) = stream.feed(b"ab\x1b]7501;state=idle\x07")
    assert (event.start, event.end) == (5_002, 5_020)
    assert stream.offset == 5_020
    assert stream.statistics.bytes == 5_020


def test_a_single_tmux_envelope_delivers_its_report_whole_at_any_cut() -> None:
    data = b"A\x1bPtmux;\x1b\x1b]7501;state=done:app=job\x07\x1b\\B"
    for first, second in cuts(data):
        events = read(first, second)
        assert [event.meaning for event in events] == [Report(state=State.DONE, app="job")]


def _enveloped(data: bytes) -> bytes:
    return b"\x1bPtmux;" + data.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"


def test_reports_in_an_envelope_inside_another_are_ignored_at_any_cut_and_the_next_one_counts() -> None:
    report = b"\x1b]7501;state=done:app=job\x07"
    data = b"A" + _enveloped(_enveloped(report + b"B" + report)) + _enveloped(_enveloped(_enveloped(report))) + b"C"
    for first, second in cuts(data + b"\x1b]7501;state=idle\x07"):
        assert [event.meaning for event in read(first, second)] == [Report(state=State.IDLE)]


def test_what_is_ignored_in_two_envelopes_is_counted() -> None:
    stream = EventStream()
    before = stream.statistics.aborted_strings
    stream.feed(_enveloped(b"\x1b]7501;state=done\x07"))
    once = stream.statistics.aborted_strings - before
    stream.feed(_enveloped(_enveloped(b"\x1b]7501;state=done\x07")))
    # Each envelope is ended by what is inside it.
    assert stream.statistics.aborted_strings == once + 3


def test_bad_reports_leave_nothing_but_their_count() -> None:
    stream = EventStream()
    bad = [
        b"state=clear:id=a//b",
        b"state=clear:id=",
        b"state=done:id=x%20y",
        b"state=clear:id=" + b"n" * 33,
        b"state=idle:msg=YQpi",
        b"state=idle:app=" + b"a" * 33,
    ]
    for count, body in enumerate(bad, start=1):
        (event,) = stream.feed(b"\x1b]7501;" + body + b"\x07")
        assert isinstance(event.meaning, Rejected)
        assert stream.statistics.rejected_reports == count
    assert stream.statistics.reports == 0
