"""Queries of a program are answered by the host, in order, and only those that are safe."""

import re
from pathlib import Path

import pytest

from session_core import Client, Signal

from .programs import python
from .waiting import exit_of, reported, status_when

pytestmark = pytest.mark.anyio

_BODY = b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth"
_DA1 = rb"\x1b\[\?[\d;]+c"

_ASK = r"""
    # Asks each piece, then asks for a sign of life: what comes before the answer to that is the answer.
    mode = termios.tcgetattr(0)
    if sys.argv[2] == "raw":
        tty.setraw(0)
    else:
        mode[3] &= ~(termios.ECHOCTL | termios.ICANON)
        mode[3] |= termios.ECHO
        termios.tcsetattr(0, termios.TCSANOW, mode)
    for piece in sys.argv[3:]:
        say(bytes.fromhex(piece))
        time.sleep(0.01)
    say("\x1b[5n")
    got = b""
    while not got.endswith(b"\x1b[0n"):
        got += os.read(0, 4096)
    open(sys.argv[1], "wb").write(got.removesuffix(b"\x1b[0n"))
    ready()
    rest()
"""


@pytest.fixture(scope="module", params=["ghostty", "pyte"])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines: they answer all queries but the status query."""
    if request.param == "ghostty":
        pytest.importorskip("pyghostty")
    name: str = request.param
    return name


async def _ask(core: Client, tmp_path: Path, *pieces: bytes, echo: bool = False) -> tuple[bytes, str]:
    """Return the bytes that a program got for what it wrote, and the screen after that."""
    command = python(tmp_path, _ASK, str(tmp_path / "got"), "echo" if echo else "raw", *map(bytes.hex, pieces))
    pane = (await core.open_pane(command)).pane
    await reported(core, pane)
    return (tmp_path / "got").read_bytes(), (await core.read_pane(pane)).text


_QUERY_ST = b"\x1b]7501;?\x1b\\"
_QUERY_BEL = b"\x1b]7501;?\x07"
_PIECES = {
    "in_one_write": ([_QUERY_ST + b"\x1b[c"], b"\x1b\\"),
    "ended_by_bel": ([_QUERY_BEL + b"\x1b[c"], b"\x07"),
    "cut_in_the_query": ([_QUERY_ST[:6], _QUERY_ST[6:] + b"\x1b[c"], b"\x1b\\"),
    "cut_in_the_terminator": ([_QUERY_ST[:-1], b"\\\x1b[c"], b"\x1b\\"),
    "cut_in_the_attributes": ([_QUERY_ST + b"\x1b", b"[c"], b"\x1b\\"),
    "with_a_parameter": ([_QUERY_ST + b"\x1b[0c"], b"\x1b\\"),
}


@pytest.mark.parametrize("case", _PIECES)
async def test_the_status_query_is_answered_before_the_device_attributes_and_each_once(
    core: Client, tmp_path: Path, case: str
) -> None:
    pieces, terminator = _PIECES[case]
    got, screen = await _ask(core, tmp_path, *pieces)
    assert re.fullmatch(re.escape(_BODY + terminator) + _DA1, got)
    assert screen == ""


async def test_text_around_queries_is_shown_and_answers_are_not(core: Client, tmp_path: Path) -> None:
    got, screen = await _ask(core, tmp_path, b"one" + _QUERY_ST + b"two" + _QUERY_BEL + b"\x1b[cthree")
    assert re.fullmatch(re.escape(_BODY + b"\x1b\\" + _BODY + b"\x07") + _DA1, got)
    assert screen == "onetwothree"


async def test_the_cursor_report_has_the_position_at_that_place_of_the_output(core: Client, tmp_path: Path) -> None:
    moves = b"\x1b[5;7H\x1b[6nxyz\x1b[6n" + _QUERY_ST + b"\x1b[1;1H\x1b[6n"
    got, _ = await _ask(core, tmp_path, moves)
    assert got == b"\x1b[5;7R\x1b[5;10R" + _BODY + b"\x1b\\" + b"\x1b[1;1R"


async def test_the_secondary_attributes_and_the_status_are_answered_once(core: Client, tmp_path: Path) -> None:
    got, screen = await _ask(core, tmp_path, b"\x1b[5n\x1b[>c")
    assert re.fullmatch(rb"\x1b\[0n\x1b\[>[\d;]+c", got)
    assert screen == ""


@pytest.mark.parametrize(
    "piece",
    [b"\x1b[>c", b"\x1b[?u", b"\x1b[=c", b"\x1b[?996n", b"\x1b[>q", b"\x1b[?6n", b"\x1b[21t", b"\x1bP+q436f;00\x1b\\"],
    ids=repr,
)
async def test_an_echoed_answer_is_not_taken_for_a_query(core: Client, tmp_path: Path, piece: bytes) -> None:
    in_raw_mode, _ = await _ask(core, tmp_path, piece)
    echoed, _ = await _ask(core, tmp_path, piece, echo=True)
    assert echoed == in_raw_mode


async def test_an_echoed_answer_is_neither_answered_nor_drawn(core: Client, tmp_path: Path) -> None:
    got, screen = await _ask(core, tmp_path, _QUERY_ST, b"\x1b[c", b"\x1b[6n", b"\x1b[>c", echo=True)
    assert re.fullmatch(re.escape(_BODY + b"\x1b\\") + _DA1 + rb"\x1b\[1;1R\x1b\[>[\d;]+c", got)
    assert screen == ""


@pytest.mark.parametrize(
    "piece",
    [
        b"\x1b]52;c;?\x07",
        b"\x1b]52;p;?\x1b\\",
        b"\x1b]52;c;ZXZpbA==\x07\x1b]52;c;?\x07",
        b"\x1b]0;rm -rf x\x07\x1b[20t",
        b"\x1b]l",
        b"\x1b]7501;??\x07\x1b]7501;?:x=y\x07\x1b]7501; ? \x07",
        b"\x05",
    ],
    ids=repr,
)
async def test_what_would_hand_text_back_is_never_answered(core: Client, tmp_path: Path, piece: bytes) -> None:
    got, _ = await _ask(core, tmp_path, piece + b"\x1b\\")
    assert got == b""


async def test_the_title_is_told_as_empty_and_nothing_of_it_returns(core: Client, tmp_path: Path) -> None:
    got, _ = await _ask(core, tmp_path, b"\x1b]2;rm -rf x\x07\x1b[21t")
    assert got == b"\x1b]l\x1b\\"


async def test_a_query_makes_the_signal_declared_and_leaves_no_record(core: Client, tmp_path: Path) -> None:
    source = """
        tty.setraw(0)
        say("\\x1b]7501;?\\x1b\\\\\\\\")
        os.read(0, 1)
        say("\\x1b]133;C\\x07")
        rest()
    """
    pane = (await core.open_pane(python(tmp_path, source))).pane
    status = await status_when(core, pane, lambda status: status.shell == "command")
    assert (status.signal, status.records, status.acknowledged) == (Signal.DECLARED, (), ())


async def test_a_file_that_is_shown_types_nothing_into_the_shell(core: Client, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    evil.write_bytes(
        b"\x1b]2;rm -rf x\x07\x1b[21t\x1b]52;c;?\x07\x1b]52;c;ZXZpbA==\x07\x1b[?1000h"
        b"\x1b]7501;state=done:app=agent:msg=ZG9uZQ==\x07"
    )
    script = rf"cat {evil}; printf '\033[5n'; stty raw -echo; dd bs=1 count=9 2>/dev/null > {tmp_path}/got"
    pane = (await core.open_pane(["sh", "-c", script])).pane
    assert (await exit_of(core, pane)).code == 0
    assert (tmp_path / "got").read_bytes() == b"\x1b]l\x1b\\\x1b[0n"
    assert [record.app for record in (await core.read_status(pane)).records] == ["agent"]
