"""JSON lines: one row a line, appended under the file's lock. All workers that append must share the file system."""

import fcntl
import glob
import json
import mmap
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workers.durability import Durability, make_folder, sync_folder
from workers.errors import SinkUnavailable
from workers.rows import KEY, Row, RowKey, key_of

from .interface import PATIENCE, WrittenRow, written_row
from .kinds import Target

COMPRESSED = (".gz", ".zst", ".xz", ".bz2")  # suffixes of files that are not read again
FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02  # seconds between two tries for the lock; a group is written in milliseconds

# Inside a string the quotes would be escaped
_CANONICAL = re.compile(rb'"canonical_url":\s*("(?:[^"\\\n]|\\.)*")')


def open_jsonl(target: Target) -> "JsonLinesSink":
    """Return the sink of a path."""
    return JsonLinesSink(target.folder / Path(target.address).expanduser(), durability=target.durability)


class JsonLinesSink:
    """Appends rows to a `.jsonl` file. The file may be moved at any time; the next row starts a new one."""

    def __init__(self, path: Path, *, durability: Durability = "safe"):
        self.path = path
        self.durability = durability
        self.name = str(path)
        self._file: int | None = None
        self._known = _KnownUrls()
        self._known_moved: dict[Path, _KnownUrls] = {}

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the lock of the file that has this path now."""
        try:
            self._file = self._open_locked(patience)
            _mend_tail(self._file)
        except OSError as error:
            self._unlock()
            raise self._unavailable(error) from None
        try:
            yield
        finally:
            self._unlock()

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey] = frozenset()) -> None:
        """Append the rows in one write; a partial write is undone."""
        assert self._file is not None, "write inside `with sink.exclusive()`"
        try:
            missing = [self._if_missing(row) if key_of(row) in again else row for row in rows]
            if new := [row for row in missing if row is not None]:
                self._append(self._file, new)
        except OSError as error:
            raise self._unavailable(error) from None

    def newest(self, task: str) -> Iterator[WrittenRow]:
        """Yield the rows of all tasks, newest first. Reads the file from its end, as far as rows are taken.

        Then come files beside it that were moved aside (`out.jsonl.1`), unless they are compressed.
        """
        try:
            for path in self._files():
                for line in _lines_backwards(path):
                    if row := written_row(_row_of(line)):
                        yield row
        except OSError as error:
            raise self._unavailable(error) from None

    def has(self, rows: Sequence[WrittenRow]) -> list[bool]:
        """Return for each row whether the file, or one that was moved aside, has one of its key."""
        try:
            having: set[RowKey] = set()
            for path in self._files():
                having |= self._having(path, [row.key for row in rows if row.key not in having])
            return [row.key in having for row in rows]
        except OSError as error:
            raise self._unavailable(error) from None

    def _having(self, path: Path, wanted: Sequence[RowKey]) -> set[RowKey]:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return set()
        known = self._known if path == self.path else self._known_moved.setdefault(path, _KnownUrls())
        try:
            rows = [dict(zip(KEY, key, strict=True)) for key in wanted]
            return {
                key
                for key, row in zip(wanted, rows, strict=True)
                if known.may_hold(file, row) and key[2] in _versions_in(file, row)
            }
        finally:
            os.close(file)

    def _files(self) -> list[Path]:
        """Return the file, if there is one, and those that were moved aside, the newest first."""
        aside = [
            path
            for path in self.path.parent.glob(f"{glob.escape(self.path.name)}.*")
            if path.suffix not in COMPRESSED and path.is_file()
        ]
        return [self.path, *sorted(aside, key=lambda path: path.stat().st_mtime, reverse=True)]

    def _if_missing(self, row: Row) -> Row | None:
        """Return the row as it is to be written; None if the file has it.

        Versions of a forgotten article begin at 1 again: if the file has that number with another text, the row gets
        the next one.
        """
        assert self._file is not None
        if not self._known.may_hold(self._file, row):
            return row
        versions = _versions_in(self._file, row)
        if row["version"] not in versions:
            return row
        if row["version"] == 1 or row.get("content_hash") in versions.values():
            return None
        return {**row, "version": max(versions) + 1}

    def check(self) -> None:
        """Open the file, and create it if there is none."""
        with self.exclusive():
            pass

    def close(self) -> None:
        """Nothing is open between writes."""
        self._unlock()

    def _open_locked(self, patience: float) -> int:
        """Return the file that has the path, open and locked. The lock is polled: flock has no time limit."""
        make_folder(self.path.parent, self.durability)
        limit = time.monotonic() + patience
        pause = FIRST_PAUSE
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(file), self.path.stat()):
                    return file
            except (BlockingIOError, FileNotFoundError):  # held by another process, or moved meanwhile
                pass
            except OSError:
                os.close(file)
                raise
            os.close(file)
            if time.monotonic() > limit:
                raise SinkUnavailable(
                    f"output unavailable: {self.name} was held by another process for {patience:g} seconds"
                )
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _append(self, file: int, rows: Sequence[Row]) -> None:
        data = b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for row in rows)
        end = os.fstat(file).st_size
        try:
            _write_all(file, data)
            if self.durability == "safe" and stat.S_ISREG(os.fstat(file).st_mode):
                os.fdatasync(file)
                if end == 0:
                    sync_folder(self.path.parent)
        except OSError:
            with suppress(OSError):  # then the next writer removes the partial line
                os.ftruncate(file, end)
            raise

    def _unlock(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _unavailable(self, error: OSError) -> SinkUnavailable:
        return SinkUnavailable(f"output unavailable: {self.name} can't be written: {error.strerror or error}")


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _mend_tail(file: int) -> None:
    """Remove a partial last line, as a power failure leaves it: its page was not settled and will be written again."""
    end = os.fstat(file).st_size
    if end == 0 or os.pread(file, 1, end - 1) == b"\n":
        return
    with mmap.mmap(file, end, access=mmap.ACCESS_READ) as text:
        start = text.rfind(b"\n") + 1
        tail = text[start:]
    try:
        json.loads(tail)
    except ValueError:
        os.ftruncate(file, start)
    else:
        os.write(file, b"\n")  # a complete row without line end, as some editors save it


def _lines_backwards(path: Path) -> Iterator[bytes]:
    """Yield the complete lines that the file has now, the last one first."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        size = os.fstat(file).st_size
        if size == 0 or not stat.S_ISREG(os.fstat(file).st_mode):
            return
        with mmap.mmap(file, size, access=mmap.ACCESS_READ) as text:
            end = text.rfind(b"\n")
            while end > 0:
                start = text.rfind(b"\n", 0, end) + 1
                yield text[start:end]
                end = start - 1
    finally:
        os.close(file)


