"""SQLite: table `articles`, upserted by row key. For any number of workers on one machine."""

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

from workers.errors import SinkUnavailable
from workers.rows import KEY, Row

BUSY_SECONDS = 30.0  # how long a writer waits for another
COLUMNS = {
    "task": "TEXT NOT NULL",
    "url": "TEXT NOT NULL",
    "canonical_url": "TEXT NOT NULL",
    "title": "TEXT",
    "text": "TEXT NOT NULL",
    "published": "TEXT",
    "modified": "TEXT",
    "author": "TEXT",
    "source": "TEXT",
    "keywords": "TEXT",  # JSON list
    "language": "TEXT",
    "description": "TEXT",
    "site_name": "TEXT",
    "image": "TEXT",
    "method": "TEXT",
    "confidence": "REAL",
    "reason": "TEXT",
    "page_type": "TEXT",
    "article_probability": "REAL",
    "fetched_at": "TEXT NOT NULL",
    "content_hash": "TEXT NOT NULL",
    "version": "INTEGER NOT NULL",
    "near_duplicate_of": "TEXT",
    "listed_on": "TEXT",
    "parts": "INTEGER",
    "parts_missing": "TEXT",  # JSON list
    "blocks": "TEXT",  # JSON list
    "robots_directives": "TEXT",  # JSON list
    "tdm_reservation": "INTEGER",  # 1, 0 or NULL
    "section_version": "TEXT",
}
_CREATE = (
    "CREATE TABLE IF NOT EXISTS articles ("
    + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    + f", PRIMARY KEY ({', '.join(KEY)}))"
)
_UPSERT = (
    f"INSERT INTO articles ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "
    f"ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name not in KEY)
)


class SqliteSink:
    """Upserts rows into table `articles` of a database file. `busy_seconds`: how long to wait for another writer."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS):
        self.path = path
        self.busy_seconds = busy_seconds
        self.name = str(path)
        self._connection: sqlite3.Connection | None = None
        self._stat: os.stat_result | None = None

    def exclusive(self) -> AbstractContextManager[None]:
        """No-op: a row that is written twice is still one row."""
        return nullcontext()

    def write(self, rows: Sequence[Row], *, again: bool) -> None:
        """Upsert the rows in one transaction."""
        try:
            with self._open() as connection:
                connection.executemany(_UPSERT, [_values(row) for row in rows])
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise SinkUnavailable(f"output unavailable: {self.name} can't be written: {error}") from None

    def close(self) -> None:
        """Close the database; the next write opens it again."""
        if self._connection is not None:
            with closing(self._connection):
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._moved_away():
            self.close()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=self.busy_seconds)
            _set_up(self._connection, self.busy_seconds)
            self._stat = self.path.stat()
        return self._connection

    def _moved_away(self) -> bool:
        """Whether the path now belongs to another file, or to none."""
        try:
            return self._stat is None or not os.path.samestat(self._stat, self.path.stat())
        except FileNotFoundError:
            return True


def _set_up(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Prepare an open database. SQLite does not wait by itself while another process changes the journal mode."""
    limit = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_CREATE)
            _add_new_columns(connection)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > limit:
                raise
            time.sleep(0.01)


def _add_new_columns(connection: sqlite3.Connection) -> None:
    """Add columns that a table of an earlier version lacks."""
    if not _missing(connection):
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for name in _missing(connection):  # another worker may have been first
            connection.execute(f"ALTER TABLE articles ADD COLUMN {name} {COLUMNS[name]}")


def _missing(connection: sqlite3.Connection) -> list[str]:
    existing = {column[1] for column in connection.execute("PRAGMA table_info(articles)")}
    return [name for name in COLUMNS if name not in existing]


def _values(row: Row) -> tuple[Any, ...]:
    return tuple(_plain(row.get(name)) for name in COLUMNS)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple, dict)):
        value = json.dumps(value, ensure_ascii=False)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value  # no lone surrogates
