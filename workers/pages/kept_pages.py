"""Kept pages: the fetched pages of a task on disk, so that they can be extracted again without a request.

One SQLite file per task; each page is a zstd frame. The pages of a section share most of their bytes: the first article
of a period is its base, which is the dictionary of the later pages. The file may be on a shared file
system with locks, as a file of JSON lines may, because it is written with a rollback journal and not with a write-ahead
log, which needs shared memory.

A writer holds the file, removes a few pages that are too old, and writes the pages of its group in one transaction.
"""

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import zstandard

from ..errors import SinkUnavailable
from ..extraction_config import ExtractionConfig
from ..page_store import LARGEST_PAGE, StoredPage, bodies_of, page_of, record_of, unpack_body
from ..redis_access.redis_clock import Clock
from ..rows import Row
from ..sinks import expand
from ..sinks.interface import PATIENCE, PageKind, SourcePage
from ..sinks.sqlite import WRITE_ANYTHING, PageSink
from ..url_states import Fingerprint, fingerprint

KEPT_PAGES = "kept pages"  # the name under which the ledger notes that a page is kept, beside those of outputs
SQLITE_PAGE = 1024  # bytes; little is wasted at the end of a page, and an empty file is small
LEVEL = 9  # of zstd: level 19 takes as long as an extraction, to save a tenth of the disk (decision 38)
LARGEST = 3 * LARGEST_PAGE  # bytes of a page with its further pages and its record
REMOVED_AT_ONCE = 90  # pages; a group has at most 30
FREED_AT_ONCE = 200  # pages of SQLite that a write returns to the file system
PERIODS = 4  # periods into which `keep` is divided; each begins a base, so that none is needed for long
_SCHEMA = """
CREATE TABLE pages (id INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB NOT NULL, fetched_at REAL NOT NULL,
    kept_at INTEGER NOT NULL, kind INTEGER NOT NULL, base INTEGER NOT NULL, packed BLOB NOT NULL,
    UNIQUE (name, fetched_at));
CREATE TABLE articles (name BLOB PRIMARY KEY, page INTEGER NOT NULL, version INTEGER NOT NULL,
    content_hash BLOB NOT NULL, example_hash BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX pages_of_bases ON pages (base);
"""
_KINDS: tuple[PageKind, ...] = ("article", "list", "refused")  # the tables contain the index of a kind
_HASH = 16  # bytes of a SHA-256 that identify a text
_NEWEST_OF_EACH_URL = """
SELECT id FROM pages AS page WHERE kept_at >= :oldest AND fetched_at >= :since AND (kind = 1 OR NOT EXISTS (
    SELECT 1 FROM pages AS other WHERE other.name = page.name AND other.id != page.id
    AND (other.kind = page.kind AND other.fetched_at > page.fetched_at
         OR page.kind = 2 AND other.kind != 2)))
ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it was kept. `url`: as requested; `info`: the data on the URL from discovery."""

    id: int
    url: str
    page: StoredPage
    kind: PageKind
    info: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewestRow:
    """The newest version of a row that a kept page gave.

    `hash`, `example_hash`: the beginnings of the hashes of its title and text, and of those that were extracted with
    the example alone, which rows of list pages lack.
    """

    version: int
    hash: bytes
    example_hash: bytes


def kept_pages_of(config: ExtractionConfig, *, clock: Clock) -> "KeptPages":
    """Return the kept pages of a task. Raises `OutputError` that names a variable which is not set."""
    folder = Path(config.folder) / Path(expand(config.pages_folder, config.task)).expanduser()
    path = folder / f"{config.task}.kept"
    return KeptPages(path, keep=config.keep_pages, clock=clock)


def existing_pages(config: ExtractionConfig, *, clock: Clock) -> "KeptPages | None":
    """Return the kept pages of a task; None if it does not keep pages, or this machine has none yet."""
    kept = kept_pages_of(config, clock=clock) if config.keep_pages is not None else None
    return kept if kept is not None and kept.path.exists() else None


