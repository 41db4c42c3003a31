"""Formats: rows to bytes, and back. A format says nothing about where the bytes go.

A `RowFormat` makes whole objects of rows, for stores (`workers.sinks.stores`). An `AppendedFormat` can also be
continued at the end of a file, and rows can be found in it (`workers.sinks.appended_files`). JSON lines are here, plain
and compressed: each group of rows is then one member of a gzip file, or one frame of a Zstandard file. gzip, zstd,
pandas, DuckDB and Python read such files as one stream. A member begins with a known mark and ends with a checksum, so
the last complete one is found from the end of the file, without reading the rest.
"""

import errno
import gzip
import json
import mmap
import os
import re
import stat
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import zstandard

from workers.rows import KEY, Row, content_hash_of

from .options import OutputOptions

Buffer = bytes | mmap.mmap
LOOKED_UP = (*KEY, "url", "fetched_at", "listed_on", "content_hash", "title", "text")  # fields that sinks read again
CHUNK = 1 << 18  # bytes of a file that are decompressed at once
GZIP_LEVEL, ZSTD_LEVEL = 6, 3
DAMAGED = (zlib.error, zstandard.ZstdError)


class RowFormat(ABC):
    """Makes whole objects of rows. `options`: those of the output, by which rows are shaped."""

    def __init__(self, options: OutputOptions):
        self.options = options
        self.names = StoredNames(options)

    @abstractmethod
    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return the bytes of the rows, the same for the same rows.

        `header`: the begin of the file to which they are appended, as `AppendedFormat.header_of` returned it.
        """

    @abstractmethod
    def rows(self, file: BinaryIO) -> Iterator[Row]:
        """Yield the rows of an object with the names of `workers.rows`: at least the row key, and the content hash.

        Of a damaged object only those that other readers get, too.
        """


class AppendedFormat(RowFormat):
    """A format whose files are continued at their end. Positions and sizes are bytes; `data`: the whole file."""

    moves_aside = False  # whether the sink itself moves files aside; rows are then looked up in these, too

    def rows(self, file: BinaryIO) -> Iterator[Row]:
        """Yield the complete rows, the last one first."""
        yield from self.backwards(file.read())

    def header_of(self, data: Buffer) -> bytes | None:
        """Return the part of a file that determines the form of appended rows; None if none can be appended."""
        return b""

    @abstractmethod
    def complete_end(self, data: Buffer) -> int:
        """Return where the last complete row ends."""

    @abstractmethod
    def urls(self, data: Buffer, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, as JSON, each with its position and where it ends.

        `start`: 0, or the end of a row.
        """

    @abstractmethod
    def rows_at(self, data: Buffer, position: int) -> Iterator[Row]:
        """Yield the rows at a position that `urls` yielded, with the names of `workers.rows`."""

    @abstractmethod
    def backwards(self, data: Buffer) -> Iterator[Row]:
        """Yield the complete rows, the last one first, with the names of `workers.rows`."""


class StoredNames:
    """The names that the fields of rows have in an output."""

    def __init__(self, options: OutputOptions):
        self._names = {source: name for name, source in options.fields}
        self.canonical_url = options.name_of("canonical_url")
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


class PlainLines(AppendedFormat):
    """JSON lines: one row per line."""

    def __init__(self, options: OutputOptions):
        super().__init__(options)
        name = re.escape(as_json(self.names.canonical_url))
        # Inside a string the quotes would be escaped
        self.url_pattern = re.compile(name + rb':\s*("(?:[^"\\\n]|\\.)*")')

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a line for each row."""
        return b"".join(as_json(self.options.shaped(row, with_key=True)) + b"\n" for row in rows)

    def complete_end(self, data: Buffer) -> int:
        """Return the end of the last complete line; one more than the file has if only the line end is missing."""
        start = data.rfind(b"\n") + 1
        if start == len(data):
            return start
        try:
            json.loads(data[start:])
        except ValueError:
            return start
        return len(data) + 1  # a complete row without a line end, as some editors save it

    def urls(self, data: Buffer, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, each with its position and the end of its line."""
        for match in self.url_pattern.finditer(data, start):
            end = data.find(b"\n", match.end())
            if end < 0:
                return  # a line that is being written
            yield match[1], match.start(), end + 1

    def rows_at(self, data: Buffer, position: int) -> Iterator[Row]:
        """Yield the row around a position."""
        end = data.find(b"\n", position)
        if end >= 0:
            yield self.row_of(data[data.rfind(b"\n", 0, position) + 1 : end])

    def backwards(self, data: Buffer) -> Iterator[Row]:
        """Yield the complete lines as rows."""
        end = data.rfind(b"\n")
        while end > 0:
            start = data.rfind(b"\n", 0, end) + 1
            yield self.row_of(data[start:end])
            end = start - 1

    def row_of(self, line: bytes) -> Row:
        """Return the row of a line; an empty one if the line is not a row."""
        try:
            row: Any = json.loads(line)
        except ValueError:
            return {}
        return self.names.original(row) if isinstance(row, dict) else {}


