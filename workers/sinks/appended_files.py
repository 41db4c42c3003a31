"""Files to which rows are appended under a lock. All workers that append must share the file system.

An output is one file, or one file per day if its path contains `{date}` or `{published}`. A file may be moved at any
time; the next row starts a new one. Between writes nothing is open.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from workers.errors import SinkUnavailable
from workers.rows import KEY, Row, RowKey, key_of
from workers.sinks.durability import locked, make_folder, pass_fence, rename, reported, sync_file, sync_folder

from .formats import AppendedFormat, Buffer, PlainLines, as_json, mapped
from .interface import PATIENCE, Versions, WrittenRow, if_missing, written_row
from .kinds import Target
from .options import OutputOptions
from .paths import PathPattern, pattern_of
from .reading import COMPRESSED, files_of, unpacked

MOST_CUT = 64 << 20  # bytes of a partial last group; a longer partial end was not written by this program
LONG_AGO = "1970-01-02T00:00:00+00:00"  # of a row that does not say when its page was fetched
CLOCKS_DIFFER = 7200.0  # seconds by which the clocks of machines may differ
MARK_BYTES = 64  # bytes before a place in a file, by which the file is recognised


def open_appended(target: Target, row_format: AppendedFormat) -> "AppendedFileSink":
    """Return the sink of a path, for files of a format."""
    return AppendedFileSink(pattern_of(target), row_format)


class AppendedFileSink:
    """Appends rows to files of one format. A file that lacks what the format needs is moved aside (`out.csv.1`)."""

    def __init__(self, pattern: PathPattern, row_format: AppendedFormat):
        self.path = Path(pattern.text)
        self.pattern, self.format = pattern, row_format
        self.name = str(self.path)
        self._held: int | None = None  # the open file, or the lock of all files
        self._patience = PATIENCE
        self._known: dict[Path, _KnownUrls] = defaultdict(lambda: _KnownUrls(row_format))
        self._synced: dict[Path, _Mark] = {}  # the ends of the files whose names this process has synchronised
        self._found: set[Path] = set()  # files in which rows were found; their writer may have died before its sync
        self._unpacked: dict[Path, IO[bytes]] = {}  # copies of compressed files that were moved aside

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the lock of the file that has this path now, or that of all files of the output."""
        self._patience = patience
        try:
            with reported(self.name):
                if self.pattern.is_fixed:
                    self._held = self._open_locked(self.path)
                    self._mend(self._held, self.path)
                else:
                    self._held = self._open_locked(self.pattern.hidden("lock"))
            yield
        finally:
            self._unlock()

    def fence(self, task: str, epoch: str) -> str:
        """Note that an epoch writes, in the hidden folder of the output; a device has none."""
        assert self._held is not None, "pass the fence inside `with sink.exclusive()`"
        if not stat.S_ISREG(os.fstat(self._held).st_mode):
            return epoch
        return pass_fence(self.name, self.pattern.hidden("epochs"), task, epoch)

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey] = frozenset()) -> None:
        """Append the rows, in one write to each file; a partial write is undone."""
        self.append(self.missing(rows, again=again))

    def missing(self, rows: Sequence[Row], *, again: AbstractSet[RowKey]) -> list[Row]:
        """Return the rows that the output does not have, in the form to be written, inside `exclusive`."""
        assert self._held is not None, "write inside `with sink.exclusive()`"
        with reported(self.name):
            files = self._files_since(rows) if again else []
            found = [if_missing(row, self._versions(row, files)) if key_of(row) in again else row for row in rows]
            self._sync_found()
            return [row for row in found if row is not None]

    def append(self, rows: Sequence[Row]) -> None:
        """Append rows without checking whether the output has them, inside `exclusive`."""
        by_path: dict[Path, list[Row]] = {}
        for row in rows:
            by_path.setdefault(self.pattern.path_of(row), []).append(row)
        with reported(self.name):
            self._append_to_all(by_path)

    def newest(self, task: str) -> Iterator[WrittenRow]:
        """Yield the rows of all tasks, newest first. Each file is read from its end, only as far as rows are requested.

        The rows of files that were moved aside (`out.jsonl.1`), compressed ones included, come last.
        """
        with reported(self.name):
            for path in self._files(True):
                sync_file(path)
                with self._opened(path) as file, mapped(file) as data:
                    for row in self.format.backwards(data):
                        if self.is_there(row) and (written := written_row(row)):
                            yield written

    def has(self, rows: Sequence[WrittenRow]) -> list[bool]:
        """Return for each row whether a file, or one that was moved aside, has one of its key."""
        with reported(self.name):
            files = self._files(True)
            having = [row.key[2] in self._versions(dict(zip(KEY, row.key, strict=True)), files) for row in rows]
            self._sync_found()
            return having

    def check(self) -> None:
        """Open the file, and create it if there is none; if the path has `{date}`, only its folder and lock."""
        with self.exclusive():
            if not self.pattern.is_fixed:
                self.pattern.check_inside(self.pattern.path_of({}))

    def close(self) -> None:
        """Do nothing: nothing is open between writes."""
        self._unlock()

    def is_there(self, row: Row) -> bool:
        """Whether a row that was found in a file counts as written."""
        return True

    def _versions(self, row: Row, files: Sequence[Path]) -> Versions:
        """Return the versions of a row's article in the files, each with its content hash."""
        return {other["version"]: other.get("content_hash") for other in self.rows_of_article(row, files)}

    def rows_of_article(self, row: Row, files: Sequence[Path] | None = None) -> Iterator[Row]:
        """Yield the rows that the files have of a row's article, in any version."""
        needle = as_json(row["canonical_url"])
        for path in self._files_since([row]) if files is None else files:
            with self._opened(path) as file, mapped(file) as data:
                for position in self._known[path].positions(file, data, needle):
                    for other in self.format.rows_at(data, position):
                        is_same = all(other.get(name) == row[name] for name in KEY if name != "version")
                        if is_same and type(other.get("version")) is int and self.is_there(other):
                            self._found.add(path)
                            yield other

    def _sync_found(self) -> None:
        while self._found:
            sync_file(self._found.pop())

    def _files(self, with_aside: bool) -> list[Path]:
        """Return the files of the output, the newest first, and then those that were moved aside."""
        live = [self.path] if self.pattern.is_fixed else _newest_first(self.pattern.existing())
        if not with_aside:
            return live
        return [*live, *_newest_first(files_of(self.pattern.glob()) - set(live))]

    def _files_since(self, rows: Sequence[Row]) -> list[Path]:
        """Return the files that may have rows: also those that were moved aside after their pages were fetched."""
        live, fetched_at = self._files(False), min(row.get("fetched_at") or LONG_AGO for row in rows)
        since = datetime.fromisoformat(fetched_at).timestamp() - CLOCKS_DIFFER
        aside = self._files(True)[len(live) :]
        return live + [path for path in aside if self.format.moves_aside or path.stat().st_mtime >= since]

    @contextmanager
    def _opened(self, path: Path) -> Iterator[int]:
        """Yield a file, open for reading; an empty one if there is none. A compressed file is unpacked."""
        is_compressed = path.suffix in COMPRESSED and self.path.suffix not in COMPRESSED
        try:
            file = os.dup(self._unpacked_file(path)) if is_compressed else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            file = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield file
        finally:
            os.close(file)

    def _unpacked_file(self, path: Path) -> int:
        """Return the unpacked copy of a compressed file; it is kept until the lock is released the next time."""
        if path not in self._unpacked:
            self._unpacked[path] = unpacked(path)
        return self._unpacked[path].fileno()

    def _append_to_all(self, by_path: dict[Path, list[Row]]) -> None:
        """Append to each file; if one cannot be written, the others are truncated to their old size."""
        ends: list[tuple[Path, int]] = []
        encoded: dict[Path, bytes] = {}
        try:
            for path, rows in by_path.items():  # all rows are encoded first, since one may be impossible to encode
                with self._file_of(path) as file, mapped(file) as data:
                    encoded[path] = self.format.encode(rows, self.format.header_of(data) or b"")
            for path, lines in encoded.items():
                with self._file_of(path) as file:
                    ends.append((path, os.fstat(file).st_size))
                    self._append(file, path, lines)
        except OSError:
            for path, end in ends[:-1]:  # the last one is already undone
                with suppress(OSError):
                    os.truncate(path, end)
            raise

    @contextmanager
    def _file_of(self, path: Path) -> Iterator[int]:
        """Yield the file of a path, open, locked, and ready for rows."""
        is_held = self.pattern.is_fixed
        file = self._held if is_held and self._held is not None else self._open_locked(path)
        try:
            if not is_held:
                self._mend(file, path)
            with mapped(file) as data:
                is_unfit = self.format.header_of(data) is None
            if is_unfit:
                rename(path, _free_name(path))
                old, file = file, self._open_locked(path)
                os.close(old)
                self._held = file if is_held else self._held
            yield file
        finally:
            if not is_held:
                os.close(file)

    def _open_locked(self, path: Path) -> int:
        make_folder(path.parent)
        return locked(path, self.name, self._patience, os.O_APPEND)

    def _append(self, file: int, path: Path, data: bytes) -> None:
        end = os.fstat(file).st_size
        is_synced = path in self._synced and self._synced[path].fits(file)
        try:
            _write_all(file, data)
            if stat.S_ISREG(os.fstat(file).st_mode):
                os.fdatasync(file)
                if not is_synced:
                    sync_folder(path.parent)
        except OSError:
            with suppress(OSError):  # if this fails, the next writer removes the partial row
                os.ftruncate(file, end)
            raise
        self._synced[path] = _Mark.at(file, end + len(data))

    def _mend(self, file: int, path: Path) -> None:
        """Remove a partial last row, as a power failure leaves it: its page was not settled and will be written again.

        A complete last line without a line end, as some editors save it, gets one.
        """
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return
        size = os.fstat(file).st_size
        with mapped(file) as data:
            end = self.format.complete_end(data)
        if size - end > MOST_CUT:
            raise SinkUnavailable(
                f"output unavailable: {path} is damaged: no row in its last {size - end} bytes; move it away"
            )
        if end < size:
            os.ftruncate(file, end)
        elif end > size:
            _write_all(file, b"\n" * (end - size))

    def _unlock(self) -> None:
        while self._unpacked:
            self._unpacked.popitem()[1].close()
        if self._held is not None:
            os.close(self._held)
            self._held = None


