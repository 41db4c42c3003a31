"""SQLite: table `articles`, upserted by row key. For any number of workers on one machine.

A file is opened when it is first used, and again when its path belongs to another file.
"""

import json
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import KEY, Row, RowKey, encodable, key_of, with_texts
from workers.sinks.durability import make_folder, pass_fence, sync_file, unavailable

from .batch_parts import upsert_parts
from .formats import StoredNames
from .interface import PATIENCE, SourcePage, WrittenRow, written_row
from .kinds import Target, file_path
from .options import OutputOptions
from .paths import PathPattern, pattern_of
from .row_schema import NEEDED, columns_of, foreign, type_of, unfit

# Lets a transaction write something, so that its commit is synchronised together with all earlier ones: SQLite does not
# write a row that has its values already, and the process that wrote it may have been killed within its commit.
WRITE_ANYTHING = "PRAGMA user_version = 0"
Values = tuple[Any, ...]  # of one row, in the order of the columns
_TYPES = {"number": "REAL", "integer": "INTEGER", "boolean": "INTEGER"}  # any other is TEXT
_NOT_NULL = {*NEEDED, "content_hash"}
WRITTEN_ROW = ("task", "url", "canonical_url", "version", "fetched_at", "listed_on")  # fields of a `WrittenRow`
_REFUSALS = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, OverflowError, UnicodeEncodeError)
_as_json = json.JSONEncoder(ensure_ascii=False).encode


class SqliteFile(ABC):
    """The file at `path`, with its write lock. Not for several threads, nor after a fork."""

    synchronous = "FULL"  # each commit is synced

    def __init__(self, path: Path):
        self.path, self.name = path, str(path)
        self._connection: sqlite3.Connection | None = None
        self._stat: os.stat_result | None = None

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the write lock of the file: begin a transaction; a write commits it. Raises `SinkUnavailable`."""
        with self._reported():
            connection = self._open(patience)
            connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                connection.rollback()  # releases the lock; no-op after a commit

    def check(self) -> None:
        """Open the file, and create it and its tables if there is none."""
        with self.exclusive():
            pass

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            with closing(self._connection):
                self._connection = None

    def _open(self, patience: float) -> sqlite3.Connection:
        if self._connection is None or self._moved_away():
            self.close()
            make_folder(self.path.parent)
            self._connection = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
            self._set_up(self._connection, patience)
            self._connection.execute(f"PRAGMA synchronous = {self.synchronous}")
            self._stat = self.path.stat()
        return self._connection

    @abstractmethod
    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Prepare an open file. `patience`: seconds to wait for other processes."""

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Raise `SinkUnavailable` for errors in the block, after which the file is opened again."""
        try:
            yield
        except (sqlite3.Error, OSError, OverflowError) as error:
            self.close()
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> SinkUnavailable:
        """Return the error for callers."""
        return unavailable(self.name, error)

    def _moved_away(self) -> bool:
        """Whether the path now belongs to another file, or to none."""
        try:
            return self._stat is None or not os.path.samestat(self._stat, self.path.stat())
        except FileNotFoundError:
            return True


class PageSink(SqliteFile):
    """Writes pages to a file, or to files that it records there, once each: a page has a URL and a time of its fetch.

    The rows are in other outputs, so `newest` yields none of them and `has` reports none as missing: they are not used
    to complete a ledger.
    """

    @abstractmethod
    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Write all pages or none, inside `exclusive`; those that are there already are left out."""

    def fence(self, task: str, epoch: str) -> str:
        """Return the epoch: each page is looked up before it is written."""
        return epoch

    def newest(self, task: str) -> Iterator[WrittenRow]:
        """Yield nothing: a ledger is completed from the outputs that have the rows."""
        return iter(())

    def has(self, rows: Sequence[WrittenRow]) -> list[bool]:
        """Return True for each row: a row whose page is not there is not to be written again."""
        return [True] * len(rows)


def open_sqlite(target: Target) -> "SqliteSink":
    """Return the sink of a path, or of an address: sqlite:///relative.db, sqlite:////absolute.db."""
    pattern = pattern_of(replace(target, address=file_path(target.address)))
    if not pattern.is_fixed:
        raise OutputError(f"output {pattern.label}: sqlite is one file; only {{task}} is allowed in its path")
    return SqliteSink(Path(pattern.text), options=target.options)


