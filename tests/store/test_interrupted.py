"""What is in the file after the writer was killed, and what becomes of a log when the disk is full."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from session_core.store.journal import Batch
from session_core.store.output_log import CHUNK_BYTES, MEMORY_BYTES, LoggedOutput, OutputLog
from session_core.store.state_folder import StateFolder

from .naive import append, in_file

BOUND_S = 20.0
_WRITER = """
    import sys
    from session_core.store.output_log import OutputLog
    from tests.store.naive import append
    log = OutputLog(sys.argv[1], int(sys.argv[2]))
    at = 0
    while True:
        append(log, b"%08d\\n" % at * 7)
        at += 1
        if at == 5000:
            print("many", flush=True)
"""
_LIMITED = """
    import resource, sys
    resource.setrlimit(resource.RLIMIT_FSIZE, (600 * 1024, 600 * 1024))
    from session_core.store.output_log import OutputLog
    from tests.store.naive import append
    log = OutputLog(sys.argv[1], 1024 * 1024)
    for at in range(100_000):
        append(log, b"%08d\\n" % at)
    read = log.read(0)
    print(log.durable, log.end, read.missed, len(read.data), read.data[-9:].decode().strip())
"""


@pytest.mark.parametrize("limit", [CHUNK_BYTES, 16 * 1024 * 1024], ids=["going round", "not full"])
def test_the_file_of_a_killed_writer_has_what_was_appended(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "p1"
    command = [sys.executable, "-c", textwrap.dedent(_WRITER), str(path), str(limit)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"many\n"
        writer.send_signal(signal.SIGKILL)
        assert writer.wait(BOUND_S) == -signal.SIGKILL
    begin, data = in_file(path)
    # Each append is seven lines; the last one counted, or it was not made.
    assert (begin + len(data)) % 63 == 0
    expected = b"".join(b"%08d\n" % at * 7 for at in range(begin // 63, (begin + len(data)) // 63))
    assert data == expected[begin % 63 :]
    assert len(data) >= min(limit, 5000 * 63)


_READER = """
    import os, sys
    from session_core.store.output_log import OutputLog
    log = OutputLog.reopen(sys.argv[1], int(sys.argv[2]))
    while log.take(lambda buffers: os.readv(0, buffers) or None):
        pass
"""


@pytest.mark.parametrize("limit", [CHUNK_BYTES, 1024 * 1024], ids=["going round", "not full"])
def test_a_reader_that_is_killed_between_reading_and_noting_loses_nothing(tmp_path: Path, limit: int) -> None:
    path, lines = tmp_path / "p1", b"".join(b"%08d\n" % at for at in range(300_000))
    arguments = [sys.executable, "-c", textwrap.dedent(_READER), str(path), str(limit)]
    ours, its = os.pipe()
    with open(its, "wb") as writer:
        feeding = threading.Thread(target=writer.write, args=(lines,))
        feeding.start()
        for reads in (1, 2, 3, 5, 8, 0):
            point = tmp_path / "point"
            point.write_text(f"output_read:{reads}")
            environment = os.environ | ({"PANEBRIDGE_KILL_AT": str(point)} if reads else {})
            with subprocess.Popen(arguments, stdin=ours, env=environment) as reader:
                if reads:
                    assert reader.wait(BOUND_S) == -signal.SIGKILL
                else:
                    feeding.join(BOUND_S)
                    writer.close()
                    assert reader.wait(BOUND_S) == 0
    os.close(ours)
    begin, data = in_file(path)
    assert begin + len(data) == len(lines)
    assert data == lines[begin:]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for less than one MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a file system can be mounted only by root, and not in every container")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_on_a_full_disk_a_log_goes_on_in_memory_and_loses_nothing_newer(full_disk: Path) -> None:
    log = OutputLog(str(full_disk / "p1"), 1024 * 1024)
    data = b"".join(b"%08d\n" % at for at in range(100_000))
    for at in range(0, len(data), 4096):
        append(log, data[at : at + 4096])
        read = log.read(0)
        assert read.data == data[read.missed : at + 4096]
        assert len(read.data) >= min(at + 4096, MEMORY_BYTES)
        assert log.durable or at > 0
    assert log.durable is False
    begin, filed = in_file(full_disk / "p1")
    assert filed == data[begin : begin + len(filed)]
    log.close()


def test_where_files_may_not_grow_a_log_goes_on_in_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(_LIMITED), str(tmp_path / "p1")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=BOUND_S)
    durable, end, missed, kept, last = ended.stdout.split()
    assert (durable, int(end), last) == ("False", 900_000, "00099999")
    assert int(missed) + int(kept) == 900_000
    assert int(kept) >= MEMORY_BYTES


@pytest.fixture
def sealed_folder(tmp_path: Path) -> Iterator[Path]:
    """A private folder in which nothing can be made."""
    place = tmp_path / "run"
    place.mkdir(mode=0o700)
    if os.getuid():
        (place / "state").mkdir(mode=0o500)
    else:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", str(place)], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip("root can write everywhere, and here nothing can be mounted")
    yield place
    if not os.getuid():
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_in_a_folder_that_cannot_be_written_everything_is_kept_in_memory(sealed_folder: Path) -> None:
    folder = StateFolder(str(sealed_folder))
    log, journal = folder.open_log("p1"), folder.open_journal()
    append(log, b"printed")
    assert (log.durable, log.read(0).data) == (False, b"printed")
    batch = Batch()
    batch.put("kind", "p1", "", "value")
    assert (journal.write(batch), journal.durable, list(journal.read("kind"))) == (False, False, [])
    folder.remove_log("p1", log)


def test_a_pane_takes_its_log_along_and_what_nobody_knows_is_removed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    folder = StateFolder(str(tmp_path), CHUNK_BYTES)
    place = tmp_path / "state" / "output"
    assert place.stat().st_mode & 0o777 == 0o700
    logs = {name: folder.open_log(name) for name in ("p1", "p2", "p3")}
    folder.remove_log("p1", logs["p1"])
    assert {path.name for path in place.iterdir()} == {"p2", "p3"}
    folder.keep_only({"p2"})
    assert [path.name for path in place.iterdir()] == ["p2"]
    (place / "p2").unlink()
    folder.remove_log("p2", logs["p2"])


def test_a_log_whose_file_ends_too_early_begins_anew_where_it_must(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    folder = StateFolder(str(tmp_path), CHUNK_BYTES)
    first = folder.open_log("p1")
    append(first, b"twelve bytes")
    first.close()
    again = folder.reopen_log("p1", 12)
    assert (again.read(0).data, again.end) == (b"twelve bytes", 12)
    again.close()
    later = folder.reopen_log("p1", 100)
    append(later, b"new")
    assert (later.begin, later.end, later.read(0)) == (100, 103, LoggedOutput(100, b"new", 100))
    later.close()
