"""The write lock of a SQLite file, held for one transaction."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def begin(connection: sqlite3.Connection, patience: float) -> None:
    """Take the write lock by beginning a transaction. `patience`: seconds to wait for its present holder.

    Raises `sqlite3.OperationalError` if it is held for longer.
    """
    connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
    connection.execute("BEGIN IMMEDIATE")


@contextmanager
def rolled_back(connection: sqlite3.Connection) -> Iterator[None]:
    """Roll back uncommitted changes at the end of the block, which releases the lock."""
    try:
        yield
    finally:
        with suppress(sqlite3.Error):
            connection.rollback()  # no-op after a commit