class _KnownUrls:
    """The canonical URLs of a file's rows, as hashes; the file is read once, later only what was appended."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        self._read: tuple[int, int, int] = (0, 0, 0)  # device, inode, bytes

    def may_hold(self, file: int, row: Row) -> bool:
        """Whether the file may have a row of this row's canonical URL; False is certain."""
        now = os.fstat(file)
        device, inode, read = self._read
        if (device, inode) != (now.st_dev, now.st_ino) or read > now.st_size:
            self._hashes, read = set(), 0
        if now.st_size > read:
            with mmap.mmap(file, now.st_size, access=mmap.ACCESS_READ) as text:
                self._hashes.update(hash(match[1]) for match in _CANONICAL.finditer(text, read))
        self._read = (now.st_dev, now.st_ino, now.st_size)
        return hash(json.dumps(row["canonical_url"], ensure_ascii=False).encode("utf-8", "replace")) in self._hashes


def _versions_in(file: int, row: Row) -> dict[int, str | None]:
    """Return the versions of a row's article in the file, each with its content hash. Reads the whole file."""
    versions: dict[int, str | None] = {}
    size = os.fstat(file).st_size
    if size == 0:
        return versions
    needle = json.dumps(row["canonical_url"], ensure_ascii=False).encode("utf-8", "replace")
    with mmap.mmap(file, size, access=mmap.ACCESS_READ) as text:
        at = text.rfind(needle)
        while at >= 0:
            start = text.rfind(b"\n", 0, at) + 1
            other = _row_of(text[start : text.find(b"\n", at)])
            version = other.get("version")
            if isinstance(version, int) and all(other.get(name) == row[name] for name in KEY if name != "version"):
                versions[version] = other.get("content_hash")
            at = text.rfind(needle, 0, start)
    return versions


def _row_of(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}
