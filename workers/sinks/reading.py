"""Reads the rows that an output has, for `exemplar export`.

A kind of output can be read if its `Kind.reads` names a function such as these: from a `Target` to its rows, oldest
first. It opens nothing for writing, takes no lock, and may run while workers write. Rows of other tasks may be among
them; `complete` fills the fields that rows of earlier versions lack. Files beside an output that were moved aside, as
by `logrotate`, are read as well:

    out.jsonl.1   out.jsonl-20270131   out.jsonl.2.gz   out.jsonl-20270130.zst
"""

import fnmatch
import gzip
import io
import json
import logging
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from glob import escape
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import zstandard

from workers.errors import SinkUnavailable
from workers.rows import Row
from workers.sinks.row_schema import FIELDS, NEEDED

from .kinds import Target, file_path
from .paths import pattern_of

CHUNK = 1 << 20  # bytes
ENDINGS = (".*", "-[0-9]*")  # the ends of their names, as patterns of `glob`
COMPRESSED = (".gz", ".zst")
DAMAGE = (OSError, EOFError, zlib.error, zstandard.ZstdError)  # errors of a damaged compressed file
LONGEST_LINE = 256 * 2**20  # bytes
log = logging.getLogger(__name__)


def files_of(pattern: str) -> set[Path]:
    """Return the files whose paths match a pattern of `glob`, and the files beside them that had such a name.

    `out.jsonl.gz` is another output, not one of `out.jsonl`; but `2026-11-22.jsonl.gz` is the file of that day of
    `{date}.jsonl`, unless that is there, too.
    """
    top = Path(pattern).anchor
    found = {file for ending in ("", *ENDINGS) for file in Path(top).glob(pattern.removeprefix(top) + ending)}
    return {file for file in found if file.is_file() and not _is_compressed_output(file, pattern)}


def _is_compressed_output(file: Path, pattern: str) -> bool:
    plain = file.with_suffix("")
    is_named = file.suffix in COMPRESSED and fnmatch.fnmatchcase(str(plain), pattern)
    return is_named and (plain.exists() or escape(str(plain)) == pattern)


def opened(path: Path) -> io.BufferedIOBase:
    """Open a file for reading its content, decompressed if it is compressed.

    Raises `OSError`; reading raises one of `DAMAGE` where the content is damaged.
    """
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(path)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True))
    return path.open("rb")


def unpacked(path: Path) -> IO[bytes]:
    """Return an unnamed temporary file with the content of a compressed file. A damaged end is reported.

    Raises `OSError` if the file cannot be read, or the temporary one cannot be written.
    """
    with ExitStack() as stack:
        copy = stack.enter_context(tempfile.TemporaryFile(prefix="exemplar-"))
        try:
            with opened(path) as file:
                while part := file.read1(CHUNK):  # `read` would lose the data before the damage
                    copy.write(part)
        except DAMAGE as error:
            _report_damage(path, error)
        copy.flush()
        stack.pop_all()  # the caller closes it
    return copy


def jsonl_rows(target: Target) -> Iterator[Row]:
    """Yield the rows of JSON lines: of the file, and of those that were moved aside, including compressed ones.

    Files are read in the order in which they were last changed. `{date}` in the path stands for any day.
    """
    pattern = pattern_of(target)
    try:
        in_order = sorted((file.stat().st_mtime_ns, file) for file in files_of(pattern.glob()))
    except OSError as error:
        raise _unavailable(pattern.text, error) from None
    for _, file in in_order:
        yield from _rows_of_file(file)


def sqlite_rows(target: Target) -> Iterator[Row]:
    """Yield the rows of table `articles` of a database, in the order in which they were first written."""
    path = target.folder / Path(file_path(target.address)).expanduser()
    if not path.exists():
        return
    try:
        yield from (row for _, row in sqlite_records(path) if row is not None)
    except (sqlite3.Error, OSError) as error:
        raise _unavailable(str(path), error) from None


def sqlite_records(path: Path, start: int = 0, most: int = -1) -> Iterator[tuple[int, Row | None]]:
    """Yield rowid and row of each record of table `articles` from a rowid on; None for a record of another program.

    `most`: how many at most; -1: all. Raises `sqlite3.Error`.
    """
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'articles'"
        if connection.execute(has_table).fetchone() is None:
            return
        query = "SELECT rowid, * FROM articles WHERE rowid >= ? ORDER BY rowid LIMIT ?"
        records = connection.execute(query, (start, most))
        names = [column[0] for column in records.description][1:]
        for number, *values in records:
            yield number, complete({name: _value(name, value) for name, value in zip(names, values, strict=True)})


def row_in(line: bytes) -> Row | None:
    """Return the row of a JSON line; None if this program did not write it."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return complete(row) if isinstance(row, dict) else None


def complete(row: Mapping[str, Any]) -> Row | None:
    """Return a row with all fields, missing ones empty; None if this program did not write it."""
    if any(row.get(name) is None for name in NEEDED) or type(row["version"]) is not int:
        return None
    return {**{name: _empty(name) for name in FIELDS}, **row}


def _empty(field: str) -> Any:
    """Return the value for a field that an earlier version did not write."""
    kind = FIELDS[field]["type"]
    if isinstance(kind, list):
        return None
    return {"array": [], "integer": 1, "number": 0.0}.get(kind, "")


def _value(field: str, value: Any) -> Any:
    """Return a column's value in the form that the row had."""
    kind = FIELDS[field]["type"] if field in FIELDS else ""
    if kind == "array":
        try:
            return json.loads(value or "[]")
        except ValueError:
            return []
    return bool(value) if value is not None and "boolean" in kind else value


def _rows_of_file(path: Path) -> Iterator[Row]:
    """Yield the rows of one file. Lines that are not rows are counted and reported; a damaged end is left out."""
    others = 0
    try:
        with opened(path) as file:
            while line := file.readline(LONGEST_LINE):
                row = row_in(line)
                others += row is None and not line.isspace()
                if row is not None:
                    yield row
    except FileNotFoundError:  # the file was moved meanwhile
        return
    except DAMAGE as error:
        try:
            _report_damage(path, error)
        except OSError:
            raise _unavailable(str(path), error) from None
    if others:
        log.warning("%s: %d lines are not rows", path, others)


def _report_damage(path: Path, error: Exception) -> None:
    """Log that a compressed file is damaged. Raises an `error` of the system again."""
    if isinstance(error, OSError) and error.errno:
        raise error
    log.warning("%s is damaged; the rows before the damage were read: %s", path, str(error) or type(error).__name__)


def _unavailable(path: str, error: Exception) -> SinkUnavailable:
    return SinkUnavailable(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")