@dataclass(frozen=True, slots=True)
class Codec:
    """A format of members. `mark`: the bytes with which each begins. `decompressor`: returns one as of `zlib`."""

    name: str
    mark: bytes
    compress: Callable[[bytes], bytes]
    decompressor: Callable[[], Any]

    def end(self, data: Buffer, start: int) -> int | None:
        """Return where the member ends that begins at a position; None if it is damaged or incomplete."""
        return next((end for _, end in self.content(data, start) if end is not None), None)

    def content(self, data: Buffer, start: int) -> Iterator[tuple[bytes, int | None]]:
        """Yield the content of a member in parts; with the last part of a complete one comes where it ends."""
        member = self.decompressor()
        at = start
        while at < len(data) and not member.eof:
            part = data[at : at + CHUNK]
            at += len(part)
            try:
                content = member.decompress(part)
            except DAMAGED:
                return
            yield content, at - len(member.unused_data) if member.eof else None


GZIP = Codec(
    "gzip",
    b"\x1f\x8b\x08",
    lambda data: gzip.compress(data, GZIP_LEVEL, mtime=0),
    lambda: zlib.decompressobj(wbits=31),
)
ZSTD = Codec(
    "Zstandard",
    zstandard.FRAME_HEADER,
    lambda data: zstandard.ZstdCompressor(ZSTD_LEVEL, write_checksum=True).compress(data),
    lambda: zstandard.ZstdDecompressor().decompressobj(),
)


class CompressedLines(AppendedFormat):
    """JSON lines in members of a codec. The position of a row is that of its member."""

    codec = GZIP

    def __init__(self, options: OutputOptions):
        super().__init__(options)
        self.lines = PlainLines(options)

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a member of the rows."""
        return self.codec.compress(self.lines.encode(rows))

    def complete_end(self, data: Buffer) -> int:
        """Return the end of the last complete member. Raises `OSError` if the file never had one."""
        end = next((end for _, end in self._members_backwards(data)), 0)
        begin = data[: len(self.codec.mark)]
        if not end and begin.strip(b"\0") and not self.codec.mark.startswith(begin):
            raise OSError(errno.EINVAL, f"it is not a {self.codec.name} file; move it away")
        return end

    def urls(self, data: Buffer, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, each with the position and end of its member."""
        while (end := self.codec.end(data, start)) is not None:
            for line in self._lines(data, start):
                for url, _, _ in self.lines.urls(line, 0):
                    yield url, start, end
            start = end

    def rows_at(self, data: Buffer, position: int) -> Iterator[Row]:
        """Yield the rows of a member."""
        yield from map(self.lines.row_of, self._lines(data, position))

    def backwards(self, data: Buffer) -> Iterator[Row]:
        """Yield the rows of the complete members."""
        for start, _ in self._members_backwards(data):
            yield from map(self.lines.row_of, reversed(list(self._lines(data, start))))

    def _members_backwards(self, data: Buffer) -> Iterator[tuple[int, int]]:
        """Yield where the complete members begin and end, the last one first.

        The mark may also occur within a member: decompression from there fails, or ends where no member begins.
        """
        limit, size = len(data), len(self.codec.mark)
        at, is_last = data.rfind(self.codec.mark), True
        while at >= 0:
            end = self.codec.end(data, at)
            if end is not None and (end == limit or (is_last and end < limit)):
                yield at, end
                limit, is_last = at, False
            at = data.rfind(self.codec.mark, 0, at + size - 1)

    def _lines(self, data: Buffer, start: int) -> Iterator[bytes]:
        rest = b""
        for content, _ in self.codec.content(data, start):
            *lines, rest = (rest + content).split(b"\n")
            yield from (line + b"\n" for line in lines)


class GzipLines(CompressedLines):
    """JSON lines in gzip members."""


class ZstdLines(CompressedLines):
    """JSON lines in Zstandard frames."""

    codec = ZSTD


def as_json(value: object) -> bytes:
    """Return a value as JSON in UTF-8, in the form in which files of JSON lines contain it."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


@contextmanager
def mapped(file: int) -> Iterator[Buffer]:
    """Yield the content of an open file; empty if it is not a regular file."""
    status = os.fstat(file)
    if status.st_size == 0 or not stat.S_ISREG(status.st_mode):
        yield b""
        return
    with mmap.mmap(file, status.st_size, access=mmap.ACCESS_READ) as data:
        yield data
