"""List pages as rows: one row an entry, whatever is read again, shared or cut off half-way."""

from datetime import timedelta

import pytest

from tests.workers.helpers import FETCHED_AT, TASK, come_again, deliver, list_page, news, publish, rows, states, url
from tests.workers.kills import dying_at
from tests.workers.sqlite_outputs import in_table
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.task_state.forgetting import expire, forget_url
from workers.url_states import Found, fingerprint

HOST = "http://gazette.example"
TOWNS = (
    "Harbour office opens its tide station", "Bakery in the old town bakes again", "Library van stops in villages",
    "How the salt marsh was built again", "The clock that pupils mended", "An argument about a bench",
    "A goose holds up the regatta", "Orchard gives a second harvest",
)  # fmt: skip


def towns(*numbers):
    """A list page with an entry for each number."""
    return list_page({number: TOWNS[number] for number in numbers})


def entry(number):
    return f"{HOST}/town/{number}.html"


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task, whose pages are lists, unless a test publishes it otherwise."""
    publish(connection, tmp_path, method="list-rank")


@pytest.mark.parametrize("method", ["list-rank", "i-awce"])
def test_an_entry_is_a_row(connection, worker, ledger, tmp_path, method):
    publish(connection, tmp_path, "out.jsonl", "out.db", method=method)
    worker.extract_pages(TASK, deliver(connection, {1: towns(0, 1, 2, 3, 4, 5)}))
    written = rows(tmp_path)
    assert [(row["title"], row["url"], row["published"]) for row in written] == [
        (TOWNS[number], entry(number), "2026-03-03") for number in range(6)
    ]
    first = written[0]
    assert (first["canonical_url"], first["listed_on"], first["version"]) == (entry(0), url(1), 1)
    assert (first["method"], first["page_type"], first["text"]) == (method, "list", TOWNS[0])
    assert in_table(tmp_path, "url, listed_on") == [(entry(number), url(1)) for number in range(6)]
    assert ledger.state_of(url(1)) == ("written", "list: 6 entries, 6 new")
    assert ledger.counts().unaccounted == 0


def test_a_page_waits_while_another_worker_writes_an_entry_of_it(connection, worker, ledger, clock, tmp_path):
    first, second = deliver(connection, {1: towns(0, 1, 2, 3), 2: towns(3, 4, 5, 6)})
    next(ledger.take_all([first], "another", seconds=60))
    shared = fingerprint(entry(3))
    assert ledger.claim_entries(first, [shared], "another", pages_give_rows=False) == [True]
    worker.extract_pages(TASK, [second])
    assert rows(tmp_path) == []
    assert states(connection, 2) == ["fetched"]
    ledger.settle(first, "failed", "its worker died", worker="another")
    clock.forward(worker.times.claim_pause)
    worker.extract_pages(TASK, [second])
    assert [row["url"] for row in rows(tmp_path)] == [entry(number) for number in (3, 4, 5, 6)]


@pytest.mark.parametrize("step", ["entries_written", "settle_all"])
def test_a_worker_that_dies_after_writing_leaves_each_row_once(connection, worker, ledger, tmp_path, step):
    names = deliver(connection, {1: towns(0, 1, 2, 3)})
    with dying_at(Ledger, step):
        worker.extract_pages(TASK, names)
    assert len(rows(tmp_path)) == 4
    for name in ledger.free("here"):
        worker.extract_pages(TASK, [name])
    assert len(rows(tmp_path)) == 4
    assert states(connection, 1) == ["written"]


def test_rows_of_a_page_that_never_comes_again_are_not_doubled_by_its_neighbour(connection, worker, ledger, tmp_path):
    """The first page's worker dies after it wrote; the page is settled otherwise; the second shares two entries."""
    first, second = deliver(connection, {1: towns(0, 1, 2, 3), 2: towns(2, 3, 4, 5)})
    with dying_at(Ledger, "entries_written"):
        worker.extract_pages(TASK, [first])
    ledger.settle(first, "failed", "given up")
    worker.extract_pages(TASK, [second])
    assert sorted(row["url"] for row in rows(tmp_path)) == [entry(number) for number in range(6)]


def own_list(*numbers):
    """A list page whose entries are pages of the task."""
    return towns(*numbers).replace(b"/town/", b"/a/")


def test_i_awce_gives_articles_and_entries_and_no_url_twice(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, method="i-awce")
    names = deliver(connection, {7: own_list(0, 1, 2, 3, 4, 5), 1: news(1)})
    ledger.add([Found(url(2))])  # it is to be fetched, and will give a row of its own
    worker.extract_pages(TASK, names)
    written = {row["url"]: row for row in rows(tmp_path)}
    assert len(written) == len(rows(tmp_path))
    assert sorted(written) == [url(number) for number in (0, 1, 3, 4, 5)]
    assert [(written[url(n)]["listed_on"], written[url(n)]["version"]) for n in (1, 3)] == [(None, 1), (url(7), 1)]
    assert len(written[url(1)]["text"]) > 5 * len(written[url(3)]["text"])


def test_an_article_whose_entry_was_written_before_is_its_next_version(connection, worker, tmp_path):
    publish(connection, tmp_path, "out.jsonl", "out.db", method="i-awce")
    worker.extract_pages(TASK, deliver(connection, {7: own_list(0, 1, 2, 3, 4, 5)}))
    worker.extract_pages(TASK, deliver(connection, {1: news(1)}))
    own = [(row["version"], row["listed_on"]) for row in rows(tmp_path) if row["canonical_url"] == url(1)]
    assert own == [(1, url(7)), (2, None)]
    assert len(in_table(tmp_path)) == 7


def test_list_pages_that_list_each_other_do_not_wait_for_each_other(connection, worker, ledger, clock, tmp_path):
    publish(connection, tmp_path, method="list-rank", revisit=(3600.0, 86400.0))
    body = own_list(1, 2, 3, 4)
    worker.extract_pages(TASK, deliver(connection, {1: body, 2: body}))
    assert len(rows(tmp_path)) == 4
    names = come_again(ledger, clock, own_list(1, 2, 3, 4, 5), 3600)
    worker.extract_pages(TASK, names)
    assert states(connection, 1, 2) == ["written", "written"]
    assert len(rows(tmp_path)) == 5


def test_pages_of_one_list_are_one_page(connection, worker, ledger, tmp_path):
    further = StoredPage(f"{HOST}/a/1_2.html", towns(3, 4, 5, 6), "text/html", FETCHED_AT)
    worker.extract_pages(TASK, deliver(connection, {1: towns(0, 1, 2, 3)}, parts=(further,)))
    assert [row["url"] for row in rows(tmp_path)] == [entry(number) for number in range(7)]


def test_forgotten_entries_are_written_again_where_their_rows_are_gone(connection, worker, ledger, clock, tmp_path):
    publish(connection, tmp_path, method="list-rank", revisit=(3600.0, 100 * 86400.0))
    worker.extract_pages(TASK, deliver(connection, {1: towns(0, 1, 2, 3)}))
    assert forget_url(ledger, entry(2))
    worker.extract_pages(TASK, come_again(ledger, clock, towns(0, 1, 2, 3), 3600))
    assert len(rows(tmp_path)) == 4  # its row is there still
    (tmp_path / "out.jsonl").unlink()
    clock.offset = timedelta(days=50).total_seconds()
    expire(ledger, timedelta(days=30))
    assert connection.hlen(ledger.keys["entries"]) == 0
