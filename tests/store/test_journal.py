"""A batch is in the journal whole or not at all, whatever ends the process, fills the disk or spoils the file."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from session_core.store.journal import Batch, Journal, Key, Value

BOUND_S = 20.0
_WRITER = """
    import sys
    from session_core.store.journal import Batch, Journal
    journal, at = Journal(sys.argv[1]), 0
    while True:
        batch = Batch()
        batch.put("number", "", "", str(at))
        batch.put("square", "p1", at, str(at * at))
        assert journal.write(batch)
        print(at, flush=True)
        at += 1
"""
_LIMITED = """
    import resource, signal, sys
    from session_core.store.journal import Batch, Journal
    journal = Journal(sys.argv[1])
    def write(at):
        batch = Batch()
        batch.put("row", "", at, "x" * 5000)
        return journal.write(batch)
    assert write(0)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    at = 1
    while write(at):
        at += 1
    refused = (journal.durable, at > 3)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(refused, write(at), journal.durable, len(list(journal.read("row"))) == at + 1)
"""


def _put(*entries: tuple[str, str, Key, Value]) -> Batch:
    batch = Batch()
    for entry in entries:
        batch.put(*entry)
    return batch


def test_entries_come_back_in_the_order_of_their_keys_and_can_be_dropped(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal.db"))
    assert journal.write(_put(*[("row", "p1", key, str(key)) for key in (10, 9, 100)], ("row", "p2", 1, b"\0\xff")))
    assert list(journal.read("row", "p1")) == [("p1", key, str(key)) for key in (9, 10, 100)]
    assert list(journal.read("row")) == [*journal.read("row", "p1"), ("p2", 1, b"\0\xff")]
    batch = _put(("row", "p1", 9, "anew"))
    batch.drop_below("row", "p1", 10)
    batch.drop("row", "p1", 100)
    batch.drop_pane("p2")
    assert journal.write(batch)
    assert list(journal.read("row")) == [("p1", 10, "10")]
    journal.close()
    journal.close()
    # The next process may have it by now.
    assert not journal.write(_put(("row", "p1", 10, "late")))
    later = Journal(str(tmp_path / "journal.db"))
    assert (later.durable, list(later.read("row"))) == (True, [("p1", 10, "10")])
    later.close()


def test_a_killed_writer_has_left_each_batch_that_it_told_of_and_half_of_none(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.db")
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), path], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        while int(writer.stdout.readline()) < 500:
            pass
        writer.send_signal(signal.SIGKILL)
        told = [int(line) for line in writer.stdout if line.endswith("\n")]
        assert writer.wait(BOUND_S) == -signal.SIGKILL
    journal = Journal(path)
    ((_, _, number),) = journal.read("number")
    squares = [(int(key), int(value)) for _, key, value in journal.read("square")]
    assert squares == [(at, at * at) for at in range(int(number) + 1)]
    assert int(number) >= max(told, default=500)
    assert os.stat(path).st_mode & 0o777 == 0o600
    journal.close()


def test_a_full_disk_refuses_a_batch_and_takes_the_next_once_there_is_room(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", textwrap.dedent(_LIMITED), str(tmp_path / "journal.db")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=BOUND_S, check=True)
    assert done.stdout.strip() == "(False, True) True True True"


@pytest.mark.parametrize("content", [b"no database at all" * 500, b""], ids=["foreign", "empty"])
def test_a_file_that_is_no_journal_is_put_aside_and_a_new_one_begun(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    journal = Journal(str(path))
    assert journal.write(_put(("row", "", "", "kept")))
    assert list(journal.read("row")) == [("", "", "kept")]
    journal.close()
    aside = tmp_path / "journal.db.broken"
    assert (aside.read_bytes() if aside.exists() else b"") == content


def test_a_journal_of_a_later_format_is_put_aside_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.db")
    journal = Journal(path)
    assert journal.write(_put(("row", "", "", "old")))
    assert journal._connection is not None
    journal._connection.execute("PRAGMA user_version = 99")
    journal.close()
    later = Journal(path)
    assert (list(later.read("row")), later.durable) == ([], True)
    later.close()
    assert (tmp_path / "journal.db.broken").exists()
