"""Kept pages are extracted again: new versions only where the text differs, once each, whatever interrupts it."""

import os
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial

import pytest

from tests.workers.helpers import FETCHED_AT, TASK, deliver, news, publish, rows, states, url
from tests.workers.sqlite_outputs import in_table, locked
from workers.errors import ExemplarError, SinkUnavailable
from workers.extraction.page_processes import PageProcesses
from workers.extraction.re_extraction import ReExtraction, kept_pages_for, section_for
from workers.extraction_config import RowFilter
from workers.ledger import Ledger
from workers.reporting.worker_reports import WorkerTimes

HOUR = 3600.0
MONTH = 30 * 86400.0
OLD = {number: news(number) for number in range(1, 5)}


def again(connection, clock=None, **more):
    """Extract again; return the report."""
    ledger = Ledger(connection, TASK, clock=clock)
    kept = kept_pages_for(ledger)
    chosen = {name: more.pop(name, None) for name in ("example", "method")}
    section = section_for(ledger, kept, **chosen)
    try:
        return ReExtraction(ledger, kept, section, processes=2, deadline=more.pop("deadline", 20)).run(**more)
    finally:
        section.close()
        kept.close()


def versions(folder, name="out.jsonl"):
    return sorted((row["url"], row["version"]) for row in rows(folder, name))


@pytest.fixture
def written(connection, worker, tmp_path):
    """A task of two outputs that keeps its pages, and has four rows."""
    publish(connection, tmp_path, "out.jsonl", "out.db", keep_pages=MONTH)
    worker.extract_pages(TASK, deliver(connection, OLD))
    assert set(states(connection, *OLD)) == {"written"}
    return tmp_path


@pytest.mark.parametrize("is_known", [True, False])
def test_a_text_that_differs_by_the_vote_alone_gives_no_version(connection, written, is_known):
    with closing(sqlite3.connect(written / "pages" / TASK / f"{TASK}.pages")) as database, database:
        database.execute("UPDATE articles SET content_hash = zeroblob(16)")  # recent pages voted otherwise
        if not is_known:
            database.execute("DROP TABLE example_texts")  # as version 0.2 kept pages
    report = again(connection)
    assert (report.pages, report.changed) == (4, 0 if is_known else 4)
    assert again(connection).changed == 0


def test_another_text_gives_the_next_version_in_all_outputs_once(connection, written, change):
    change(written)
    trial = again(connection, dry_run=True)
    assert (trial.changed, trial.rows, len(rows(written))) == (4, 4, 4)
    report = again(connection)
    assert (report.changed, report.rows, report.new_rows) == (4, 4, 0)
    expected = sorted((url(number), version) for number in OLD for version in (1, 2))
    assert versions(written) == in_table(written, "url, version") == expected
    assert {row["fetched_at"] for row in rows(written)} == {FETCHED_AT.isoformat(timespec="seconds")}
    assert again(connection).rows == 0
    assert versions(written) == expected


@pytest.fixture
def change(connection):
    """Make the kept pages look as if their rows had had another text."""

    def forget_texts(folder):
        with closing(sqlite3.connect(folder / "pages" / TASK / f"{TASK}.pages")) as database, database:
            database.execute("UPDATE articles SET content_hash = zeroblob(16)")
            database.execute("UPDATE example_texts SET hash = zeroblob(16)")

    return forget_texts


def test_only_pages_since_a_day(connection, written, change):
    change(written)
    assert again(connection, since=FETCHED_AT.timestamp() + 1).pages == 0
    assert again(connection, since=FETCHED_AT.timestamp()).pages == 4


def test_an_unavailable_output_is_completed_by_the_next_run(connection, written, change, monkeypatch):
    change(written)
    impatient = partial(WorkerTimes, output_patience=0.1)
    monkeypatch.setattr("workers.extraction.section_preparation.WorkerTimes", impatient)
    with locked(written / "out.db"), pytest.raises(SinkUnavailable):
        again(connection)
    assert again(connection).completed == 4
    expected = sorted((url(number), version) for number in OLD for version in (1, 2))
    assert versions(written) == in_table(written, "url, version") == expected


