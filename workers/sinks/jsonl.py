"""JSON lines: one row a line, appended under the file's lock. All workers that append must share the file system."""

import fcntl
import json
import mmap
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workers.errors import SinkUnavailable
from workers.rows import KEY, Row

# Inside a string the quotes would be escaped
_CANONICAL = re.compile(rb'"canonical_url":\s*("(?:[^"\\\n]|\\.)*")')


class JsonLinesSink:
    """Appends rows to a `.jsonl` file. The file may be moved at any time; the next row starts a new one."""

    def __init__(self, path: Path):
        self.path = path
        self.name = str(path)
        self._file: int | None = None
        self._known = _KnownUrls()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock of the file that has this path now."""
        try:
            self._file = self._open_locked()
            _mend_tail(self._file)
        except OSError as error:
            self._unlock()
            raise self._unavailable(error) from None
        try:
            yield
        finally:
            self._unlock()

    def write(self, rows: Sequence[Row], *, again: bool) -> None:
        """Append the rows in one write; a partial write is undone."""
        assert self._file is not None, "write inside `with sink.exclusive()`"
        try:
            if again:
                rows = [missing for row in rows if (missing := self._if_missing(row)) is not None]
            _append(self._file, rows)
        except OSError as error:
            raise self._unavailable(error) from None

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

    def close(self) -> None:
        """Nothing is open between writes."""
        self._unlock()

    def _open_locked(self) -> int:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                if os.path.samestat(os.fstat(file), self.path.stat()):
                    return file
            except FileNotFoundError:
                pass
            os.close(file)  # the file was moved during the wait for its lock

    def _unlock(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _unavailable(self, error: OSError) -> SinkUnavailable:
        return SinkUnavailable(f"output unavailable: {self.name} can't be written: {error.strerror or error}")


def _append(file: int, rows: Sequence[Row]) -> None:
    data = b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for row in rows)
    end = os.fstat(file).st_size
    try:
        _write_all(file, data)
    except OSError:
        with suppress(OSError):  # then the next writer removes the partial line
            os.ftruncate(file, end)
        raise


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


class _KnownUrls:
    """The canonical URLs of a file's rows, as hashes; the file is read once, later only what was appended."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        self._read: tuple[int, int, int] = (0, 0, 0)  # device, inode, bytes

    def may_hold(self, file: int, row: Row) -> bool:
        """Whether the file may have a row of this row's canonical URL; False is certain."""
        stat = os.fstat(file)
        device, inode, read = self._read
        if (device, inode) != (stat.st_dev, stat.st_ino) or read > stat.st_size:
            self._hashes, read = set(), 0
        if stat.st_size > read:
            with mmap.mmap(file, stat.st_size, access=mmap.ACCESS_READ) as text:
                self._hashes.update(hash(match[1]) for match in _CANONICAL.finditer(text, read))
        self._read = (stat.st_dev, stat.st_ino, stat.st_size)
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
