"""A SQLite file that is opened when it is first used, and again when its path belongs to another file."""

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from workers.errors import SinkUnavailable
from workers.sinks.durability import Durability, make_folder

from .interface import PATIENCE
from .sqlite_lock import begin, rolled_back

SYNCHRONOUS = {"safe": "FULL", "fast": "NORMAL"}  # FULL: each commit is synced


class SqliteFile(ABC):
    """The file at `path`, with its write lock. Not for several threads, nor after a fork."""

    isolation_level: Literal["DEFERRED"] | None = "DEFERRED"  # None: transactions begin only where they are written

    def __init__(self, path: Path, durability: Durability):
        self.path, self.name, self.durability = path, str(path), durability
        self._connection: sqlite3.Connection | None = None
        self._stat: os.stat_result | None = None

    @contextmanager
    def exclusive(self, *, patience: float = PATIENCE) -> Iterator[None]:
        """Hold the write lock of the file: begin a transaction; a write commits it. Raises `SinkUnavailable`."""
        try:
            connection = self._open(patience)
            begin(connection, patience)
        except (sqlite3.Error, OSError) as error:
            raise self._failed(error) from None
        with rolled_back(connection):
            yield

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
            self._connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS[self.durability]}")
            self._stat = self.path.stat()
        return self._connection

    @abstractmethod
    def _set_up(self, connection: sqlite3.Connection, patience: float) -> None:
        """Prepare an open file. `patience`: seconds to wait for other processes."""

    def _failed(self, error: Exception) -> SinkUnavailable:
        """Close the file and return the error for callers."""
        self.close()
        return self._unavailable(error)

    @abstractmethod
    def _unavailable(self, error: Exception) -> SinkUnavailable:
        """Return the error for callers."""

    def _moved_away(self) -> bool:
        """Whether the path now belongs to another file, or to none."""
        try:
            return self._stat is None or not os.path.samestat(self._stat, self.path.stat())
        except FileNotFoundError:
            return True