class JsonLinesSink(AppendedFileSink):
    """Appends rows to a `.jsonl` file, or to one of each day."""

    def __init__(self, path: Path):
        super().__init__(PathPattern(str(path), Path()), PlainLines(OutputOptions()))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place in a file: device and inode, bytes, and the content before it, since inodes are reused."""

    inode: tuple[int, int]
    end: int
    before: bytes

    @classmethod
    def at(cls, file: int, end: int) -> "_Mark":
        status = os.fstat(file)
        start = max(0, end - MARK_BYTES)
        before = os.pread(file, end - start, start) if stat.S_ISREG(status.st_mode) else b""
        return cls((status.st_dev, status.st_ino), end, before)

    def fits(self, file: int) -> bool:
        """Whether the open file is still the same up to this place."""
        return _Mark.at(file, self.end) == self


class _KnownUrls:
    """The places of rows in a file by canonical URL, as hashes; the file is read once, later only its new part."""

    def __init__(self, row_format: AppendedFormat) -> None:
        self._format = row_format
        self._positions: dict[int, tuple[int, ...]] = {}
        self._mark: _Mark | None = None

    def positions(self, file: int, data: Buffer, needle: bytes) -> tuple[int, ...]:
        """Return where a file may have rows of a canonical URL; if nowhere, it has none. `data`: its content."""
        if self._mark is None or not self._mark.fits(file):
            self._positions, self._mark = {}, _Mark.at(file, 0)
        read = self._mark.end
        if len(data) > read:
            for url, position, end in self._format.urls(data, read):
                others = self._positions.get(hash(url), ())
                self._positions[hash(url)] = others if position in others else (*others, position)
                read = max(read, end)
            self._mark = _Mark.at(file, read)
        return self._positions.get(hash(needle), ())


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _newest_first(paths: "Iterator[Path] | set[Path]") -> list[Path]:
    return sorted(paths, key=lambda path: (path.stat().st_mtime, str(path)), reverse=True)


def _free_name(path: Path) -> Path:
    """Return an unused path next to a file: out.csv.1, out.csv.2 …"""
    number = 1
    while (free := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    return free
