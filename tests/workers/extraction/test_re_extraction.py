"""Kept pages are extracted again: new versions only where the text differs, once each, whatever interrupts it."""

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from tests.workers.helpers import (
    FETCHED_AT,
    TASK,
    deliver,
    extracted_again,
    list_page,
    news,
    publish,
    rows,
    states,
    url,
)
from tests.workers.sqlite_outputs import in_table, locked
from workers import keys
from workers.errors import ExemplarError
from workers.extraction.re_extraction import ReExtraction, kept_pages_for
from workers.extraction_config import RowFilter
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.reporting.worker_reports import WorkerTimes
from workers.worker_processes.extraction_worker import ExtractionWorker

HOUR = 3600.0
MONTH = 30 * 86400.0
HEADLINES = {number: f"Headline of article {number} in the town" for number in range(1, 10)}
LISTS = [list_page({number: HEADLINES[number] for number in range(first, first + 6)}) for first in (1, 4)]
OLD = {number: news(number) for number in range(1, 5)}


def again(worker, **more):
    """Extract again by one worker; return the number of pages by result."""
    return dict(+extracted_again(worker, TASK, **more))


def versions(folder, name="out.jsonl"):
    return sorted((row["url"], row["version"]) for row in rows(folder, name))


@pytest.fixture
def written(connection, worker, tmp_path):
    """A task of two outputs that keeps its pages, and has four rows."""
    publish(connection, tmp_path, "out.jsonl", "out.db", keep_pages=MONTH)
    worker.extract_pages(TASK, deliver(connection, OLD))
    assert set(states(connection, *OLD)) == {"written"}
    return tmp_path


def test_a_text_that_differs_by_the_vote_alone_gives_no_version(worker, written):
    with closing(sqlite3.connect(written / "pages" / TASK / f"{TASK}.kept")) as database, database:
        database.execute("UPDATE articles SET content_hash = zeroblob(16)")  # recent pages voted otherwise
    assert again(worker) == {"same": 4}


@pytest.fixture
def change(connection):
    """Make the kept pages look as if their rows had had another text."""

    def forget_texts(folder):
        with closing(sqlite3.connect(folder / "pages" / TASK / f"{TASK}.kept")) as database, database:
            database.execute("UPDATE articles SET content_hash = zeroblob(16), example_hash = zeroblob(16)")

    return forget_texts


def test_pages_whose_output_is_unavailable_wait_for_it(connection, written, change, clock):
    change(written)
    worker = ExtractionWorker(connection, "impatient", times=WorkerTimes(output_patience=0.1))
    ledger = Ledger(connection, TASK)
    work = ReExtraction(ledger, kept_pages_for(ledger))
    with locked(written / "out.db"):
        assert not work.step()
        names = [name.decode() for name in connection.zrange(ledger.keys["fetched"], 0, -1)]
        worker.extract_pages(TASK, names)
        assert not work.step()
    clock.forward(60)
    worker.extract_pages(TASK, names)
    assert work.step()
    worker.close()
    expected = sorted((url(number), version) for number in OLD for version in (1, 2))
    assert versions(written) == in_table(written, "url, version") == expected


def test_a_refused_page_gets_its_row_when_the_filter_is_gone(connection, worker, tmp_path):
    publish(connection, tmp_path, keep_pages=MONTH, keep=RowFilter(("no such word",)))
    worker.extract_pages(TASK, deliver(connection, {1: news(1), 2: news(2)}))
    assert states(connection, 1, 2) == ["rejected", "rejected"]
    assert again(worker) == {"refused": 2}
    publish(connection, tmp_path, keep_pages=MONTH)
    assert again(worker) == {"changed": 2}
    assert versions(tmp_path) == [(url(1), 1), (url(2), 1)]
    assert states(connection, 1, 2) == ["written", "written"]
    counts = Ledger(connection, TASK).counts()
    assert (counts.states["rejected"], counts.states["written"], counts.unaccounted) == (0, 2, 0)
    assert again(worker) == {"same": 2}


