import json
import multiprocessing
import sqlite3
from contextlib import closing

import pytest

from tests.workers.naughty import as_stored, naughty_rows
from workers.errors import RowsRefused, SinkUnavailable
from workers.sinks import OutputOptions, SqliteSink, open_sink
from workers.sinks.interface import PATIENCE


def row(number, **more):
    return {
        "task": "t", "url": f"http://a.example/{number}?x", "canonical_url": f"http://a.example/{number}",
        "title": "题", "text": "正文", "published": None, "keywords": ["a", "字"], "confidence": 0.5,
        "fetched_at": "2026-03-12T08:30:00+00:00", "content_hash": "0" * 64, "version": 1,
        "blocks": [{"kind": "paragraph", "text": "正文"}], **more,
    }  # fmt: skip


def write(path, *rows, patience=PATIENCE):
    sink = SqliteSink(path)
    with sink.exclusive(patience=patience):
        sink.write(rows)
    sink.close()


def read(path, what="*"):
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(found) for found in connection.execute(f"SELECT {what} FROM articles ORDER BY canonical_url")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "out.db"


def test_a_row_goes_into_table_articles(path):
    write(path, row(1))
    [found] = read(path)
    assert (found["title"], found["text"], found["confidence"], found["author"]) == ("题", "正文", 0.5, None)
    assert json.loads(found["keywords"]) == ["a", "字"]
    assert json.loads(found["blocks"]) == [{"kind": "paragraph", "text": "正文"}]


def test_a_row_of_the_same_key_replaces_the_one_before(path):
    write(path, row(1), row(2))
    write(path, row(1, title="new"))
    assert [found["title"] for found in read(path)] == ["new", "题"]


@pytest.mark.parametrize("part", [{"version": 2}, {"task": "u"}, {"canonical_url": "http://a.example/9"}])
def test_a_row_of_another_key_stands_beside_it(path, part):
    write(path, row(1), row(1, **part))
    assert len(read(path)) == 2


def test_a_row_that_the_table_refuses_is_named_and_the_others_are_written(path):
    write(path, row(1))
    with pytest.raises(RowsRefused) as caught:
        write(path, row(2), row(3, text=None), row(4), row(5, version=2**70))
    assert caught.value.reasons.keys() == {("t", "http://a.example/3", 1), ("t", "http://a.example/5", 2**70)}
    assert "NOT NULL constraint failed: articles.text" in caught.value.reasons.values()
    assert [found["canonical_url"][-1] for found in read(path, "canonical_url")] == ["1", "2", "4"]


def test_a_table_from_before_a_column_gets_it(path):
    write(path, row(1))
    with closing(sqlite3.connect(path)) as connection:
        for column in ("modified", "robots_directives", "tdm_reservation", "section_version"):
            connection.execute(f"ALTER TABLE articles DROP COLUMN {column}")
    write(path, row(2, modified="2026-03-13", robots_directives=["noai"], tdm_reservation=True, section_version="a+1"))
    assert [found["modified"] for found in read(path)] == [None, "2026-03-13"]
    assert [found["robots_directives"] for found in read(path)] == [None, '["noai"]']
    assert [found["tdm_reservation"] for found in read(path)] == [None, 1]
    assert [found["section_version"] for found in read(path)] == [None, "a+1"]


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
        (f"(title INTEGER, {KEY}) STRICT", "column title has type integer, which cannot store title"),
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


def test_a_lone_surrogate_does_not_stop_a_row(path):
    write(path, row(1, text="bad \ud800", keywords=["\ud800"]))
    assert read(path)[0]["text"] == "bad ?"


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


def test_a_locked_database_is_reported_and_written_later(path):
    write(path, row(1))
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SinkUnavailable, match="locked"):
            write(path, row(2), patience=0.05)
        other.rollback()
    write(path, row(2))
    assert len(read(path)) == 2


def _write_all(path, first, gate):
    gate.wait()
    for number in range(first, first + 20):
        write(path, row(number))


def test_processes_that_write_at_once_wait_for_each_other(path):
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(4)
    writers = [context.Process(target=_write_all, args=(path, n * 100, gate), daemon=True) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
        assert writer.exitcode == 0
    assert len(read(path)) == 80


def test_chosen_fields_are_columns_and_those_of_the_key_are_always_there(tmp_path):
    fields = (("Head line", "title"), ("page", "canonical_url"), ("day", "fetched_at"), ("tags", "keywords"))
    for options in (OutputOptions(fields=fields), OutputOptions(fields=(*fields, ('a"b', "text")))):
        sink = open_sink("out.db", "t", tmp_path, options=options)
        with sink.exclusive():
            sink.write([row(1), row(2)])
        assert [one.key[1] for one in sink.newest("t")] == [row(2)["canonical_url"], row(1)["canonical_url"]]
        assert sink.has(list(sink.newest("t"))) == [True, True]
        sink.close()
        found = _all(tmp_path / "out.db")
        assert len(found) == 2
    assert {"Head line": "题", "page": row(1)["canonical_url"], "task": "t", "version": 1}.items() <= found[0].items()
    assert found[0]['a"b'] == "正文"
    assert found[0]["tags"] == '["a", "字"]'


def _all(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(found) for found in connection.execute("SELECT * FROM articles ORDER BY rowid")]


def test_naughty_rows_come_back(path):
    rows = list(naughty_rows())
    write(path, *rows)
    for found, was in zip(_all(path), rows, strict=True):
        assert {name: found[name] for name in ("title", "text", "author")} == {
            name: as_stored(was[name]) for name in ("title", "text", "author")
        }
        assert json.loads(found["keywords"]) == [as_stored(text) for text in was["keywords"]]
