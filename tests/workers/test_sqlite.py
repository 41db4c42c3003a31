import json
import multiprocessing
import sqlite3
from contextlib import closing

import pytest

from workers.errors import SinkUnavailable
from workers.sinks import SqliteSink


def row(number, **more):
    return {
        "task": "t", "url": f"http://a.example/{number}?x", "canonical_url": f"http://a.example/{number}",
        "title": "题", "text": "正文", "published": None, "keywords": ["a", "字"], "confidence": 0.5,
        "fetched_at": "2026-03-12T08:30:00+00:00", "content_hash": "0" * 64, "version": 1,
        "blocks": [{"kind": "paragraph", "text": "正文"}], **more,
    }  # fmt: skip


def write(path, *rows, **options):
    sink = SqliteSink(path, **options)
    with sink.exclusive():
        sink.write(rows, again=False)
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


def test_rows_are_written_wholly_or_not_at_all(path):
    write(path, row(1))
    with pytest.raises(SinkUnavailable):
        write(path, row(2), row(3, text=None))
    assert read(path, "canonical_url") == [{"canonical_url": "http://a.example/1"}]


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


def test_a_lone_surrogate_does_not_stop_a_row(path):
    write(path, row(1, text="bad \ud800", keywords=["\ud800"]))
    assert read(path)[0]["text"] == "bad ?"


@pytest.mark.parametrize("successor", [False, True], ids=["nothing there", "another database there"])
def test_a_database_that_was_moved_away_is_begun_anew(path, successor):
    sink = SqliteSink(path)
    sink.write([row(1)], again=False)
    path.rename(path.with_suffix(".old"))
    if successor:
        write(path, row(2))
    sink.write([row(3)], again=False)
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
            write(path, row(2), busy_seconds=0.05)
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