def test_pages_that_a_site_forbids_to_use_are_not_kept(connection, worker, tmp_path):
    publish(connection, tmp_path, keep_pages=MONTH, skip=("noai",))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}, headers={"x-robots-tag": ["noai"]}))
    assert states(connection, 1) == ["rejected"]
    with pytest.raises(ExemplarError, match="no page of task gazette is kept"):
        kept_pages_for(Ledger(connection, TASK))


def test_a_later_recheck_compares_with_the_new_text(connection, worker, clock, tmp_path, change):
    publish(connection, tmp_path, keep_pages=MONTH, revisit=(HOUR, 10 * HOUR))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    ledger = Ledger(connection, TASK)
    [young] = connection.hgetall(ledger.keys["young"])
    record = json.loads(connection.hget(ledger.keys["young"], young))
    record["visits"] |= {"hash": "0" * 64, "row_hash": "0" * 64}
    connection.hset(ledger.keys["young"], young, json.dumps(record))
    assert again(worker) == {"changed": 1}
    clock.forward(HOUR + 1)
    assert ledger.start_rechecks() == 1
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    assert versions(tmp_path) == [(url(1), 1), (url(1), 2)]
    clock.forward(HOUR + 1)
    assert ledger.start_rechecks() == 1
    worker.extract_pages(TASK, deliver(connection, {1: news(1, word="corrected")}))
    assert versions(tmp_path)[-1] == (url(1), 3)


def test_each_list_page_gives_the_rows_of_its_entries(connection, worker, tmp_path, clock):
    """Pages of one URL are extracted one after another; entries that have a row keep it."""
    lists = {"keep_pages": MONTH, "method": "list-rank", "revisit": (HOUR, 10 * HOUR)}
    publish(connection, tmp_path, keep=RowFilter(("no such word",)), **lists)
    ledger, (name,) = Ledger(connection, TASK), deliver(connection, {1: LISTS[0]})
    worker.extract_pages(TASK, [name])
    clock.forward(HOUR + 1)
    assert ledger.start_rechecks() == 1
    later = FETCHED_AT + timedelta(hours=1)
    Inbox(connection).deliver(ledger, {name: StoredPage(url(1), LISTS[1], "text/html", later)})
    worker.extract_pages(TASK, [name])
    assert (states(connection, 1), rows(tmp_path)) == (["written"], [])
    publish(connection, tmp_path, **lists)
    assert again(worker) == {"changed": 2}
    assert sorted(row["title"] for row in rows(tmp_path)) == sorted({*HEADLINES.values()})
    assert again(worker) == {"same": 2}


def test_a_damaged_page_fails_alone(connection, worker, tmp_path):
    publish(connection, tmp_path, keep_pages=MONTH)
    for number in (1, 2):
        worker.extract_pages(TASK, deliver(connection, {number: news(number)}))
    with closing(sqlite3.connect(tmp_path / "pages" / TASK / f"{TASK}.kept")) as database, database:
        database.execute("UPDATE pages SET packed = substr(packed, 1, 20) WHERE id = 2")
    assert again(worker) == {"same": 1, "failed": 1}


def test_kept_pages_are_no_evidence_on_the_present_state(connection, worker, tmp_path):
    """Neither for the section's health, nor for a redesign, nor as votes; equal ones are no block pages."""
    publish(connection, tmp_path, keep_pages=MONTH, keep=RowFilter(("no such word",)))
    worker.extract_pages(TASK, deliver(connection, {number: news(1) for number in range(1, 7)}))
    for name in ("health", "recent", "low", "sent", "observed"):
        connection.delete(keys.of_task(TASK, name))
    publish(connection, tmp_path, keep_pages=MONTH, near_duplicates="keep")
    assert again(worker) == {"changed": 6}
    left = set(connection.scan_iter(keys.of_task(TASK, "*")))
    assert not left & {keys.of_task(TASK, name).encode() for name in ("recent", "low", "sent", "observed")}


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
