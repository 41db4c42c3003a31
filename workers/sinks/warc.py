"""WARC 1.1: the raw pages of rows, for archives. Needs the extra `warc`.

A page is a `response` record for each of its parts, and a `metadata` record that names task, row key and URL as
requested for each row. Each record is a gzip member. Values that are not stored are left out: a response has status
200, its content type, and the headers that declare how the page may be used. The body is decoded, so that there is no
Content-Encoding, and no length is named.

Records go to `NAME.warc.gz.open`. When it is large or a day old, or a page of another `{date}` is added, it is renamed
to `NAME-TIME-NUMBER.warc.gz`; only complete files have that suffix. One file is open at a time: while pages of two days
alternate, around midnight, each change completes a file. `NAME.warc.gz.index`, a SQLite database, records how much of
the open file is complete and which pages were written; its lock is that of the output.
"""

import os
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from workers.page_store import StoredPage
from workers.redis_access.redis_clock import Clock
from workers.rows import encodable
from workers.sinks.durability import Durability, make_folder, sync_folder

from .formats import GZIP, mapped
from .interface import PATIENCE, SourcePage
from .kinds import Target
from .paths import PathPattern, check_task
from .sqlite import WRITE_ANYTHING, PageSink

SUFFIX, OPEN = ".warc.gz", ".open"
ADDED_BYTES = 40  # bytes that are added to the name of a complete file
LARGEST = 10**9  # bytes from which a file is complete
OLDEST = 86400.0  # seconds after its first record, from which a file is complete
VERSION = "WARC/1.1"
_DATE = re.compile(r"\{date(:[^{}]*)?\}")
_PAGES = """CREATE TABLE IF NOT EXISTS pages
    (task TEXT, url TEXT, fetched_at TEXT, PRIMARY KEY (task, url, fetched_at)) WITHOUT ROWID"""
_STATE = """CREATE TABLE IF NOT EXISTS state
    (path TEXT NOT NULL, size INTEGER NOT NULL, began REAL NOT NULL, number INTEGER NOT NULL)"""


def open_warc(target: Target) -> "WarcSink":
    """Return the sink of a path; it may contain `{date}`. Raises `OutputError` if the path is invalid."""
    check_task(target.task)
    path = target.folder / Path(target.address).expanduser()
    return WarcSink(path, durability=target.durability, label=target.label)


