"""Small inputs against what xterm and tmux show for them."""

import json
from pathlib import Path
from typing import Any

import pytest

from session_core.screen import EngineName

from .conftest import OpenPane

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vt_cases.json").read_bytes())["cases"]
DIFFERING: dict[str, frozenset[str]] = {"ghostty": frozenset(), "pyte": frozenset()}
# Marks the right half of a wide character in the dump of xterm's screen.
XTERM_RIGHT_HALF = "\uffff"

each_case = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


def references(case: dict[str, Any]) -> list[list[str]]:
    return [[row.replace(XTERM_RIGHT_HALF, "") for row in case["xterm"]], case["tmux"]]


def shown(open_pane: OpenPane, case: dict[str, Any], *chunks: bytes) -> tuple[list[str], object]:
    screen = open_pane(case["cols"], case["rows"])
    for chunk in chunks:
        screen.feed(chunk)
    text = screen.text()
    state = (screen.cursor, screen.alternate, screen.title, screen.ansi())
    screen.close()
    return (text.split("\n") if text else []), state


@each_case
def test_the_screen_is_that_of_xterm_or_of_tmux(open_pane: OpenPane, engine: EngineName, case: dict[str, Any]) -> None:
    rows, _state = shown(open_pane, case, bytes.fromhex(case["bytes_hex"]))
    agrees = rows in references(case)
    assert agrees != (case["name"] in DIFFERING[engine]), rows


@each_case
def test_a_case_fed_byte_by_byte_gives_the_same_screen(open_pane: OpenPane, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["bytes_hex"])
    single = (data[at : at + 1] for at in range(len(data)))
    assert shown(open_pane, case, *single) == shown(open_pane, case, data)


@each_case
def test_a_case_cut_anywhere_gives_the_same_screen(open_pane: OpenPane, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["bytes_hex"])
    whole = shown(open_pane, case, data)
    for cut in range(1, len(data)):
        assert shown(open_pane, case, data[:cut], data[cut:]) == whole, cut


def test_no_listed_difference_names_an_unknown_case() -> None:
    names = {case["name"] for case in CASES}
    assert all(listed <= names for listed in DIFFERING.values())
