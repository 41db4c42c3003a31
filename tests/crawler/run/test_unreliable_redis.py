"""Runs on a Redis that loses replies, or its last writes: no article of the section is lost."""

import pytest

from crawler.run.section_run import LOSS
from tests.workers.servers import LossyProxy, Server
from workers.ledger import Ledger
from workers.redis_access.connection import client
from workers.url_states import fingerprint

from .sections import EXAMPLE, LIST, Driver, list_of, page, url

PER_PAGE = 3


class Crawl(Driver):
    """A run that walks a section with articles from `newest` down. `before`: called with the number of each list."""

    def __init__(self, connection, newest, before=lambda number: None):
        super().__init__(connection)
        self.newest, self.before, self.lists = newest, before, []

    def go(self):
        while self.step() or self.run.pause() == 0.0:
            self.run.beat()
        return self.end()

    def step(self):
        """Read lists as long as there are any, then fetch the articles; return whether anything was done."""
        done = self.walk(self._body_of, headers={}) + self.fetch_all()
        self.run.articles.flush()
        return bool(done)

    def _body_of(self, address):
        self.before(len(self.lists))
        self.lists.append(address)
        return list_of(address, self.newest, PER_PAGE)


@pytest.fixture
def server():
    with Server() as server:
        yield server


def unknown(connection, newest):
    """The numbers of the articles that the ledger does not know."""
    names = [fingerprint(url(number)) for number in range(1, newest + 1)]
    answers = Ledger(connection, "news").known_fingerprints(names)
    return [number for number, is_known in enumerate(answers, 1) if not is_known]


def test_a_walk_whose_first_reply_is_lost_reads_all_that_is_new(server):
    proxy = LossyProxy(server.socket)
    with proxy.client() as connection:
        Crawl(connection, 30).go()
        add = Ledger(connection, "news").script_of("add")
        crawl = Crawl(connection, 54, lambda number: number == 0 and proxy.drop_reply_to(add.sha))
        report = crawl.go()
        assert proxy.dropped == 1
        assert report.new == 24
        assert unknown(connection, 54) == []


class Loss:
    """Rolls a server back to the moment before one list was read, before another is read."""

    def __init__(self, server, moment, at):
        self.server, self.moment, self.at, self.size = server, moment, at, 0

    def __call__(self, number):
        if number == self.moment:
            self.size = self.server.size()
        if number == self.at:
            self.server.roll_back(self.size)


def test_a_living_run_walks_again_when_redis_lost_a_page_of_urls(server):
    with client(server.url) as connection:
        crawl = Crawl(connection, 30, Loss(server, 3, 5))
        report = crawl.go()
        assert report.outcome == "finished"
        assert LOSS in report.remarks
        assert unknown(connection, 30) == []
        assert crawl.lists.count(LIST) == 2


def test_a_later_run_walks_again_when_redis_lost_a_page_of_urls(server):
    with client(server.url) as connection:
        Crawl(connection, 9).go()
        Crawl(connection, 30, Loss(server, 1, 3)).go()
        assert unknown(connection, 30) == []


@pytest.mark.parametrize("late", [False, True])
def test_a_run_that_ends_right_after_the_loss_does_not_keep_a_complete_walk(server, late):
    with client(server.url) as connection:
        loss = Loss(server, 3, -1)
        crawl = Crawl(connection, 24, loss)
        crawl.step()
        if late:  # in the middle of the end
            remember = crawl.run.lists.remember
            crawl.run.lists.remember = lambda: (server.roll_back(loss.size), remember())
        else:
            server.roll_back(loss.size)
        crawl.run.end("finished")
        assert unknown(connection, 24) == [*range(1, 16)]
        Crawl(connection, 24).go()
        assert unknown(connection, 24) == []


def test_an_example_that_redis_lost_is_fetched_again(server):
    with client(server.url) as connection:
        crawl = Crawl(connection, 1)
        [fetch] = crawl.run.next()
        crawl.run.store_example(page(fetch.url))
        crawl.run.in_flight.clear()
        connection.flushall()
        crawl.run.beat()
        assert [fetch.url for fetch in crawl.run.next()] == [EXAMPLE]
