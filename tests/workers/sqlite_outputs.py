"""SQLite outputs, as other programs see and change them."""

import sqlite3
from contextlib import closing, contextmanager

from .helpers import url


def in_table(folder, columns="url", name="out.db"):
    """The values in columns of a SQLite output, in order: for one column a list, for several a list of tuples."""
    with closing(sqlite3.connect(folder / name)) as database:
        found = sorted(database.execute(f"SELECT {columns} FROM articles").fetchall())
    return found if "," in columns else [value for (value,) in found]


@contextmanager
def locked(path):
    """Another program has a transaction on a SQLite output."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE IF NOT EXISTS other (a)")
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


@contextmanager
def refusing(path, *numbers):
    """A SQLite output refuses the rows of these articles."""
    urls = ", ".join(f"'{url(number)}'" for number in numbers)
    with closing(sqlite3.connect(path)) as other:
        other.execute(
            f"CREATE TRIGGER refuse BEFORE INSERT ON articles WHEN NEW.url IN ({urls}) "
            "BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END"
        )
        yield
        other.execute("DROP TRIGGER refuse")
