"""Real workers on a real Redis that loses its last second, or everything: no row twice, and ledger = outputs."""

import sqlite3
import time
from collections import Counter
from contextlib import closing

import pytest

from tests.workers.helpers import CHEAP, FETCHED_AT, TASK, eventually, news, publish, rows, url
from tests.workers.servers import Server
from tests.workers.supervisors import supervisors
from tests.written_rows import rows_so_far
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import client
from workers.url_states import Found

pytestmark = pytest.mark.timeout(100)
PAGES = range(1, 41)


@pytest.fixture
def server():
    with Server() as server:
        yield server


@pytest.fixture
def supervise(server):
    with supervisors(server.url) as start:
        yield start


def visit(connection, folder):
    """Do what a spider does that walks the whole site: add all URLs, fetch and deliver those that wait."""
    publish(connection, folder, "out.jsonl", "out.db", method=CHEAP)
    ledger, inbox = Ledger(connection, TASK), Inbox(connection)
    ledger.add([Found(url(number)) for number in PAGES])
    while leased := ledger.lease(10):
        numbers = {item.fingerprint: int(item.url.rsplit("/", 1)[1].removesuffix(".html")) for item in leased}
        inbox.deliver(
            ledger,
            {
                name: StoredPage(url(number), news(number), "text/html; charset=utf-8", FETCHED_AT)
                for name, number in numbers.items()
            },
        )


def written(connection):
    return {number for number in PAGES if (Ledger(connection, TASK).state_of(url(number)) or ("",))[0] == "written"}


def all_settled(connection):
    counts = Ledger(connection, TASK).counts()
    return counts.seen == len(PAGES) and counts.open == 0


def assert_each_row_once(connection, folder):
    expected = Counter({url(number): 1 for number in PAGES})
    assert Counter(row["url"] for row in rows(folder)) == expected
    with closing(sqlite3.connect(folder / "out.db")) as database:
        assert Counter(stored for (stored,) in database.execute("SELECT url FROM articles")) == expected
    counts = Ledger(connection, TASK).counts()
    assert (counts.states["written"], counts.unaccounted) == (len(PAGES), 0)
    assert written(connection) == {*PAGES}


def test_a_redis_that_loses_all_while_nobody_works_is_healed_by_the_outputs(server, supervise, tmp_path):
    connection = client(server.url)
    visit(connection, tmp_path)
    process = supervise()
    eventually(lambda: rows_so_far(tmp_path / "out.jsonl") >= 15, "rows")
    process.terminate()
    process.join(30)
    server.kill()
    server.file.write_bytes(b"")
    server.start()
    visit(connection, tmp_path)
    supervise()
    eventually(lambda: all_settled(connection), "the end")
    assert_each_row_once(connection, tmp_path)


def test_a_redis_that_is_emptied_under_workers_is_healed_by_the_outputs(server, supervise, tmp_path):
    connection = client(server.url)
    visit(connection, tmp_path)
    supervise()
    for share in (6, 20):
        eventually(lambda share=share: rows_so_far(tmp_path / "out.jsonl") >= share, "rows")
        connection.flushall()
        time.sleep(0.2)
        visit(connection, tmp_path)
    eventually(lambda: all_settled(connection), "the end")
    assert_each_row_once(connection, tmp_path)
