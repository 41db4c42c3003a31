"""The outputs whose rows the console reads: JSONL files, including those moved aside, and SQLite databases.

Each file has an identity (device and inode), by which it is recognised after a renaming. A place is the byte at which a
line begins, or a rowid, from which a row is read without a search.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Literal

from crawler.task_list.models import TaskFile
from workers.errors import OutputError
from workers.rows import Row
from workers.sinks.kinds import READ_LINES, READ_TABLE, expand, file_path, kind_of
from workers.sinks.reading import files_of, row_in, sqlite_records

LONGEST_LINE = 64 * 2**20  # bytes
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")

SourceKind = Literal["jsonl", "sqlite"]


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """A file with rows. `identity`: device and inode."""

    path: Path
    kind: SourceKind
    identity: str
    size: int


def article_files(tasks: TaskFile) -> list[ArticleFile]:
    """Return the files of the outputs that can be read, each once; those without all fields of a row are left out."""
    places: dict[Path, SourceKind] = {}
    folder = tasks.folder.absolute()
    for task in tasks.tasks.values():
        options = task.output_options()
        for output in task.outputs():
            if output in options and options[output].fields:
                continue
            try:
                address = expand(output, task.name)
                kind = kind_of(address)
            except OutputError:
                continue
            if kind is None or "{" in address:
                continue
            if kind.reads == READ_LINES and not address.endswith(COMPRESSED):
                places[folder / Path(address).expanduser()] = "jsonl"
            elif kind.reads == READ_TABLE:
                places[folder / Path(file_path(address)).expanduser()] = "sqlite"
    known: dict[str, ArticleFile] = {}
    for path, source_kind in places.items():
        for file in sorted(files_of(escape(str(path)))):
            if not file.name.endswith(COMPRESSED):
                with suppress(OSError):  # it was moved aside at this moment
                    found = file_at(file, source_kind)
                    known.setdefault(found.identity, found)
    return list(known.values())


def file_at(path: Path, kind: SourceKind) -> ArticleFile:
    """Return the file as it is now. Raises `OSError` if there is none."""
    status = path.stat()
    return ArticleFile(path, kind, f"{status.st_dev}:{status.st_ino}", status.st_size)


def rows_from(file: ArticleFile, place: int) -> Iterator[tuple[int, int, Row | None]]:
    """Yield place, next place and row of each line or record from `place` on; None for a line that is not a row."""
    if file.kind == "sqlite":
        yield from ((number, number + 1, row) for number, row in sqlite_records(file.path, place))
        return
    with file.path.open("rb") as lines:
        lines.seek(place)
        while line := lines.readline(LONGEST_LINE):
            if not line.endswith(b"\n"):
                return  # the line is being written
            after = place + len(line)
            yield place, after, row_in(line)
            place = after


def row_at(path: Path, kind: str, place: int) -> Row | None:
    """Return the row at a place; None if it is no longer there."""
    try:
        if kind == "sqlite":
            return next((row for number, row in sqlite_records(path, place, 1) if number == place), None)
        with path.open("rb") as lines:
            lines.seek(place)
            return row_in(lines.readline(LONGEST_LINE))
    except (OSError, sqlite3.Error):
        return None
