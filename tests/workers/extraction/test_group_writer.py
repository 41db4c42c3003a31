"""Rows in groups and several outputs: what waits for an output, and whose fault it is. Workers run in this process."""

import os
from functools import partial

import pytest

from extractors import Section
from tests.workers import helpers
from tests.workers.helpers import CHEAP, TASK, Reports, deliver, news, rows, states, take, url
from tests.workers.sqlite_outputs import in_table, locked
from workers.ledger import Ledger
from workers.reporting.worker_reports import WorkerTimes
from workers.url_states import MOST_ATTEMPTS
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.writing.outputs import MOST_FACTOR

QUICK = WorkerTimes(output_patience=0.1)
publish = partial(helpers.publish, method=CHEAP)


@pytest.fixture
def watch():
    return Reports()


@pytest.fixture
def worker(connection, clock, watch):
    worker = ExtractionWorker(connection, "here", watch=watch, times=QUICK)
    yield worker
    worker.close()


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task, unless a test publishes it otherwise."""
    publish(connection, tmp_path)


def all_pause(clock):
    clock.forward(QUICK.sink_pause * MOST_FACTOR)


def test_a_job_is_written_with_one_sync_before_it_is_settled(connection, worker, tmp_path, monkeypatch):
    names = deliver(connection, {number: news(number) for number in range(1, 8)})
    at_sync = []
    monkeypatch.setattr(os, "fdatasync", lambda file: at_sync.append((states(connection, 1, 7), len(rows(tmp_path)))))
    worker.extract_pages(TASK, names)
    assert at_sync == [(["fetched"] * 2, 7)]
    assert set(states(connection, *range(1, 8))) == {"written"}


def test_a_locked_database_blames_no_page_and_holds_up_no_other_output(connection, worker, watch, tmp_path, clock):
    publish(connection, tmp_path, "out.jsonl", "out.db")
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    names = deliver(connection, {number: news(number) for number in (2, 3)})
    with locked(tmp_path / "out.db"):
        for _ in range(MOST_ATTEMPTS + 2):
            worker.extract_pages(TASK, names)
            all_pause(clock)
        assert states(connection, 2, 3) == ["fetched", "fetched"]
        assert sorted(row["url"] for row in rows(tmp_path)) == [url(1), url(2), url(3)]
        assert all("out.db cannot be written: database is locked" in problem for problem in watch.problems)
        ledger = Ledger(connection, TASK)
        assert "out.db cannot be written" in ledger.state_of(url(2))[1]
    worker.extract_pages(TASK, names)
    assert states(connection, 1, 2, 3) == ["written"] * 3
    assert in_table(tmp_path) == [url(1), url(2), url(3)]
    assert len(rows(tmp_path)) == 3


def test_a_page_that_ends_its_worker_does_not_blame_the_group(connection, worker, ledger, monkeypatch):
    names = deliver(connection, {1: news(1), 2: b"POISON", 3: news(3)})
    cut = Section.extract

    def die_of_poison(self, html, *args, **more):
        if html == b"POISON":
            raise KeyboardInterrupt
        return cut(self, html, *args, **more)

    monkeypatch.setattr(Section, "extract", die_of_poison)
    for _ in range(MOST_ATTEMPTS + 1):
        with pytest.raises(KeyboardInterrupt):
            worker.extract_pages(TASK, names[:2])
        ledger.free("here")
        if take(ledger, names[1], "look", seconds=-1).attempts > MOST_ATTEMPTS:
            break
    worker.extract_pages(TASK, names)
    assert states(connection, 1, 2, 3) == ["written", "failed", "written"]


def refused_and_rotated(connection, worker, folder, clock):
    """Have one of two outputs refuse the second page while the other, which has it, is moved aside; return its name."""
    publish(connection, folder, "out.jsonl", "out.db")
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    names = deliver(connection, {2: news(2)})
    with locked(folder / "out.db"):
        worker.extract_pages(TASK, names)
        (folder / "out.jsonl").rename(folder / "old.jsonl")
    all_pause(clock)
    return names


def test_a_row_is_not_written_again_to_a_rotated_file_when_its_page_is_fetched_again(
    connection, worker, ledger, tmp_path, clock
):
    names = refused_and_rotated(connection, worker, tmp_path, clock)
    connection.hset(f"{ledger.keys['page']}:{names[0]}", "body", b"damaged")
    worker.extract_pages(TASK, names)
    assert states(connection, 2) == ["waiting"]
    worker.extract_pages(TASK, deliver(connection, {2: news(2)}))
    assert [row["url"] for row in rows(tmp_path, "old.jsonl") + rows(tmp_path)] == [url(1), url(2)]
    assert in_table(tmp_path) == [url(1), url(2)]


def test_pages_are_not_extracted_while_their_only_output_is_away(connection, worker, tmp_path, clock, monkeypatch):
    publish(connection, tmp_path, "away/out.jsonl")
    (tmp_path / "away").write_text("a file where a folder should be")
    names = deliver(connection, {1: news(1), 2: news(2)})
    worker.extract_pages(TASK, names[:1])
    with monkeypatch.context() as patch:
        patch.setattr(Section, "extract", lambda *_, **__: pytest.fail("extracted"))
        worker.extract_pages(TASK, names[1:])
    assert states(connection, 1, 2) == ["fetched", "fetched"]
    (tmp_path / "away").unlink()
    all_pause(clock)
    worker.extract_pages(TASK, names)
    assert states(connection, 1, 2) == ["written", "written"]
