"""A SQLite file: opened when it is first used, and again when its path belongs to another file; its write lock."""

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal

from workers.errors import SinkUnavailable
from workers.sinks.durability import Durability, make_folder, unavailable

from .interface import PATIENCE

# Lets a transaction write something, so that its commit is synchronised together with all earlier ones: SQLite does not
# write a row that has its values already, and the process that wrote it may have been killed within its commit.
WRITE_ANYTHING = "PRAGMA user_version = 0"
SYNCHRONOUS: Mapping[Durability, str] = {"safe": "FULL", "fast": "NORMAL"}  # FULL: each commit is synced


class SqliteFile(ABC):
    """The file at `path`, with its write lock. Not for several threads, nor after a fork."""

    isolation_level: Literal["DEFERRED"] | None = "DEFERRED"  # None: transactions begin only where they are written
    synchronous: Mapping[Durability, str] = SYNCHRONOUS

    def __init__(self, path: Path, durability: Durability):
        self.path, self.name, self.durability = path, str(path), durability
        self._connection: sqlite3.Connection | None = None
        self._stat: os.stat_result | None = None

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the write lock of the file: begin a transaction; a write commits it. Raises `SinkUnavailable`."""
        with self._reported():
            connection = self._open(patience)
            connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                connection.rollback()  # releases the lock; no-op after a commit

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            with closing(self._connection):
                self._connection = None

    def _open(self, patience: float) -> sqlite3.Connection:
        if self._connection is None or self._moved_away():
            self.close()
            make_folder(self.path.parent, self.durability)
            self._connection = sqlite3.connect(self.path, timeout=patience, isolation_level=self.isolation_level)
            self._set_up(self._connection, patience)
            self._connection.execute(f"PRAGMA synchronous = {self.synchronous[self.durability]}")
            self._stat = self.path.stat()
        return self._connection

    @abstractmethod
    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Prepare an open file. `patience`: seconds to wait for other processes."""

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Raise `SinkUnavailable` for errors in the block, after which the file is opened again."""
        try:
            yield
        except (sqlite3.Error, OSError, OverflowError) as error:
            self.close()
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> SinkUnavailable:
        """Return the error for callers."""
        return unavailable(self.name, error)

    def _moved_away(self) -> bool:
        """Whether the path now belongs to another file, or to none."""
        try:
            return self._stat is None or not os.path.samestat(self._stat, self.path.stat())
        except FileNotFoundError:
            return True
