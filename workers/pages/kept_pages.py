"""Kept pages: the fetched pages of a task on disk, so that they can be extracted again without a request.

One SQLite file per task. Pages that are written together are one block (`workers.page_packing`): bodies, each once by
its SHA-256, and a record of each page. The file may be on a shared file system with locks, as a file of JSON lines may,
because it is written with a rollback journal and not with a write-ahead log, which needs shared memory.

A writer holds the file, removes a few pages that are too old, and writes the pages of its group in one transaction.
"""

import json
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from ..errors import SinkUnavailable
from ..extraction_config import ExtractionConfig
from ..page_packing import Dictionary, Packer, next_dictionary
from ..page_store import LARGEST_PAGE, StoredPage
from ..redis_access.redis_clock import Clock
from ..rows import Row
from ..sinks import expand
from ..sinks.durability import Durability
from ..sinks.interface import PATIENCE, PageKind, SourcePage
from ..sinks.sqlite import WRITE_ANYTHING, PageSink
from ..url_states import Fingerprint, fingerprint

KEPT_PAGES = "kept pages"  # the name under which the ledger notes that a page is kept, beside those of outputs
SQLITE_PAGE = 1024  # bytes; little is wasted at the end of a block, and an empty file is small
BLOCK = 2**21  # bytes of a block, unpacked, unless one body is larger
BLOCKS_IN_MEMORY = 4
REMOVED_AT_ONCE = 90  # pages; a group has at most 30
FREED_AT_ONCE = 200  # pages of SQLite that a write returns to the file system
PERIODS = 4  # periods into which `keep` is divided; each begins without a dictionary
_SCHEMA = """
CREATE TABLE dictionaries (id INTEGER PRIMARY KEY, began REAL NOT NULL, blocks TEXT NOT NULL,
    size INTEGER NOT NULL);
CREATE TABLE blocks (id INTEGER PRIMARY KEY AUTOINCREMENT, dictionary INTEGER NOT NULL,
    size INTEGER NOT NULL, uses INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE bodies (hash BLOB PRIMARY KEY, block INTEGER NOT NULL, start INTEGER NOT NULL,
    size INTEGER NOT NULL, uses INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (id INTEGER PRIMARY KEY, name BLOB NOT NULL, fetched_at REAL NOT NULL,
    kept_at INTEGER NOT NULL, kind INTEGER NOT NULL, block INTEGER NOT NULL, start INTEGER NOT NULL,
    size INTEGER NOT NULL, bodies BLOB NOT NULL, UNIQUE (name, fetched_at));
CREATE TABLE articles (name BLOB PRIMARY KEY, page INTEGER NOT NULL, version INTEGER NOT NULL,
    content_hash BLOB NOT NULL, near TEXT) WITHOUT ROWID;
CREATE INDEX blocks_of_dictionaries ON blocks (dictionary, uses);
"""
# Texts as extracted with the example alone. A table of its own, since 0.2 writes rows of five columns to `articles`
_EXAMPLE_TEXTS = """CREATE TABLE IF NOT EXISTS example_texts (name BLOB PRIMARY KEY, page INTEGER NOT NULL,
    version INTEGER NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID"""
