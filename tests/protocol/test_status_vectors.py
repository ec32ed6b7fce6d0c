"""Every parser vector of OSC 7501: whole, byte by byte, cut at every position, and within other output."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from session_core.protocol import program_status
from session_core.protocol.events import Event, EventStream
from session_core.protocol.program_status import Clear, Query, Rejected, Report

from .reading import cuts, read, single_bytes

_FILE = Path(__file__).parent.parent / "data" / "osc7501_vectors.json"
_NO_SEQUENCE = "not a complete OSC 7501 sequence"
_TOO_LONG = "sequence over 4096 bytes"
_LEADING = "left \u2500\r\n\x1b[31m".encode()
_TRAILING = b"\x1b[0m right"
_NEXT = b"\x1b]7501;state=error:id=next:app=after\x1b\\"
_NEXT_MEANING = {"type": "report", "id": "next", "state": "error", "app": "after"}


@dataclass(frozen=True)
class Vector:
    """One input and what it must give: a list of meanings, and the counted rejections."""

    name: str
    data: bytes
    chunks: list[bytes] | None
    expected: list[dict[str, Any]]
    ignored: str

    @property
    def unterminated(self) -> bool:
        """Whether the string is still open at the end, so that it swallows what follows."""
        return self.name == "no-terminator"

    @property
    def rejected(self) -> int:
        """How many bodies are whole and rejected."""
        return int(not self.expected and self.ignored not in (_NO_SEQUENCE, _TOO_LONG))


def _load() -> list[Vector]:
    vectors = []
    for entry in json.loads(_FILE.read_text(encoding="utf-8"))["parser_vectors"]:
        hexed = entry.get("bytes_hex")
        chunks = entry.get("chunks_hex")
        single = [entry["expect"]] if entry.get("expect") else []
        vectors.append(
            Vector(
                name=entry["name"],
                data=bytes.fromhex(hexed) if hexed else entry["input"].encode(),
                chunks=[bytes.fromhex(chunk) for chunk in chunks] if chunks else None,
                expected=entry.get("expect_events", single),
                ignored=entry.get("ignored_reason", ""),
            )
        )
    return vectors


VECTORS = _load()
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])


def _described(events: list[Event]) -> list[dict[str, Any]]:
    """Return what may be applied or answered, as the vectors write it; a rejected body is nothing."""
    described: list[dict[str, Any]] = []
    for event in events:
        match event.meaning:
            case Report() as report:
                fields = {key: value for key, value in asdict(report).items() if value is not None}
                described.append({"type": "report", **fields})
            case Clear(identity):
                described.append({"type": "clear", "id": identity})
            case Query():
                described.append({"type": "query", "reply": program_status.reply(event.terminator).decode()})
            case Rejected():
                pass
            case other:
                described.append({"type": repr(other)})
    return described


def test_the_file_holds_all_vectors_that_it_counts() -> None:
    counts = json.loads(_FILE.read_text(encoding="utf-8"))["format"]["counts"]
    assert len(VECTORS) == counts["parser"] == 102


@every_vector
def test_a_vector_in_one_read_gives_its_meaning(vector: Vector) -> None:
    assert _described(read(vector.data)) == vector.expected


@every_vector
def test_a_vector_byte_by_byte_gives_its_meaning(vector: Vector) -> None:
    assert _described(read(*single_bytes(vector.data))) == vector.expected


@every_vector
def test_a_vector_cut_at_any_position_gives_its_meaning(vector: Vector) -> None:
    for first, second in cuts(vector.data):
        assert _described(read(first, second)) == vector.expected, len(first)


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if vector.chunks], ids=lambda v: v.name)
def test_a_vector_in_its_own_reads_gives_its_meaning(vector: Vector) -> None:
    assert vector.chunks is not None
    assert b"".join(vector.chunks) == vector.data
    assert _described(read(*vector.chunks)) == vector.expected


@every_vector
def test_text_before_and_after_a_vector_changes_nothing(vector: Vector) -> None:
    data = _LEADING + vector.data + _TRAILING
    assert _described(read(data)) == vector.expected
    for first, second in cuts(data):
        assert _described(read(first, second)) == vector.expected, len(first)


@every_vector
def test_a_report_right_behind_a_vector_is_read(vector: Vector) -> None:
    expected = [*vector.expected, _NEXT_MEANING]
    assert _described(read(vector.data, _NEXT)) == expected
    assert _described(read(vector.data + _NEXT)) == expected
    assert _described(read(*single_bytes(vector.data + _NEXT))) == expected


@every_vector
def test_a_vector_is_counted_as_what_it_is(vector: Vector) -> None:
    stream = EventStream()
    stream.feed(vector.data)
    reports = sum(meaning["type"] in ("report", "clear") for meaning in vector.expected)
    assert stream.statistics.bytes == len(vector.data)
    assert stream.statistics.reports == reports
    assert stream.statistics.rejected_reports == vector.rejected


@pytest.mark.parametrize("name", ["sequence-4097-st", "overflow-then-recover"])
def test_an_oversized_vector_is_counted_once(name: str) -> None:
    vector = next(vector for vector in VECTORS if vector.name == name)
    stream = EventStream()
    stream.feed(vector.data)
    assert stream.statistics.oversized_strings == 1
    assert stream.statistics.aborted_strings == 0


@pytest.mark.parametrize("name", ["can-cancels", "sub-cancels", "tmux-envelope-seen-by-a-plain-terminal"])
def test_a_cancelled_string_of_a_vector_is_counted_once(name: str) -> None:
    vector = next(vector for vector in VECTORS if vector.name == name)
    stream = EventStream()
    stream.feed(vector.data)
    assert stream.statistics.aborted_strings == 1
    assert stream.statistics.oversized_strings == 0


def test_an_unfinished_report_is_held_and_completed_later() -> None:
    vector = next(vector for vector in VECTORS if vector.unterminated)
    stream = EventStream()
    assert stream.feed(vector.data) == []
    assert stream.buffered > 0
    assert _described(stream.feed(b"\x07")) == [{"type": "report", "id": "", "state": "idle"}]
    assert stream.buffered == 0
