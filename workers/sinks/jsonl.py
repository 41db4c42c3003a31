"""JSON lines: one row per line."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from workers.rows import Row
from workers.sinks.durability import Durability

from .appended_files import AppendedFileSink
from .kinds import Target
from .options import OutputOptions
from .paths import PathPattern, pattern_of
from .row_formats import Buffer, StoredNames, mapped


def open_jsonl(target: Target) -> "JsonLinesSink":
    """Return the sink of a path."""
    return JsonLinesSink(pattern_of(target), durability=target.durability, options=target.options)


class JsonLinesSink(AppendedFileSink):
    """Appends rows to a `.jsonl` file, or to one of each day."""

    def __init__(
        self, path: Path | PathPattern, *, durability: Durability = "safe", options: OutputOptions | None = None
    ):
        pattern = path if isinstance(path, PathPattern) else PathPattern(str(path), Path())
        super().__init__(pattern, JsonLinesFormat(options or OutputOptions()), durability=durability, options=options)


class JsonLinesFormat:
    """The format of JSON lines."""

    moves_aside = False

    def __init__(self, options: OutputOptions):
        self.options = options
        self.names = StoredNames(options)
        name = re.escape(json.dumps(self.names.canonical_url, ensure_ascii=False).encode("utf-8", "replace"))
        # Inside a string the quotes would be escaped
        self.url_pattern = re.compile(name + rb':\s*("(?:[^"\\\n]|\\.)*")')

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a line for each row."""
        shaped = (self.options.shaped(row, with_key=True) for row in rows)
        return b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for row in shaped)

    def header_of(self, file: int) -> bytes | None:
        """Return nothing: each line has the names of its fields."""
        return b""

    def complete_end(self, file: int, known: int) -> int:
        """Return the end of the last complete line; one more than the file has if only the line end is missing."""
        size = os.fstat(file).st_size
        if size == 0 or os.pread(file, 1, size - 1) == b"\n":
            return size
        with mapped(file) as text:
            start = text.rfind(b"\n") + 1
            tail = text[start:]
        try:
            json.loads(tail)
        except ValueError:
            return start
        return size + 1  # a complete row without a line end, as some editors save it

    def urls(self, file: int, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, each with its position and the end of its line."""
        with mapped(file) as text:
            yield from self.urls_in(text, start)

    def urls_in(self, text: Buffer, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the texts that may be the canonical URL of a row, each with its position and the end of its line."""
        for match in self.url_pattern.finditer(text, start):
            end = text.find(b"\n", match.end())
            if end < 0:
                return  # a line that is being written
            yield match[1], match.start(), end + 1

    def rows_at(self, file: int, position: int) -> Iterator[Row]:
        """Yield the row around a position."""
        with mapped(file) as text:
            end = text.find(b"\n", position)
            if end >= 0:
                yield self.row_of(text[text.rfind(b"\n", 0, position) + 1 : end])

    def backwards(self, file: int) -> Iterator[Row]:
        """Yield the complete lines as rows."""
        with mapped(file) as text:
            end = text.rfind(b"\n")
            while end > 0:
                start = text.rfind(b"\n", 0, end) + 1
                yield self.row_of(text[start:end])
                end = start - 1

    def row_of(self, line: bytes) -> Row:
        """Return the row of a line; an empty one if the line is not a row."""
        try:
            row: Any = json.loads(line)
        except ValueError:
            return {}
        return self.names.original(row) if isinstance(row, dict) else {}
