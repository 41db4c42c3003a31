"""A ledger that forgot rows learns them from the outputs, at the first write in another epoch of Redis."""

import gzip

import pytest

from tests.workers.helpers import TASK, deliver, holds, lose_ledger, news, publish, rows, states, take, url
from tests.workers.sink_suite import row, write
from tests.workers.sqlite_outputs import in_table
from workers.extraction.ledger_recovery import KNOWN_IN_A_ROW, heal
from workers.extraction.row_claims import RowClaims
from workers.extraction_config import ExtractionConfig, config_of
from workers.redis_access.epoch import current_epoch
from workers.sinks import JsonLinesSink, SqliteSink
from workers.task_state.forgetting import forget_url
from workers.url_states import Found, RecheckPlan, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.writing.outputs import Output
from workers.writing.row_queue import RowQueue

SERVER = "http://127.0.0.1:9/hook"
CONFIG = ExtractionConfig(TASK, url(0), ".*", ("out.jsonl",), ".")


def output_of(sink):
    return Output(sink.name, sink, pause=1.0, patience=1.0)


@pytest.fixture
def jsonl(tmp_path):
    return output_of(JsonLinesSink(tmp_path / "out.jsonl"))


@pytest.fixture
def sqlite(tmp_path):
    output = output_of(SqliteSink(tmp_path / "out.db"))
    yield output
    output.sink.close()


def article_row(number, **more):
    return row(number, **{"task": TASK, "url": url(number), "canonical_url": url(number), **more})


def learn(ledger, output, *others, epoch="e1"):
    with output.exclusive():
        config = config_of(ledger.redis, TASK) or CONFIG
        return heal(ledger, config, output, [output, *others], epoch, lambda: None)


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_an_empty_ledger_learns_every_row(ledger, request, kind):
    output = request.getfixturevalue(kind)
    number = KNOWN_IN_A_ROW + 600
    write(output.sink, *(article_row(n) for n in range(number)))
    assert learn(ledger, output) == number
    assert (
        ledger.counts().to_dict() | {"seen": number, "written": number, "unaccounted": 0} == ledger.counts().to_dict()
    )
    assert ledger.add([Found(url(5))]) == [False]
    assert learn(ledger, output, epoch="e2") == 0
    assert ledger.counts().seen == number


def test_urls_that_were_unknown_are_counted_as_learnt(ledger, jsonl):
    ledger.add([Found(url(1))])
    write(jsonl.sink, article_row(1), article_row(2))
    assert (learn(ledger, jsonl), ledger.learnt()) == (2, 1)


def test_a_url_in_any_open_state_is_settled_and_its_page_deleted(connection, ledger, jsonl):
    names = deliver(connection, {1: news(1), 2: news(2)})
    take(ledger, names[1], "worker", seconds=9)
    ledger.add([Found(url(3)), Found(url(4))])
    ledger.lease(1)
    write(jsonl.sink, *(article_row(n) for n in range(1, 5)))
    assert learn(ledger, jsonl) == 4
    assert states(connection, 1, 2, 3, 4) == ["written"] * 4
    assert (ledger.counts().open, ledger.counts().unaccounted) == (0, 0)
    assert not connection.exists(f"exemplar:task:{TASK}:page:{names[0]}")
    assert not holds(ledger, names[1], "worker")


def test_it_reads_no_further_than_it_has_to(ledger, jsonl, monkeypatch):
    write(jsonl.sink, *(article_row(n) for n in range(2 * KNOWN_IN_A_ROW)))
    learn(ledger, jsonl)
    write(jsonl.sink, article_row(9001), article_row(9002))
    read = []
    newest = jsonl.sink.newest
    monkeypatch.setattr(jsonl.sink, "newest", lambda task: (read.append(1) or one for one in newest(task)))
    assert learn(ledger, jsonl, epoch="e2") == 2
    assert len(read) < 1.5 * KNOWN_IN_A_ROW


def test_entries_of_list_pages_have_their_rows(ledger, jsonl):
    write(jsonl.sink, article_row(1, listed_on=url(9)))
    assert learn(ledger, jsonl) == 1
    assert ledger.is_entry(fingerprint(url(1)))
    assert ledger.counts().seen == 0


@pytest.mark.parametrize("queued", [(), (SERVER,)], ids=["files only", "a server, too"])
def test_the_newest_rows_may_have_waited_for_a_server_when_redis_lost_them(connection, ledger, jsonl, tmp_path, queued):
    publish(connection, tmp_path, "out.jsonl", *queued)
    write(jsonl.sink, article_row(1))
    assert learn(ledger, jsonl) == 1
    assert states(connection, 1) == [None if queued else "written"]


