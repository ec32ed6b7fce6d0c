"""`read_pane` as a model uses it: small, told in words what was left out, and with where to go on."""

import json

import pytest

from session_core import What

from .calls import Tools
from .waiting import BOUND_S

pytestmark = pytest.mark.anyio


async def _lines(tools: Tools, count: int) -> str:
    pane = await tools.open(["sh", "-c", f"seq 1 {count}; exec cat"])
    await tools.text_when(pane, f"\n{count}")
    return pane


async def test_the_screen_says_what_is_above_it_and_where_to_go_on(tools: Tools) -> None:
    pane = await _lines(tools, 100)
    read = await tools.call("read_pane", pane=pane)
    assert read["left_out"] == "61 lines before this; ask with `lines` or `max_bytes` for more"
    assert read["text"].split("\n")[-1] == "100"
    assert read["cursor"] == [0, 39]
    await tools.write(pane, "more")
    await tools.text_when(pane, "more\nmore")
    since = await tools.call("read_pane", pane=pane, since=read["end"])
    assert since["text"] == "more\nmore\n"
    assert "left_out" not in since
    assert (await tools.call("read_pane", pane=pane, since=since["end"]))["text"] == ""


async def test_twenty_thousand_lines_come_as_their_newest_and_parse(tools: Tools) -> None:
    pane = await _lines(tools, 20_000)
    for arguments in ({"lines": 1000}, {"what": "tail", "lines": 1000}, {"what": "since", "since": "end:0"}):
        result = await tools.result("read_pane", pane=pane, **arguments)
        read = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert read == result.structured_content
        lines = read["text"].rstrip("\n").split("\n")
        assert lines[-1] == "20000"
        assert len(read["text"].encode()) <= 4000
        assert "lines before this" in read["left_out"]
        assert read["end"].startswith("end:")
    more = await tools.call("read_pane", pane=pane, lines=1000, max_bytes=100_000)
    assert more["text"].split("\n") == [str(number) for number in range(19_001, 20_001)]


async def test_a_cut_line_is_told_in_bytes(tools: Tools) -> None:
    pane = await tools.open(["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; printf END; exec cat"])
    await tools.text_when(pane, "END")
    read = await tools.call("read_pane", pane=pane, since="end:0", max_bytes=1000)
    assert read["text"] == "x" * 997 + "END"
    assert read["left_out"] == "299003 bytes before this; ask with `lines` or `max_bytes` for more"


async def test_a_find_is_a_regular_expression_with_its_context(tools: Tools) -> None:
    pane = await _lines(tools, 100)
    read = await tools.call("read_pane", pane=pane, find="^5[05]$")
    assert (read["found"], read["text"].split("\n")) == (
        2,
        "48 49 50 51 52 -- 53 54 55 56 57".replace("-- ", "").split(),
    )
    assert "regular expression" in await tools.refusal("read_pane", pane=pane, find="(")
    assert "no pattern" in await tools.refusal("read_pane", pane=pane, what="find")


async def test_a_command_comes_with_its_line_and_exit_code(tools: Tools) -> None:
    pane = await tools.open(["bash"])
    await tools.call("run_command", pane=pane, command="echo one; false")
    await tools.call("run_command", pane=pane, command="echo two")
    first = await tools.call("read_pane", pane=pane, what="command", number=1)
    assert (first["command"], first["text"], first["exit_code"]) == ("echo one; false", "one", 1)
    assert "running" not in first
    await tools.call("write_pane", pane=pane, text="echo begun; cat")
    await tools.text_when(pane, "\nbegun")
    running = await tools.call("read_pane", pane=pane, what="command")
    assert (running["text"], running["running"]) == ("begun", True)
    assert "Known are: 1 to 3" in await tools.refusal("read_pane", pane=pane, what="command", number=9)


async def test_a_turn_and_what_came_since_a_ticket_are_read(tools: Tools) -> None:
    pane = await tools.puppet()
    ticket = (await tools.write(pane, "report state=working"))["ticket"]
    await tools.write(pane, "say at work")
    await tools.write(pane, "report state=done")
    await tools.wait(pane, since=ticket)
    assert (await tools.call("read_pane", pane=pane, what="turn"))["text"] == "at work"
    assert (await tools.call("read_pane", pane=pane, since=ticket))["text"] == "at work\n"
    assert (await tools.refusal("read_pane", pane=pane, since="t99")).startswith("no_such_ticket")
    assert "Since when" in await tools.refusal("read_pane", pane=pane, what="since")


async def test_the_bytes_that_a_cut_command_left_out_are_few_words(tools: Tools) -> None:
    pane = await tools.open(["bash"])
    ran = await tools.call("run_command", pane=pane, command="seq 1 100000")
    assert ran["output"].endswith("\n100000")
    assert len(ran["output"]) <= 4000
    assert len(json.dumps(ran)) < 5000
    assert "lines before this" in ran["left_out"]


async def test_a_pane_is_named_sized_and_tagged_and_lists_show_it(tools: Tools) -> None:
    pane = await tools.open(["cat"])
    changed = await tools.call("set_pane", pane=pane, name="work", size=[90, 30], tags=["a", "b"])
    assert (changed["name"], changed["size"], changed["tags"]) == ("work", [90, 30], ["a", "b"])
    assert (await tools.row(pane))["tags"] == ["a", "b"]
    left = await tools.call("set_pane", pane="work")
    assert left == changed
    cleared = await tools.call("set_pane", pane=pane, name="", tags=[])
    assert set(cleared) == {"pane", "program", "state", "signal", "size", "revision"}
    assert (await tools.refusal("set_pane", pane=pane, size=[1, 1])).startswith("bad_request")
    assert (await tools.refusal("set_pane", pane=pane, size=[80])).startswith("bad_request")


def test_the_kinds_of_reads_are_those_of_the_core() -> None:
    from mcp_bridge.tools.output import ReadPane

    assert set(ReadPane.model_json_schema()["properties"]["what"]["enum"]) == {what.value for what in What}
    assert BOUND_S