_KINDS: tuple[PageKind, ...] = ("article", "list", "refused")  # the tables contain the index of a kind
_HASH = 16  # bytes of a SHA-256 that identify a body or a text
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
    the example alone; None if unknown.
    """

    version: int
    hash: bytes
    example_hash: bytes | None = None


def kept_pages_of(config: ExtractionConfig, *, clock: Clock) -> "KeptPages":
    """Return the kept pages of a task. Raises `OutputError` that names a variable which is not set."""
    folder = Path(config.folder) / Path(expand(config.pages_folder, config.task)).expanduser()
    path = folder / f"{config.task}.pages"
    return KeptPages(path, keep=config.keep_pages, durability=config.durability, clock=clock)


def existing_pages(config: ExtractionConfig, *, clock: Clock) -> "KeptPages | None":
    """Return the kept pages of a task; None if it does not keep pages, or this machine has none yet."""
    kept = kept_pages_of(config, clock=clock) if config.keep_pages is not None else None
    return kept if kept is not None and kept.path.exists() else None


class KeptPages(PageSink):
    """The kept pages of one task: a `PageSink`, and the functions that read them.

    Not for several threads, nor after a fork.

    `keep`: seconds after which a page is removed; None: pages are never removed.
    """

    def __init__(
        self, path: Path, *, keep: float | None = None, durability: Durability = "safe", clock: Clock = time.time
    ):
        super().__init__(path, durability)
        self.keep, self.clock = keep, clock
        self._reset()

    # -- writing ----------------------------------------------------------------------------------------------------

    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Write the pages that are not kept yet, and remove some that are too old."""
        with self._committed() as database:
            self._remove_old(database)
            for chunk in _chunks(pages):
                self._write_block(database, chunk)
            database.execute(f"PRAGMA incremental_vacuum({FREED_AT_ONCE})").fetchall()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._reset()
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
        query = (
            "SELECT articles.page, version, content_hash, hash FROM articles "
            "LEFT JOIN example_texts USING (name, version) "
            f"WHERE articles.page IN ({', '.join('?' * len(ids))})"
        )
        with self._reading() as database:
            return {page: NewestRow(*row) for page, *row in database.execute(query, list(ids))}

    # -- inside -----------------------------------------------------------------------------------------------------

    def _reset(self) -> None:
        self._packer = Packer(self._raw)
        self._unpacked: OrderedDict[int, bytes] = OrderedDict()

    def _oldest(self) -> float:
        return self.clock() - self.keep if self.keep is not None else 0.0

    def _write_block(self, database: sqlite3.Connection, pages: Sequence[SourcePage]) -> None:
        """Write pages as one block, which has their records and the bodies that are not in another one."""
        block, dictionary = self._next_block(database)
        raw = bytearray()
        uses = 0
        for source in pages:
            if self._is_known(database, source):
                continue
            bodies = []
            for body in (source.page.body, *(part.body for part in source.page.parts)):
                name = sha256(body).digest()[:_HASH]
                known = database.execute("UPDATE bodies SET uses = uses + 1 WHERE hash = ?", (name,)).rowcount
                if not known:
                    database.execute("INSERT INTO bodies VALUES (?, ?, ?, ?, 1)", (name, block, len(raw), len(body)))
                    raw += body
                    uses += 1
                bodies.append(name)
            record = json.dumps(_record(source), separators=(",", ":")).encode()
            at = (source.page.fetched_at.timestamp(), int(self.clock()))
            place = (block, len(raw), len(record), b"".join(bodies))
            page = database.execute(
                "INSERT INTO pages (name, fetched_at, kept_at, kind, block, start, size, bodies) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (_name(fingerprint(source.url)), *at, _KINDS.index(source.kind), *place),
            ).fetchone()
            raw += record
            uses += 1
            for row in source.rows:
                _note_row(database, page[0], row, source.example_hash)
        if uses:
            packed = self._packer.pack(bytes(raw), _blocks_of(database, dictionary))
            database.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", (block, dictionary, len(raw), uses, packed))

    def _is_known(self, database: sqlite3.Connection, source: SourcePage) -> bool:
        """Whether the page is kept already. Its worker may have died, and the page may give other rows now."""
        key = (_name(fingerprint(source.url)), source.page.fetched_at.timestamp())
        found = database.execute("SELECT id FROM pages WHERE name = ? AND fetched_at = ?", key).fetchone()
        if found is None:
            return False
        database.execute(WRITE_ANYTHING)
        database.execute("UPDATE pages SET kind = ? WHERE id = ?", (_KINDS.index(source.kind), found[0]))
        for row in source.rows:
            _note_row(database, found[0], row, source.example_hash)
        return True

    def _next_block(self, database: sqlite3.Connection) -> tuple[int, int]:
        """Return the id of the next block, and that of its dictionary."""
        last = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'blocks'").fetchone()
        block = last[0] + 1 if last else 1  # no number is used twice: packers keep dictionaries by the numbers
        newest = database.execute("SELECT id, began, size FROM dictionaries ORDER BY id DESC LIMIT 1").fetchone()
        is_old = newest is not None and self.keep is not None and self.clock() - newest[1] > self.keep / PERIODS
        if newest is None or is_old:
            return block, self._add_dictionary(database, (), 0)
        dictionary, began, size = newest
        blocks = database.execute(
            "SELECT blocks.id, blocks.size FROM blocks JOIN dictionaries ON dictionary = dictionaries.id "
            "WHERE began = ? ORDER BY blocks.id",
            (began,),
        ).fetchall()
        chosen = next_dictionary(blocks, size)
        if chosen is not None:
            total = sum(block_size for block_id, block_size in blocks if block_id in chosen)
            return block, self._add_dictionary(database, chosen, total, began)
        return block, dictionary

    def _add_dictionary(
        self, database: sqlite3.Connection, blocks: Dictionary, size: int, began: float | None = None
    ) -> int:
        values = (self.clock() if began is None else began, json.dumps(blocks), size)
        query = "INSERT INTO dictionaries (began, blocks, size) VALUES (?, ?, ?) RETURNING id"
        return int(database.execute(query, values).fetchone()[0])

    def _remove_old(self, database: sqlite3.Connection) -> None:
        if self.keep is None:
            return
        query = "SELECT id, block, bodies FROM pages WHERE kept_at < ? ORDER BY id LIMIT ?"
        old = database.execute(query, (self._oldest(), REMOVED_AT_ONCE)).fetchall()
        for page, block, bodies in old:
            database.execute("DELETE FROM pages WHERE id = ?", (page,))
            _unuse(database, block)
            for body in _names(bodies):
                uses, of_block = database.execute(
                    "UPDATE bodies SET uses = uses - 1 WHERE hash = ? RETURNING uses, block", (body,)
                ).fetchone()
                if uses == 0:
                    database.execute("DELETE FROM bodies WHERE hash = ?", (body,))
                    _unuse(database, of_block)
        if old:
            database.execute("DELETE FROM articles WHERE page <= ?", (old[-1][0],))  # reads the table: 1 ms for 10,000
            database.execute("DELETE FROM example_texts WHERE page <= ?", (old[-1][0],))
            _remove_unused_blocks(database)

    def _read(self, database: sqlite3.Connection, page: int) -> KeptPage | None:
        query = "SELECT kind, fetched_at, block, start, size, bodies FROM pages WHERE id = ?"
        found = database.execute(query, (page,)).fetchone()
        if found is None:
            return None
        kind, fetched_at, block, start, size, names = found
        record = json.loads(self._raw(block)[start : start + size])
        bodies = []
        for name in _names(names):
            [place] = database.execute("SELECT block, start, size FROM bodies WHERE hash = ?", (name,)).fetchall()
            bodies.append(self._raw(place[0])[place[1] : place[1] + place[2]])
        at = datetime.fromtimestamp(fetched_at, UTC)
        parts = tuple(
            StoredPage(part["url"], body, part["type"], at)
            for part, body in zip(record.get("parts", ()), bodies[1:], strict=True)
        )
        stored = StoredPage(
            url=record.get("final", record["url"]),
            body=bodies[0],
            content_type=record["type"],
            fetched_at=at,
            headers=record.get("headers", {}),
            parts=parts,
            missing=tuple(record.get("missing", ())),
        )
        return KeptPage(page, record["url"], stored, _KINDS[kind], record.get("info", {}))

    def _raw(self, block: int) -> bytes:
        """Return the raw bytes of a block. Raises `ValueError` if it is damaged."""
        if block not in self._unpacked:
            assert self._connection is not None
            query = "SELECT packed, dictionary, size FROM blocks WHERE id = ?"
            found = self._connection.execute(query, (block,)).fetchone()
            if found is None:
                raise ValueError(f"{self.name}: block {block} is missing")
            try:
                dictionary = _blocks_of(self._connection, found[1])
                raw = self._packer.unpack(found[0], dictionary, largest=BLOCK + 2 * LARGEST_PAGE)
            except zstandard.ZstdError as error:
                raise ValueError(f"{self.name}: block {block} is damaged: {error}") from None
            self._unpacked[block] = raw
            while len(self._unpacked) > BLOCKS_IN_MEMORY:
                self._unpacked.popitem(last=False)
        return self._unpacked[block]

    @contextmanager
    def _committed(self) -> Iterator[sqlite3.Connection]:
        assert self._connection is not None, "write inside `with sink.exclusive()`"
        with self._reported():
            try:
                yield self._connection
            except ValueError as error:  # a block is damaged
                raise OSError(str(error)) from None
            self._connection.commit()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one read. Raises `SinkUnavailable`, `ValueError` if a block is damaged."""
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
        connection.execute(_EXAMPLE_TEXTS)
        connection.execute("PRAGMA journal_mode = TRUNCATE").fetchall()

    def _unavailable(self, error: Exception) -> SinkUnavailable:
        return SinkUnavailable(f"kept pages unavailable: {self.name} cannot be used: {error}")


def _is_new(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _record(source: SourcePage) -> Mapping[str, Any]:
    """Return the record of a page, without its bodies; usual values are left out."""
    page = source.page
    record: dict[str, Any] = {"url": source.url, "type": page.content_type}
    if page.url != source.url:
        record["final"] = page.url
    if page.headers:
        record["headers"] = dict(page.headers)
    if page.missing:
        record["missing"] = page.missing
    if page.parts:
        record["parts"] = [{"url": part.url, "type": part.content_type} for part in page.parts]
    of_thread = "thread" in source.info.get("visits", ())  # whose last pages are read as such
    left_out = {"url"} if of_thread else {"url", "visits"}
    info = {name: value for name, value in source.info.items() if name not in left_out}
    return record | ({"info": info} if info else {})


def _note_row(database: sqlite3.Connection, page: int, row: Row, example_hash: str) -> None:
    values = (
        _name(fingerprint(row["canonical_url"])), page, row["version"],
        bytes.fromhex(row["content_hash"])[:_HASH], row["near_duplicate_of"],
    )  # fmt: skip
    database.execute(
        "INSERT INTO articles VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET page = excluded.page, "
        "version = excluded.version, content_hash = excluded.content_hash, near = excluded.near "
        "WHERE excluded.version >= version",
        values,
    )
    if example_hash:
        name, _, version, *_ = values
        database.execute(
            "INSERT INTO example_texts VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET page = excluded.page, "
            "version = excluded.version, hash = excluded.hash WHERE excluded.version >= version",
            (name, page, version, bytes.fromhex(example_hash)[:_HASH]),
        )


def _chunks(pages: Sequence[SourcePage]) -> Iterator[list[SourcePage]]:
    """Yield the pages of each block."""
    chunk: list[SourcePage] = []
    size = 0
    for page in pages:
        own_size = len(page.page.body) + sum(len(part.body) for part in page.page.parts)
        if chunk and size + own_size > BLOCK:
            yield chunk
            chunk, size = [], 0
        chunk.append(page)
        size += own_size
    if chunk:
        yield chunk


def _unuse(database: sqlite3.Connection, block: int) -> None:
    database.execute("UPDATE blocks SET uses = uses - 1 WHERE id = ?", (block,))


def _remove_unused_blocks(database: sqlite3.Connection) -> None:
    """Remove dictionaries that no block needs, then blocks that neither a page nor a dictionary needs."""
    database.execute(
        "DELETE FROM dictionaries WHERE id != (SELECT max(id) FROM dictionaries) "
        "AND id NOT IN (SELECT dictionary FROM blocks WHERE uses > 0) "
        "AND id NOT IN (SELECT blocks.dictionary FROM blocks JOIN (SELECT DISTINCT value AS block FROM dictionaries, "
        "json_each(dictionaries.blocks)) ON blocks.id = block)"
    )
    database.execute(
        "DELETE FROM blocks WHERE uses = 0 "
        "AND id NOT IN (SELECT value FROM dictionaries, json_each(dictionaries.blocks))"
    )


def _blocks_of(database: sqlite3.Connection, dictionary: int) -> Dictionary:
    found = database.execute("SELECT blocks FROM dictionaries WHERE id = ?", (dictionary,)).fetchone()
    if found is None:
        raise ValueError(f"dictionary {dictionary} is missing")
    return tuple(json.loads(found[0]))


def _names(joined: bytes) -> list[bytes]:
    return [joined[start : start + _HASH] for start in range(0, len(joined), _HASH)]


def _name(name: Fingerprint) -> bytes:
    return bytes.fromhex(name)
