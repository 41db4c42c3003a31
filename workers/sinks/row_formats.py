"""The layout of rows in append-only files: the methods that each format implements for `AppendedFileSink`."""

import json
import mmap
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from workers.rows import KEY, Row, content_hash_of

from .options import OutputOptions

Buffer = bytes | mmap.mmap
LOOKED_UP = (*KEY, "url", "fetched_at", "listed_on", "content_hash", "title", "text")  # fields that sinks read again


class RowFormat(Protocol):
    """Writes rows as bytes, and finds them again in a file. Positions and sizes are bytes."""

    moves_aside: bool  # whether the sink itself moves files aside; rows are then looked up in these, too

    def encode(self, rows: Sequence[Row], header: bytes) -> bytes:
        """Return the bytes to append for a group of rows.

        `header`: what `header_of` returned; empty in an empty file.
        """
        ...

    def header_of(self, file: int) -> bytes | None:
        """Return the part of an open file that determines the form of appended rows; None if none can be appended."""
        ...

    def complete_end(self, file: int, known: int) -> int:
        """Return where the last complete row ends. `known`: where one ended before, or 0."""
        ...

    def urls(self, file: int, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield for each row from `start` on its canonical URL as JSON, its position, and where it ends.

        `start`: 0, or the end of a row.
        """
        ...

    def rows_at(self, file: int, position: int) -> Iterator[Row]:
        """Yield the rows at a position that `urls` yielded, with the names of `workers.rows`."""
        ...

    def backwards(self, file: int) -> Iterator[Row]:
        """Yield the complete rows, the last one first, with the names of `workers.rows`."""
        ...


class StoredNames:
    """The names that the fields of rows have in an output."""

    def __init__(self, options: OutputOptions):
        self._names = {source: name for name, source in options.fields}
        self.canonical_url = options.key_names()[KEY.index("canonical_url")]
        self._is_plain = not options.fields
        self._kept = {*self._names, *KEY} if options.fields else set(LOOKED_UP)

    def original(self, stored: Mapping[str, Any]) -> Row:
        """Return the fields by which rows are looked up, with the names of `workers.rows`.

        In place of a missing URL the canonical one is used; a missing content hash is computed from title and text.
        """
        if self._is_plain:
            return stored
        row = {name: stored.get(self._names.get(name, name)) for name in LOOKED_UP if name in self._kept}
        if row.get("url") is None:
            row["url"] = row.get("canonical_url")
        if "content_hash" not in row and {"title", "text"} <= row.keys():
            row["content_hash"] = content_hash_of(row["title"], row["text"] or "")
        return row


def as_needle(url: str) -> bytes:
    """Return a canonical URL as JSON, in the form in which files of JSON lines contain it."""
    return json.dumps(url, ensure_ascii=False).encode("utf-8", "replace")


@contextmanager
def mapped(file: int) -> Iterator[Buffer]:
    """Yield the content of an open file; empty if it is not a regular file."""
    status = os.fstat(file)
    if status.st_size == 0 or not stat.S_ISREG(status.st_mode):
        yield b""
        return
    with mmap.mmap(file, status.st_size, access=mmap.ACCESS_READ) as text:
        yield text