@dataclass
class _Base:
    """A base: a page, unpacked, which is the dictionary of others. Number 0 is empty."""

    id: int
    content: bytes

    @cached_property
    def dictionary(self) -> zstandard.ZstdCompressionDict | None:
        """The dictionary of later pages."""
        if not self.content:
            return None
        return zstandard.ZstdCompressionDict(self.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

    @cached_property
    def compressor(self) -> zstandard.ZstdCompressor:
        """What packs later pages."""
        if self.dictionary is not None:
            self.dictionary.precompute_compress(level=LEVEL)
        return zstandard.ZstdCompressor(level=LEVEL, dict_data=self.dictionary, write_checksum=True)


NO_BASE = _Base(0, b"")


class KeptPages(PageSink):
    """The kept pages of one task: a `PageSink`, and the functions that read them.

    Not for several threads, nor after a fork.

    `keep`: seconds after which a page is removed; None: pages are never removed.
    """

    # The base that was used last, of one file in a process: its tables take some megabytes, and a worker has many tasks
    _used: "ClassVar[tuple[KeptPages, _Base] | None]" = None

    def __init__(self, path: Path, *, keep: float | None = None, clock: Clock = time.time):
        super().__init__(path)
        self.keep, self.clock = keep, clock

    # -- writing ----------------------------------------------------------------------------------------------------

    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Write the pages that are not kept yet, and remove some that are too old."""
        with self._committed() as database:
            self._remove_old(database)
            for source in pages:
                self._write(database, source)
            database.execute(f"PRAGMA incremental_vacuum({FREED_AT_ONCE})").fetchall()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._forget_base()
        super().close()

    # -- reading ----------------------------------------------------------------------------------------------------

    def newest_of_each_url(self, *, since: float = 0.0) -> list[int]:
        """Return the ids of the pages to extract again, oldest first.

        For each URL this is the newest page that gave a row, or if none did, the newest one that was refused; for a
        list page they are all, since each gave other entries. `since`: Unix seconds, when they were fetched.
        """
        with self._reading() as database:
            found = database.execute(_NEWEST_OF_EACH_URL, {"oldest": self._oldest(), "since": since}).fetchall()
        return [page for (page,) in found]

    def read(self, ids: Sequence[int]) -> list[KeptPage]:
        """Return pages by their ids; those that were removed meanwhile are left out."""
        with self._reading() as database:
            return [page for one in ids if (page := self._read(database, one)) is not None]

    def find(self, url: str) -> KeptPage | None:
        """Return the newest page of a URL; None if none is kept."""
        with self._reading() as database:
            query = "SELECT id FROM pages WHERE name = ? AND kept_at >= ? ORDER BY fetched_at DESC LIMIT 1"
            found = database.execute(query, (_name(fingerprint(url)), self._oldest())).fetchone()
            return self._read(database, found[0]) if found else None

    def rows_of(self, ids: Sequence[int]) -> dict[int, NewestRow]:
        """Return by page the row whose newest version it gave; of a list page, one of them."""
        places = ", ".join("?" * len(ids))
        query = f"SELECT page, version, content_hash, example_hash FROM articles WHERE page IN ({places})"
        with self._reading() as database:
            return {page: NewestRow(*row) for page, *row in database.execute(query, list(ids))}

    # -- inside -----------------------------------------------------------------------------------------------------

    def _oldest(self) -> float:
        return self.clock() - self.keep if self.keep is not None else 0.0

    def _write(self, database: sqlite3.Connection, source: SourcePage) -> None:
        """Write a page. If it is known, its worker may have died, and it may give other rows now."""
        name, kind = _name(fingerprint(source.url)), _KINDS.index(source.kind)
        fetched_at = source.page.fetched_at.timestamp()
        query = "SELECT id FROM pages WHERE name = ? AND fetched_at = ?"
        found = database.execute(query, (name, fetched_at)).fetchone()
        if found is not None:
            database.execute(WRITE_ANYTHING)
            database.execute("UPDATE pages SET kind = ? WHERE id = ?", (kind, found[0]))
        else:
            values = (name, fetched_at, int(self.clock()), kind, *self._packed(database, _raw(source)))
            found = database.execute(
                "INSERT INTO pages (name, fetched_at, kept_at, kind, base, packed) "
                "VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
                values,
            ).fetchone()
        for row in source.rows:
            _note_row(database, found[0], row, source.example_hash)

    def _packed(self, database: sqlite3.Connection, raw: bytes) -> tuple[int, bytes]:
        """Return the base of a page, and its frame. An article without a base is that of later pages."""
        since = self.clock() - self.keep / PERIODS if self.keep is not None else 0.0
        query = "SELECT max(id) FROM pages WHERE base = 0 AND kind = 0 AND kept_at >= ?"
        base = self._base(database, database.execute(query, (since,)).fetchone()[0] or NO_BASE.id)
        return base.id, base.compressor.compress(raw)

    def _remove_old(self, database: sqlite3.Connection) -> None:
        if self.keep is None:
            return
        query = (
            "SELECT id FROM pages AS page WHERE kept_at < ? "
            "AND NOT EXISTS (SELECT 1 FROM pages WHERE base = page.id) ORDER BY id LIMIT ?"
        )
        old = database.execute(query, (self._oldest(), REMOVED_AT_ONCE)).fetchall()
        if old:
            database.executemany("DELETE FROM pages WHERE id = ?", old)
            database.execute("DELETE FROM articles WHERE page <= ?", old[-1])  # reads the table: 1 ms for 10,000

    def _read(self, database: sqlite3.Connection, page: int) -> KeptPage | None:
        found = database.execute("SELECT kind, base, packed FROM pages WHERE id = ?", (page,)).fetchone()
        if found is None:
            return None
        kind, base, packed = found
        raw = self._unpacked(packed, page, self._base(database, base))
        line, _, rest = raw.partition(b"\n")
        record = json.loads(line)
        stored = page_of(record, rest)
        return KeptPage(page, record.get("requested", stored.url), stored, _KINDS[kind], record.get("info", {}))

    def _base(self, database: sqlite3.Connection, base: int) -> _Base:
        """Return a base. Raises `ValueError` if it is damaged."""
        used = KeptPages._used
        if base == NO_BASE.id:
            return NO_BASE
        if used is None or used[0] is not self or used[1].id != base:
            [packed] = database.execute("SELECT packed FROM pages WHERE id = ?", (base,)).fetchone()
            used = KeptPages._used = self, _Base(base, self._unpacked(packed, base))
        return used[1]

    def _unpacked(self, packed: bytes, page: int, base: _Base = NO_BASE) -> bytes:
        try:
            return unpack_body(packed, base.dictionary, largest=LARGEST)
        except zstandard.ZstdError as error:
            raise ValueError(f"{self.name}: page {page} is damaged: {error}") from None

    def _forget_base(self) -> None:
        if KeptPages._used is not None and KeptPages._used[0] is self:
            KeptPages._used = None

    @contextmanager
    def _committed(self) -> Iterator[sqlite3.Connection]:
        assert self._connection is not None, "write inside `with sink.exclusive()`"
        with self._reported():
            try:
                yield self._connection
            except ValueError as error:  # a base is damaged
                raise OSError(str(error)) from None
            except BaseException:  # the transaction is rolled back, and with it perhaps a base
                self._forget_base()
                raise
            self._connection.commit()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one read. Raises `SinkUnavailable`, `ValueError` if a page or a base is damaged."""
        with self._reported():
            database = self._open(PATIENCE)
            database.execute("BEGIN")  # one consistent state for all reads
            try:
                yield database
            finally:
                database.rollback()

    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        if _is_new(connection):
            connection.execute(f"PRAGMA page_size = {SQLITE_PAGE}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("BEGIN IMMEDIATE")
            if _is_new(connection):  # no other process has made the tables meanwhile
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
            connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = TRUNCATE").fetchall()

    def _unavailable(self, error: Exception) -> SinkUnavailable:
        return SinkUnavailable(f"kept pages unavailable: {self.name} cannot be used: {error}")


def _is_new(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _raw(source: SourcePage) -> bytes:
    """Return the bytes of a page: a line with its record, then its bodies."""
    record = record_of(source.page)
    if source.page.url != source.url:
        record["requested"] = source.url
    of_thread = "thread" in source.info.get("visits", ())  # whose last pages are read as such
    left_out = {"url"} if of_thread else {"url", "visits"}
    if info := {name: value for name, value in source.info.items() if name not in left_out}:
        record["info"] = info
    return b"\n".join([json.dumps(record, separators=(",", ":")).encode(), bodies_of(source.page)])


def _note_row(database: sqlite3.Connection, page: int, row: Row, example_hash: str) -> None:
    hashes = (bytes.fromhex(text)[:_HASH] for text in (row["content_hash"], example_hash))
    database.execute(
        "INSERT INTO articles VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET page = excluded.page, "
        "version = excluded.version, content_hash = excluded.content_hash, example_hash = excluded.example_hash "
        "WHERE excluded.version >= version",
        (_name(fingerprint(row["canonical_url"])), page, row["version"], *hashes),
    )


def _name(name: Fingerprint) -> bytes:
    return bytes.fromhex(name)
