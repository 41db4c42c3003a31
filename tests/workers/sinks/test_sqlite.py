"""SQLite: the suite of sinks, tables of other programs, and databases that are locked, moved or none at all."""

import sqlite3
from contextlib import closing

import pytest

from tests.workers.sink_suite import SinkSuite, row
from workers.errors import SinkUnavailable
from workers.sinks import OutputOptions, SqliteSink, open_sink
from workers.sinks.interface import PATIENCE


class TestSqlite(SinkSuite):
    def path(self, folder):
        return folder / "deep" / "out.db"

    def open(self, folder):
        return SqliteSink(self.path(folder))

    def read(self, folder):
        return read(self.path(folder))

    def make_older(self, folder):
        with closing(sqlite3.connect(self.path(folder))) as connection:
            connection.execute("ALTER TABLE articles DROP COLUMN listed_on")


def write(path, *rows, patience=PATIENCE):
    sink = SqliteSink(path)
    with sink.exclusive(patience=patience):
        sink.write(rows)
    sink.close()


def read(path, what="*"):
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(found) for found in connection.execute(f"SELECT {what} FROM articles ORDER BY rowid")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "out.db"


KEY = "task TEXT, canonical_url TEXT, version INTEGER, PRIMARY KEY (task, canonical_url, version)"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            "(id INTEGER PRIMARY KEY, title TEXT)",
            r"no unique key \(task, canonical_url, version\): it was made by",
        ),
        ("(task TEXT, canonical_url TEXT, version INTEGER)", "no unique key"),
        (f"(mine TEXT NOT NULL, {KEY})", "column mine is NOT NULL without a default"),
    ],
)
def test_a_table_of_another_shape_is_not_changed(path, table, words):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"CREATE TABLE articles {table}")
        before = other.execute("SELECT sql FROM sqlite_master").fetchall()
        for _ in range(2):
            sink = SqliteSink(path)
            for action in (sink.check, sink.check, lambda: write(path, row(1))):
                with pytest.raises(SinkUnavailable, match=words):
                    action()
            sink.close()
        assert other.execute("SELECT sql FROM sqlite_master").fetchall() == before
        assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        other.execute("DROP TABLE articles")
    write(path, row(1))
    assert len(read(path)) == 1


def test_a_table_of_its_owner_with_our_key_takes_rows(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"CREATE TABLE articles (mine TEXT NOT NULL DEFAULT 'x', title INTEGER, {KEY})")
    write(path, row(1))
    assert [(found["mine"], found["version"]) for found in read(path)] == [("x", 1)]


@pytest.mark.parametrize("successor", [False, True], ids=["nothing there", "another database there"])
def test_a_database_that_was_moved_away_is_begun_anew(path, successor):
    sink = SqliteSink(path)
    with sink.exclusive():
        sink.write([row(1)])
    path.rename(path.with_suffix(".old"))
    if successor:
        write(path, row(2))
    with sink.exclusive():
        sink.write([row(3)])
    sink.close()
    assert [found["canonical_url"][-1] for found in read(path)] == (["2", "3"] if successor else ["3"])


def test_a_file_that_is_no_database_is_reported(path):
    path.parent.mkdir()
    path.write_text("not a database, and long enough to be looked at" * 10)
    with pytest.raises(SinkUnavailable, match="not a database"):
        write(path, row(1))


def test_chosen_fields_are_columns_and_those_of_the_key_are_always_there(tmp_path):
    fields = (("Head line", "title"), ("page", "canonical_url"), ("day", "fetched_at"), ("tags", "keywords"))
    for options in (OutputOptions(fields=fields), OutputOptions(fields=(*fields, ('a"b', "text")))):
        sink = open_sink("out.db", "t", tmp_path, options=options)
        with sink.exclusive():
            sink.write([row(1, keywords=["a", "字"]), row(2)])
        assert [one.key[1] for one in sink.newest("t")] == [row(2)["canonical_url"], row(1)["canonical_url"]]
        assert sink.has(list(sink.newest("t"))) == [True, True]
        sink.close()
        found = read(tmp_path / "out.db")
        assert len(found) == 2
    assert {"Head line": "题 1", "page": row(1)["canonical_url"], "task": "t", "version": 1}.items() <= found[0].items()
    assert found[0]['a"b'] == row(1)["text"]
    assert found[0]["tags"] == '["a", "字"]'
