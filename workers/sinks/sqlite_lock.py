"""The write lock of a SQLite file, held for one transaction, and what a transaction needs that finds its rows there."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Lets a transaction write something, so that its commit is synchronised together with all earlier ones: SQLite does not
# write a row that has its values already, and the process that wrote it may have been killed within its commit.
WRITE_ANYTHING = "PRAGMA user_version = 0"


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
