"""WARC 1.1: the raw pages of rows, for archives. Needs the extra `warc`.

A page is a `response` record for each of its parts, and a `metadata` record that names task, row key and URL as
requested for each row. Each record is a gzip member. Values that are not stored are left out: a response has status
200, its content type, and the headers that declare how the page may be used. The body is decoded, so that there is no
Content-Encoding, and no length is named.

A file has the pages of one day; a path without `{date}` gets one: `NAME-2026-11-22.warc.gz`. `NAME.warc.gz.index`, a
SQLite database, records which pages were written and how much of each file is complete: what a process that died wrote
beyond that is removed before the next records are appended. The lock of the database is that of the output.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from io import BytesIO
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from workers.page_store import StoredPage
from workers.rows import encodable
from workers.sinks.durability import make_folder, sync_folder

from .formats import GZIP, mapped
from .interface import SourcePage
from .kinds import Target
from .paths import PathPattern, check_task
from .sqlite import WRITE_ANYTHING, PageSink

SUFFIX = ".warc.gz"
VERSION = "WARC/1.1"
_DATE = re.compile(r"\{date(:[^{}]*)?\}")
_PAGES = """CREATE TABLE IF NOT EXISTS pages
    (task TEXT, url TEXT, fetched_at TEXT, PRIMARY KEY (task, url, fetched_at)) WITHOUT ROWID"""
_FILES = "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID"


def open_warc(target: Target) -> "WarcSink":
    """Return the sink of a path; it may contain `{date}`. Raises `OutputError` if the path is invalid."""
    check_task(target.task)
    path = target.folder / Path(target.address).expanduser()
    return WarcSink(path, label=target.label)


class WarcSink(PageSink):
    """Appends pages to a WARC file. `label`: the output as in tasks.yaml, for messages."""

    synchronous = "EXTRA"  # also the removal of the journal

    def __init__(self, path: Path, *, label: str = ""):
        super().__init__(Path(f"{_DATE.sub('all', str(path))}.index"))
        self.name = str(path)
        dated = self.name if _DATE.search(self.name) else f"{self.name.removesuffix(SUFFIX)}-{{date}}{SUFFIX}"
        self._files = PathPattern(dated, Path(), label=label or self.name)

    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Append the pages of rows that are not in a file yet, all or none of them."""
        by_path: dict[Path, list[SourcePage]] = {}
        for source in pages:
            if source.rows:
                by_path.setdefault(self._path_of(source), []).append(source)
        with self._reported():
            self._note_files(by_path)
            for path, sources in sorted(by_path.items()):
                if new := [source for source in sources if self._is_new(source)]:
                    self._append(path, b"".join(map(_records, new)))
            self._index.execute(WRITE_ANYTHING)
            self._index.commit()

    @property
    def _index(self) -> sqlite3.Connection:
        assert self._connection is not None, "write inside `with sink.exclusive()`"
        return self._connection

    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Create the tables if they are missing."""
        connection.execute(_PAGES)
        connection.execute(_FILES)

    def _path_of(self, source: SourcePage) -> Path:
        """Return the file for a page, by the day on which it was fetched. Raises `PathOutside`."""
        return self._files.path_of({"fetched_at": source.page.fetched_at.isoformat()})

    def _note_files(self, paths: Iterable[Path]) -> None:
        """Note new files before they are written, so that data of a process that dies is known to be incomplete.

        A file that is there already is one of a lost index. The index is released for a moment: another process may
        write meanwhile.
        """
        known = {path for (path,) in self._index.execute("SELECT path FROM files")}
        if new := [path for path in paths if str(path) not in known]:
            sizes = [(str(path), _complete_bytes(path)) for path in new]
            self._index.executemany("INSERT OR IGNORE INTO files VALUES (?, ?)", sizes)
            self._index.commit()
            self._index.execute("BEGIN IMMEDIATE")

    def _is_new(self, source: SourcePage) -> bool:
        """Record that a page is in a file; return whether it was in none before."""
        key = encodable(source.rows[0]["task"]), encodable(source.url), source.page.fetched_at.isoformat()
        return self._index.execute("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", key).rowcount == 1

    def _append(self, path: Path, data: bytes) -> None:
        """Append records to a file, from which incomplete data of a dead process is removed."""
        [size] = self._index.execute("SELECT size FROM files WHERE path = ?", (str(path),)).fetchone()
        make_folder(path.parent)
        with path.open("ab") as file:
            if os.fstat(file.fileno()).st_size < size:  # a person removed or truncated it
                size = _complete_bytes(path)
            file.truncate(size)
            data = data if size else _warcinfo(path.name) + data
            file.write(data)
            file.flush()
            os.fdatasync(file.fileno())
        if not size:
            sync_folder(path.parent)
        self._index.execute("UPDATE files SET size = ? WHERE path = ?", (size + len(data), str(path)))


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
    """Return how many bytes at the head of a file are complete gzip members, 0 without a file. Reads all of it."""
    complete = 0
    if path.exists():
        with path.open("rb") as file, mapped(file.fileno()) as data:
            while (end := GZIP.end(data, complete)) is not None:
                complete = end
    return complete
