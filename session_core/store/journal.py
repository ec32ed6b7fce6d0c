"""The journal: what a host must not lose, as small entries in one SQLite file that outlives it.

An entry is a text or bytes under a kind, a pane ("" for the host itself) and a key. A batch is written whole or not at
all, and is with the system when `write` returns: the end of any process loses nothing of it; a power cut may take the
newest batches and leaves the rest whole. Where the disk is full or refuses, `write` says False, `durable` is False
until a later batch succeeds, and nothing is raised. A file that is no journal is put aside and a new one begun.
Deliberately absent: what the entries mean.
"""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Key = str | int
Value = str | bytes

_FORMAT = 1
_BUSY_S = 5.0
_CREATE = """
    CREATE TABLE IF NOT EXISTS entries (
        kind TEXT NOT NULL, pane TEXT NOT NULL, key NOT NULL, value NOT NULL, PRIMARY KEY (kind, pane, key)
    ) WITHOUT ROWID
"""
_PUT = "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)"
_DROP = "DELETE FROM entries WHERE kind = ? AND pane = ? AND key = ?"
_DROP_BELOW = "DELETE FROM entries WHERE kind = ? AND pane = ? AND key < ?"
_DROP_PANE = "DELETE FROM entries WHERE pane = ?"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Batch:
    """What one `write` changes, in this order: panes dropped, entries put, entries dropped."""

    panes: list[tuple[str]] = field(default_factory=list)
    puts: list[tuple[str, str, Key, Value]] = field(default_factory=list)
    drops: list[tuple[str, str, Key]] = field(default_factory=list)
    below: list[tuple[str, str, int]] = field(default_factory=list)

    def put(self, kind: str, pane: str, key: Key, value: Value) -> None:
        """Set an entry."""
        self.puts.append((kind, pane, key, value))

    def drop(self, kind: str, pane: str, key: Key) -> None:
        """Remove an entry, if there is one."""
        self.drops.append((kind, pane, key))

    def drop_below(self, kind: str, pane: str, key: int) -> None:
        """Remove every entry of a kind whose key is a smaller number."""
        self.below.append((kind, pane, key))

    def drop_pane(self, pane: str) -> None:
        """Remove every entry of a pane."""
        self.panes.append((pane,))


class Journal:
    """Opened once by the one host of its folder; without a path it keeps nothing and `durable` is False."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self.durable = False
        self._open()

    def _open(self) -> None:
        if self._path is None:
            return
        try:
            self._connection = _connect(self._path)
            self.durable = True
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                logger.warning("the journal cannot be opened: %s", error)
                return
            logger.error("the journal is put aside, for it is none: %s", error)
            self._put_aside(self._path)
            with contextlib.suppress(sqlite3.Error):
                self._connection = _connect(self._path)
                self.durable = True

    def _put_aside(self, path: str) -> None:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.replace(path + suffix, f"{path}.broken{suffix}")

    def read(self, kind: str, pane: str | None = None) -> Iterator[tuple[str, Key, Value]]:
        """Yield pane, key and value of each entry of a kind, in the order of the keys; nothing where none is kept."""
        if self._connection is None:
            return
        where, args = ("", (kind,)) if pane is None else (" AND pane = ?", (kind, pane))
        try:
            query = f"SELECT pane, key, value FROM entries WHERE kind = ?{where} ORDER BY pane, key"
            yield from self._connection.execute(query, args)
        except sqlite3.DatabaseError as error:
            logger.error("the journal cannot be read: %s", error)

    def write(self, batch: Batch) -> bool:
        """Write a batch whole; False, and nothing written, where the system refuses."""
        if self._connection is None:
            self._open()
        if self._connection is None:
            return False
        try:
            self._connection.execute("BEGIN")
            for statement, rows in _statements(batch):
                self._connection.executemany(statement, rows)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self.durable:
                logger.error("the journal cannot be written: %s", error)
            self.durable = False
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            return False
        self.durable = True
        return True

    def close(self) -> None:
        """Give the file back for good: what is written later is refused. Idempotent."""
        self._path = None
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
            self.durable = False


def _statements(batch: Batch) -> Iterable[tuple[str, list[tuple[object, ...]]]]:
    parts = ((_DROP_PANE, batch.panes), (_PUT, batch.puts), (_DROP, batch.drops), (_DROP_BELOW, batch.below))
    return ((statement, list(rows)) for statement, rows in parts if rows)


def _connect(path: str) -> sqlite3.Connection:
    """Open the file. Raises sqlite3.OperationalError where the system refuses, DatabaseError for a foreign file."""
    before = os.umask(0o177)
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, cached_statements=16)
        try:
            # One process at a time has it, so that no shared memory is needed.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_CREATE)
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, _FORMAT):
                raise sqlite3.DatabaseError(f"it has format {found}, this version knows {_FORMAT}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
        except BaseException:
            connection.close()
            raise
        return connection
    finally:
        os.umask(before)