def test_rows_that_waited_for_a_server_are_delivered_although_redis_was_emptied_while_their_file_was_held(
    connection, worker, tmp_path, monkeypatch
):
    """A worker that is writing notices first that Redis is empty; the task list is not published again yet."""
    publish(connection, tmp_path, "out.jsonl", SERVER)
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    names = deliver(connection, {2: news(2)})
    decide = RowClaims.decide_articles

    def decide_and_empty(self, articles):
        decided = decide(self, articles)
        connection.flushall()
        return decided

    with monkeypatch.context() as context:
        context.setattr(RowClaims, "decide_articles", decide_and_empty)
        worker.extract_pages(TASK, names)
    publish(connection, tmp_path, "out.jsonl", SERVER)
    worker.extract_pages(TASK, deliver(connection, {1: news(1), 2: news(2)}))
    assert states(connection, 1, 2) == ["written"] * 2
    assert sorted(one["url"] for one in rows(tmp_path)) == [url(1), url(2)]
    batch = RowQueue(connection, TASK, SERVER).take("x", "now")
    assert sorted(one["url"] for one in batch.rows) == [url(1), url(2)]


def test_a_row_that_one_output_has_is_not_written_to_it_again_under_another_url(connection, worker, tmp_path, clock):
    publish(connection, tmp_path, "out.jsonl", "out.db")
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    worker.close()
    (tmp_path / "out.db").unlink()
    lose_ledger(connection)
    fresh = ExtractionWorker(connection, "fresh")
    fresh.extract_pages(TASK, deliver(connection, {3: news(3)}))
    fresh.extract_pages(TASK, deliver(connection, {4: news(1, canonical=url(1))}))
    fresh.extract_pages(TASK, deliver(connection, {1: news(1)}))
    fresh.close()
    assert states(connection, 4, 1) == ["written", "duplicate"]
    assert sorted(one["canonical_url"] for one in rows(tmp_path)) == [url(1), url(3)]
    assert in_table(tmp_path, "canonical_url") == [url(1), url(3)]


def test_what_a_person_forgot_stays_forgotten(connection, ledger, jsonl):
    write(jsonl.sink, article_row(1))
    learn(ledger, jsonl)
    forget_url(ledger, url(1))
    assert learn(ledger, jsonl, epoch="e2") == 0
    assert ledger.add([Found(url(1))]) == [True]


def test_a_page_in_a_recheck_stays_in_it(ledger, connection, jsonl, clock):
    [name] = deliver(connection, {1: news(1)})
    take(ledger, name, "w", seconds=9)
    ledger.settle(name, "written", "", worker="w", recheck=RecheckPlan(10.0, clock() + 1000, 1, "hash"))
    clock.forward(20)
    assert ledger.start_rechecks() == 1
    write(jsonl.sink, article_row(1), article_row(1, version=2))
    assert learn(ledger, jsonl) == 0
    assert states(connection, 1) == ["waiting"]


@pytest.mark.parametrize("number", [1, 4])
def test_the_article_in_hand_is_not_written_again_when_its_row_is_there(connection, worker, tmp_path, number):
    """Redis lost the row's settling and the count of the attempt that wrote it; the page may have another URL now."""
    publish(connection, tmp_path)
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    written = rows(tmp_path)
    lose_ledger(connection)
    worker.extract_pages(TASK, deliver(connection, {number: news(1, canonical=url(1)), 2: news(2)}))
    assert rows(tmp_path)[:1] == written
    assert [one["url"] for one in rows(tmp_path)] == [url(1), url(2)]
    assert states(connection, number, 2) == ["written", "written"]


def test_a_worker_that_has_the_page_learns_what_another_noted(connection, worker, ledger, tmp_path, monkeypatch):
    """Another worker heals the ledger after this one has taken the page, and before it writes."""
    publish(connection, tmp_path, "out.jsonl", "out.db")
    names = deliver(connection, {1: news(1)})
    write(JsonLinesSink(tmp_path / "out.jsonl"), article_row(1))
    decide = RowClaims.decide_articles

    def decide_and_wait(self, articles):
        jsonl, database = JsonLinesSink(tmp_path / "out.jsonl"), SqliteSink(tmp_path / "out.db")
        others = [
            Output(name, sink, pause=1.0, patience=1.0) for name, sink in (("out.jsonl", jsonl), ("out.db", database))
        ]
        for output in others:
            with output.exclusive():
                heal(ledger, CONFIG, output, others, current_epoch(connection), lambda: None)
        database.close()
        return decide(self, articles)

    monkeypatch.setattr(RowClaims, "decide_articles", decide_and_wait)
    worker.extract_pages(TASK, names)
    assert states(connection, 1) == ["written"]
    assert len(rows(tmp_path)) == 1
    assert len(in_table(tmp_path)) == 1


def test_rows_in_files_that_were_moved_aside_and_compressed_are_learnt_too(ledger, jsonl, sqlite, tmp_path):
    (tmp_path / "out.jsonl.gz").write_bytes(b"another output")
    write(jsonl.sink, article_row(1), article_row(2))
    (tmp_path / "out.jsonl.1.gz").write_bytes(gzip.compress((tmp_path / "out.jsonl").read_bytes()))
    (tmp_path / "out.jsonl").unlink()
    write(jsonl.sink, article_row(3))
    write(sqlite.sink, article_row(1), article_row(2), article_row(3))
    assert learn(ledger, jsonl, sqlite) == 3
    assert ledger.counts().states["written"] == 3
