"""Compressed JSON lines: each group of rows is one member of a gzip file, or one frame of a Zstandard file.

gzip, zstd, pandas, DuckDB and Python read such files as one stream. A member begins with a known mark and ends with a
checksum, so the last complete one is found from the end of the file, without reading the rest.
"""

import errno
import gzip
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import zstandard

from workers.rows import Row

from .appended_files import AppendedFileSink
from .jsonl import JsonLinesFormat
from .kinds import Target
from .options import OutputOptions
from .paths import pattern_of
from .row_formats import Buffer, mapped

CHUNK = 1 << 18  # bytes of a file that are decompressed at once
GZIP_LEVEL, ZSTD_LEVEL = 6, 3


class Decompressor(Protocol):
    """The interface of a decompressor of one member, as in `zlib` and `zstandard`."""

    @property
    def eof(self) -> bool:
        """Whether the member's end was reached."""
        ...

    @property
    def unused_data(self) -> bytes:
        """The data after the end."""
        ...

    def decompress(self, data: Any, /) -> bytes:
        """Return the content of a further part."""
        ...


@dataclass(frozen=True, slots=True)
class Codec:
    """A format of members. `mark`: the bytes with which each begins."""

    name: str
    mark: bytes
    compress: Callable[[bytes], bytes]
    decompressor: Callable[[], Decompressor]


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


def open_gzip(target: Target) -> AppendedFileSink:
    """Return the sink of a path that ends in `.jsonl.gz`."""
    return _sink(target, GZIP)


def open_zstd(target: Target) -> AppendedFileSink:
    """Return the sink of a path that ends in `.jsonl.zst`."""
    return _sink(target, ZSTD)


def _sink(target: Target, codec: Codec) -> AppendedFileSink:
    row_format = CompressedFormat(codec, target.options)
    return AppendedFileSink(pattern_of(target), row_format, durability=target.durability, options=target.options)


class CompressedFormat:
    """The format of members that contain JSON lines. The position of a row is that of its member."""

    moves_aside = False

    def __init__(self, codec: Codec, options: OutputOptions | None = None):
        self.codec = codec
        self.lines = JsonLinesFormat(options or OutputOptions())

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a member of the rows."""
        return self.codec.compress(self.lines.encode(rows))

    def header_of(self, file: int) -> bytes | None:
        """Return nothing: each line has the names of its fields."""
        return b""

    def complete_end(self, file: int, known: int) -> int:
        """Return the end of the last complete member. Raises `OSError` if the file never had one."""
        with mapped(file) as data:
            end = next((end for _, end in self._members_backwards(data)), 0)
            begin = data[: len(self.codec.mark)]
            if not end and begin.strip(b"\0") and not self.codec.mark.startswith(begin):
                raise OSError(errno.EINVAL, f"it is not a {self.codec.name} file; move it away")
            return end

    def urls(self, file: int, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, each with the position and end of its member."""
        with mapped(file) as data:
            while (end := self._end(data, start)) is not None:
                for line in self._lines(data, start):
                    for url, _, _ in self.lines.urls_in(line, 0):
                        yield url, start, end
                start = end

    def rows_at(self, file: int, position: int) -> Iterator[Row]:
        """Yield the rows of a member."""
        with mapped(file) as data:
            for line in self._lines(data, position):
                yield self.lines.row_of(line)

    def backwards(self, file: int) -> Iterator[Row]:
        """Yield the rows of the complete members."""
        with mapped(file) as data:
            for start, _ in self._members_backwards(data):
                for line in reversed(list(self._lines(data, start))):
                    yield self.lines.row_of(line)

    def _members_backwards(self, data: Buffer) -> Iterator[tuple[int, int]]:
        """Yield where the complete members begin and end, the last one first.

        The mark may also occur within a member: decompression from there fails, or ends where no member begins.
        """
        limit, size = len(data), len(self.codec.mark)
        at, is_last = data.rfind(self.codec.mark), True
        while at >= 0:
            end = self._end(data, at)
            if end is not None and (end == limit or (is_last and end < limit)):
                yield at, end
                limit, is_last = at, False
            at = data.rfind(self.codec.mark, 0, at + size - 1)

    def _end(self, data: Buffer, start: int) -> int | None:
        """Return where the member ends that begins at a position; None if it is damaged or incomplete."""
        walk = self._content(data, start)
        while True:
            try:
                next(walk)
            except StopIteration as ended:
                end: int | None = ended.value
                return end

    def _lines(self, data: Buffer, start: int) -> Iterator[bytes]:
        rest = b""
        for content in self._content(data, start):
            *lines, rest = (rest + content).split(b"\n")
            yield from (line + b"\n" for line in lines)

    def _content(self, data: Buffer, start: int) -> Generator[bytes, None, int | None]:
        """Yield the content of a member in parts; return where it ends, None if it is damaged or incomplete."""
        member = self.codec.decompressor()
        at = start
        while at < len(data) and not member.eof:
            part = data[at : at + CHUNK]
            at += len(part)
            try:
                yield member.decompress(part)
            except (zlib.error, zstandard.ZstdError):
                return None
        return at - len(member.unused_data) if member.eof else None
