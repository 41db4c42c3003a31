import json
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from extractors import Section
from tests.workers.helpers import FETCHED_AT, TASK, archive, article, deliver, news, publish, rows, states, url
from workers.extraction import section_preparation
from workers.extraction.recent_pages import LARGEST, REPLACE_AFTER, Candidates, section_pages, section_version
from workers.extraction_config import keep_example
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

RECENT = f"exemplar:task:{TASK}:recent"
EXAMPLE = f"exemplar:task:{TASK}:example"
HTML = "text/html; charset=utf-8"


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task, unless a test publishes it otherwise."""
    publish(connection, tmp_path)


@pytest.fixture
def candidates(connection):
    return fresh_candidates(connection)


def fresh_candidates(connection):
    pages = section_pages(connection, TASK)
    return Candidates(connection, TASK, Section(pages.example.body, pages.example.url), pages)


def consider(candidates, number, body, **changes):
    found = Section(article(0), url(0)).extract(body, url(number))
    page = StoredPage(url(number), body, HTML, FETCHED_AT)
    candidates.consider(fingerprint(url(number)), page, replace(found, **changes))


def work_on(connection, worker, *numbers, page=news):
    worker.extract_pages(TASK, deliver(connection, {number: page(number) for number in numbers}))


def recent(connection):
    """The numbers of the pages that vote, oldest first."""
    return [int(page.url.removesuffix(".html").rpartition("/")[2]) for page in section_pages(connection, TASK).recent]


def changes(connection):
    return section_pages(connection, TASK).changes


def test_a_full_vote_takes_a_new_page_once_in_a_while_and_the_oldest_leaves(connection, worker, clock):
    work_on(connection, worker, 1, 2, 3, 4, 5, 6)
    work_on(connection, worker, 9)
    assert (recent(connection), changes(connection)) == ([1, 2, 3, 4], 1)
    clock.forward(REPLACE_AFTER)
    work_on(connection, worker, 7, 8)
    assert (recent(connection), changes(connection)) == ([2, 3, 4, 7], 2)


def test_a_page_that_says_the_same_as_a_voter_does_not_vote(connection, candidates):
    consider(candidates, 1, article(0))
    consider(candidates, 2, news(2))
    consider(candidates, 3, news(2))
    assert candidates.offer()
    candidates = fresh_candidates(connection)
    consider(candidates, 4, news(2))
    assert not candidates.offer()
    assert recent(connection) == [2]


def test_a_voter_whose_text_has_changed_does_not_vote_twice(connection, candidates):
    consider(candidates, 1, news(1))
    candidates.offer()
    candidates = fresh_candidates(connection)
    consider(candidates, 1, news(2))
    assert not candidates.offer()


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (archive(), {}),
        (news(1), {"missing": (url(2),)}),
        (news(1), {"parts": (StoredPage(url(2), b"", "", FETCHED_AT),)}),
    ],
    ids=["list", "a page is missing", "several pages"],
)
def test_a_list_and_a_page_of_several_do_not_vote_however_confident_the_article_is(candidates, body, more):
    sure = Section(article(0), url(0)).extract(news(1), url(1))
    candidates.consider(fingerprint(url(1)), StoredPage(url(1), body, HTML, FETCHED_AT, **more), sure)
    assert not candidates.offer()


def test_a_page_that_takes_too_much_room_does_not_vote(connection, candidates):
    noise = Random(1).randbytes(2 * LARGEST).hex()
    consider(candidates, 1, news(1) + f"<!-- {noise} -->".encode())
    consider(candidates, 2, news(2) + f"<!-- {noise[: LARGEST // 2]} -->".encode())
    assert candidates.offer()
    assert recent(connection) == [2]


def test_pages_of_a_back_fill_are_not_recent(connection, worker):
    Ledger(connection, TASK).add([Found(url(1), info={"days": ["2001-01-01", None]})])
    work_on(connection, worker, 1)
    assert states(connection, 1) == ["written"]
    assert not connection.exists(RECENT)


def test_of_two_workers_that_offer_at_once_one_succeeds(connection, candidates):
    other = fresh_candidates(connection)
    for number in (1, 2, 3):
        consider(candidates, number, news(number))
        consider(other, number + 1, news(number + 1))
    assert (candidates.offer(), other.offer()) == (True, False)
    assert (recent(connection), changes(connection)) == ([1, 2, 3], 1)


def test_a_new_example_begins_a_new_vote(connection, candidates):
    consider(candidates, 1, news(1))
    candidates.offer()
    candidates = fresh_candidates(connection)
    consider(candidates, 2, news(2))
    before = section_version(connection, TASK)
    keep_example(connection, TASK, StoredPage(url(9), news(9), "text/html", FETCHED_AT), url(9))
    assert not candidates.offer()
    assert section_version(connection, TASK) != before
    assert recent(connection) == []
    candidates = fresh_candidates(connection)
    consider(candidates, 3, news(3))
    assert candidates.offer()
    assert recent(connection) == [3]


def test_pages_of_a_voter_come_back_as_they_were(connection, candidates):
    body = "<p>例".encode("gb18030") + news(1)
    sure = Section(article(0), url(0)).extract(news(1), url(1))
    candidates.consider("name", StoredPage(url(1), body, "text/html; charset=gbk", FETCHED_AT), sure)
    candidates.offer()
    pages = section_pages(connection, TASK)
    [page] = pages.recent
    assert (page.name, page.url, page.content_type) == ("name", url(1), "text/html; charset=gbk")
    assert page.body(pages.example) == body
    assert len(page.packed) < len(body) / 2


def test_a_damaged_voter_is_dropped(connection, worker, tmp_path):
    work_on(connection, worker, 1, 2, 3, 4)
    connection.hset(RECENT, "body:2", b"damaged")
    connection.hincrby(EXAMPLE, "recent", 1)
    work_on(connection, worker, 5, page=article)
    assert states(connection, 5) == ["written"]
    assert rows(tmp_path)[-1]["reason"].startswith("vote of 4 pages")
    assert recent(connection)[:3] == [1, 3, 4]


def test_a_voter_that_ends_every_worker_is_dropped(connection, worker, tmp_path, monkeypatch):
    _vote_of_which_2_fails(connection, worker, tmp_path, monkeypatch, SystemExit())
    names = deliver(connection, {5: article(5)})
    for _ in range(section_preparation.MOST_BEGINS):
        with pytest.raises(SystemExit):
            worker.extract_pages(TASK, names)
    worker.extract_pages(TASK, names)
    assert states(connection, 5) == ["written"]
    assert recent(connection)[:3] == [1, 3, 4]


def _vote_of_which_2_fails(connection, worker, tmp_path, monkeypatch, error):
    work_on(connection, worker, 1, 2, 3, 4)
    learn = Section.learn

    def fail(self, html, page_url, **more):
        if page_url == url(2):
            raise error
        learn(self, html, page_url, **more)

    monkeypatch.setattr(Section, "learn", fail)


def test_workers_of_one_version_write_the_same_bytes(connection, worker, tmp_path):
    work_on(connection, worker, 1, 2, 3)
    work_on(connection, worker, 11, 12)  # now four vote, and this worker has extracted others before
    version = section_version(connection, TASK)
    work_on(connection, worker, 5, 6, 7)
    first = (tmp_path / "out.jsonl").read_bytes().splitlines()[-3:]
    (tmp_path / "out.jsonl").unlink()
    for key in connection.scan_iter(f"exemplar:task:{TASK}:*"):
        if key.decode() not in (RECENT, EXAMPLE):
            connection.delete(key)
    with closing(ExtractionWorker(connection, "there")) as other:
        work_on(connection, other, 5, 6, 7)
    assert section_version(connection, TASK) == version
    assert (tmp_path / "out.jsonl").read_bytes().splitlines() == first
    assert json.loads(first[0])["section_version"] == version
