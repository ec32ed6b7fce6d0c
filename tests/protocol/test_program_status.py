"""OSC 7501 bodies: reasons of a rejection, every limit at its edge, unknown words, building and replying."""

import base64

import pytest

from session_core.protocol import program_status
from session_core.protocol.events import EventStream
from session_core.protocol.program_status import (
    Clear,
    Kind,
    Query,
    Reason,
    Rejected,
    Report,
    State,
    encode,
    is_id,
    parse,
)

from .reading import cuts, read

ST = b"\x1b\\"


def _text(raw: bytes, padded: bool = True) -> bytes:
    encoded = base64.b64encode(raw)
    return encoded if padded else encoded.rstrip(b"=")


def _rejected(reason: Reason) -> Rejected:
    return Rejected(reason)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.NO_STATE),
        (b":::", Reason.NO_STATE),
        (b"app=x", Reason.NO_STATE),
        (b"State=idle", Reason.NO_STATE),
        (b"state=napping", Reason.NO_STATE),
        (b"state=id le", Reason.NO_STATE),
        (b"state=idle\x7f", Reason.NO_STATE),
        (b"state=idle;app=x", Reason.NO_STATE),
        (b" ? ", Reason.NO_STATE),
        (b"state=done:id=x%20y", Reason.BAD_ID),
        (b"state=clear:id=a//b", Reason.BAD_ID),
        (b"state=clear:id=", Reason.BAD_ID),
        (b"state=clear:id=\xff", Reason.BAD_ID),
        (b"state=clear:id=" + b"n" * 33, Reason.BAD_ID),
        (b"id=a//b", Reason.BAD_ID),
        (b"state=idle:msg=YQpi", Reason.BAD_TEXT),
        (b"state=idle:title=YQpi", Reason.BAD_TEXT),
        (b"state=idle:title=QQ=", Reason.BAD_TEXT),
        (b"state=idle:title=QQ===", Reason.BAD_TEXT),
        (b"state=idle:title==", Reason.BAD_TEXT),
        (b"state=idle:title=QR", Reason.BAD_TEXT),
        (b"state=idle:app=" + b"a" * 33, Reason.OVER_LIMIT),
        (b"state=idle:" + b"k" * 17 + b"=", Reason.OVER_LIMIT),
        (b"state=idle:title=" + b"!" * 257, Reason.OVER_LIMIT),
        (b"state=idle:msg=" + b"!" * 2733, Reason.OVER_LIMIT),
        (b"??", Reason.LIKE_A_QUERY),
        (b"?:state=idle", Reason.LIKE_A_QUERY),
    ],
)
def test_a_rejected_body_says_why(body: bytes, reason: Reason) -> None:
    assert parse(body) == _rejected(reason)


@pytest.mark.parametrize(
    "body",
    [
        b"state=idle:msg=%%%",
        b"state=idle:app=b@d",
        b"state=idle:Id=a//b",
        b"state=idle:" + b"garbage" * 9,
        b"state=idle:=value",
        b"state=idle::",
    ],
)
def test_a_malformed_pair_within_its_limit_is_skipped_alone(body: bytes) -> None:
    assert parse(body) == Report(state=State.IDLE)


@pytest.mark.parametrize(
    "body",
    [
        b"state=working:id=a//b:id=good",
        b"state=working:msg=YQpi:msg=SGk=",
        b"state=working:app=" + b"a" * 33 + b":app=ok",
        b"state=working:title=" + b"A" * 257 + b":title=SGk=",
        b"state=clear:msg=YQpi",
        b"state=clear:app=" + b"a" * 33,
        b"state=clear:" + b"k" * 17 + b"=v",
    ],
)
def test_a_broken_rule_drops_the_report_even_where_its_value_has_no_effect(body: bytes) -> None:
    """OSC 7501 section 1: even by a pair that a later one replaces, and before any change."""
    assert isinstance(parse(body), Rejected)


