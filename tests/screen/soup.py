"""Strategies: bytes as programs write them, and bytes as no program should."""

from hypothesis import strategies as st

TEXTS = (
    b"abc",
    b"hello world ",
    b"0123456789",
    "日本語".encode(),
    "e\u0301é".encode(),
    "👨\u200d👩 ❤\ufe0f".encode(),
)
CONTROLS = tuple(b"\x00 \x05 \x07 \b \t \n \v \r \x0e \x0f \x18 \x1a \x1b \x7f \r\n".split(b" "))
ESCAPES = (
    b"\x1bM",
    b"\x1bD",
    b"\x1bE",
    b"\x1b7",
    b"\x1b8",
    b"\x1bc",
    b"\x1bH",
    b"\x1b#8",
    b"\x1b(0",
    b"\x1b(B",
)
OPENERS = (b"\x1b[", b"\x1b]0;", b"\x1b]8;;", b"\x1bP$q", b"\x1b_G", b"\x1b^", b"\x1bX", b"\x1bk", b"\x1b[3")
CLOSERS = (b"\x07", b"\x1b\\", b"\x18", b"\x1a", b"\x9c", b"\xc2\x9c")
MODES = (1, 3, 5, 6, 7, 12, 25, 47, 66, 69, 1000, 1002, 1004, 1006, 1047, 1048, 1049, 2004, 2026, 2048)
PENS = (b"0", b"1", b"4:3", b"31", b"48;5;200", b"38:2::1:2:3", b"58:5:3", b"7", b"")

numbers = st.sampled_from((b"", b"0", b"1", b"2", b"3", b"7", b"40", b"99999999999"))
finals = st.sampled_from([bytes([code]) for code in range(0x40, 0x7F)])
sequences = st.builds(
    lambda prefix, first, second, between, final: b"\x1b[" + prefix + first + second + between + final,
    st.sampled_from((b"", b"", b"", b"?", b">", b"<", b"=")),
    numbers,
    numbers.map(lambda number: b";" + number) | st.just(b""),
    st.sampled_from((b"", b"", b"", b"$", b" ", b"!", b"'")),
    finals,
)
switches = st.builds(
    lambda mode, final: b"\x1b[?%d%s" % (mode, final), st.sampled_from(MODES), st.sampled_from((b"h", b"l"))
)
pens = st.sampled_from(PENS).map(lambda pen: b"\x1b[" + pen + b"m")
pieces = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(CONTROLS + ESCAPES),
    st.sampled_from(OPENERS + CLOSERS),
    sequences,
    sequences,
    switches,
    pens,
    st.binary(max_size=6),
)
soup = st.lists(pieces, max_size=30).map(b"".join)
sizes = st.tuples(st.integers(1, 30), st.integers(1, 10))
