"""The file that scores are kept in: SQLite, bounded, shared by processes, never a reason to fail."""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

log = logging.getLogger(__name__)

VERSION = 1
MAX_MB = 1024
PENDING = 20_000
"""Entries that are written in one transaction."""

ASKED = 900
"""Entries that are looked up by one query; older SQLite takes 999 parameters."""

BUSY_S = 10.0
"""How long to wait for another process that writes."""

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS components (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS scores (
        id INTEGER PRIMARY KEY, component INTEGER NOT NULL, sample BLOB NOT NULL, entry BLOB NOT NULL);
    CREATE UNIQUE INDEX IF NOT EXISTS by_key ON scores (component, sample);
"""


def default_path() -> Path:
    """Return where scores are kept unless told otherwise: ``$XDG_CACHE_HOME/guerdon/scores.sqlite``."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "guerdon" / "scores.sqlite"


class ScoreCache:
    """Entries by component and sample. Of one thread; several processes may use one file.

    The oldest entries go when the file would grow beyond `max_mb`. Whatever is wrong with the
    file, entries are merely not found: a damaged file is set aside as ``<name>.damaged``, a
    locked or full one is not written to, and the log says so.
    """

    def __init__(self, path: Path, *, max_mb: int = MAX_MB) -> None:
        self.path = path
        self._limit = max_mb * 1_000_000
        self._pending: dict[tuple[bytes, bytes], bytes] = {}
        self._connection: sqlite3.Connection | None = None
        self._numbers: dict[bytes, int] = {}
        self._renewed = self._warned = False
        self._safely(self._open, None)

    def get(self, component: bytes, samples: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the entries that there are, by sample."""
        nothing: dict[bytes, bytes] = {}
        return self._safely(lambda: self._get(component, samples), nothing)

    def put(self, component: bytes, entries: Mapping[bytes, bytes]) -> None:
        """Keep entries; they are written by and by."""
        self._pending.update({(component, sample): entry for sample, entry in entries.items()})
        if len(self._pending) >= PENDING:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        pending, self._pending = self._pending, {}
        if pending:
            self._safely(lambda: self._write(pending), None)

    def close(self) -> None:
        """Write what is pending, and close the file."""
        self.flush()
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def __enter__(self) -> Self:
        """Return the cache itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _safely[T](self, work: Callable[[], T], otherwise: T) -> T:
        """Work on the file; where that fails, say so once and go on without."""
        try:
            return work()
        except sqlite3.OperationalError as error:  # locked, full, read-only: the file itself is sound
            if not self._warned:
                log.warning("the score cache %s cannot be used now (%s); scoring goes on without it", self.path, error)
            self._warned = True
        except (sqlite3.Error, OSError) as error:
            self._set_aside(error)
        return otherwise

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # a lost entry is scored again
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"version {version}; this guerdon writes {VERSION}")
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {VERSION}")

    def _set_aside(self, error: Exception) -> None:
        """Move a damaged file away and begin a new one, once."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection, self._numbers = None, {}
        log.warning("the score cache %s is damaged (%s); everything is scored anew", self.path, error)
        if self._renewed:
            return
        self._renewed = True
        with contextlib.suppress(OSError, sqlite3.Error):
            for ending in ("-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            if self.path.is_file():
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
            self._open()

    def _get(self, component: bytes, samples: Sequence[bytes]) -> dict[bytes, bytes]:
        number = self._number(component)
        if self._connection is None or number is None:
            return {}
        found: dict[bytes, bytes] = {}
        for begin in range(0, len(samples), ASKED):
            asked = samples[begin : begin + ASKED]
            marks = ",".join("?" * len(asked))
            query = f"SELECT sample, entry FROM scores WHERE component = ? AND sample IN ({marks})"  # noqa: S608 - marks
            found.update(self._connection.execute(query, (number, *asked)))
        return found

    def _number(self, component: bytes) -> int | None:
        if component not in self._numbers and self._connection is not None:
            row = self._connection.execute("SELECT id FROM components WHERE digest = ?", (component,)).fetchone()
            if row is None:
                return None
            self._numbers[component] = row[0]
        return self._numbers.get(component)

    def _write(self, pending: Mapping[tuple[bytes, bytes], bytes]) -> None:
        if self._connection is None:
            return
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(
                "INSERT OR IGNORE INTO components (digest) VALUES (?)", {(component,) for component, _ in pending}
            )
            connection.executemany(
                "INSERT OR REPLACE INTO scores (component, sample, entry) VALUES (?, ?, ?)", self._rows(pending)
            )
            self._prune(connection)
        except BaseException:
            self._numbers = {}  # some may be of this transaction
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _rows(self, pending: Mapping[tuple[bytes, bytes], bytes]) -> Iterable[tuple[int | None, bytes, bytes]]:
        """Return rows in the order of the index, which is written fastest."""
        return [(self._number(component), sample, pending[component, sample]) for component, sample in sorted(pending)]

    def _prune(self, connection: sqlite3.Connection) -> None:
        """Remove the oldest quarters until the file is within its limit."""
        while self._used(connection) > self._limit:
            first, last = connection.execute("SELECT min(id), max(id) FROM scores").fetchone()
            if first is None:
                return
            connection.execute("DELETE FROM scores WHERE id <= ?", (first + (last - first) // 4,))

    @staticmethod
    def _used(connection: sqlite3.Connection) -> int:
        """Return the bytes in use."""
        pages, free, size = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size