class SqliteSink(SqliteFile):
    """Upserts rows into table `articles` of a database file."""

    def __init__(self, path: Path, *, options: OutputOptions | None = None):
        super().__init__(path)
        self._options = options or OutputOptions()
        self._table = _Table(self._options)

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey] = frozenset()) -> None:
        """Upsert the rows in one transaction, that of `exclusive`.

        Raises `RowsRefused` for those that a constraint or trigger of the table refuses; the others are written.
        """
        assert self._connection is not None, "write inside `with sink.exclusive()`"
        with self._reported():
            refused = self._upsert(self._connection, rows)
            if again:
                self._connection.execute(WRITE_ANYTHING)
            self._connection.commit()
        if refused:
            raise RowsRefused(refused)

    def fence(self, task: str, epoch: str) -> str:
        """Note that an epoch writes, in a hidden folder beside the database."""
        return pass_fence(self.name, PathPattern(self.name, Path()).hidden("epochs"), task, epoch)

    def _upsert(self, connection: sqlite3.Connection, rows: Sequence[Row]) -> dict[RowKey, str]:
        """Upsert rows. Return SQLite's messages by the keys of refused rows.

        Lone surrogates are only replaced after SQLite has refused one: searching each row for them would take time.
        """

        def upsert(part: Sequence[Values]) -> None:
            values = part if len(part) > 1 else with_texts(part, encodable)
            connection.executemany(self._table.upsert, values)

        def refusal(error: Exception) -> str | None:  # after a trigger ended the transaction, no row was refused
            return str(error) if isinstance(error, _REFUSALS) and connection.in_transaction else None

        values = {key_of(row): self._table.values(self._options.shaped(row, with_key=True)) for row in rows}
        return upsert_parts(connection.execute, values, upsert, refusal)

    def newest(self, task: str) -> Iterator[WrittenRow]:
        """Yield the rows of the task, newest first."""
        columns = [name for name in self._table.columns if name in self._table.looked_up]
        query = f"SELECT {_listed(columns)} FROM articles WHERE {_quoted(self._table.key[0])} = ? ORDER BY rowid DESC"
        with self._reported():
            connection = self._open(PATIENCE)
            self._sync_found()
            for values in connection.execute(query, (task,)):
                if row := written_row(self._table.names.original(dict(zip(columns, values, strict=True)))):
                    yield row

    def has(self, rows: Sequence[WrittenRow]) -> list[bool]:
        """Return for each row whether the table has one of its key."""
        query = f"SELECT 1 FROM articles WHERE {' AND '.join(f'{_quoted(name)} = ?' for name in self._table.key)}"
        with self._reported():
            connection = self._open(PATIENCE)
            self._sync_found()
            return [connection.execute(query, row.key).fetchone() is not None for row in rows]

    def _sync_found(self) -> None:
        """Synchronise the log: a process may have been killed within the commit of rows that are found."""
        sync_file(Path(f"{self.path}-wal"))

    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Prepare an open database. SQLite does not wait by itself while another process changes the journal mode."""
        limit = time.monotonic() + patience
        while True:
            try:
                self._table.check(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(self._table.create)
                _add_new_columns(connection, self._table)
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > limit:
                    raise
                time.sleep(0.01)


class _Table:
    """Table `articles` with the columns of an output's options; those of the row key are always there."""

    def __init__(self, options: OutputOptions):
        sources = columns_of(options)
        self.key, self.sources = options.key_names(), sources
        self.names = StoredNames(options)
        # Columns are not declared NOT NULL, because rows with other sets of fields lack some
        self.columns = {name: _type_of(source, bool(options.fields)) for name, source in sources.items()}
        self.looked_up = {name for name, source in sources.items() if source in WRITTEN_ROW}
        if len({name.lower() for name in self.columns}) < len(self.columns):
            raise OutputError("names of columns in SQLite cannot differ in case only: " + ", ".join(self.columns))
        self.create = (
            "CREATE TABLE IF NOT EXISTS articles ("
            + ", ".join(f"{_quoted(name)} {kind}" for name, kind in self.columns.items())
            + f", PRIMARY KEY ({_listed(self.key)}))"
        )
        updates = [f"{_quoted(name)} = excluded.{_quoted(name)}" for name in self.columns if name not in self.key]
        self.upsert = (
            f"INSERT INTO articles ({_listed(self.columns)}) VALUES ({', '.join('?' * len(self.columns))}) "
            f"ON CONFLICT ({_listed(self.key)}) DO " + (f"UPDATE SET {', '.join(updates)}" if updates else "NOTHING")
        )

    def values(self, row: Row) -> Values:
        """Return the values of a row's columns; texts may contain lone surrogates."""
        values = map(row.get, self.columns)
        return tuple(_as_json(value) if isinstance(value, (list, tuple, dict)) else value for value in values)

    def check(self, connection: sqlite3.Connection) -> None:
        """Raise `sqlite3.DatabaseError` if another program made the table, or if it would refuse every row."""
        columns = list(connection.execute("PRAGMA table_info(articles)"))
        if columns and {name.lower() for _, name, *_, key in columns if key} != set(map(str.lower, self.key)):
            raise sqlite3.DatabaseError(foreign("articles", ", ".join(self.key)))
        required = [name for _, name, _, not_null, default, _ in columns if not_null and default is None]
        if problem := unfit({}, self.sources, required):
            raise sqlite3.DatabaseError(f"table articles: {problem}")

    def missing(self, connection: sqlite3.Connection) -> list[str]:
        """Return the columns that the table of a database lacks."""
        existing = {column[1].lower() for column in connection.execute("PRAGMA table_info(articles)")}
        return [name for name in self.columns if name.lower() not in existing]


def _add_new_columns(connection: sqlite3.Connection, table: _Table) -> None:
    """Add columns that a table of an earlier version, or of other fields, lacks."""
    if not table.missing(connection):
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for name in table.missing(connection):  # checked again: another worker may have added them
            kind = table.columns[name].removesuffix(" NOT NULL")
            connection.execute(f"ALTER TABLE articles ADD COLUMN {_quoted(name)} {kind}")


def _type_of(source: str, is_chosen: bool) -> str:
    is_needed = source in (KEY if is_chosen else _NOT_NULL)
    return _TYPES.get(type_of(source), "TEXT") + (" NOT NULL" if is_needed else "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))
