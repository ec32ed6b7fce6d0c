"""Finds in what a pane shows: literal or by a regular expression, with context, and never at the cost of the host."""

from pathlib import Path

import anyio
import pytest

from session_core import Client, SessionCoreError, What

from ..host.hosts import RunningHost
from ..host.processes import memory
from ..host.waiting import BOUND_S
from .outputs import printed

pytestmark = pytest.mark.anyio

_BUILD = "".join(f"compile file{number}.c\r\n" for number in range(1, 61)) + (
    "error: (x+y) is no value\r\nnote: see é\r\n\r\nwarning: unused\r\nerror: [2] again\r\ndone"
)


async def test_every_line_with_the_text_is_found_with_what_is_around_it(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    found = await core.read_pane(pane, what=What.FIND, pattern="error:", context=1)
    assert found.found == 2
    assert found.text.split("\n") == [
        "compile file60.c",
        "error: (x+y) is no value",
        "note: see é",
        "--",
        "warning: unused",
        "error: [2] again",
        "done",
    ]
    assert (found.left_out_lines, found.missed_bytes) == (0, 0)


async def test_lines_around_two_finds_come_once(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    found = await core.read_pane(pane, what=What.FIND, pattern="e", context=100)
    assert found.text.split("\n")[-6:] == _BUILD.split("\r\n")[-6:]
    assert "--" not in found.text.split("\n")


@pytest.mark.parametrize("pattern", ["(x+y)", "[2]", "é", "no value"])
async def test_a_literal_pattern_is_literal(core: Client, tmp_path: Path, pattern: str) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    found = await core.read_pane(pane, what=What.FIND, pattern=pattern, context=0)
    assert found.found == 1
    assert pattern in found.text


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (r"^error: .*(value|again)$", 2),
        (r"file[1-3]\d\.c", 30),
        (r"(?i)ERROR|Warning", 3),
        (r"[0-9]{2}\.c", 51),
        (r"\bnone\b", 0),
        (r"^$", 1),
    ],
)
async def test_a_regular_expression_is_one(core: Client, tmp_path: Path, pattern: str, count: int) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    found = await core.read_pane(pane, what=What.FIND, pattern=pattern, regex=True, context=0, max_bytes=100_000)
    assert found.found == count
    assert len(found.text.split("\n")) - found.text.split("\n").count("--") == max(count, 1)


async def test_what_is_wrapped_is_found_as_one_line(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, "a" * 79 + "needle" + "b" * 79 + "\r\n", columns=80)
    found = await core.read_pane(pane, what=What.FIND, pattern="aneedleb", context=0)
    assert found.text == "a" * 79 + "needle" + "b" * 79


async def test_what_is_in_the_scrollback_is_found(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, _BUILD, rows=5)
    assert (await core.read_pane(pane, what=What.FIND, pattern="file1.c", context=0)).text == "compile file1.c"


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "a{99999999999999999999}", r"\L<x>", "(?P<a", "*", "(" * 500 + ")" * 500]
)
async def test_a_pattern_that_is_no_regular_expression_is_refused(core: Client, tmp_path: Path, pattern: str) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    with pytest.raises(SessionCoreError) as raised:
        await core.read_pane(pane, what=What.FIND, pattern=pattern, regex=True)
    assert raised.value.code == "bad_request"
    assert raised.value.next_step


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(?:a(?R)?b?)+c"],
    ids=["nested", "recursive"],
)
async def test_a_catastrophic_pattern_ends_and_the_host_answers_meanwhile(
    core: Client, tmp_path: Path, pattern: str
) -> None:
    pane = await printed(core, tmp_path, "a" * 3000 + "!")
    over = anyio.Event()
    answers = 0

    async def find() -> None:
        with pytest.raises(SessionCoreError, match="takes longer"):
            await core.read_pane(pane, what=What.FIND, pattern=pattern, regex=True)
        over.set()

    with anyio.fail_after(3 * BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(find)
            while not over.is_set():
                assert (await core.read_status(pane)).pane == pane
                answers += 1
    assert answers > 10


@pytest.mark.parametrize(
    "pattern", ["(?:(?:(?:a?){900}){900}){900}b", "(?x)(?:(?:a?){9 00}){ 900 }b", "(?:a{0,200}b{200}){,200}c"]
)
async def test_a_pattern_that_would_fill_the_memory_is_refused(
    core: Client, host: RunningHost, tmp_path: Path, pattern: str
) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    before = memory(host.pid)
    with pytest.raises(SessionCoreError, match="repeats more than"):
        await core.read_pane(pane, what=What.FIND, pattern=pattern, regex=True)
    assert memory(host.pid) - before < 32 * 1024 * 1024


async def test_the_newest_finds_come_and_the_rest_is_counted(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, "".join(f"hit {number:04}\r\n" for number in range(1500)))
    found = await core.read_pane(pane, what=What.FIND, pattern="hit", context=0)
    lines = found.text.split("\n")
    assert (found.found, lines[-1]) == (1500, "hit 1499")
    assert len(found.text) <= 4000
    assert found.left_out_lines == 1500 - len(lines)


async def test_a_find_needs_a_pattern(core: Client, tmp_path: Path) -> None:
    pane = await printed(core, tmp_path, _BUILD)
    with pytest.raises(SessionCoreError, match="no pattern"):
        await core.read_pane(pane, what=What.FIND)