def test_a_refused_page_gets_its_row_when_the_filter_is_gone(connection, worker, tmp_path):
    publish(connection, tmp_path, keep_pages=MONTH, keep=RowFilter(("no such word",)))
    worker.extract_pages(TASK, deliver(connection, {1: news(1), 2: news(2)}))
    assert states(connection, 1, 2) == ["rejected", "rejected"]
    publish(connection, tmp_path, keep_pages=MONTH)
    report = again(connection)
    assert (report.changed, report.new_rows) == (2, 2)
    assert versions(tmp_path) == [(url(1), 1), (url(2), 1)]
    assert states(connection, 1, 2) == ["written", "written"]
    counts = Ledger(connection, TASK).counts()
    assert (counts.states["rejected"], counts.states["written"], counts.unaccounted) == (0, 2, 0)
    assert again(connection).rows == 0


def test_pages_that_a_site_forbids_to_use_are_not_kept(connection, worker, tmp_path):
    publish(connection, tmp_path, keep_pages=MONTH, skip=("noai",))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}, headers={"x-robots-tag": ["noai"]}))
    assert states(connection, 1) == ["rejected"]
    with pytest.raises(ExemplarError, match="no page of task gazette is kept"):
        kept_pages_for(Ledger(connection, TASK))


def test_a_later_recheck_compares_with_the_new_text(connection, worker, clock, tmp_path, change):
    publish(connection, tmp_path, keep_pages=MONTH, revisit=(HOUR, 10 * HOUR))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    change(tmp_path)
    assert again(connection, clock).rows == 1
    clock.forward(HOUR + 1)
    ledger = Ledger(connection, TASK, clock=clock)
    assert ledger.start_rechecks() == 1
    assert again(connection, clock).pages == 1
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    assert versions(tmp_path) == [(url(1), 1), (url(1), 2)]
    clock.forward(HOUR + 1)
    assert ledger.start_rechecks() == 1
    worker.extract_pages(TASK, deliver(connection, {1: news(1, word="corrected")}))
    worker.extract_pages(TASK, deliver(connection, {1: news(1, word="corrected")}))
    assert versions(tmp_path)[-1] == (url(1), 3)


def test_a_url_that_is_being_fetched_is_left_alone(connection, worker, clock, tmp_path, change):
    publish(connection, tmp_path, keep_pages=MONTH, revisit=(HOUR, 10 * HOUR))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    change(tmp_path)
    clock.forward(HOUR + 1)
    Ledger(connection, TASK, clock=clock).start_rechecks()
    report = again(connection, clock)
    assert (report.postponed, report.rows, len(rows(tmp_path))) == (1, 0, 1)


def test_an_example_has_to_be_kept(connection, written):
    assert again(connection, example=url(3)).failed == 0
    with pytest.raises(ExemplarError, match="is not among the kept pages of task gazette"):
        again(connection, example=url(99))


def test_pages_that_crash_or_hang_fail_alone():
    def start():
        def work(number):
            if number == 13:
                os.kill(os.getpid(), signal.SIGKILL)
            if number == 17:
                time.sleep(60)
            return number, "fine"

        return work

    pool = PageProcesses(start, lambda page, reason: (page, reason), processes=2, deadline=1.0)
    results = dict(pool.results(range(40)))
    assert sorted(results) == list(range(40))
    assert {page: reason for page, reason in results.items() if reason != "fine"} == {
        13: "its process ended: ended by SIGKILL",
        17: "took longer than 1 seconds",
    }


def test_rows_wait_while_their_pages_can_not_be_kept(connection, worker, tmp_path, clock):
    publish(connection, tmp_path, keep_pages=MONTH)
    (tmp_path / "pages").write_text("a file where a folder should be")
    names = deliver(connection, {1: news(1), 2: b"<html></html>"})
    worker.extract_pages(TASK, names)
    assert states(connection, 1, 2) == ["fetched", "fetched"]
    (tmp_path / "pages").unlink()
    clock.forward(60)
    worker.extract_pages(TASK, names)
    assert states(connection, 1)[0] == "written"
    assert states(connection, 2)[0] in ("failed", "rejected")
    assert len(rows(tmp_path)) == 1