class WarcSink(PageSink):
    """Appends pages to a WARC file. `label`: the output as in tasks.yaml, for messages."""

    synchronous = MappingProxyType({"safe": "EXTRA", "fast": "NORMAL"})  # EXTRA: also the removal of the journal

    def __init__(self, path: Path, *, durability: Durability = "safe", clock: Clock = time.time, label: str = ""):
        super().__init__(Path(f"{_DATE.sub('all', str(path))}.index"), durability)
        self.clock, self.name = clock, str(path)
        self._open_files = PathPattern(f"{path}{OPEN}", Path(), added=ADDED_BYTES, label=label or str(path))

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the index, remove incomplete data of a dead process, and complete a file that is due."""
        with super().exclusive(patience=patience):
            with self._reported():
                self._mend(self._index)
                self._close_if_due(self._index)
            yield

    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Append the pages of rows that are not in a file yet.

        The pages of each day are written completely or not at all.
        """
        by_path: dict[Path, list[SourcePage]] = {}
        index = self._index
        with self._reported():
            for source in pages:
                if source.rows and self._is_known(index, source):
                    index.execute(WRITE_ANYTHING)
                elif source.rows:
                    by_path.setdefault(self._path_of(source), []).append(source)
            for path, sources in sorted(by_path.items()):
                size = self._open_file(index, path)
                new = [source for source in sources if self._is_new(index, source)]
                self._append(index, path, size, b"".join(map(_records, new)))
                self._go_on(index)  # before the next day's page completes the file
            index.commit()

    @property
    def _index(self) -> sqlite3.Connection:
        assert self._connection is not None, "write inside `with sink.exclusive()`"
        return self._connection

    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Create the tables if they are missing."""
        connection.execute(_PAGES)
        connection.execute(_STATE)

    def _path_of(self, source: SourcePage) -> Path:
        """Return the open file for a page, by the day on which it was fetched. Raises `PathOutside`."""
        return self._open_files.path_of({"fetched_at": source.page.fetched_at.isoformat()})

    def _is_known(self, index: sqlite3.Connection, source: SourcePage) -> bool:
        """Whether a page is in a file."""
        query = "SELECT 1 FROM pages WHERE task = ? AND url = ? AND fetched_at = ?"
        return index.execute(query, _key(source)).fetchone() is not None

    def _is_new(self, index: sqlite3.Connection, source: SourcePage) -> bool:
        """Record that a page is in a file; return whether it was in none before."""
        return index.execute("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", _key(source)).rowcount == 1

    def _open_file(self, index: sqlite3.Connection, path: Path) -> int:
        """Make a file the open one, and return its size; the file that was open before becomes complete.

        A new file is noted before it is written, so that data of a dead process in it is known to be incomplete.
        """
        while True:
            state = index.execute("SELECT path, size FROM state").fetchone()
            if state is not None and state[0] == str(path):
                return int(state[1])
            if state is not None:
                self._complete(index)
            number = index.execute("SELECT count(*) FROM pages").fetchone()[0]  # larger than for any earlier file
            index.execute("INSERT INTO state VALUES (?, 0, ?, ?)", (str(path), self.clock(), number))
            index.commit()
            index.execute("BEGIN IMMEDIATE")

    def _go_on(self, index: sqlite3.Connection) -> None:
        """Commit, and hold the index again; in between another process may have written and died."""
        index.commit()
        index.execute("BEGIN IMMEDIATE")
        self._mend(index)

    def _append(self, index: sqlite3.Connection, path: Path, size: int, data: bytes) -> None:
        if not size:
            make_folder(path.parent, self.durability)
            data = _warcinfo(path.name.removesuffix(".open")) + data
        with path.open("ab") as file:
            file.write(data)
            file.flush()
            if self.durability == "safe":
                os.fdatasync(file.fileno())
        if not size and self.durability == "safe":
            sync_folder(path.parent)
        index.execute("UPDATE state SET size = ?", (size + len(data),))

    def _mend(self, index: sqlite3.Connection) -> None:
        """Truncate the open file after its last complete group, or record."""
        state = index.execute("SELECT path, size FROM state").fetchone()
        if state is None and (left := sorted(self._open_files.existing())):
            path, size = left[-1], 0
        elif state is not None:
            path, size = Path(state[0]), state[1]
        else:
            return
        try:
            actual = path.stat().st_size
        except FileNotFoundError:
            index.execute("DELETE FROM state")  # renamed, or removed by a person
            return
        if state is None:  # the index is new
            size = _complete_bytes(path)
            index.execute("INSERT INTO state VALUES (?, ?, ?, 0)", (str(path), size, path.stat().st_mtime))
        elif actual < size:
            size = _complete_bytes(path)
            index.execute("UPDATE state SET size = ?", (size,))
        if actual > size:
            os.truncate(path, size)

    def _close_if_due(self, index: sqlite3.Connection) -> None:
        """Complete the open file if it is large or old."""
        state = index.execute("SELECT size, began FROM state").fetchone()
        if state is not None and (state[0] >= LARGEST or self.clock() - state[1] >= OLDEST):
            self._complete(index)
            index.commit()
            index.execute("BEGIN IMMEDIATE")

    def _complete(self, index: sqlite3.Connection) -> None:
        """Rename the open file, whose content is committed."""
        path, size, began, number = index.execute("SELECT path, size, began, number FROM state").fetchone()
        base = path[: -len(f"{SUFFIX}{OPEN}")]
        moment = f"{datetime.fromtimestamp(began, UTC):%Y%m%dT%H%M%S}"
        target = Path(f"{base}-{moment}-{number}{SUFFIX}")
        while target.exists():
            number += 1
            target = Path(f"{base}-{moment}-{number}{SUFFIX}")
        if size:
            Path(path).rename(target)
            sync_folder(target.parent)
        index.execute("DELETE FROM state")


def _key(source: SourcePage) -> tuple[str, str, str]:
    return encodable(source.rows[0]["task"]), encodable(source.url), source.page.fetched_at.isoformat()


def _records(source: SourcePage) -> bytes:
    """Return the records of a page."""
    writer, buffer = _writer()
    page = source.page
    first = None
    for part in (page, *page.parts):
        record = writer.create_warc_record(
            encodable(part.url),
            "response",
            payload=BytesIO(part.body),
            http_headers=StatusAndHeaders("200 OK", _http_headers(part), protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-Date": _date_of(page)},
        )
        writer.write_record(record)
        first = first or record.rec_headers.get_header("WARC-Record-ID")
    for row in source.rows:
        fields = {"task": row["task"], "canonical_url": row["canonical_url"], "version": row["version"]}
        fields |= {"content_hash": row["content_hash"], "requested_url": source.url}
        record = writer.create_warc_record(
            encodable(page.url),
            "metadata",
            payload=BytesIO(_fields(fields)),
            warc_content_type="application/warc-fields",
            warc_headers_dict={"WARC-Date": _date_of(page), "WARC-Concurrent-To": str(first)},
        )
        writer.write_record(record)
    return buffer.getvalue()


def _warcinfo(name: str) -> bytes:
    writer, buffer = _writer()
    info = {"software": "exemplar-crawler", "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record(name, info))
    return buffer.getvalue()


def _writer() -> tuple[Any, BytesIO]:
    buffer = BytesIO()
    return WARCWriter(buffer, gzip=True, warc_version=VERSION), buffer


def _http_headers(part: StoredPage) -> list[tuple[str, str]]:
    kept = [(name, value) for name, values in part.headers.items() for value in values]
    return [(_line(name), _line(value)) for name, value in [("Content-Type", part.content_type), *kept] if _line(value)]


def _date_of(page: StoredPage) -> str:
    return f"{page.fetched_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def _fields(values: Mapping[str, Any]) -> bytes:
    return "".join(f"{name}: {_line(str(value))}\r\n" for name, value in values.items()).encode("utf-8", "replace")


def _line(text: str) -> str:
    return " ".join(encodable(text).replace("\0", " ").split())


def _complete_bytes(path: Path) -> int:
    """Return how many bytes at the head of a file are complete gzip members. Reads the whole file."""
    complete = 0
    with path.open("rb") as file, mapped(file.fileno()) as data:
        while (end := GZIP.end(data, complete)) is not None:
            complete = end
    return complete