def test_a_clear_whose_id_has_no_value_never_clears_the_root() -> None:
    """OSC 7501 section 1: a pair without `=` is skipped, but for `id` dispute D1 says to drop the report."""
    assert parse(b"state=clear:id") == _rejected(Reason.BAD_ID)


def test_valid_keys_on_a_clear_have_no_effect() -> None:
    assert parse(b"state=clear:id=a/b:kind=auth:progress=3:app=x:msg=SGk=") == Clear("a/b")


@pytest.mark.parametrize(
    ("body", "report"),
    [
        (b"state=blocked:kind=coffee", Report(state=State.BLOCKED)),
        (b"state=working:progress=101", Report(state=State.WORKING)),
        (b"state=working:progress=1000", Report(state=State.WORKING)),
        (b"state=working:progress=00000100", Report(state=State.WORKING, progress=100)),
        (b"state=working:progress=000", Report(state=State.WORKING, progress=0)),
        (b"state=working:progress=", Report(state=State.WORKING)),
        (b"state=idle:progress=5", Report(state=State.IDLE)),
        (b"state=error:progress=5:kind=auth", Report(state=State.ERROR)),
        (b"state=idle:app=a/b", Report(state=State.IDLE)),
    ],
)
def test_a_value_that_is_not_understood_reads_as_absent(body: bytes, report: Report) -> None:
    assert parse(body) == report


@pytest.mark.parametrize("word", [b"napping", b"STATE", b"Idle", b"IDLE", b"", b"idl", b"idlee"])
def test_an_unknown_state_is_never_read_as_idle(word: bytes) -> None:
    assert parse(b"state=" + word) == _rejected(Reason.NO_STATE)


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("kind", list(Kind))
def test_a_kind_belongs_to_blocked_and_progress_to_working_and_blocked(state: State, kind: Kind) -> None:
    report = parse(f"state={state}:kind={kind}:progress=7".encode())
    blocked = state is State.BLOCKED
    assert report == Report(
        state=state,
        kind=kind if blocked else None,
        progress=7 if blocked or state is State.WORKING else None,
    )


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        (b"a" * 32, True),
        (b"a" * 33, False),
        (b"/".join([b"a" * 15] * 8), True),
        (b"/".join([b"a" * 32] * 3 + [b"a" * 29]), True),
        (b"/".join([b"a" * 32] * 3 + [b"a" * 30]), False),
        (b"/".join([b"a"] * 8), True),
        (b"/".join([b"a"] * 9), False),
        (b"A-Z_0.9+", True),
        (b"", False),
        (b"/", False),
        (b"/a", False),
        (b"a/", False),
        (b"a//b", False),
        (b"a b", False),
        (b"a,b", False),
        (b"a=b", False),
        (b"a\n", False),
        ("é".encode(), False),
    ],
)
def test_an_id_is_names_joined_by_single_slashes_within_three_limits(value: bytes, valid: bool) -> None:
    assert is_id(value) is valid
    wanted = Clear(value.decode()) if valid else _rejected(Reason.BAD_ID)
    if b"\n" not in value:
        assert parse(b"state=clear:id=" + value) == wanted


@pytest.mark.parametrize(("key", "limit"), [("title", 192), ("msg", 2048)])
@pytest.mark.parametrize("padded", [True, False])
def test_text_of_exactly_its_decoded_limit_is_kept_and_one_byte_more_is_not(key: str, limit: int, padded: bool) -> None:
    kept = b"state=done:" + key.encode() + b"=" + _text(b"t" * limit, padded)
    over = b"state=done:" + key.encode() + b"=" + _text(b"t" * (limit + 1), padded)
    report = parse(kept)
    assert isinstance(report, Report)
    assert getattr(report, key) == "t" * limit
    assert parse(over) == _rejected(Reason.OVER_LIMIT)


def test_padding_is_optional() -> None:
    for raw in (b"a", b"ab", b"abc", b"abcd"):
        for padded in (True, False):
            expected = Report(state=State.DONE, msg=raw.decode())
            assert parse(b"state=done:msg=" + _text(raw, padded)) == expected


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0)])
def test_each_control_character_in_a_text_drops_the_report(code: int) -> None:
    body = b"state=done:msg=" + _text(f"a{chr(code)}b".encode())
    assert parse(body) == _rejected(Reason.BAD_TEXT)


