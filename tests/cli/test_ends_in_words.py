"""How a program ended, as commands and tools say it."""

import pytest

from mcp_bridge.results import exit_text as word_for
from session_core import Closed, ExitStatus
from session_core.cli.printing import exit_text as words_for
from session_core.cli.waiting import _code_of


@pytest.mark.parametrize(
    ("end", "words", "word", "code"),
    [
        (ExitStatus(code=0), "exited 0", "code 0", 0),
        (ExitStatus(code=3), "exited 3", "code 3", 3),
        (ExitStatus(signal="SIGKILL"), "killed by SIGKILL", "SIGKILL", 137),
        (ExitStatus(signal="SIG45"), "killed by SIG45", "SIG45", 1),
        (ExitStatus(), "ended, nobody knows how", "unknown", 1),
    ],
)
def test_an_end_that_nobody_knows_is_no_success(end: ExitStatus, words: str, word: str, code: int) -> None:
    assert words_for(end) == words
    assert word_for(Closed("p1", end)) == word
    assert _code_of(end) == code
