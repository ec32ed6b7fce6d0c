"""What is in the file after the writer was killed, and what becomes of a log when the disk is full."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from session_core.store.output_folder import OutputFolder
from session_core.store.output_log import CHUNK_BYTES, MEMORY_BYTES, OutputLog

from .naive import in_file

BOUND_S = 20.0
_WRITER = """
    import sys
    from session_core.store.output_log import OutputLog
    log = OutputLog(sys.argv[1], int(sys.argv[2]))
    at = 0
    while True:
        log.append(b"%08d\\n" % at * 7)
        at += 1
        if at == 5000:
            print("many", flush=True)
"""
_LIMITED = """
    import resource, sys
    resource.setrlimit(resource.RLIMIT_FSIZE, (600 * 1024, 600 * 1024))
    from session_core.store.output_log import OutputLog
    log = OutputLog(sys.argv[1], 1024 * 1024)
    for at in range(100_000):
        log.append(b"%08d\\n" % at)
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
        log.append(data[at : at + 4096])
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


def test_in_a_folder_that_cannot_be_written_panes_have_their_logs_in_memory(sealed_folder: Path) -> None:
    folder = OutputFolder(str(sealed_folder))
    log = folder.open("p1")
    log.append(b"printed")
    assert (log.durable, log.read(0).data) == (False, b"printed")
    folder.remove("p1", log)


def test_what_an_earlier_host_left_is_removed_and_a_pane_takes_its_own_file_along(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    first = OutputFolder(str(tmp_path), CHUNK_BYTES)
    first.open("p1").append(b"old")
    place = tmp_path / "state" / "output"
    assert place.stat().st_mode & 0o777 == 0o700
    second = OutputFolder(str(tmp_path), CHUNK_BYTES)
    assert list(place.iterdir()) == []
    logs = {name: second.open(name) for name in ("p1", "p2")}
    second.remove("p1", logs["p1"])
    assert [path.name for path in place.iterdir()] == ["p2"]
    (place / "p2").unlink()
    second.remove("p2", logs["p2"])