@pytest.mark.parametrize("character", [" ", "~", "\u00a0", "\u202e", "\u200b", "\ufeff", "\ufffd", "\U0010ffff"])
def test_a_character_that_is_no_control_is_kept_as_sent(character: str) -> None:
    body = b"state=done:msg=" + _text(f"a{character}b".encode())
    assert parse(body) == Report(state=State.DONE, msg=f"a{character}b")


@pytest.mark.parametrize("byte", range(0x20))
def test_each_c0_byte_inside_a_body_is_dropped_before_it_is_read(byte: int) -> None:
    """OSC 7501 dispute D4: a DEC-style parser never hands C0 to the body."""
    c0 = bytes([byte])
    assert parse(b"st" + c0 + b"ate=do" + c0 + b"ne" + c0) == Report(state=State.DONE)
    assert parse(c0 + b"?" + c0) == Query()


def test_a_message_with_many_bytes_a_character_decodes_right_wherever_it_is_cut() -> None:
    data = b"\x1b]7501;state=done:msg=aMOpbGxvIOKckw==\x1b\\"
    for first, second in cuts(data):
        (event,) = read(first, second)
        assert event.meaning == Report(state=State.DONE, msg="héllo ✓")


@pytest.mark.parametrize("terminator", [ST, b"\x07"], ids=["ST", "BEL"])
def test_a_report_between_text_is_read_at_any_cut_and_ends_with_its_terminator(terminator: bytes) -> None:
    sequence = b"\x1b]7501;state=working:app=build:msg=dGljaw==" + terminator
    data = b"left" + sequence + b"\x1b[31mright"
    for first, second in cuts(data):
        (event,) = read(first, second)
        assert event.meaning == Report(state=State.WORKING, app="build", msg="tick")
        assert (event.start, event.end) == (4, 4 + len(sequence))
        assert event.terminator == terminator


@pytest.mark.parametrize("terminator", [ST, b"\x07"], ids=["ST", "BEL"])
def test_the_reply_lists_states_and_kinds_and_ends_as_the_query_did(terminator: bytes) -> None:
    """OSC 7501 section 5: the exact bytes of the 0.4 reply; `clear` is no state and is not listed."""
    body = b"?:states=idle,working,done,blocked,error:kinds=permission,question,auth"
    assert program_status.reply(terminator) == b"\x1b]7501;" + body + terminator


def test_the_reply_fed_back_is_neither_answered_nor_recorded() -> None:
    stream = EventStream()
    (event,) = stream.feed(program_status.reply(ST))
    assert event.meaning == _rejected(Reason.LIKE_A_QUERY)
    assert stream.statistics.reports == 0


def test_a_built_report_holds_every_field_in_one_known_order() -> None:
    report = Report(state=State.BLOCKED, id="tf/plan", kind=Kind.AUTH, progress=0, app="tf", title="Plan", msg="Go?")
    assert encode(report) == (
        b"\x1b]7501;state=blocked:id=tf/plan:app=tf:kind=auth:progress=0:title=UGxhbg==:msg=R28/\x1b\\"
    )


def test_a_built_sequence_leaves_out_what_is_absent() -> None:
    assert encode(Report(state=State.IDLE)) == b"\x1b]7501;state=idle\x1b\\"
    assert encode(Clear(), b"\x07") == b"\x1b]7501;state=clear\x07"
    assert encode(Clear("a/b")) == b"\x1b]7501;state=clear:id=a/b\x1b\\"


def test_the_largest_report_that_keeps_every_limit_fits_into_one_sequence() -> None:
    report = Report(
        state=State.BLOCKED,
        id="/".join(["i" * 15] * 8),
        kind=Kind.PERMISSION,
        progress=100,
        app="a" * 32,
        title="t" * 192,
        msg="m" * 2048,
    )
    (event,) = read(encode(report))
    assert event.meaning == report
