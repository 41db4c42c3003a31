"""CSV and TSV: a header, then one record per row, in UTF-8, quoted as in RFC 4180 with CRLF as line end.

Texts are in quotes; numbers, `true`, `false` and missing values (empty) are not. Lists are JSON. Spreadsheet programs
interpret a text that begins with one of `= + - @`, their full-width forms, a tab or a line end as a formula, so such a
text gets an apostrophe before it, as OWASP recommends under "CSV Injection"; so does a text that begins with an
apostrophe. A reader that removes one leading apostrophe from each text gets the original text.
"""

import csv
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from workers.rows import Row

from .formats import AppendedFormat, Buffer, as_json
from .options import OutputOptions
from .row_schema import COLUMNS

FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
APOSTROPHE = "'"
BOM = b"\xef\xbb\xbf"  # byte order mark, which spreadsheet programs write
RECORDS_CHECKED = 3  # records at the end of a file; if they are complete, the file is complete

csv.field_size_limit(sys.maxsize)  # texts may be long


def neutralised(text: str) -> str:
    """Return a text in a form that spreadsheet programs do not interpret as a formula."""
    return APOSTROPHE + text if text[:1] in FORMULA_STARTS or text.startswith(APOSTROPHE) else text


def original_text(cell: str) -> str:
    """Return the text that was given to `neutralised`."""
    return cell.removeprefix(APOSTROPHE)


class Csv(AppendedFormat):
    """The format of CSV. The position of a row is that of its record.

    The header of an existing file decides the order of its columns; those for which a row has no value stay empty. A
    file that lacks a column is moved aside.
    """

    moves_aside = True
    delimiter = ","

    def __init__(self, options: OutputOptions):
        super().__init__(options)
        self.version = options.name_of("version")
        chosen = [name for name, _ in options.fields]
        with_key = [*chosen, *(name for name in options.key_names() if name not in chosen)]
        self.columns = with_key if chosen else [*COLUMNS]

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a record for each row, after a header in an empty file."""
        names = self._header(header)[1] if header else self.columns
        lines = [] if header else [self.delimiter.join(map(self._header_cell, names))]
        for row in rows:
            shaped = self.options.shaped(row, with_key=True)
            lines.append(self.delimiter.join(_cell(shaped.get(name)) for name in names))
        return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace")

    def header_of(self, data: Buffer) -> bytes | None:
        """Return the header; None if it lacks a column of this output."""
        end, names = self._header(data)
        return bytes(data[:end]) if not end or set(self.columns) <= set(names) else None

    def complete_end(self, data: Buffer) -> int:
        """Return the end of the last complete record.

        This is the end of the file if the last records are complete. Otherwise all quotation marks are counted: a line
        end after an even number of them ends a record.
        """
        size = len(data)
        _, names = self._header(data)
        if not size or (names and self.version not in names) or self._ends_well(data):
            return size  # a file with other columns is moved aside unchanged
        if self._lacks_line_end(data):
            return size + 1
        quotes = end = at = 0
        while (line_end := data.find(b"\n", at)) >= 0:
            quotes += data[at : line_end + 1].count(b'"')
            at = line_end + 1
            end = at if quotes % 2 == 0 else end
        return end

    def urls(self, data: Buffer, start: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield the canonical URL of each record."""
        begin, names = self._header(data)
        if self.names.canonical_url not in names:
            return
        column = names.index(self.names.canonical_url)
        for position, end, cells in self._records(data, start or begin):
            if column < len(cells):
                yield as_json(original_text(cells[column])), position, end

    def rows_at(self, data: Buffer, position: int) -> Iterator[Row]:
        """Yield the row of the record at a position."""
        _, names = self._header(data)
        for _, _, cells in islice(self._records(data, position), 1):
            yield self._row(names, cells)

    def backwards(self, data: Buffer) -> Iterator[Row]:
        """Yield the rows of the complete records."""
        begin, _ = self._header(data)
        for start, _ in self._backwards(data, self.complete_end(data)):
            if start < begin:
                return
            yield from self.rows_at(data, start)

    def _row(self, names: Sequence[str], cells: Sequence[str]) -> Row:
        """Return the row of a record; an empty cell counts as a missing value."""
        stored: dict[str, Any] = {name: original_text(cell) or None for name, cell in zip(names, cells, strict=False)}
        try:
            stored[self.version] = int(stored.get(self.version) or "")
        except ValueError:
            return {}
        return self.names.original(stored)

    def _ends_well(self, data: Buffer) -> bool:
        """Whether the file ends with records that have as many cells as the header, and a version."""
        if data[-1:] != b"\n":
            return False
        begin, names = self._header(data)
        for start, end in islice(self._backwards(data, len(data)), RECORDS_CHECKED):
            if start < begin:
                return (start, end) == (0, begin)
            cells = self._cells(data[start:end])
            if len(cells) != len(names) or (self.version in names and not self._row(names, cells)):
                return False
        return True

    def _lacks_line_end(self, data: Buffer) -> bool:
        """Whether the file ends with a complete record without a line end, as some editors save it."""
        start = next((start for start, _ in self._backwards(data, len(data))), 0)
        cells, (_, names) = self._cells(data[start:]), self._header(data)
        is_whole = len(cells) == len(names) and data[-1:] == b'"'
        return is_whole and bool(self._row(names, cells))

    def _backwards(self, data: Buffer, end: int) -> Iterator[tuple[int, int]]:
        """Yield where the records before a record's end begin and end, the last one first.

        Between two ends of records there is an even number of quotation marks.
        """
        quotes, at = 0, end
        while at > 0:
            start = data.rfind(b"\n", 0, at - 1) + 1
            quotes += data[start:at].count(b'"')
            at = start
            if quotes % 2 == 0:
                yield start, end
                end, quotes = start, 0

    def _records(self, data: Buffer, start: int) -> Iterator[tuple[int, int, list[str]]]:
        """Yield the complete records: where each begins and ends, and its cells. Invalid parts are skipped."""
        end = start

        def lines() -> Iterator[str]:
            nonlocal end
            while after := data.find(b"\n", end) + 1:
                line, end = data[end:after], after
                yield line.decode("utf-8", "replace")

        reader, begin = csv.reader(lines(), delimiter=self.delimiter), start
        while (cells := _next(reader)) is not None:
            if cells and data[begin:end].count(b'"') % 2 == 0:  # an odd one has no end, or an invalid quotation mark
                yield begin, end, cells
            begin = end

    def _cells(self, record: bytes) -> list[str]:
        return _next(csv.reader([record.decode("utf-8", "replace")], delimiter=self.delimiter)) or []

    def _header(self, data: Buffer) -> tuple[int, list[str]]:
        """Return where the first record ends, and the names of columns in it."""
        start = len(BOM) if data[: len(BOM)] == BOM else 0
        return next(((end, cells) for _, end, cells in self._records(data, start)), (0, []))

    def _header_cell(self, name: str) -> str:
        is_plain = not re.search(r'[\s",]', name) and name and self.delimiter not in name
        return name if is_plain else _quoted(name)


class Tsv(Csv):
    """The same with tabs between values."""

    delimiter = "\t"


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the cells of the next record: none if it is invalid; None after the last one."""
    try:
        return next(reader, None)
    except csv.Error:
        return []


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(neutralised(value))
    text = json.dumps(value, ensure_ascii=False)
    return text if isinstance(value, (bool, int, float)) else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
