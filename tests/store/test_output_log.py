"""The log gives back what was appended, says what is gone, and keeps as much as it promises."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from session_core.store.output_log import CHUNK_BYTES, LOG_BYTES, MEMORY_BYTES, OutputLog

from .naive import NaiveLog, append, in_file

_SIZES = st.one_of(
    st.integers(0, 300),
    st.integers(CHUNK_BYTES - 2, CHUNK_BYTES + 2),
    st.integers(0, 3 * CHUNK_BYTES),
)


def piece(at: int, size: int) -> bytes:
    """Return bytes that differ from place to place, so that a shifted one is seen."""
    begin = b"%d:" % at
    return (begin + bytes(range(256)) * (size // 256 + 1))[:size]


class LogMachine(RuleBasedStateMachine):
    """Any appends and reads, on a file and in memory."""

    limit: int | None = None

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "p1") if self.limit else None
        self.log = OutputLog(path, self.limit or LOG_BYTES)
        self.naive = NaiveLog(self.limit or MEMORY_BYTES)

    def teardown(self) -> None:
        self.log.close()
        self.folder.cleanup()

    @rule(size=_SIZES)
    def append(self, size: int) -> None:
        data = piece(len(self.naive.data), size)
        append(self.log, data)
        self.naive.append(data)

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        most = len(self.naive.data) + 10
        begin = data.draw(st.integers(-5, most))
        end = data.draw(st.none() | st.integers(-5, most))
        assert self.naive.holds(self.log.read(begin, end), begin, end, self.log.begin)

    @invariant()
    def keeps_what_it_promises(self) -> None:
        assert self.log.end == len(self.naive.data)
        least = max(0, self.log.end - self.naive.limit)
        assert least - CHUNK_BYTES < self.log.begin <= least
        assert self.log.durable is (self.limit is not None)


class SmallFileMachine(LogMachine):
    """A file that goes round often."""

    limit = CHUNK_BYTES

    @invariant()
    def the_file_is_the_log(self) -> None:
        path = Path(self.folder.name, "p1")
        begin, data = in_file(path)
        assert (begin, data) == (self.log.begin, self.naive.data[begin:])


class OddFileMachine(LogMachine):
    """A file whose size is no whole number of chunks."""

    limit = 2 * CHUNK_BYTES + 12345


_OFTEN = settings(max_examples=15, stateful_step_count=25, deadline=None)
TestInMemory = LogMachine.TestCase
TestSmallFile = SmallFileMachine.TestCase
TestOddFile = OddFileMachine.TestCase
TestInMemory.settings = TestSmallFile.settings = TestOddFile.settings = _OFTEN


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(0, 500))
@settings(max_examples=50, deadline=None)
def test_reading_on_gives_everything_once(pieces: list[bytes], seed: int) -> None:
    log, taken, offset = OutputLog(None), b"", 0
    for number, data in enumerate(pieces):
        append(log, data)
        if (seed >> number % 8) & 1:
            read = log.read(offset)
            taken, offset = taken + read.data, read.begin + len(read.data)
    assert taken + log.read(offset).data == b"".join(pieces)


def test_a_log_of_the_usual_size_keeps_its_newest_eight_mebibytes(tmp_path: Path) -> None:
    log = OutputLog(str(tmp_path / "p1"))
    for at in range(20):
        append(log, bytes([at]) * 1024 * 1024)
    read = log.read(0)
    assert (read.missed, len(read.data)) == (20 * 2**20 - LOG_BYTES, LOG_BYTES)
    assert read.data[:1] + read.data[-1:] == bytes([12, 19])
    assert (tmp_path / "p1").stat().st_size < LOG_BYTES + 2 * CHUNK_BYTES
    log.close()


def test_a_file_takes_no_more_of_the_disk_than_was_printed(tmp_path: Path) -> None:
    log = OutputLog(str(tmp_path / "p1"))
    append(log, b"little")
    assert (tmp_path / "p1").stat().st_blocks * 512 <= 300 * 1024
    log.close()


def test_only_its_user_can_read_the_file_and_whoever_is_attached_to_an_older_one_keeps_that(tmp_path: Path) -> None:
    path = tmp_path / "p1"
    before = os.umask(0)
    try:
        first = OutputLog(str(path), CHUNK_BYTES)
    finally:
        os.umask(before)
    append(first, b"first")
    second = OutputLog(str(path), CHUNK_BYTES)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (first.read(0).data, second.read(0).data) == (b"first", b"")
    append(first, b" goes on")
    assert (first.read(0).data, first.durable) == (b"first goes on", True)
    for log in (first, second):
        log.close()


def test_a_closed_log_keeps_its_file_and_can_be_closed_again(tmp_path: Path) -> None:
    log = OutputLog(str(tmp_path / "p1"), CHUNK_BYTES)
    append(log, b"kept")
    log.close()
    log.close()
    assert in_file(tmp_path / "p1") == (0, b"kept")
    assert log.read(0).data == b""


@pytest.mark.parametrize("place", ["missing/p1", "file/p1", "folder"])
def test_a_place_that_cannot_be_written_gives_a_log_in_memory(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    log = OutputLog(str(tmp_path / place))
    append(log, b"all the same")
    assert (log.durable, log.read(0).data) == (False, b"all the same")
    log.close()
