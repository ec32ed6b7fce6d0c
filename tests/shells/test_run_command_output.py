"""What `run_command` returns of a command's output: the newest lines as a person saw them, and what is left out."""

import shlex
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from session_core.model.outcomes import Outcome

from ..host.waiting import BOUND_S
from .running import each_shell, shell

pytestmark = pytest.mark.anyio


def python(source: str) -> str:
    """Return a shell command that runs a piece of Python."""
    return f"{shlex.quote(sys.executable)} -IS -c {shlex.quote(source)}"


@each_shell
async def test_output_is_what_a_person_would_see(name: str, tmp_path: Path) -> None:
    cases = {
        r"printf '10%%\r55%%\r100%%\n'": "100%",
        r"printf '\033[31mred\033[0m \033[1mbold\033[0m\n'": "red bold",
        r"printf '漢字 é 🙂\n'": "漢字 é 🙂",
        r"printf 'no end'": "no end",
        r"printf '\n\nthird\n\n\n'": "\n\nthird",
        r"printf 'abc\b\bX\n'": "aXc",
        r"printf '\033]0;a title\007shown\n'": "shown",
        r"printf 'one\ntwo\033[A\rONE\n\n'": "ONE\ntwo",
        "printf '%0200d\\n' 7": "0" * 199 + "7",
        "true": "",
    }
    async with shell(name, tmp_path) as runner:
        for command, output in cases.items():
            assert await runner.output(command) == output, command


@each_shell
async def test_a_program_that_changed_the_screen_leaves_what_it_wrote_besides(name: str, tmp_path: Path) -> None:
    async with shell(name, tmp_path) as runner:
        inside = r"printf 'before\n\033[?1049h\033[2J\033[5;5Hinside\033[?1049lafter\n'"
        assert await runner.output(inside) == "before\nafter"
        ran = await runner.run(r"sh -c 'printf \"\033[?1049hlost\"; kill -9 $$'".replace('\\"', '"'))
        assert ran.exit_code == 128 + 9
        assert await runner.output("echo next") == "next"


async def test_the_newest_lines_fill_the_bytes_that_were_asked_for(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        for asked, kept in ((1, 1), (10, 1), (11, 1), (20, 1), (21, 2), (22, 2), (109, 10), (1000, 10)):
            ran = await runner.run("seq -f 'line-%05g' 10", max_bytes=asked)
            lines = [f"line-{number:05}" for number in range(11 - kept, 11)]
            assert ran.left_out_lines == 10 - kept
            if asked < 10:
                assert (ran.output, ran.left_out_bytes) == (lines[0][-asked:], 10 - asked)
            else:
                assert (ran.output, ran.left_out_bytes) == ("\n".join(lines), 0)
            assert len(ran.output) <= asked


async def test_five_megabytes_leave_the_newest_lines_and_a_true_count_of_the_rest(tmp_path: Path) -> None:
    source = "import sys\nfor n in range(100_000): sys.stdout.write(f'{n:06} ' + 'x' * 44 + chr(10))"
    async with shell("bash", tmp_path) as runner:
        await runner.output("true")
        runner.host.keeps_output = False
        tracemalloc.start()
        try:
            ran = await runner.run(python(source), max_bytes=5200)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert (ran.outcome, ran.exit_code) == (Outcome.SETTLED, 0)
        lines = ran.output.splitlines()
        assert [int(line[:6]) for line in lines] == list(range(100_000 - len(lines), 100_000))
        assert len(lines) == 100
        assert (ran.left_out_lines + len(lines), ran.left_out_bytes) == (100_000, 0)
        assert peak < 32_000_000


async def test_lines_beyond_every_scrollback_are_counted(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        ran = await runner.run("yes | head -n 60000", max_bytes=100)
        assert ran.output == "\n".join("y" * 50)
        assert (ran.left_out_lines, ran.left_out_bytes) == (60_000 - 50, 0)


async def test_one_line_without_an_end_gives_its_newest_bytes(tmp_path: Path) -> None:
    async with shell("bash", tmp_path) as runner:
        for size in (100_000, 1_000_000):
            ran = await runner.run(f"head -c {size} /dev/zero | tr '\\0' x; echo E", max_bytes=1000)
            assert ran.output == "x" * 999 + "E"
            assert (ran.left_out_lines, ran.left_out_bytes) == (0, size - 999)
        wide = "import sys; sys.stdout.write('漢' * 80_000)"
        ran = await runner.run(python(wide), max_bytes=1000)
        assert (ran.output, ran.left_out_bytes) == ("漢" * 333, 240_000 - 999)


async def test_binary_garbage_harms_neither_the_result_nor_the_shell(tmp_path: Path) -> None:
    # It asks for the terminal's attributes too, and an answer that nobody reads stands at the prompt.
    source = "import os, random; r = random.Random(7501); os.write(1, r.randbytes(60_000) + b'\\x18\\x1b[c\\x1b[0c')"
    async with shell("bash", tmp_path) as runner:
        ran = await runner.run(python(source))
        assert (ran.outcome, ran.exit_code) == (Outcome.SETTLED, 0)
        assert len(ran.output.encode()) <= 4000
        assert "\x1b" not in ran.output
        assert await runner.output("echo next") == "next"


async def test_output_that_comes_after_the_end_belongs_to_nobody(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with shell("bash", tmp_path, rc="set +m\n") as runner:
        ran = await runner.run(f"mkfifo {gate}; {{ cat {gate}; echo late; }} & echo started")
        assert (ran.exit_code, ran.output.splitlines()[-1]) == (0, "started")
        gate.write_text("let through\n")
        await runner.sees("late\r\n")
        assert await runner.output("echo next") == "next"


async def test_marks_that_a_program_prints_do_not_end_its_command(tmp_path: Path) -> None:
    marks = r"\033]133;D;0\007\033]133;A\007\033]133;C;cmdline_url=true\007\033]133;D;1;nonce=0000\007"
    async with shell("bash", tmp_path) as runner:
        assert await runner.output(f"printf 'one\\n{marks}'; echo two; sh -c 'exit 6'", code=6) == "one\ntwo"
        assert await runner.output("echo next") == "next"
        assert runner.live.model.marks.forged == 4


async def test_what_was_read_late_keeps_its_order_though_its_writer_has_ended(tmp_path: Path) -> None:
    prompted = tmp_path / "prompted"
    script = tmp_path / "agent"
    script.write_text("printf '\\033]7501;state=working\\033\\\\'; seq 2000; touch ended; exit 5\n")
    async with shell("bash", tmp_path, rc=f"PROMPT_COMMAND='test ! -e ended || touch {prompted}'\n") as runner:
        await runner.output("true")
        runner.keys(f"sh {script}\r")
        await runner.until(lambda: runner.live.input.written == runner.live.input.taken)
        # Until then the host reads nothing: it is busy, and all of the output waits in the kernel, in several reads.
        _exists(prompted)
        await runner.until(lambda: len(runner.lines) == 2)
        await runner.at_prompt()
        last = runner.live.model.commands.newest
        assert last is not None
        assert last.exit_code == 5
        assert b"".join(b"%d\r\n" % number for number in range(1, 2001)) in runner.host.output
        # The prompt itself comes after its mark.
        await runner.until(lambda: runner.live.screen.text().splitlines()[-2] == "2000")


def _exists(path: Path) -> None:
    deadline = time.monotonic() + BOUND_S
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
